/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac0 and ac1: Algorithm basic (Zha & Sahni 2011, Fig. 4). Each thread reads its bytes one by one
 * from device memory, looks up the table there (ac0) or through the texture path (ac1), and writes
 * its results straight to device memory. So these kernels have the paper's deficiencies D1 and D2.
 */
#include "engines/ac_dfa/cuda/walk.cuh"

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
    uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x;
    bool valid = strip < trawl_cuda_strip_count(&reporter.slice, strip_bytes);
    trawl_counter cursor = 0;
    if (valid) {
        cursor = trawl_cuda_cursor_begin(reporter.output, strip);
        trawl_dfa_span span = trawl_dfa_span_of(reporter.slice, strip_bytes, strip, dfa.overlap);
        const uint8_t *text = reporter.slice.text;
        uint32_t state = 0;
        for (uint32_t at = span.begin; at < span.first; at++) {
            state = trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, text[at]);
        }
        for (uint32_t at = span.first; at < span.past; at++) {
            state = trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, state, text[at]);
            trawl_dfa_after<LAYOUT, PATH, AFTER>(reporter, keys, dfa, state, at, &cursor);
        }
    }
    trawl_cuda_cursor_end(reporter.output, valid, strip, cursor);
}

struct direct_walk {
    template <int LAYOUT, int PATH, int AFTER>
    static trawl_status launch(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
        return trawl_dfa_launch_kernel(walk<LAYOUT, PATH, AFTER>, launch, error);
    }
};

trawl_status trawl_cuda_ac_dfa_direct(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    switch (launch->plan->table_path) {
    case TRAWL_TABLES_TEXTURE:
        return trawl_dfa_launch_walk<direct_walk, TRAWL_DFA_TEXTURE>(launch, error);
    case TRAWL_TABLES_READ_ONLY:
        return trawl_dfa_launch_walk<direct_walk, TRAWL_DFA_READ_ONLY>(launch, error);
    default:
        return trawl_dfa_launch_walk<direct_walk, TRAWL_DFA_PLAIN>(launch, error);
    }
}
