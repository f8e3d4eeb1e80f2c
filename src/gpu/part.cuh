/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which positions of a piece a thread owns. */
#ifndef TRAWL_GPU_PART_CUH
#define TRAWL_GPU_PART_CUH

#include "gpu/contract.cuh"

/* text[first .. past), empty for parts that lie before the owned bytes or behind the piece. */
typedef struct trawl_cuda_range {
    uint32_t first, past;
} trawl_cuda_range;

static __device__ __forceinline__ trawl_cuda_range
trawl_cuda_part_range(const trawl_cuda_piece &piece, uint32_t thread_bytes, uint32_t part) {
    int64_t begin = trawl_cuda_part_begin(&piece, thread_bytes, part);
    int64_t first = begin < (int64_t)piece.owned ? (int64_t)piece.owned : begin;
    int64_t past = begin + thread_bytes;
    past = past > (int64_t)piece.length ? (int64_t)piece.length : past;
    past = past < first ? first : past;
    trawl_cuda_range range = {(uint32_t)first, (uint32_t)past};
    return range;
}

#endif
