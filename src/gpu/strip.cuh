/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which positions of a slice a thread owns. */
#ifndef TRAWL_GPU_STRIP_CUH
#define TRAWL_GPU_STRIP_CUH

#include "gpu/contract.cuh"

/* text[first .. past), empty for strips that lie before the owned bytes or behind the slice. */
typedef struct trawl_cuda_range {
    uint32_t first, past;
} trawl_cuda_range;

static __device__ __forceinline__ trawl_cuda_range
trawl_cuda_strip_range(const trawl_cuda_slice &slice, uint32_t strip_bytes, uint32_t strip) {
    int64_t begin = trawl_cuda_strip_begin(&slice, strip_bytes, strip);
    int64_t first = begin < (int64_t)slice.owned ? (int64_t)slice.owned : begin;
    int64_t past = begin + strip_bytes;
    past = past > (int64_t)slice.length ? (int64_t)slice.length : past;
    past = past < first ? first : past;
    trawl_cuda_range range = {(uint32_t)first, (uint32_t)past};
    return range;
}

#endif
