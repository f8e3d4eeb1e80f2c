/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a CUDA device did, for people and for programs. */
#ifndef CLI_BENCH_CUDA_PRINT_H
#define CLI_BENCH_CUDA_PRINT_H

#include "cli/bench/cuda/rows.h"

void bench_cuda_print_table(const bench_cuda *bench);
void bench_cuda_print_json(const bench_cuda *bench);

#endif
