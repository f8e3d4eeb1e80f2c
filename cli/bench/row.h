/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* One contestant of `trawl bench`: what is asked of it, and what came of it. */
#ifndef CLI_BENCH_ROW_H
#define CLI_BENCH_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trawl/trawl.h"

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
    struct bench_subject *subject;    /* open only while it is measured, in this process */
    struct bench_process *process;    /* the same, in another one */
} bench_row;

typedef struct bench_rows {
    bench_row *items;
    size_t count;
} bench_rows;

/* Adds a row of zeros, which is returned until the next one is added. */
bench_row *bench_rows_add(bench_rows *rows);

void bench_rows_release(bench_rows *rows);

/* Copies a name that ends up in tables and JSON: bytes that would need escapes become ?. */
void bench_row_take_name(char name[static BENCH_NAME_BYTES], const char *from);

/* Both say in the row why it was not measured, and return false. */
bool bench_row_mark_absent(bench_row *row, bench_absence absence, const char *why);
bool bench_row_mark_late(bench_row *row, uint64_t time_limit);

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

#endif
