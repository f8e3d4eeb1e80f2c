/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Chooses the rows of `trawl bench` on a CUDA device. */
#ifndef CLI_BENCH_CUDA_CHOOSE_H
#define CLI_BENCH_CUDA_CHOOSE_H

#include "cli/bench/cuda/rows.h"

/* Makes the row of the CPU and the rows that the options ask for. False after reporting. */
bool bench_cuda_choose(bench_cuda *bench);

#endif
