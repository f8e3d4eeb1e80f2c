/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A row of `trawl bench`: what is measured, and the result. */
#ifndef CLI_BENCH_ROW_H
#define CLI_BENCH_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl.h"

enum {
    BENCH_NAME_BYTES = 48,
    BENCH_TURNS = 5, /* turns that the runs of a row are spread over */
};

/* Why a row was not measured. */
typedef enum bench_absence {
    BENCH_REFUSES = 0, /* it refused the patterns or the text; after a first run: it failed */
    BENCH_NOT_ASKED,   /* a peer that cannot do this kind of work */
    BENCH_OVER_TIME,   /* the time limit came before the end of a run */
    BENCH_ENDED,       /* its process ended, by a crash or for lack of memory */
} bench_absence;

/* One row of the table. */
typedef struct bench_row {
    const char *asked_engine;  /* as named, even "auto"; NULL for a peer */
    const char *asked_variant; /* NULL: the default */
    char *library;             /* a peer: path or name of a libhs; owned, else NULL */
    char *program;             /* a peer: path of a program; owned, else NULL */
    char engine[BENCH_NAME_BYTES];
    char variant[BENCH_NAME_BYTES];
    unsigned threads;
    bool measured;
    bool planned;          /* the planner chooses this engine and variant */
    bench_absence absence; /* if not measured */
    trawl_error refusal;   /* the reason as a sentence */
    char note[256];        /* a peer's remark about its measurement; "": none */
    double build_seconds;
    uint64_t table_bytes; /* 0: unknown */
    uint64_t held_bytes;  /* memory of its database */
    uint64_t matches;
    uint64_t fingerprint;             /* of counts or records: equal if these are */
    double first_seconds;             /* of the first run, which is not one of the timed runs */
    size_t repeats;                   /* number of timed runs */
    size_t done;                      /* timed runs so far */
    double *seconds;                  /* of each timed run, sorted after the measurement; owned */
    double turn_seconds[BENCH_TURNS]; /* median of each turn; 0: no run in that turn */
    struct bench_subject *subject;    /* open while the row is measured in this process */
    struct bench_process *process;    /* open while the row is measured in another process */
} bench_row;

typedef struct bench_rows {
    bench_row *items;
    size_t count;
} bench_rows;

/* Adds a row of zeros. The pointer is valid until the next row is added. */
bench_row *bench_rows_add(bench_rows *rows);

void bench_rows_release(bench_rows *rows);

/* Copies a name that ends up in tables and JSON: bytes that would need escapes become ?. */
void bench_row_take_name(char name[static BENCH_NAME_BYTES], const char *from);

/* Store in the row why it was not measured, and return false. */
bool bench_row_mark_absent(bench_row *row, bench_absence absence, const char *why);
bool bench_row_mark_late(bench_row *row, uint64_t time_limit);

/* Whether the row is a peer, not an engine of trawl. */
static inline bool bench_row_is_peer(const bench_row *row) {
    return row->asked_engine == NULL;
}

/* Writes why a row was not measured. */
void bench_row_explain(const bench_row *row, char *text, size_t size);

/* Median of sorted numbers. */
double bench_median(const double *sorted, size_t count);
int bench_compare_seconds(const void *left, const void *right); /* for qsort */

/* Speed in GB/s (10^9 bytes) of a measured row. */
typedef struct bench_speed {
    double median, min, max;
} bench_speed;
bench_speed bench_row_speed(const bench_row *row, size_t length);

#endif
