/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/memory.h"
#include "cli/bench/peers/process.h"
#include "cli/bench/peers/row.h"
#include "cli/bench/show.h"
#include "cli/bench/subject.h"
#include "cli/flags/scan.h"
#include "cli/target/planning.h"

enum {
    LEAST_REPEATS = 5, /* limits of the number of runs, if it is chosen */
    MOST_REPEATS = 1000,
};

/* Seconds of all runs of a row together, if their number is chosen. */
static const double WANTED_SECONDS = 1.0;

/* Databases in memory at a time: rows take turns only with rows whose databases fit too. */
static const uint64_t HELD_BYTES = UINT64_C(4) << 30;

typedef struct measurement {
    const bench_options *options;
    const bench_inputs *inputs; /* NULL: rows run in this process */
    bench_rows *rows;
    bench_job *jobs;       /* one for each row; used by rows that run in this process */
    trawl_matches records; /* memory for the records of all rows */
} measurement;

/* ------------------------------------------------------------------ one row */

static bool open_here(const measurement *bench, size_t index) {
    bench_row *row = &bench->rows->items[index];
    bench_job *job = &bench->jobs[index];
    bench_subject_facts facts;
    job->compile.engine = row->asked_engine;
    job->compile.variant = row->asked_variant;
    bool opened = bench_subject_open(job, &row->subject, &facts, &row->refusal);
    row->build_seconds = facts.seconds;
    if (opened) {
        (void)snprintf(row->engine, sizeof row->engine, "%s", facts.engine);
        (void)snprintf(row->variant, sizeof row->variant, "%s", facts.variant);
        row->table_bytes = facts.table_bytes;
        row->held_bytes = facts.held_bytes;
    }
    return opened;
}

static bool open_row(const measurement *bench, size_t index) {
    bench_row *row = &bench->rows->items[index];
    bench_show(bench->options, "building %s %s", row->engine, row->variant);
    row->threads = bench_row_is_peer(row) ? 1 : scan_options_threads(&bench->options->scan);
    return bench->inputs != NULL ? bench_peers_open(bench->options, bench->inputs, index, row)
                                 : open_here(bench, index);
}

static void close_row(bench_row *row) {
    bench_subject_close(row->subject);
    bench_process_close(row->process);
    row->subject = NULL;
    row->process = NULL;
}

static bool run(const measurement *bench, bench_row *row, bool is_first, bench_run *result) {
    return row->process != NULL ? bench_peers_run(bench->options, row, result)
                                : bench_subject_run(row->subject, is_first, result, &row->refusal);
}

/* The number of runs, if one takes `seconds`; 0: there is no time for another one. */
static size_t choose_repeats(const measurement *bench, const bench_row *row, double seconds) {
    const bool is_chosen = bench->options->repeats == 0;
    double wanted = is_chosen ? WANTED_SECONDS : (double)bench->options->run_time / 1000;
    double least = is_chosen ? LEAST_REPEATS : (double)bench->options->repeats;
    double fit = wanted <= 0 ? 0 : seconds > 0 ? wanted / seconds : MOST_REPEATS;
    fit = fit > MOST_REPEATS ? MOST_REPEATS : fit;
    fit = fit < least ? least : fit;
    if (row->process != NULL && seconds > 0) {
        double left = bench_process_time_left(row->process);
        double most = left > 0 ? left / seconds : 0;
        fit = most < fit ? most : fit;
    }
    return (size_t)fit;
}

/* The first run finds the number of matches and chooses the number of runs. It counts as a timed
 * run only if there is no time for another one. */
static bool run_first(const measurement *bench, bench_row *row) {
    bench_run result;
    bench_show(bench->options, "measuring %s %s", row->engine, row->variant);
    if (!run(bench, row, true, &result))
        return false;
    row->matches = result.matches;
    row->fingerprint = result.fingerprint;
    row->first_seconds = result.seconds;
    size_t repeats = choose_repeats(bench, row, result.seconds);
    row->repeats = repeats == 0 ? 1 : repeats;
    row->seconds = allocate(row->repeats * sizeof *row->seconds);
    if (repeats == 0)
        row->seconds[row->done++] = row->turn_seconds[BENCH_TURNS - 1] = result.seconds;
    return true;
}

/* Makes the runs of a row up to number `end`. */
static bool run_turn(const measurement *bench, bench_row *row, size_t end) {
    bench_run result;
    bench_show(bench->options, "measuring %s %s", row->engine, row->variant);
    /* One untimed run, since another row has used the caches: a text of 4 MiB that is not in them
     * takes twice as long. A long run hardly depends on them. */
    bool is_long = row->first_seconds > WANTED_SECONDS / LEAST_REPEATS;
    if (!is_long && !run(bench, row, false, &result))
        return false;
    while (row->done < end) {
        if (!run(bench, row, false, &result))
            return false;
        row->seconds[row->done++] = result.seconds;
        if (result.matches != row->matches) {
            row->absence = BENCH_REFUSES;
            row->refusal.status = TRAWL_ERROR_FORMAT;
            (void)snprintf(row->refusal.message, sizeof row->refusal.message,
                           "found %" PRIu64 " matches in one run and %" PRIu64 " in another",
                           row->matches, result.matches);
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ all rows */

/* Opens rows from `begin` on until HELD_BYTES are used; returns the first row not opened. */
static size_t open_rows(const measurement *bench, size_t begin) {
    uint64_t held = 0;
    size_t i = begin;
    while (i < bench->rows->count && held < HELD_BYTES) {
        bench_row *row = &bench->rows->items[i];
        row->measured = open_row(bench, i++) && run_first(bench, row);
        if (row->measured)
            held += row->held_bytes;
        else
            close_row(row);
    }
    return i;
}

/* One turn of one row. A row that runs out of time keeps its complete runs. */
static void take_turn(const measurement *bench, bench_row *row, size_t turn) {
    size_t begin = row->done;
    size_t end = row->repeats * (turn + 1) / BENCH_TURNS;
    if (!row->measured || begin >= end)
        return;
    row->measured = run_turn(bench, row, end);
    if (!row->measured && row->absence == BENCH_OVER_TIME && row->done > 0) {
        row->measured = true;
        row->repeats = row->done;
    }
    if (row->measured && row->done > begin) {
        double *seconds = row->seconds + begin;
        qsort(seconds, row->done - begin, sizeof *seconds, bench_compare_seconds);
        row->turn_seconds[turn] = bench_median(seconds, row->done - begin);
    }
}

static void measure_together(const measurement *bench, bench_row *rows, size_t count) {
    for (size_t turn = 0; turn < BENCH_TURNS; turn++) {
        for (size_t i = 0; i < count; i++)
            take_turn(bench, &rows[i], turn);
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].measured)
            qsort(rows[i].seconds, rows[i].repeats, sizeof *rows[i].seconds, bench_compare_seconds);
        close_row(&rows[i]);
    }
}

void bench_measure(const bench_options *options, const trawl_patterns *patterns,
                   const memory_text *text, const bench_inputs *inputs, bench_rows *rows) {
    measurement bench = {.options = options,
                         .inputs = inputs,
                         .rows = rows,
                         .jobs = allocate(rows->count * sizeof *bench.jobs)};
    trawl_compile_options compile = options->compile;
    planning plan;
    planning_begin_with_text(&plan, text->bytes, text->length, &compile);
    for (size_t i = 0; i < rows->count; i++)
        bench.jobs[i] = (bench_job){.patterns = patterns,
                                    .text = text->bytes,
                                    .length = text->length,
                                    .work = options->work,
                                    .compile = compile,
                                    .scan = options->scan,
                                    .records = &bench.records};
    for (size_t begin = 0; begin < rows->count;) {
        size_t end = open_rows(&bench, begin);
        measure_together(&bench, rows->items + begin, end - begin);
        begin = end;
    }
    bench_show_nothing(options);
    trawl_matches_free(&bench.records);
    free(bench.jobs);
    planning_end(&plan);
}
