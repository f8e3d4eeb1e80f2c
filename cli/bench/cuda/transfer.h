/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Rows with the text in host memory. */
#ifndef CLI_BENCH_CUDA_TRANSFER_H
#define CLI_BENCH_CUDA_TRANSFER_H

#include "cli/bench/cuda/rows.h"

/* Times one row. */
void bench_cuda_measure_transfer(bench_cuda *bench, size_t index);

/* For a row of strategy B: its time divided by that of strategy A with as many segments, as
 * measured, and by the model with one and with two channels. False if there is no such row. */
typedef struct bench_strategy_ratio {
    double measured, one_channel, two_channels;
} bench_strategy_ratio;
bool bench_cuda_strategy_ratio(const bench_cuda *bench, size_t index, bench_strategy_ratio *ratio);

#endif
