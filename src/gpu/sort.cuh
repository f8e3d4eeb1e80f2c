/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Puts the matches of each strip into canonical order, for kernels that find them in another
 * order. */
#ifndef TRAWL_GPU_SORT_CUH
#define TRAWL_GPU_SORT_CUH

#include "gpu/contract.cuh"

/* Sorts the matches of each strip by end, start and pattern. After pass RECORDS, strip p's are
 * matches[ends[p - 1]] .. matches[ends[p]]. Does nothing when *total is above `capacity`. */
trawl_status trawl_cuda_sort_strips(const trawl_gpu_tuning *tuning, trawl_cuda_match *matches,
                                    const trawl_counter *ends, uint64_t strips,
                                    const trawl_counter *total, trawl_counter capacity,
                                    cudaStream_t stream, trawl_error *error);

/* The same for matches that are ordered by their ends already: only those with equal ends are
 * sorted. */
trawl_status trawl_cuda_sort_equal_ends(const trawl_gpu_tuning *tuning, trawl_cuda_match *matches,
                                        const trawl_counter *total, trawl_counter capacity,
                                        cudaStream_t stream, trawl_error *error);

#endif
