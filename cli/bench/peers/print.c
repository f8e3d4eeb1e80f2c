/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/peers/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/json_text.h"
#include "cli/base/words.h"
#include "cli/bench/agree.h"
#include "cli/bench/print.h"

/* ------------------------------------------------------------------ ratios */

typedef struct bench_ratio {
    double median, min, max;
} bench_ratio;

/* The speed of a row divided by that of another one, over the turns in which both have runs. */
static bench_ratio ratio_of_rows(const bench_row *row, const bench_row *other) {
    double ratios[BENCH_TURNS];
    size_t count = 0;
    for (size_t turn = 0; turn < BENCH_TURNS; turn++) {
        if (row->turn_seconds[turn] > 0 && other->turn_seconds[turn] > 0)
            ratios[count++] = other->turn_seconds[turn] / row->turn_seconds[turn];
    }
    if (count == 0)
        ratios[count++] =
            bench_median(other->seconds, other->repeats) / bench_median(row->seconds, row->repeats);
    qsort(ratios, count, sizeof *ratios, bench_compare_seconds);
    return (bench_ratio){bench_median(ratios, count), ratios[0], ratios[count - 1]};
}

/* The fastest peer that agrees with the reference; NULL if there is none. */
static const bench_row *best_peer(const bench_rows *rows) {
    const bench_row *reference = bench_rows_reference(rows);
    const bench_row *best = NULL;
    double least = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        if (!row->measured || !bench_row_is_peer(row) || !bench_row_agrees(row, reference))
            continue;
        double seconds = bench_median(row->seconds, row->repeats);
        if (best == NULL || seconds < least) {
            best = row;
            least = seconds;
        }
    }
    return best;
}

/* ------------------------------------------------------------------ the table */

/* The columns after the names, in characters, for bench_widths_of. */
enum { RATIO = 18, PLAN_MARK = 2, THREADS = 8, BUILD_AND_TABLE = 17, SPEED = 8 };

static void print_rest(const bench_row *row, const bench_row *best, const bench_row *reference) {
    if (best != NULL) {
        bench_ratio ratio = ratio_of_rows(row, best);
        (void)printf(" %5.2f (%.2f-%.2f)", ratio.median, ratio.min, ratio.max);
    }
    (void)fputs(bench_plan_mark(row), stdout);
    (void)puts(bench_row_agrees(row, reference) ? "" : " MISMATCH");
}

static void print_notes(const bench_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        char note[sizeof row->engine + sizeof row->variant + sizeof row->note + 8];
        if (row->note[0] == '\0')
            continue;
        (void)snprintf(note, sizeof note, "%s %s: %s", row->engine, row->variant, row->note);
        words_print(note, strlen(note), 0, 0);
    }
}

static void print_programs(const bench_contest *contest) {
    const bench_rows *rows = contest->programs;
    const bench_row *reference = bench_rows_reference(rows);
    const bench_row *best = best_peer(rows);
    int lines = bench_matches_width(rows);
    bench_widths widths = bench_widths_of(rows, THREADS + lines + 1 + SPEED + RATIO);
    (void)puts("\nwhole programs (lines with a match; the whole process is timed)");
    (void)printf("%-*s  %-*s threads %*s    GB/s%s\n", widths.engine, "program", widths.variant,
                 "version", lines, "lines", best == NULL ? "" : " ratio (min-max)");
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        bench_print_names(row, widths);
        if (!row->measured) {
            bench_print_absence(row, widths);
            continue;
        }
        (void)printf(" %7u %*" PRIu64 " %#7.3g", row->threads, lines, row->matches,
                     bench_row_speed(row, contest->text->length).median);
        print_rest(row, best, reference);
    }
}

/* Whether some row runs on another number of threads than the heading says. */
static bool threads_differ(const bench_rows *rows) {
    for (size_t i = 1; i < rows->count; i++) {
        if (rows->items[i].threads != rows->items[0].threads)
            return true;
    }
    return false;
}

static void print_row(const bench_contest *contest, const bench_row *row, bench_widths widths,
                      bool with_threads) {
    bench_print_names(row, widths);
    if (!row->measured) {
        bench_print_absence(row, widths);
        return;
    }
    if (with_threads)
        (void)printf(" %7u", row->threads);
    (void)printf(" %*" PRIu64 " %7.3f ", bench_matches_width(contest->rows), row->matches,
                 row->build_seconds);
    if (row->table_bytes == 0)
        (void)printf("%8s", "?");
    else
        (void)printf("%8.3f", (double)row->table_bytes / 1e6);
    (void)printf(" %#7.3g", bench_row_speed(row, contest->text->length).median);
    print_rest(row, best_peer(contest->rows), bench_rows_reference(contest->rows));
}

void bench_peers_print_table(const bench_contest *contest) {
    const bench_rows *rows = contest->rows;
    const bench_row *best = best_peer(rows);
    bool with_threads = threads_differ(rows);
    int matches = bench_matches_width(rows);
    bench_widths widths = bench_widths_of(rows, (with_threads ? THREADS : 0) + matches + 1 +
                                                    BUILD_AND_TABLE + SPEED + RATIO + PLAN_MARK);
    bench_print_heading(contest->options, contest->patterns, contest->text);
    (void)printf("%-*s  %-*s%s %*s build s table MB    GB/s%s\n", widths.engine, "engine",
                 widths.variant, "variant", with_threads ? " threads" : "", matches, "matches",
                 best == NULL ? "" : " ratio (min-max)");
    for (size_t i = 0; i < rows->count; i++) {
        if (i > 0 && bench_row_is_peer(&rows->items[i]) && !bench_row_is_peer(&rows->items[i - 1]))
            (void)puts("peers");
        print_row(contest, &rows->items[i], widths, with_threads);
    }
    if (best != NULL)
        (void)printf("\nratio: to %s %s, the fastest peer;\n"
                     "median, lowest and highest over the turns\n",
                     best->engine, best->variant);
    bench_print_plan_note(rows);
    print_notes(rows);
    print_programs(contest);
}

/* ------------------------------------------------------------------ JSON */

static void print_text(const char *key, const char *value) {
    (void)putchar(',');
    json_print_member(stdout, key, value);
}

static const char *status_name(const bench_row *row, const bench_row *reference) {
    static const char *const names[] = {
        [BENCH_REFUSES] = "refused",
        [BENCH_NOT_ASKED] = "not asked",
        [BENCH_OVER_TIME] = "over time",
        [BENCH_ENDED] = "ended",
    };
    if (!row->measured)
        return names[row->absence];
    return bench_row_agrees(row, reference) ? "measured" : "mismatch";
}

static void print_object(const bench_contest *contest, const bench_row *row, const char *kind,
                         const bench_row *best, const bench_row *reference) {
    if (row->measured)
        bench_print_keys(contest->options, row, contest->text->length);
    else
        (void)printf("{\"engine\":\"%s\",\"variant\":\"%s\",\"threads\":%u", row->engine,
                     row->variant, row->threads);
    (void)printf(",\"kind\":\"%s\",\"patterns\":%zu,\"text_bytes\":%zu,\"status\":\"%s\"", kind,
                 trawl_patterns_count(contest->patterns), contest->text->length,
                 status_name(row, reference));
    if (row->asked_engine != NULL)
        print_text("asked", row->asked_engine);
    if (!row->measured)
        print_text("reason", row->refusal.message);
    if (row->note[0] != '\0')
        print_text("note", row->note);
    for (size_t i = 0; row->measured && i < row->repeats; i++)
        (void)printf("%s%.6g", i == 0 ? ",\"seconds\":[" : ",", row->seconds[i]);
    if (row->measured)
        (void)putchar(']');
    if (row->measured && best != NULL) {
        bench_ratio ratio = ratio_of_rows(row, best);
        (void)printf(",\"best_peer\":\"%s %s\",\"ratio_to_best_peer\":{\"median\":%.4f,"
                     "\"min\":%.4f,\"max\":%.4f}",
                     best->engine, best->variant, ratio.median, ratio.min, ratio.max);
    }
    (void)puts("}");
}

void bench_peers_print_json(const bench_contest *contest) {
    const bench_row *best = best_peer(contest->rows);
    const bench_row *reference = bench_rows_reference(contest->rows);
    for (size_t i = 0; i < contest->rows->count; i++) {
        const bench_row *row = &contest->rows->items[i];
        print_object(contest, row, bench_row_is_peer(row) ? "peer" : "engine", best, reference);
    }
    best = best_peer(contest->programs);
    reference = bench_rows_reference(contest->programs);
    for (size_t i = 0; i < contest->programs->count; i++)
        print_object(contest, &contest->programs->items[i], "program", best, reference);
}
