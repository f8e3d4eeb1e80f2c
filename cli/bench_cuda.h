/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl bench on a CUDA device: ladders. Each ladder is a family of kernels in the order in which
 * its paper improves them, or a way of moving the text; each rung is a row, with its speed-up over
 * the first rung and what the paper says of it.
 */
#ifndef CLI_BENCH_CUDA_H
#define CLI_BENCH_CUDA_H

#include "bench.h"
#include "trawl/trawl_cuda.h"
#include "tune_profile.h"

/* One rung with the text in device memory. */
typedef struct bench_rung {
    const char *variant; /* the tables */
    const char *kernel;
    uint32_t parts; /* ac-split: m; else 0 */
    /* The paper's speed-up over the ladder's first rung, from .. to; 0: it has no figure. */
    double paper_least, paper_most;
} bench_rung;

typedef struct bench_ladder {
    const char *engine;
    const char *name;   /* of the family */
    const char *source; /* of the paper's figures; NULL: there are none */
    const bench_rung *rungs;
    size_t count;
} bench_ladder;

/* All ladders of kernels, in the order in which they are shown; ends with an engine of NULL. */
extern const bench_ladder bench_ladders[];

/* The paper's speed-up of strategy A with so many segments over one segment; 0: no figure. */
double bench_paper_strategy_a(uint32_t segments);
extern const char bench_paper_strategy_source[];

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
    tune_profile profile;         /* of the device; empty when there is none */
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

/* The whole command; returns the exit status. */
int bench_cuda_run(const bench_options *options, const trawl_patterns *patterns,
                   const bench_text *text);

/* False after one line. */
bool bench_cuda_choose(bench_cuda *bench);

/* Makes bench->db the one of row `index`: compiled, unless the last row had the same. False with
 * the reason in the row. */
bool bench_cuda_build(bench_cuda *bench, size_t index);

/* Times one row with the text in host memory. */
void bench_cuda_measure_transfer(bench_cuda *bench, size_t index);

/* Ends a row that was timed, or not: what a device or an engine will not do is no failure. */
void bench_cuda_finish_row(bench_row *row, trawl_status status);

/* The speed of a row over that of its ladder's first one; 0 when one of them has none. */
double bench_cuda_speedup(const bench_cuda *bench, size_t index);

/* The ceiling that a row is compared with, in bytes a second: reading device memory, or copying
 * pinned memory to the device; 0 when it is not known. */
double bench_cuda_ceiling(const bench_cuda *bench, size_t index);

/* For a row of strategy B: how many times as long as A with as many segments it took, and would
 * take by the model with one and with two channels. False when there is nothing to compare. */
typedef struct bench_strategy_ratio {
    double measured, one_channel, two_channels;
} bench_strategy_ratio;
bool bench_cuda_strategy_ratio(const bench_cuda *bench, size_t index, bench_strategy_ratio *ratio);

/* Rows of this form have a number of matches. */
static inline bool bench_form_counts(trawl_cuda_form form) {
    return form <= TRAWL_CUDA_MATCHES;
}

void bench_cuda_print_table(const bench_cuda *bench);
void bench_cuda_print_json(const bench_cuda *bench);

#endif
