/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac2: ac1 in which each thread reads its text 16 bytes at a time (Zha & Sahni 2011, IV-B1) into 16
 * bytes of shared memory of its own, from which it takes the bytes one by one.
 *
 * A strip of the paper's 228 bytes does not begin at a multiple of 16. So a thread reads the
 * aligned 16 bytes that contain its first or last bytes; a neighbouring thread reads them too.
 */
#include "engines/ac_dfa/cuda/walk.cuh"

uint32_t trawl_cuda_ac_dfa_vector_shared(uint32_t threads) {
    return TRAWL_GPU_CLASS_BYTES + threads * 16;
}

/* Copies the 16 bytes from text[at] on, an address that is a multiple of 16, to `slot`. */
static __device__ __forceinline__ void load(const trawl_cuda_slice &slice, int32_t at,
                                            uint8_t *slot) {
    if (at >= 0 && at + 16 <= (int32_t)slice.length) {
        *(uint4 *)slot = *(const uint4 *)(slice.text + at);
        return;
    }
    for (int32_t i = at; i < at + 16; i++) {
        slot[i - at] = i >= 0 && i < (int32_t)slice.length ? slice.text[i] : 0;
    }
}

template <int LAYOUT, int PATH, int AFTER>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    walk(const __grid_constant__ trawl_cuda_reporter reporter,
         const __grid_constant__ trawl_cuda_keys keys, const __grid_constant__ trawl_cuda_dfa dfa,
         uint32_t strip_bytes) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(class_of);
    trawl_dfa_load_classes<LAYOUT>(dfa, class_of);
    uint8_t *slot = class_of + TRAWL_GPU_CLASS_BYTES + 16 * threadIdx.x;
    uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x;
    bool valid = strip < trawl_cuda_strip_count(&reporter.slice, strip_bytes);
    trawl_counter cursor = 0;
    if (valid) {
        cursor = trawl_cuda_cursor_begin(reporter.output, strip);
        const trawl_cuda_slice &slice = reporter.slice;
        trawl_dfa_span span = trawl_dfa_span_of(slice, strip_bytes, strip, dfa.overlap);
        uint32_t state = 0;
        int32_t at = (int32_t)span.begin;
        int32_t first = (int32_t)span.first, past = (int32_t)span.past;
        int32_t vector = at - (int32_t)((uintptr_t)(slice.text + at) & 15);
        for (; vector < past; vector += 16) {
            load(slice, vector, slot);
            int32_t behind = vector + 16 < past ? vector + 16 : past;
            for (; at < behind && at < first; at++) {
                state = trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, slot[at - vector]);
            }
            for (; at < behind; at++) {
                state = trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, slot[at - vector]);
                trawl_dfa_after<LAYOUT, PATH, AFTER>(reporter, keys, dfa, state, (uint32_t)at,
                                                     &cursor);
            }
        }
    }
    trawl_cuda_cursor_end(reporter.output, valid, strip, cursor);
}

struct vector_walk {
    template <int LAYOUT, int PATH, int AFTER>
    static trawl_status launch(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
        return trawl_dfa_launch_kernel(walk<LAYOUT, PATH, AFTER>, launch, error);
    }
};

trawl_status trawl_cuda_ac_dfa_vector(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    return launch->plan->table_path == TRAWL_TABLES_TEXTURE
               ? trawl_dfa_launch_walk<vector_walk, TRAWL_DFA_TEXTURE>(launch, error)
               : trawl_dfa_launch_walk<vector_walk, TRAWL_DFA_READ_ONLY>(launch, error);
}
