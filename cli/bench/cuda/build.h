/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The database of a row, kept for the next one. */
#ifndef CLI_BENCH_CUDA_BUILD_H
#define CLI_BENCH_CUDA_BUILD_H

#include "cli/bench/cuda/rows.h"
#include "trawl/trawl.h"

/* Makes bench->db the one of row `index`: compiled, unless the last row had the same. False with
 * the reason in the row. */
bool bench_cuda_build(bench_cuda *bench, size_t index);

/* Has bench->db in device memory, as bench->uploaded. False with the reason in `error`. */
bool bench_cuda_upload(bench_cuda *bench, trawl_error *error);

/* Frees both. */
void bench_cuda_drop(bench_cuda *bench);

#endif
