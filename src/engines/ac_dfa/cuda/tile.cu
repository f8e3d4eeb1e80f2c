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
 * shared memory cannot hold text and states at once: that is ac4-registers (registers.cu). Other
 * results than states are few and are written at once: then ac4 is ac3 with words.
 */
#include "engines/ac_dfa/cuda/tile.cuh"

uint32_t trawl_cuda_ac_dfa_tile_shared(const trawl_cuda_launch_plan *plan, trawl_cuda_form form,
                                       uint32_t before) {
    bool staged = plan->kernel == TRAWL_CUDA_AC_DFA_AC4 && form == TRAWL_CUDA_STATES;
    uint32_t strip_bytes = plan->strip_bytes + (staged ? TRAWL_AC4_STAGE_STRIDE * 4 : 0);
    return TRAWL_GPU_CLASS_BYTES + before + plan->block_threads * strip_bytes;
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
        trawl_dfa_write_stage<T>(reporter, stage, bytes * (uint32_t)sizeof(T) / 4,
                                 block_begin + (int32_t)round, strip_bytes);
        __syncthreads();
    }
}

template <int LAYOUT, int PATH, int AFTER, bool WORDS>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    walk(const __grid_constant__ trawl_cuda_reporter reporter,
         const __grid_constant__ trawl_cuda_keys keys, const __grid_constant__ trawl_cuda_dfa dfa,
         uint32_t strip_bytes, uint32_t before) {
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
    trawl_dfa_load_tile(slice, tile_first, before + block_bytes, tile);
    __syncthreads();
    uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x;
    bool valid = strip < trawl_cuda_strip_count(&slice, strip_bytes);
    trawl_dfa_span span = {0, 0, 0};
    uint32_t state = 0;
    trawl_counter cursor = 0;
    if (valid) {
        cursor = trawl_cuda_cursor_begin(reporter.output, strip);
        span = trawl_dfa_span_of(slice, strip_bytes, strip, dfa.overlap);
        state =
            trawl_dfa_walk_overlap<LAYOUT, PATH>(dfa, class_of, slice.text, tile, tile_first, span);
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
