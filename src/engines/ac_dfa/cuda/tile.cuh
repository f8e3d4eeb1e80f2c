/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A block's text in shared memory, and the states of its threads on the way out: what the kernels
 * of tile.cu and registers.cu have in common (Zha & Sahni 2011, IV-B).
 */
#ifndef TRAWL_ENGINES_AC_DFA_CUDA_TILE_CUH
#define TRAWL_ENGINES_AC_DFA_CUDA_TILE_CUH

#include "engines/ac_dfa/cuda/walk.cuh"

/* Copies text[first] .. text[first + bytes - 1] to shared memory, zeros where there is no text.
 * text + first and bytes are multiples of 16. */
static __device__ __forceinline__ void
trawl_dfa_load_tile(const trawl_cuda_slice &slice, int32_t first, uint32_t bytes, uint8_t *tile) {
    for (uint32_t i = 16 * threadIdx.x; i < bytes; i += 16 * blockDim.x) {
        int32_t at = first + (int32_t)i;
        if (at >= 0 && at + 16 <= (int32_t)slice.length) {
            *(uint4 *)(tile + i) = *(const uint4 *)(slice.text + at);
        } else {
            for (int32_t j = 0; j < 16; j++) {
                int32_t from = at + j;
                tile[i + (uint32_t)j] =
                    from >= 0 && from < (int32_t)slice.length ? slice.text[from] : 0;
            }
        }
    }
}

/* Returns the state before text[span.first]. The tile begins with text[tile_first]; if the overlap
 * is so long that it begins before the tile, its first bytes are read from device memory. */
template <int LAYOUT, int PATH>
static __device__ __forceinline__ uint32_t
trawl_dfa_walk_overlap(const trawl_cuda_dfa &dfa, const uint8_t *class_of, const uint8_t *text,
                       const uint8_t *tile, int32_t tile_first, const trawl_dfa_span &span) {
    uint32_t state = 0;
    int32_t at = (int32_t)span.begin;
    for (; at < tile_first; at++) {
        state = trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, text[at]);
    }
    for (; at < (int32_t)span.first; at++) {
        state = trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, tile[at - tile_first]);
    }
    return state;
}

/* Writes what the block's threads have gathered, `words` words for each. Thread t's are the states
 * after the bytes from text[begin + t * strip_bytes] on. */
template <typename T>
static __device__ __forceinline__ void trawl_dfa_write_stage(const trawl_cuda_reporter &reporter,
                                                             const uint32_t *stage, uint32_t words,
                                                             int32_t begin, uint32_t strip_bytes) {
    const trawl_cuda_slice &slice = reporter.slice;
    T *states = (T *)reporter.output.states + slice.first;
    int32_t pair_states = (int32_t)(8 / sizeof(T));
    for (uint32_t i = threadIdx.x; i < blockDim.x * words / 2; i += blockDim.x) {
        uint32_t row = i / (words / 2);
        uint32_t pair = i % (words / 2);
        uint32_t low = stage[row * TRAWL_AC4_STAGE_STRIDE + 2 * pair];
        uint32_t high = stage[row * TRAWL_AC4_STAGE_STRIDE + 2 * pair + 1];
        int64_t at = (int64_t)begin + (int64_t)row * strip_bytes + pair * (8 / sizeof(T));
        if (at >= (int64_t)slice.length) {
            continue;
        }
        int64_t index = at - (int64_t)slice.owned;
        if (index >= 0 && at + pair_states <= (int64_t)slice.length &&
            (uintptr_t)(states + index) % 8 == 0) {
            *(uint2 *)(states + index) = make_uint2(low, high);
            continue;
        }
        uint64_t both = (uint64_t)high << 32 | low;
        for (int32_t j = 0; j < pair_states; j++) {
            if (index + j >= 0 && at + j < (int64_t)slice.length) {
                states[index + j] = (T)(both >> (8 * sizeof(T) * (unsigned)j));
            }
        }
    }
}

#endif
