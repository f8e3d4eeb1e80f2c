/*
 * trawl bench: engines, variants and peers do the same work on the same text in memory, and each
 * becomes one row of a table.
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "bench_peer.h"
#include "common_flags.h"
#include "trawl/trawl_cuda.h"

/* What is timed. */
typedef enum bench_work {
    BENCH_COUNT = 0,         /* trawl_count */
    BENCH_COUNT_EACH_ID = 1, /* trawl_count with one counter for each pattern */
    BENCH_COLLECT = 2        /* trawl_collect */
} bench_work;

typedef struct bench_options {
    pattern_options patterns;
    trawl_compile_options compile; /* without engine and variant, which belong to the rows */
    trawl_scan_options scan;
    profile_options profile;
    string_list engines; /* values of --engine, each a list "a,b:variant,all" */
    string_list texts;
    const char *variant; /* for the engines named without one; NULL: each one's default */
    uint64_t limit;      /* bytes of text */
    uint64_t repeats;    /* 0: from the first run's time */
    bench_work work;
    trawl_cuda_form form; /* the same for a CUDA device, which has more of them */
    bool all_variants;
    bool peers;
    bool json;
    bool progress;
} bench_options;

enum { BENCH_NAME_BYTES = 48 };

/* One contestant: first what is asked, then what came of it. */
typedef struct bench_row {
    const char *asked_engine;  /* "auto" too; NULL for a peer */
    const char *asked_variant; /* NULL: the default */
    char engine[BENCH_NAME_BYTES];
    char variant[BENCH_NAME_BYTES];
    unsigned threads;
    bool measured;
    trawl_error refusal; /* why not */
    double build_seconds;
    uint64_t table_bytes;
    uint64_t held_bytes; /* memory that its database takes until it is closed */
    uint64_t matches;
    uint64_t fingerprint; /* of counts or records; the same for all who found the same */
    size_t repeats;       /* runs that count */
    double *seconds;      /* of each of them, sorted after the measurement; owned */
    trawl_db *db;         /* open only while it is measured */
    bench_peer *peer;
} bench_row;

typedef struct bench_rows {
    bench_row *items;
    size_t count;
} bench_rows;

/* The text of all rows: the files one after the other, as one text. */
typedef struct bench_text {
    uint8_t *bytes;
    size_t length;
} bench_text;

extern const command bench_command;

/* False with the exit status in *status, after printing what there was to say. */
bool bench_options_parse(bench_options *options, int argc, char **argv, int *status);
void bench_options_release(bench_options *options);

/* The rows that the options ask for, in their order, peers last. False after one line. */
bool bench_rows_choose(const bench_options *options, bench_rows *rows);
void bench_rows_release(bench_rows *rows);

/* Builds and times every row. Rows take turns, so that a machine whose speed changes meanwhile is
 * fair to all of them. */
void bench_measure(const bench_options *options, const trawl_patterns *patterns,
                   const bench_text *text, bench_rows *rows);

/* Reports every row that found something else than the first, or not the same in every run.
 * Returns whether all agree. */
bool bench_rows_agree(const bench_rows *rows);

/* Speed in GB/s (10^9 bytes) of a measured row. */
typedef struct bench_speed {
    double median, min, max;
} bench_speed;
bench_speed bench_row_speed(const bench_row *row, size_t length);

/* To standard output. */
void bench_print_table(const bench_options *options, const trawl_patterns *patterns,
                       const bench_text *text, const bench_rows *rows);
void bench_print_json(const bench_options *options, const bench_text *text, const bench_rows *rows);

#endif
