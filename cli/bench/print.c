/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/base/words.h"
#include "cli/bench/subject.h"
#include "cli/flags/compile.h"
#include "cli/flags/scan.h"

enum { NAME_GAP = 2, PLAN_MARK = 2 }; /* columns: between names, and the mark "*" */

static const char *device_name(const bench_options *options, const bench_row *row) {
    const char *device = options->scan.device;
    if (row->asked_engine == NULL || device == NULL || strcmp(device, "auto") == 0)
        return "cpu";
    return device;
}

/* ------------------------------------------------------------------ the table */

void bench_print_heading(const bench_options *options, const trawl_patterns *patterns,
                         const memory_text *text) {
    static const char *const works[] = {"counting", "counting", "collecting"};
    size_t count = trawl_patterns_count(patterns);
    size_t least = count == 0 ? 0 : SIZE_MAX;
    size_t most = 0;
    for (size_t id = 0; id < count; id++) {
        trawl_pattern pattern = TRAWL_PATTERN;
        (void)trawl_patterns_get(patterns, (uint32_t)id, &pattern);
        least = pattern.length < least ? pattern.length : least;
        most = pattern.length > most ? pattern.length : most;
    }
    (void)printf("%zu pattern%s of %zu", count, count == 1 ? "" : "s", least);
    if (most != least)
        (void)printf(" to %zu", most);
    unsigned threads = scan_options_threads(&options->scan);
    (void)printf(" byte%s, %.3f MB of text, %s %s matches%s", most == 1 ? "" : "s",
                 (double)text->length / 1e6, works[options->work],
                 match_kind_name(options->compile.matches),
                 options->work == BENCH_COUNT_EACH_ID ? " of each pattern" : "");
    (void)printf(", %u thread%s\n\n", threads, threads == 1 ? "" : "s");
}

bench_widths bench_widths_of(const bench_rows *rows, int rest) {
    bench_widths widths = {.engine = (int)strlen("engine"), .variant = (int)strlen("variant")};
    for (size_t i = 0; i < rows->count; i++) {
        int engine = (int)strlen(rows->items[i].engine);
        widths.engine = engine > widths.engine ? engine : widths.engine;
    }
    for (size_t i = 0; i < rows->count; i++) {
        int variant = (int)strlen(rows->items[i].variant);
        bool fits = widths.engine + NAME_GAP + variant + rest <= WORDS_WIDTH;
        widths.variant = fits && variant > widths.variant ? variant : widths.variant;
    }
    return widths;
}

void bench_print_names(const bench_row *row, bench_widths widths) {
    (void)printf("%-*s  %-*s", widths.engine, row->engine, widths.variant, row->variant);
    if ((int)strlen(row->variant) > widths.variant)
        (void)printf("\n%*s", widths.engine + NAME_GAP + widths.variant, "");
}

void bench_print_absence(const bench_row *row, bench_widths widths) {
    char why[sizeof row->refusal.message + 32];
    size_t column = (size_t)widths.engine + NAME_GAP + (size_t)widths.variant;
    bench_row_explain(row, why, sizeof why);
    words_print(why, strlen(why), column, column + NAME_GAP);
}

const char *bench_plan_mark(const bench_row *row) {
    return row->planned ? " *" : "";
}

void bench_print_plan_note(const bench_rows *rows) {
    bool marked = false;
    for (size_t i = 0; i < rows->count; i++)
        marked = marked || (rows->items[i].planned && rows->items[i].measured);
    if (marked)
        (void)puts("\n* the planner's choice for this text");
}

int bench_matches_width(const bench_rows *rows) {
    int width = (int)strlen("matches");
    for (size_t i = 0; i < rows->count; i++) {
        int digits = snprintf(NULL, 0, "%" PRIu64, rows->items[i].matches);
        width = digits > width ? digits : width;
    }
    return width;
}

/* A row of the table without peers. The number of threads stands in the heading. */
static void print_row(const bench_row *row, bench_widths widths, int matches, size_t length,
                      double first) {
    bench_print_names(row, widths);
    if (!row->measured) {
        bench_print_absence(row, widths);
        return;
    }
    bench_speed speed = bench_row_speed(row, length);
    (void)printf(" %*" PRIu64 " %7.3f %8.3f %#7.3g %#7.3g %#7.3g %5.2f%s\n", matches, row->matches,
                 row->build_seconds, (double)row->table_bytes / 1e6, speed.median, speed.min,
                 speed.max, speed.median / first, bench_plan_mark(row));
}

void bench_print_table(const bench_options *options, const trawl_patterns *patterns,
                       const memory_text *text, const bench_rows *rows) {
    static const char titles[] = "build s table MB    GB/s     min     max ratio";
    int matches = bench_matches_width(rows);
    bench_widths widths = bench_widths_of(rows, matches + (int)sizeof titles + 1 + PLAN_MARK);
    double first = 0;
    bench_print_heading(options, patterns, text);
    (void)printf("%-*s  %-*s %*s %s\n", widths.engine, "engine", widths.variant, "variant", matches,
                 "matches", titles);
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        if (row->measured && !(first > 0))
            first = bench_row_speed(row, text->length).median;
        print_row(row, widths, matches, text->length, first);
    }
    bench_print_plan_note(rows);
}

/* ------------------------------------------------------------------ JSON */

void bench_print_keys(const bench_options *options, const bench_row *row, size_t length) {
    bench_speed speed = bench_row_speed(row, length);
    (void)printf("{\"engine\":\"%s\",\"variant\":\"%s\",\"device\":\"%s\",\"threads\":%u,"
                 "\"matches\":%" PRIu64 ",\"build_seconds\":%.6f,\"table_bytes\":%" PRIu64
                 ",\"gb_per_second\":{\"median\":%.6f,\"min\":%.6f,\"max\":%.6f},"
                 "\"planned\":%s,\"repeats\":%zu",
                 row->engine, row->variant, device_name(options, row), row->threads, row->matches,
                 row->build_seconds, row->table_bytes, speed.median, speed.min, speed.max,
                 row->planned ? "true" : "false", row->repeats);
}

void bench_print_json(const bench_options *options, const memory_text *text,
                      const bench_rows *rows) {
    for (size_t i = 0; i < rows->count; i++) {
        const bench_row *row = &rows->items[i];
        if (row->measured) {
            bench_print_keys(options, row, text->length);
            (void)puts("}");
        } else if (row->seconds == NULL) {
            report("%s (%s) refuses: %s", row->engine, row->variant, row->refusal.message);
        }
    }
}
