/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The step of a DFA in its four layouts and over three ways to its table, and what follows a step:
 * what the kernels ac0 to ac4 have in common. All choices are template arguments, so that a
 * kernel's loop has the look-up and nothing else.
 */
#ifndef TRAWL_ENGINES_AC_DFA_CUDA_WALK_CUH
#define TRAWL_ENGINES_AC_DFA_CUDA_WALK_CUH

#include "engines/ac_dfa/cuda/engine.cuh"
#include "gpu/emission.cuh"
#include "gpu/read_table.cuh"
#include "gpu/strip.cuh"

/* How tables are read. Zha & Sahni bound the DFA to a texture reference, which CUDA no longer has:
 * the kernels use a texture object or read-only loads instead. */
enum trawl_cuda_dfa_path {
    TRAWL_DFA_PLAIN = TRAWL_CUDA_PLAIN,
    TRAWL_DFA_READ_ONLY = TRAWL_CUDA_READ_ONLY,
    TRAWL_DFA_TEXTURE = TRAWL_CUDA_TEXTURE
};

/* What a kernel does after a step. */
enum trawl_cuda_dfa_after {
    TRAWL_DFA_COUNT, /* adds up how many patterns end here; nothing needs verification */
    TRAWL_DFA_WRITE, /* writes the state (Zha & Sahni 2011, IV-A) */
    TRAWL_DFA_REPORT /* reports the matches as the pass asks */
};

/* Copies the byte classes to shared memory, where they take TRAWL_GPU_CLASS_BYTES. All threads of
 * the block call this. */
template <int LAYOUT>
static __device__ __forceinline__ void trawl_dfa_load_classes(const trawl_cuda_dfa &dfa,
                                                              uint8_t *class_of) {
    if (LAYOUT == TRAWL_DFA_NARROW || LAYOUT == TRAWL_DFA_WIDE) {
        for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
            class_of[i] = dfa.class_of[i];
        }
        __syncthreads();
    }
}

template <int PATH, typename T>
static __device__ __forceinline__ uint32_t trawl_dfa_entry(const trawl_cuda_dfa &dfa,
                                                           uint32_t index) {
    return trawl_cuda_read_table<PATH, T>(dfa.table, dfa.texture, index);
}

template <int LAYOUT, int PATH>
static __device__ __forceinline__ uint32_t trawl_dfa_step(const trawl_cuda_dfa &dfa,
                                                          const uint8_t *class_of, uint32_t state,
                                                          uint32_t byte) {
    if (LAYOUT == TRAWL_DFA_NARROW) {
        return trawl_dfa_entry<PATH, uint16_t>(dfa, (state << dfa.shift) + class_of[byte]);
    }
    if (LAYOUT == TRAWL_DFA_WIDE) {
        return trawl_dfa_entry<PATH, uint32_t>(dfa, state + class_of[byte]);
    }
    if (LAYOUT == TRAWL_DFA_STT16) {
        return trawl_dfa_entry<PATH, uint16_t>(dfa, (state << 8) + byte);
    }
    return trawl_dfa_entry<PATH, uint32_t>(dfa, state * TRAWL_STT_COLUMNS + byte);
}

/* The key that ends in a state, or TRAWL_NO_KEY. */
template <int LAYOUT, int PATH>
static __device__ __forceinline__ uint32_t trawl_dfa_key(const trawl_cuda_dfa &dfa,
                                                         uint32_t state) {
    if (LAYOUT == TRAWL_DFA_STT) {
        /* The match column has 0 where nothing ends, which becomes TRAWL_NO_KEY. */
        return trawl_dfa_entry<PATH, uint32_t>(dfa, state * TRAWL_STT_COLUMNS + 256) - 1;
    }
    if (state < dfa.first_match) {
        return TRAWL_NO_KEY;
    }
    uint32_t index = state - dfa.first_match;
    return __ldg(dfa.output +
                 (LAYOUT == TRAWL_DFA_WIDE ? (index >> dfa.shift) * dfa.inverse : index));
}

/* Returns the state's number, as the output array has it. */
template <int LAYOUT>
static __device__ __forceinline__ uint32_t trawl_dfa_number(const trawl_cuda_dfa &dfa,
                                                            uint32_t state) {
    return LAYOUT == TRAWL_DFA_WIDE ? (state >> dfa.shift) * dfa.inverse : state;
}

/* Does what follows the step over text[at]. */
template <int LAYOUT, int PATH, int AFTER>
static __device__ __forceinline__ void
trawl_dfa_after(const trawl_cuda_reporter &reporter, const trawl_cuda_keys &keys,
                const trawl_cuda_dfa &dfa, uint32_t state, uint32_t at, trawl_counter *cursor) {
    if (AFTER == TRAWL_DFA_WRITE) {
        uint64_t index = reporter.slice.first + (at - reporter.slice.owned);
        uint32_t number = trawl_dfa_number<LAYOUT>(dfa, state);
        if (dfa.wide_states) {
            ((uint32_t *)reporter.output.states)[index] = number;
        } else {
            ((uint16_t *)reporter.output.states)[index] = (uint16_t)number;
        }
        return;
    }
    uint32_t key = trawl_dfa_key<LAYOUT, PATH>(dfa, state);
    if (key == TRAWL_NO_KEY) {
        return;
    }
    if (AFTER == TRAWL_DFA_COUNT) {
        *cursor += __ldg(keys.outputs.total + key);
    } else {
        trawl_cuda_report_key(reporter, keys, at + 1, key, cursor);
    }
}

/* What a thread walks: text[begin] to text[past - 1]. Only from text[first] on something is done
 * after each byte. */
typedef struct trawl_dfa_span {
    uint32_t begin, first, past;
} trawl_dfa_span;

static __device__ __forceinline__ trawl_dfa_span trawl_dfa_span_of(const trawl_cuda_slice &slice,
                                                                   uint32_t strip_bytes,
                                                                   uint32_t strip,
                                                                   uint32_t overlap) {
    trawl_cuda_range range = trawl_cuda_strip_range(slice, strip_bytes, strip);
    trawl_dfa_span span;
    span.first = range.first;
    span.past = range.past;
    span.begin = span.first < overlap ? 0 : span.first - overlap;
    return span;
}

/* Which of the three follows a step in the launch's pass. */
static inline int trawl_dfa_after_of(const trawl_cuda_ac_dfa_launch *launch) {
    trawl_cuda_pass pass = launch->reporter.output.pass;
    return pass == TRAWL_CUDA_PASS_STATES                         ? TRAWL_DFA_WRITE
           : pass == TRAWL_CUDA_PASS_COUNT && !launch->dfa.verify ? TRAWL_DFA_COUNT
                                                                  : TRAWL_DFA_REPORT;
}

/* Launches a kernel that walks a DFA; `more` are its last arguments. */
template <typename Kernel, typename... More>
static trawl_status trawl_dfa_launch_kernel(Kernel *kernel, const trawl_cuda_ac_dfa_launch *launch,
                                            trawl_error *error, More... more) {
    const trawl_cuda_launch_plan *plan = launch->plan;
    trawl_status status =
        trawl_cuda_allow_shared(launch->device, kernel, plan->shared_bytes, error);
    if (status == TRAWL_OK) {
        TRAWL_LAUNCH(kernel, launch->blocks, plan->block_threads, plan->shared_bytes,
                     launch->stream, launch->reporter, launch->keys, launch->dfa, plan->strip_bytes,
                     more...);
        TRAWL_CUDA_LAUNCHED("a walk of a DFA", error);
    }
    return status;
}

/* Launches a walk for the layout of the launch's DFA and for what follows a step in its pass. WALK
 * is a structure with a function template launch<LAYOUT, PATH, AFTER>(launch, error). */
template <typename WALK, int LAYOUT, int PATH>
static trawl_status trawl_dfa_launch_after(const trawl_cuda_ac_dfa_launch *launch,
                                           trawl_error *error) {
    switch (trawl_dfa_after_of(launch)) {
    case TRAWL_DFA_COUNT:
        return WALK::template launch<LAYOUT, PATH, TRAWL_DFA_COUNT>(launch, error);
    case TRAWL_DFA_WRITE:
        return WALK::template launch<LAYOUT, PATH, TRAWL_DFA_WRITE>(launch, error);
    default:
        return WALK::template launch<LAYOUT, PATH, TRAWL_DFA_REPORT>(launch, error);
    }
}

template <typename WALK, int PATH>
static trawl_status trawl_dfa_launch_walk(const trawl_cuda_ac_dfa_launch *launch,
                                          trawl_error *error) {
    switch (launch->dfa.layout) {
    case TRAWL_DFA_NARROW:
        return trawl_dfa_launch_after<WALK, TRAWL_DFA_NARROW, PATH>(launch, error);
    case TRAWL_DFA_WIDE:
        return trawl_dfa_launch_after<WALK, TRAWL_DFA_WIDE, PATH>(launch, error);
    case TRAWL_DFA_STT16:
        return trawl_dfa_launch_after<WALK, TRAWL_DFA_STT16, PATH>(launch, error);
    default:
        return trawl_dfa_launch_after<WALK, TRAWL_DFA_STT, PATH>(launch, error);
    }
}

#endif
