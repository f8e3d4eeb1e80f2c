/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The papers' ladders, and the figures that the papers give for them. */
#ifndef CLI_BENCH_CUDA_LADDERS_H
#define CLI_BENCH_CUDA_LADDERS_H

#include <stddef.h>
#include <stdint.h>

/* One row of a ladder (a rung), with the text in device memory. */
typedef struct bench_rung {
    const char *variant; /* the tables; NULL: those of the ladder */
    const char *kernel;
    uint32_t parts; /* ac-split: m; else 0 */
    /* The paper's speed-up over the first rung of the ladder, from .. to; 0: no figure. */
    double paper_least, paper_most;
} bench_rung;

typedef struct bench_ladder {
    const char *engine;
    const char *variant; /* of the rungs without one */
    const char *name;    /* of the family */
    const char *source;  /* of the paper's figures; NULL: none */
    const bench_rung *rungs;
    size_t count;
} bench_ladder;

/* All ladders of kernels, in the order of the output. The last one has engine NULL. */
extern const bench_ladder bench_ladders[];

/* The paper's speed-up of strategy A with `segments` over one segment; 0: no figure. */
double bench_paper_strategy_a(uint32_t segments);
extern const char bench_paper_strategy_source[];

#endif
