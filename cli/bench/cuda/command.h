/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * trawl bench on a CUDA device: ladders. Each ladder is a family of kernels in the order in which
 * its paper improves them, or a way of moving the text; each rung is a row, with its speed-up over
 * the first rung and what the paper says of it.
 */
#ifndef CLI_BENCH_CUDA_COMMAND_H
#define CLI_BENCH_CUDA_COMMAND_H

#include "cli/bench/options.h"
#include "cli/bench/text.h"
#include "trawl/trawl.h"

/* The whole command; returns the exit status. */
int bench_cuda_run(const bench_options *options, const trawl_patterns *patterns,
                   const bench_text *text);

#endif
