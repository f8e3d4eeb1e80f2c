/* trawl bench: building the rows and timing them in turns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "report.h"

enum {
    TURNS = 5,           /* in which the runs of a row are spread over the measurement */
    LEAST_REPEATS = 5,   /* chosen number of runs */
    MOST_REPEATS = 1000, /* the same */
};

/* Seconds that the runs of a row take together when their number is chosen. */
static const double WANTED_SECONDS = 1.0;

/* Rows whose databases take more than this together do not take turns with each other. */
static const uint64_t HELD_BYTES = UINT64_C(4) << 30;

typedef struct measurement {
    const bench_options *options;
    const trawl_patterns *patterns;
    const bench_text *text;
    uint64_t *per_pattern; /* NULL unless that is the work */
    bool shows_progress;
} measurement;

/* ------------------------------------------------------------------ progress */

static void show(const measurement *bench, const char *what, const bench_row *row) {
    if (bench->shows_progress) {
        (void)fprintf(stderr, "\r\033[K%s %s %s", what, row->engine, row->variant);
        (void)fflush(stderr);
    }
}

static void show_nothing(const measurement *bench) {
    if (bench->shows_progress) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
}

/* ------------------------------------------------------------------ one row */

static void name_row(bench_row *row, const char *engine, const char *variant) {
    (void)snprintf(row->engine, sizeof row->engine, "%s", engine);
    (void)snprintf(row->variant, sizeof row->variant, "%.*s", (int)strcspn(variant, " "), variant);
}

static bool open_engine(const measurement *bench, bench_row *row) {
    trawl_compile_options options = bench->options->compile;
    options.engine = row->asked_engine;
    options.variant = row->asked_variant;
    row->threads = scan_options_threads(&bench->options->scan);
    if (trawl_compile(bench->patterns, &options, &row->db, &row->refusal) != TRAWL_OK)
        return false;
    trawl_db_information information;
    trawl_db_info(row->db, &information);
    name_row(row, information.engine, information.variant);
    row->table_bytes = information.table_bytes;
    row->held_bytes = information.total_bytes;
    return true;
}

static bool open_peer(const measurement *bench, bench_row *row) {
    row->threads = 1;
    name_row(row, bench_peer_name(), bench_peer_version());
    if (!bench_peer_open(bench->patterns, bench->options->compile.matches, &row->peer,
                         &row->refusal))
        return false;
    row->table_bytes = row->held_bytes = bench_peer_bytes(row->peer);
    return true;
}

static bool open_row(const measurement *bench, bench_row *row) {
    show(bench, "building", row);
    double begin = seconds_now();
    bool opened = row->asked_engine == NULL ? open_peer(bench, row) : open_engine(bench, row);
    row->build_seconds = seconds_now() - begin;
    return opened;
}

static void close_row(bench_row *row) {
    trawl_db_free(row->db);
    bench_peer_close(row->peer);
    row->db = NULL;
    row->peer = NULL;
}

/* ------------------------------------------------------------------ one run */

/* What a run found, and how long it took. */
typedef struct run_result {
    double seconds;
    uint64_t matches;
    trawl_matches records; /* owned; empty unless they are collected */
} run_result;

static bool count_matches(const measurement *bench, bench_row *row, uint64_t *matches) {
    const bench_text *text = bench->text;
    if (row->peer != NULL)
        return bench_peer_count(row->peer, text->bytes, text->length, matches, bench->per_pattern,
                                &row->refusal);
    return trawl_count(row->db, text->bytes, text->length, &bench->options->scan, matches,
                       bench->per_pattern, &row->refusal) == TRAWL_OK;
}

static bool collect_matches(const measurement *bench, bench_row *row, trawl_matches *records) {
    const bench_text *text = bench->text;
    if (row->peer != NULL)
        return bench_peer_collect(row->peer, text->bytes, text->length, records, &row->refusal);
    return trawl_collect(row->db, text->bytes, text->length, &bench->options->scan, records,
                         &row->refusal) == TRAWL_OK;
}

/* False with the reason in row->refusal. */
static bool run(const measurement *bench, bench_row *row, run_result *result) {
    *result = (run_result){0};
    double begin = seconds_now();
    bool done = bench->options->work == BENCH_COLLECT
                    ? collect_matches(bench, row, &result->records)
                    : count_matches(bench, row, &result->matches);
    result->seconds = seconds_now() - begin;
    if (bench->options->work == BENCH_COLLECT)
        result->matches = result->records.count;
    return done;
}

static void free_records(const bench_row *row, trawl_matches *records) {
    if (row->peer != NULL)
        free(records->items);
    else
        trawl_matches_free(records);
}

static uint64_t mix(uint64_t value) {
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return value ^ value >> 32;
}

/* A sum, because a peer has an order of its own. */
static uint64_t fingerprint(const measurement *bench, const run_result *result) {
    uint64_t sum = 0;
    for (size_t i = 0; i < result->records.count; i++) {
        const trawl_match *match = &result->records.items[i];
        sum += mix(mix(mix(match->start) + match->end) + match->pattern);
    }
    if (bench->per_pattern != NULL) {
        size_t count = trawl_patterns_count(bench->patterns);
        for (size_t id = 0; id < count; id++)
            sum += mix(mix(id) + bench->per_pattern[id]);
    }
    return sum;
}

/* The run that is not counted: it tells what the row finds and how many runs fit. */
static bool run_first(const measurement *bench, bench_row *row) {
    run_result result;
    show(bench, "measuring", row);
    bool done = run(bench, row, &result);
    if (done) {
        row->matches = result.matches;
        row->fingerprint = fingerprint(bench, &result);
        double fit = result.seconds > 0 ? WANTED_SECONDS / result.seconds : MOST_REPEATS;
        row->repeats = fit < LEAST_REPEATS  ? LEAST_REPEATS
                       : fit > MOST_REPEATS ? MOST_REPEATS
                                            : (size_t)fit;
        if (bench->options->repeats != 0)
            row->repeats = (size_t)bench->options->repeats;
        row->seconds = allocate(row->repeats * sizeof *row->seconds);
    }
    free_records(row, &result.records);
    return done;
}

/* Runs number `begin` to `end` - 1 of a row. */
static bool run_turn(const measurement *bench, bench_row *row, size_t begin, size_t end) {
    run_result result;
    show(bench, "measuring", row);
    /* Short runs feel that another row has just used the caches; long ones do not. */
    if (end - begin > 1) {
        if (!run(bench, row, &result))
            return false;
        free_records(row, &result.records);
    }
    for (size_t i = begin; i < end; i++) {
        if (!run(bench, row, &result))
            return false;
        free_records(row, &result.records);
        row->seconds[i] = result.seconds;
        if (result.matches != row->matches) {
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

/* Opens rows from `begin` on until the memory for them is used up; returns the next one. */
static size_t open_rows(const measurement *bench, bench_rows *rows, size_t begin) {
    uint64_t held = 0;
    size_t i = begin;
    while (i < rows->count && held < HELD_BYTES) {
        bench_row *row = &rows->items[i++];
        row->measured = open_row(bench, row) && run_first(bench, row);
        if (row->measured)
            held += row->held_bytes;
        else
            close_row(row);
    }
    return i;
}

static int compare_seconds(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static void measure_together(const measurement *bench, bench_row *rows, size_t count) {
    for (size_t turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < count; i++) {
            bench_row *row = &rows[i];
            size_t begin = row->repeats * turn / TURNS;
            size_t end = row->repeats * (turn + 1) / TURNS;
            if (row->measured && begin < end)
                row->measured = run_turn(bench, row, begin, end);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (rows[i].measured)
            qsort(rows[i].seconds, rows[i].repeats, sizeof *rows[i].seconds, compare_seconds);
        close_row(&rows[i]);
    }
}

void bench_measure(const bench_options *options, const trawl_patterns *patterns,
                   const bench_text *text, bench_rows *rows) {
    measurement bench = {.options = options,
                         .patterns = patterns,
                         .text = text,
                         .shows_progress = options->progress && isatty(STDERR_FILENO)};
    if (options->work == BENCH_COUNT_EACH_ID)
        bench.per_pattern = allocate(trawl_patterns_count(patterns) * sizeof *bench.per_pattern);
    for (size_t begin = 0; begin < rows->count;) {
        size_t end = open_rows(&bench, rows, begin);
        measure_together(&bench, rows->items + begin, end - begin);
        begin = end;
    }
    show_nothing(&bench);
    free(bench.per_pattern);
}

bench_speed bench_row_speed(const bench_row *row, size_t length) {
    const double *seconds = row->seconds;
    size_t last = row->repeats - 1;
    double middle = (seconds[last / 2] + seconds[(last + 1) / 2]) / 2;
    double size = (double)length / 1e9;
    return (bench_speed){size / middle, size / seconds[last], size / seconds[0]};
}
