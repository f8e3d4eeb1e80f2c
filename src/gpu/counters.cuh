/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_GPU_COUNTERS_CUH
#define TRAWL_GPU_COUNTERS_CUH

#include "gpu/emission.cuh"

static __global__ void trawl_cuda_add_each(const trawl_cuda_output output,
                                           const trawl_counter *counters, uint32_t count) {
    trawl_counter sum = 0;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        sum += counters[i];
    }
    trawl_cuda_cursor_end(output, true, 0, sum);
}

/* Adds the counters that the threads of a kernel wrote to the total, after that kernel in the same
 * stream. Kouzinopoulos et al. 2015 leave this to the host. */
static inline trawl_status trawl_cuda_add_counters(const trawl_cuda_db *uploaded,
                                                   const trawl_cuda_output *output,
                                                   const trawl_counter *counters, uint32_t count,
                                                   cudaStream_t stream, trawl_error *error) {
    const uint32_t of_a_block = 1024; /* 4 counters for each of 256 threads; not measured */
    TRAWL_LAUNCH(trawl_cuda_add_each, (count + of_a_block - 1) / of_a_block,
                 uploaded->device.tuning->counter_threads, 0, stream, *output, counters, count);
    TRAWL_CUDA_LAUNCHED("trawl_cuda_add_each", error);
    return TRAWL_OK;
}

#endif
