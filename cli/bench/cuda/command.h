/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl bench on a CUDA device. Rows form ladders: a ladder has the kernels of a family, in the
 * order in which its paper improves them, or ways of transferring the text. Each row has its
 * speed-up over the first row of its ladder, and the paper's figure for it.
 */
#ifndef CLI_BENCH_CUDA_COMMAND_H
#define CLI_BENCH_CUDA_COMMAND_H

#include "cli/base/memory_text.h"
#include "cli/bench/options.h"
#include "trawl/trawl.h"

/* Measures and prints; returns the exit status. */
int bench_cuda_run(const bench_options *options, const trawl_patterns *patterns,
                   const memory_text *text);

#endif
