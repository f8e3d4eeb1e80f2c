/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac3 and ac4: the threads of a block together load the block's text into shared memory, 16 bytes
 * at a time and next to each other (Zha & Sahni 2011, IV-B1, Fig. 5). If each thread has an odd
 * number of 4-byte words, the threads of a warp then read from different banks (Theorem 1, which
 * holds for 32 banks as it does for 16).
 *
 * ac4 reads its text from there a word at a time. If states are written, the next 128 bytes of
 * states of each thread are gathered in shared memory and written by all threads of the block
 * together, 8 bytes at a time (IV-B2). The paper moves all text to registers because 16 KB of
 * shared memory cannot hold text and states at once; here there is room for both. Other results
 * than states are few and are written at once: then ac4 is ac3 with words.
 */
#include "engines/ac_dfa/cuda/walk.cuh"

uint32_t trawl_cuda_ac_dfa_tile_shared(const trawl_cuda_launch_plan *plan, trawl_cuda_form form,
                                       uint32_t before) {
    bool staged = plan->kernel == TRAWL_CUDA_AC_DFA_AC4 && form == TRAWL_CUDA_STATES;
    uint32_t strip_bytes = plan->strip_bytes + (staged ? TRAWL_AC4_STAGE_STRIDE * 4 : 0);
    return TRAWL_GPU_CLASS_BYTES + before + plan->block_threads * strip_bytes;
}

/* Copies text[first] .. text[first + bytes - 1] to shared memory, zeros where there is no text.
 * text + first and bytes are multiples of 16. */
static __device__ __forceinline__ void load_tile(const trawl_cuda_slice &slice, int32_t first,
                                                 uint32_t bytes, uint8_t *tile) {
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
static __device__ __forceinline__ uint32_t walk_overlap(const trawl_cuda_dfa &dfa,
                                                        const uint8_t *class_of,
                                                        const uint8_t *text, const uint8_t *tile,
                                                        int32_t tile_first,
                                                        const trawl_dfa_span &span) {
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
static __device__ __forceinline__ void write_stage(const trawl_cuda_reporter &reporter,
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

/* Walks and writes states (ac4). All threads of the block call this, also those without a strip. */
template <int LAYOUT, int PATH, typename T>
static __device__ __forceinline__ void
walk_staged(const trawl_cuda_reporter &reporter, const trawl_cuda_dfa &dfa, const uint8_t *class_of,
            const uint8_t *mine, uint32_t *stage, int32_t block_begin, const trawl_dfa_span &span,
            uint32_t state, uint32_t strip_bytes) {
    const uint32_t round_bytes = TRAWL_AC4_STAGE_WORDS * 4 / sizeof(T); /* of text */
    uint32_t *row = stage + threadIdx.x * TRAWL_AC4_STAGE_STRIDE;
    int32_t begin = block_begin + (int32_t)(threadIdx.x * strip_bytes);
    for (uint32_t round = 0; round < strip_bytes; round += round_bytes) {
        uint32_t bytes = strip_bytes - round < round_bytes ? strip_bytes - round : round_bytes;
        for (uint32_t i = 0; i < bytes; i += 4) {
            uint32_t word = *(const uint32_t *)(mine + round + i);
            uint32_t states[4];
            for (uint32_t j = 0; j < 4; j++) {
                int32_t at = begin + (int32_t)(round + i + j);
                if (at >= (int32_t)span.first && at < (int32_t)span.past) {
                    state =
                        trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, word >> (8 * j) & 0xff);
                }
                states[j] = trawl_dfa_number<LAYOUT>(dfa, state);
            }
            if (sizeof(T) == 2) {
                row[i / 2] = states[1] << 16 | states[0];
                row[i / 2 + 1] = states[3] << 16 | states[2];
            } else {
                for (uint32_t j = 0; j < 4; j++) {
                    row[i + j] = states[j];
                }
            }
        }
        __syncthreads();
        write_stage<T>(reporter, stage, bytes * (uint32_t)sizeof(T) / 4,
                       block_begin + (int32_t)round, strip_bytes);
        __syncthreads();
    }
}

template <int LAYOUT, int PATH, int AFTER, bool WORDS>
static __global__ void walk(const __grid_constant__ trawl_cuda_reporter reporter,
                            const __grid_constant__ trawl_cuda_keys keys,
                            const __grid_constant__ trawl_cuda_dfa dfa, uint32_t strip_bytes,
                            uint32_t before) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(class_of);
    uint8_t *tile = class_of + TRAWL_GPU_CLASS_BYTES;
    const trawl_cuda_slice &slice = reporter.slice;
    uint32_t block_bytes = blockDim.x * strip_bytes;
    int32_t block_begin = (int32_t)trawl_cuda_strip_begin(&slice, block_bytes, blockIdx.x);
    int32_t tile_first = block_begin - (int32_t)before;
    trawl_dfa_load_classes<LAYOUT>(dfa, class_of);
    load_tile(slice, tile_first, before + block_bytes, tile);
    __syncthreads();

    uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x;
    bool valid = strip < trawl_cuda_strip_count(&slice, strip_bytes);
    trawl_dfa_span span = {0, 0, 0};
    uint32_t state = 0;
    trawl_counter cursor = 0;
    if (valid) {
        cursor = trawl_cuda_cursor_begin(reporter.output, strip);
        span = trawl_dfa_span_of(slice, strip_bytes, strip, dfa.overlap);
        state = walk_overlap<LAYOUT, PATH>(dfa, class_of, slice.text, tile, tile_first, span);
    }
    const uint8_t *mine = tile + before + threadIdx.x * strip_bytes;
    if (WORDS && AFTER == TRAWL_DFA_WRITE) {
        uint32_t *stage = (uint32_t *)(tile + before + block_bytes);
        if (dfa.wide_states) {
            walk_staged<LAYOUT, PATH, uint32_t>(reporter, dfa, class_of, mine, stage, block_begin,
                                                span, state, strip_bytes);
        } else {
            walk_staged<LAYOUT, PATH, uint16_t>(reporter, dfa, class_of, mine, stage, block_begin,
                                                span, state, strip_bytes);
        }
    } else if (WORDS && valid) {
        int32_t begin = block_begin + (int32_t)(threadIdx.x * strip_bytes);
        for (uint32_t i = 0; i < strip_bytes; i += 4) {
            uint32_t word = *(const uint32_t *)(mine + i);
            for (uint32_t j = 0; j < 4; j++) {
                int32_t at = begin + (int32_t)(i + j);
                if (at >= (int32_t)span.first && at < (int32_t)span.past) {
                    state =
                        trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, word >> (8 * j) & 0xff);
                    trawl_dfa_after<LAYOUT, PATH, AFTER>(reporter, keys, dfa, state, (uint32_t)at,
                                                         &cursor);
                }
            }
        }
    } else {
        for (uint32_t at = span.first; at < span.past; at++) {
            state =
                trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, tile[(int32_t)at - tile_first]);
            trawl_dfa_after<LAYOUT, PATH, AFTER>(reporter, keys, dfa, state, at, &cursor);
        }
    }
    trawl_cuda_cursor_end(reporter.output, valid, strip, cursor);
}

/* WORDS: ac4, else ac3. */
template <bool WORDS> struct tile_walk {
    template <int LAYOUT, int PATH, int AFTER>
    static trawl_status launch(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
        return trawl_dfa_launch_kernel(walk<LAYOUT, PATH, AFTER, WORDS>, launch, error,
                                       launch->tile_before);
    }
};

template <bool WORDS>
static trawl_status launch_path(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    return launch->plan->table_path == TRAWL_TABLES_TEXTURE
               ? trawl_dfa_launch_walk<tile_walk<WORDS>, TRAWL_DFA_TEXTURE>(launch, error)
               : trawl_dfa_launch_walk<tile_walk<WORDS>, TRAWL_DFA_READ_ONLY>(launch, error);
}

trawl_status trawl_cuda_ac_dfa_tile(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    return launch->plan->kernel == TRAWL_CUDA_AC_DFA_AC3 ? launch_path<false>(launch, error)
                                                         : launch_path<true>(launch, error);
}
