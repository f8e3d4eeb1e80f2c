/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac4-registers: Zha & Sahni 2011, IV-B2, as the paper has it. Shared memory first holds the
 * block's text. Each thread walks the bytes before its strip and moves the strip, S_thread bytes,
 * into registers; then the same shared memory takes the states:
 *
 *     shared memory   | bytes before | text of thread 0 | text of thread 1 | ...   until all have
 *                                                                                it in registers
 *                     | 32 words of states of thread 0, 1 unused | of thread 1 | ...   then
 *
 * A round fills the 128 bytes of each thread, 64 states of 2 bytes or 32 of 4; all threads of the
 * block then write them together, 8 bytes at a time. A strip of 228 bytes takes the rounds 64 + 64
 * + 64 + 36.
 *
 * Registers have no index, so the loops over them are unrolled.
 */
#include "engines/ac_dfa/cuda/tile.cuh"

uint32_t trawl_cuda_ac_dfa_registers_shared(const trawl_cuda_launch_plan *plan, uint32_t before) {
    uint32_t text = before + plan->block_threads * plan->strip_bytes;
    uint32_t states = plan->block_threads * TRAWL_AC4_STAGE_STRIDE * 4;
    return TRAWL_GPU_CLASS_BYTES + (text > states ? text : states);
}

/* The four states after the bytes of a word, of which those outside the span are not walked; first
 * the one of the lowest byte. */
template <int LAYOUT, int PATH, typename T>
static __device__ __forceinline__ uint32_t walk_word(const trawl_cuda_dfa &dfa,
                                                     const uint8_t *class_of,
                                                     const trawl_dfa_span &span, int32_t at,
                                                     uint32_t word, uint32_t state, uint32_t *row) {
    uint32_t pair = 0;
#pragma unroll 1
    for (uint32_t j = 0; j < 4; j++) {
        if (at + (int32_t)j >= (int32_t)span.first && at + (int32_t)j < (int32_t)span.past) {
            state = trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, word & 0xff);
        }
        word >>= 8;
        uint32_t number = trawl_dfa_number<LAYOUT>(dfa, state);
        if (sizeof(T) == 4) {
            row[j] = number;
        } else if (j % 2 == 0) {
            pair = number;
        } else {
            row[j / 2] = number << 16 | pair;
        }
    }
    return state;
}

template <int LAYOUT, int PATH, typename T>
static __global__ void __launch_bounds__(TRAWL_AC4_REGISTERS_THREADS)
    walk(const __grid_constant__ trawl_cuda_reporter reporter,
         const __grid_constant__ trawl_cuda_keys keys, const __grid_constant__ trawl_cuda_dfa dfa,
         uint32_t strip_bytes, uint32_t before) {
    (void)keys;
    const uint32_t round_words = TRAWL_AC4_STAGE_WORDS / (uint32_t)sizeof(T); /* of text */
    TRAWL_SHARED(class_of);
    uint8_t *tile = class_of + TRAWL_GPU_CLASS_BYTES;
    const trawl_cuda_slice &slice = reporter.slice;
    uint32_t block_bytes = blockDim.x * strip_bytes;
    int32_t block_begin = (int32_t)trawl_cuda_strip_begin(&slice, block_bytes, blockIdx.x);
    trawl_dfa_load_classes<LAYOUT>(dfa, class_of);
    trawl_dfa_load_tile(slice, block_begin - (int32_t)before, before + block_bytes, tile);
    __syncthreads();

    uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x;
    trawl_dfa_span span = {0, 0, 0};
    uint32_t state = 0;
    if (strip < trawl_cuda_strip_count(&slice, strip_bytes)) {
        span = trawl_dfa_span_of(slice, strip_bytes, strip, dfa.overlap);
        state = trawl_dfa_walk_overlap<LAYOUT, PATH>(dfa, class_of, slice.text, tile,
                                                     block_begin - (int32_t)before, span);
    }
    const uint32_t *mine = (const uint32_t *)(tile + before + threadIdx.x * strip_bytes);
    uint32_t words = strip_bytes / 4;
    uint32_t text[TRAWL_AC4_REGISTERS_WORDS];
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_AC4_REGISTERS_WORDS; i++) {
        text[i] = i < words ? mine[i] : 0;
    }
    __syncthreads(); /* all text is in registers: its place is free */

    uint32_t *stage = (uint32_t *)tile;
    uint32_t *row = stage + threadIdx.x * TRAWL_AC4_STAGE_STRIDE;
    int32_t begin = block_begin + (int32_t)(threadIdx.x * strip_bytes);
#pragma unroll
    for (uint32_t i = 0; i < TRAWL_AC4_REGISTERS_WORDS; i++) {
        if (i < words) {
            state =
                walk_word<LAYOUT, PATH, T>(dfa, class_of, span, begin + (int32_t)(4 * i), text[i],
                                           state, row + i % round_words * (uint32_t)sizeof(T));
        }
        if (i < words && (i % round_words == round_words - 1 || i == words - 1)) {
            uint32_t filled = i % round_words + 1;
            __syncthreads();
            trawl_dfa_write_stage<T>(reporter, stage, filled * (uint32_t)sizeof(T),
                                     block_begin + (int32_t)(4 * (i + 1 - filled)), strip_bytes);
            __syncthreads();
        }
    }
}

template <int LAYOUT, int PATH>
static trawl_status launch_layout(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    return launch->dfa.wide_states ? trawl_dfa_launch_kernel(walk<LAYOUT, PATH, uint32_t>, launch,
                                                             error, launch->tile_before)
                                   : trawl_dfa_launch_kernel(walk<LAYOUT, PATH, uint16_t>, launch,
                                                             error, launch->tile_before);
}

template <int PATH>
static trawl_status launch_path(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    switch (launch->dfa.layout) {
    case TRAWL_DFA_NARROW:
        return launch_layout<TRAWL_DFA_NARROW, PATH>(launch, error);
    case TRAWL_DFA_WIDE:
        return launch_layout<TRAWL_DFA_WIDE, PATH>(launch, error);
    case TRAWL_DFA_STT16:
        return launch_layout<TRAWL_DFA_STT16, PATH>(launch, error);
    default:
        return launch_layout<TRAWL_DFA_STT, PATH>(launch, error);
    }
}

trawl_status trawl_cuda_ac_dfa_registers(const trawl_cuda_ac_dfa_launch *launch,
                                         trawl_error *error) {
    return launch->plan->table_path == TRAWL_TABLES_TEXTURE
               ? launch_path<TRAWL_DFA_TEXTURE>(launch, error)
               : launch_path<TRAWL_DFA_READ_ONLY>(launch, error);
}
