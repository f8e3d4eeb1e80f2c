/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The rows of `trawl bench` on a CUDA device, and what they share. */
#ifndef CLI_BENCH_CUDA_ROWS_H
#define CLI_BENCH_CUDA_ROWS_H

#include "cli/base/report.h"
#include "cli/bench/options.h"
#include "cli/bench/row.h"
#include "cli/bench/text.h"
#include "cli/flags/device.h"
#include "cli/target/profile.h"
#include "trawl/trawl_cuda.h"

/* What a row is, besides its bench_row. */
typedef struct bench_cuda_row {
    const char *ladder; /* equal for the rows of one ladder, which follow each other; NULL: the row
                           of the CPU */
    const char *source;
    bool is_first;                  /* of its ladder: the others are compared with it */
    char variant[BENCH_NAME_BYTES]; /* the tables and the kernel: as asked, later as they are */
    char kernel[32];
    uint32_t parts;         /* ac-split: m; else 0 */
    uint32_t block_threads; /* asked for; 0: the kernel's */
    uint32_t block_bytes;   /* the same */
    const char *transfer;   /* host to host; NULL: the text is in device memory */
    uint32_t segments;      /* strategies A and B: asked for; else 0 */
    double paper_least, paper_most;
    char reason[1024];        /* engine auto: why this one; else empty */
    double expected;          /* engine auto: GB/s, by the plan */
    trawl_cuda_layout layout; /* text in device memory */
    trawl_scan_report report; /* host to host */
} bench_cuda_row;

typedef struct bench_cuda {
    const bench_options *options;
    const trawl_patterns *patterns;
    const bench_text *text;
    char device[16]; /* "cuda:0" */
    uint32_t device_number;
    char device_name[128];
    trawl_cuda_ceilings ceilings; /* zeros when they could not be measured */
    device_profile profile;       /* of the device; empty when there is none */
    char **lists;                 /* the values of --engine taken apart: rows refer to them */
    size_t list_count;
    bench_rows rows;
    bench_cuda_row *details; /* one for each row */
    /* What the last row used, kept for the next: databases take long to build. */
    trawl_db *db;
    trawl_cuda_db *uploaded;
    size_t built_for; /* the row that it was built for */
    double build_seconds;
} bench_cuda;

/* Show and remove a line on a terminal that says what is done with a row. */
void bench_cuda_show(const bench_cuda *bench, const char *what, size_t index);
void bench_cuda_show_nothing(const bench_cuda *bench);

/* Ends a row that was timed, or not: what a device or an engine will not do is no failure. */
void bench_cuda_finish_row(bench_row *row, trawl_status status);

/* The speed of a row over that of its ladder's first one; 0 when one of them has none. */
double bench_cuda_speedup(const bench_cuda *bench, size_t index);

/* The ceiling that a row is compared with, in bytes a second: reading device memory, or copying
 * pinned memory to the device; 0 when it is not known. */
double bench_cuda_ceiling(const bench_cuda *bench, size_t index);

/* Rows of this form have a number of matches. */
static inline bool bench_form_counts(trawl_cuda_form form) {
    return form <= TRAWL_CUDA_MATCHES;
}

#endif
