/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "gpu/sort.cuh"
#include "gpu/sort_matches.cuh"

/* Sorts each strip by one thread, in place: a strip has a few hundred bytes of text and usually
 * only a few matches. */
static __global__ void sort_strips(trawl_cuda_match *matches, const trawl_counter *ends,
                                   uint64_t strips, const trawl_counter *total,
                                   trawl_counter capacity) {
    uint64_t strip = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (strip >= strips || *total > capacity) {
        return;
    }
    uint64_t begin = strip == 0 ? 0 : ends[strip - 1];
    trawl_cuda_sort_matches(matches + begin, ends[strip] - begin);
}

static __global__ void sort_equal_ends(trawl_cuda_match *matches, const trawl_counter *total,
                                       trawl_counter capacity) {
    const uint64_t count = *total, stride = (uint64_t)gridDim.x * blockDim.x;
    if (count > capacity) {
        return;
    }
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        trawl_cuda_sort_end(matches, i, count);
    }
}

trawl_status trawl_cuda_sort_strips(const trawl_gpu_tuning *tuning, trawl_cuda_match *matches,
                                    const trawl_counter *ends, uint64_t strips,
                                    const trawl_counter *total, trawl_counter capacity,
                                    cudaStream_t stream, trawl_error *error) {
    const uint32_t threads = tuning->sort_strip_threads;
    TRAWL_LAUNCH(sort_strips, (unsigned)((strips + threads - 1) / threads), threads, 0, stream,
                 matches, ends, strips, total, capacity);
    TRAWL_CUDA_LAUNCHED("sort_strips", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_sort_equal_ends(const trawl_gpu_tuning *tuning, trawl_cuda_match *matches,
                                        const trawl_counter *total, trawl_counter capacity,
                                        cudaStream_t stream, trawl_error *error) {
    TRAWL_LAUNCH(sort_equal_ends, tuning->sort_end_blocks, tuning->sort_end_threads, 0, stream,
                 matches, total, capacity);
    TRAWL_CUDA_LAUNCHED("sort_equal_ends", error);
    return TRAWL_OK;
}
