/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The results on a CUDA device, as tables and as JSON. */
#ifndef CLI_BENCH_CUDA_PRINT_H
#define CLI_BENCH_CUDA_PRINT_H

#include "cli/bench/cuda/rows.h"

void bench_cuda_print_table(const bench_cuda *bench);
void bench_cuda_print_json(const bench_cuda *bench);

#endif
