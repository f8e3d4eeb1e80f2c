/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The text before an end, by words of eight bytes. */
#ifndef TRAWL_GPU_TEXT_BEFORE_CUH
#define TRAWL_GPU_TEXT_BEFORE_CUH

#include "base/fold.h"
#include "gpu/contract.cuh"

/* The eight bytes before text[end], the last one most significant, with zeros where there is no
 * text. Such zeros may lead to a key that ends there; the comparison of lengths rejects it. Loads
 * aligned words unless they are partly outside the text. */
static __device__ __forceinline__ uint64_t trawl_cuda_eight_before(const trawl_cuda_slice &slice,
                                                                   int32_t end) {
    if (end >= 16 && end + 8 <= (int32_t)slice.length) {
        uintptr_t last = (uintptr_t)(slice.text + end - 1);
        const unsigned long long *words = (const unsigned long long *)(last & ~(uintptr_t)7);
        uint32_t behind = 8 * (7 - (uint32_t)(last & 7));
        uint64_t below = behind == 0 ? 0 : __ldg(words - 1) >> (64 - behind);
        return (uint64_t)__ldg(words) << behind | below;
    }
    uint64_t bytes = 0;
#pragma unroll 1
    for (int32_t at = end - 8; at < end; at++) {
        uint64_t byte = at >= 0 && at < (int32_t)slice.length ? slice.text[at] : 0;
        bytes = bytes >> 8 | byte << 56;
    }
    return bytes;
}

/* How many bytes before text[end] have no capital letter, at most `most`. */
static __device__ __forceinline__ uint32_t trawl_cuda_plain_before(const trawl_cuda_slice &slice,
                                                                   uint32_t end, uint32_t most) {
    uint32_t plain = 0;
#pragma unroll 1
    while (plain < most) {
        const uint64_t word = trawl_cuda_eight_before(slice, (int32_t)(end - plain));
        const uint64_t capitals = word ^ trawl_fold_word(word);
        if (capitals != 0) {
            plain += trawl_leading_zeros(capitals) / 8;
            break;
        }
        plain += 8;
    }
    return plain < most ? plain : most;
}

#endif
