/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The database of a row, which the next row uses too if it has the same engine and variant. */
#ifndef CLI_BENCH_CUDA_BUILD_H
#define CLI_BENCH_CUDA_BUILD_H

#include "cli/bench/cuda/rows.h"
#include "trawl/trawl.h"

/* Makes bench->db the database of row `index`. Compiles it unless it is the same as that of the
 * last row. False with the reason in the row. */
bool bench_cuda_build(bench_cuda *bench, size_t index);

/* Copies bench->db to device memory, as bench->uploaded, unless it is there. False with the reason
 * in `error`. */
bool bench_cuda_upload(bench_cuda *bench, trawl_error *error);

/* Frees bench->db and bench->uploaded. */
void bench_cuda_drop(bench_cuda *bench);

#endif
