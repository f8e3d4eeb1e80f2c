/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which rows there are on a CUDA device. */
#ifndef CLI_BENCH_CUDA_CHOOSE_H
#define CLI_BENCH_CUDA_CHOOSE_H

#include "cli/bench/cuda/rows.h"

/* The rows that the options ask for, after the one of the CPU. False after one line. */
bool bench_cuda_choose(bench_cuda *bench);

#endif
