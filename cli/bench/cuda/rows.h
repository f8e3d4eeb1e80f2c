/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The rows of `trawl bench` on a CUDA device, and the data that they share. */
#ifndef CLI_BENCH_CUDA_ROWS_H
#define CLI_BENCH_CUDA_ROWS_H

#include "cli/base/memory_text.h"
#include "cli/bench/options.h"
#include "cli/bench/row.h"
#include "cli/flags/device.h"
#include "cli/target/choice.h"
#include "cli/target/profile.h"
#include "trawl/trawl_study.h"

/* The part of a row that bench_row does not have. */
typedef struct bench_cuda_row {
    const char *ladder; /* the same pointer for the rows of one ladder, which are adjacent; NULL:
                           the row of the CPU */
    const char *source; /* of the paper's figures; NULL: none */
    bool is_first;      /* row with which the others of the ladder are compared */
    char variant[BENCH_NAME_BYTES]; /* names as asked, and after building those of the database */
    char kernel[32];
    uint32_t parts;                 /* ac-split: m; else 0 */
    uint32_t block_threads;         /* as asked; 0: the kernel's choice */
    uint32_t block_bytes;           /* as asked; 0: the kernel's choice */
    const char *transfer;           /* text in host memory; NULL: text in device memory */
    uint32_t segments;              /* strategies A and B, as asked; else 0 */
    double paper_least, paper_most; /* the paper's speed-up, from .. to; 0: none */
    char reason[1024];              /* engine auto: the reason of the plan; else empty */
    double expected;                /* engine auto: GB/s expected by the plan */
    trawl_cuda_layout layout;       /* of rows with the text in device memory */
    trawl_study_scan_options study; /* of rows with the text in host memory, as is `done` */
    scan_done done;
} bench_cuda_row;

typedef struct bench_cuda {
    const bench_options *options;
    const trawl_patterns *patterns;
    const memory_text *text;
    char device[16]; /* "cuda:0" */
    uint32_t device_number;
    char device_name[128];
    trawl_cuda_ceilings ceilings; /* zeros if they could not be measured */
    device_profile profile;       /* of the device; empty if there is none */
    char **lists;                 /* values of --engine, split; rows point into them */
    size_t list_count;
    bench_rows rows;
    bench_cuda_row *details; /* one for each row */
    /* The database of the last row, kept for the next one, since building takes long. */
    trawl_db *db;
    trawl_cuda_db *uploaded;
    size_t built_for; /* index of the row that it was built for */
    double build_seconds;
} bench_cuda;

/* Shows `what` ("building", "measuring") and the row on the terminal. */
void bench_cuda_show(const bench_cuda *bench, const char *what, size_t index);

/* Ends a row with the status of its measurement. If an engine or the device refuses a row, that is
 * no failure: its `seconds` are removed. */
void bench_cuda_finish_row(bench_row *row, trawl_status status);

/* The speed of a row divided by that of the first row of its ladder; 0 if there is none. */
double bench_cuda_speedup(const bench_cuda *bench, size_t index);

/* The ceiling that a row is compared with, in bytes per second: reading device memory, or copying
 * pinned memory to the device; 0 if unknown. */
double bench_cuda_ceiling(const bench_cuda *bench, size_t index);

/* Whether rows of this form have a number of matches. */
static inline bool bench_form_counts(trawl_cuda_form form) {
    return form <= TRAWL_CUDA_MATCHES;
}

#endif
