/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl bench: engines, variants and peers do the same work on the same text in memory, and each
 * becomes one row of a table.
 */
#ifndef CLI_BENCH_H
#define CLI_BENCH_H

#include "bench_process.h"
#include "bench_subject.h"
#include "common_flags.h"
#include "trawl/trawl_cuda.h"

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
    bool on_device;       /* no rows host to host */
    bool all_variants;
    bool peers;            /* each row in a process of its own, peers and whole programs too */
    const char *peers_dir; /* what tools/peers.sh made; NULL: where it is expected */
    uint64_t time_limit;   /* seconds of each row with peers */
    const char *worker;    /* what bench_worker_run is to do; NULL: this is no worker */
    int argc;              /* as they were given: workers get the same */
    char **argv;
    bool json;
    bool progress;
} bench_options;

enum {
    BENCH_NAME_BYTES = 48,
    BENCH_TURNS = 5, /* in which the runs of a row are spread over the measurement */
};

/* Why a row was not measured. */
typedef enum bench_absence {
    BENCH_REFUSES = 0, /* it will not do this work; once runs were begun: it failed */
    BENCH_NOT_ASKED,   /* a peer that has no such work */
    BENCH_OVER_TIME,   /* its time was over before a run had ended */
    BENCH_ENDED,       /* its process ended: by a crash, or for want of memory */
} bench_absence;

/* One contestant: first what is asked, then what came of it. */
typedef struct bench_row {
    const char *asked_engine;  /* "auto" too; NULL for a peer */
    const char *asked_variant; /* NULL: the default */
    char *library;             /* a peer: path or name of a libhs; owned, else NULL */
    char *program;             /* a peer: path of a program; owned, else NULL */
    char engine[BENCH_NAME_BYTES];
    char variant[BENCH_NAME_BYTES];
    unsigned threads;
    bool measured;
    bench_absence absence; /* when not */
    trawl_error refusal;   /* why not */
    char note[256];        /* what a peer has to say of its measurement; "" mostly */
    double build_seconds;
    uint64_t table_bytes; /* 0: a peer that does not tell */
    uint64_t held_bytes;  /* memory that its database takes until it is closed */
    uint64_t matches;
    uint64_t fingerprint; /* of counts or records; the same for all who found the same */
    size_t repeats;       /* runs that count */
    size_t done;          /* of them, so far */
    double *seconds;      /* of each of them, sorted after the measurement; owned */
    double turn_seconds[BENCH_TURNS]; /* the median of each turn; 0: it had no run there */
    bench_subject *subject;           /* open only while it is measured, in this process */
    bench_process *process;           /* the same, in another one */
} bench_row;

typedef struct bench_rows {
    bench_row *items;
    size_t count;
} bench_rows;

/* The text of all rows: the files one after the other, as one text. */
typedef struct bench_text {
    uint8_t *bytes; /* NULL when only other processes need it */
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
 * fair to all of them. `inputs` are for rows in processes of their own, NULL: in this one. */
void bench_measure(const bench_options *options, const trawl_patterns *patterns,
                   const bench_text *text, const bench_inputs *inputs, bench_rows *rows);

/* The row that found what most rows found; NULL when none was measured. */
const bench_row *bench_rows_reference(const bench_rows *rows);

/* Whether a measured row found the same as the reference. */
bool bench_row_agrees(const bench_row *row, const bench_row *reference);

/* Reports every row that found something else than the others, or not the same in every run.
 * Returns whether all agree. */
bool bench_rows_agree(const bench_rows *rows);

/* Whether it is one by others. */
static inline bool bench_row_is_peer(const bench_row *row) {
    return row->asked_engine == NULL;
}

/* Why a row was not measured, with its sentence. */
void bench_row_explain(const bench_row *row, char *text, size_t size);

/* Median of sorted numbers. */
double bench_median(const double *sorted, size_t count);
int bench_compare_seconds(const void *left, const void *right); /* for qsort */

/* Speed in GB/s (10^9 bytes) of a measured row. */
typedef struct bench_speed {
    double median, min, max;
} bench_speed;
bench_speed bench_row_speed(const bench_row *row, size_t length);

/* To standard output. */
void bench_print_table(const bench_options *options, const trawl_patterns *patterns,
                       const bench_text *text, const bench_rows *rows);
void bench_print_json(const bench_options *options, const bench_text *text, const bench_rows *rows);

/* Parts of them. Widths are of the two columns that hold names; a measured row ends after its
 * fastest run; an object is left open after its key "repeats". */
void bench_print_heading(const bench_options *options, const trawl_patterns *patterns,
                         const bench_text *text);
typedef struct bench_widths {
    int engine, variant;
} bench_widths;
bench_widths bench_widths_of(const bench_rows *rows);
void bench_print_columns(const bench_row *row, bench_widths widths, size_t length);
void bench_print_keys(const bench_options *options, const bench_row *row, size_t length);

#endif
