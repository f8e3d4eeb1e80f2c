/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The kernels of ac-nfa: a step (step.cuh), a way to read the text, and what follows each step.
 *
 *     walk_bytes     text byte by byte from device memory: u, tc (Kouzinopoulos et al. 2015,
 *                    Algorithm 6)
 *     walk_tiles     text through shared memory: cr, r16, cw (Algorithm 8)
 *     walk_words     text by 16 bytes into registers: global, shared, constant (Charan 2015,
 *                    Algorithm 6, which follows Zha & Sahni 2011, IV)
 *
 * A block takes one tile of the text after another, and only as many blocks are launched as run at
 * the same time. So blocks seldom begin, and the tables are seldom copied into shared memory.
 */
#ifndef TRAWL_ENGINES_AC_NFA_CUDA_WALK_CUH
#define TRAWL_ENGINES_AC_NFA_CUDA_WALK_CUH

#include "engines/ac_nfa/cuda/step.cuh"
#include "gpu/emission.cuh"
#include "gpu/strip.cuh"

/* What a kernel does after a step. */
enum trawl_cuda_nfa_after {
    TRAWL_CUDA_NFA_COUNT, /* adds up how many patterns end here; nothing needs verification */
    TRAWL_CUDA_NFA_WRITE, /* writes the state */
    TRAWL_CUDA_NFA_REPORT /* reports the matches as the pass asks */
};

/* What is equal for all threads. */
typedef struct trawl_nfa_scan {
    trawl_cuda_nfa nfa;
    trawl_cuda_nfa_shape shape;
    trawl_cuda_keys keys;
    trawl_cuda_reporter reporter;
} trawl_nfa_scan;

/* The state of a thread's walk, and its results so far. */
typedef struct trawl_nfa_walker {
    trawl_nfa_place place;
    uint32_t begin, first, past; /* steps over text[begin .. past), reports from text[first] on */
    trawl_counter cursor;
    const uint4 *copy;      /* tables in shared memory, or NULL */
    const uint8_t *classes; /* in shared memory, or NULL */
    unsigned char *staged;  /* states in shared memory; the first one is that of staged_first */
    int32_t staged_first;   /* index in the text */
} trawl_nfa_walker;

static __device__ __forceinline__ trawl_nfa_walker trawl_nfa_new_walker(const uint4 *copy,
                                                                        const uint8_t *classes) {
    trawl_nfa_walker walker = {};
    walker.copy = copy;
    walker.classes = classes;
    return walker;
}

/* ------------------------------------------------------------------ what follows a step */

static __device__ __forceinline__ void
trawl_nfa_write(const trawl_nfa_scan &scan, const trawl_nfa_walker &walker, uint32_t at) {
    uint64_t index = scan.reporter.slice.first + (at - scan.reporter.slice.owned);
    void *states = scan.reporter.output.states;
    if (scan.shape.staged_states) {
        index = (uint32_t)((int32_t)at - walker.staged_first);
        states = walker.staged;
    }
    if (scan.shape.state_bytes == 4) {
        ((uint32_t *)states)[index] = walker.place.state;
    } else {
        ((uint16_t *)states)[index] = (uint16_t)walker.place.state;
    }
}

/* Takes the step over text[at], and does what follows it. */
template <int FORM, bool FIXED, int PATH, int AFTER>
static __device__ __forceinline__ void
trawl_nfa_visit(const trawl_nfa_scan &scan, trawl_nfa_walker *walker, uint32_t byte, uint32_t at) {
    trawl_nfa_step<FORM, FIXED, PATH>(scan.nfa, walker->copy, walker->classes, byte,
                                      &walker->place);
    if (AFTER == TRAWL_CUDA_NFA_WRITE) {
        if (at >= walker->first) {
            trawl_nfa_write(scan, *walker, at);
        }
        return;
    }
    if (trawl_nfa_matches(walker->place) && at >= walker->first) {
        uint32_t key = trawl_nfa_key(scan.nfa, walker->place.state);
        if (AFTER == TRAWL_CUDA_NFA_REPORT) {
            /* A copy: a walker whose address is passed on would not stay in registers. */
            trawl_counter cursor = walker->cursor;
            trawl_cuda_report_key(scan.reporter, scan.keys, at + 1, key, &cursor);
            walker->cursor = cursor;
            return;
        }
        uint32_t total = __ldg(scan.keys.outputs.total + key);
        if (scan.shape.counters == NULL || scan.shape.coalesced) {
            walker->cursor += total;
        } else { /* out[tid] := out[tid] + state_final[state], as Algorithm 6 has it */
            scan.shape.counters[blockIdx.x * blockDim.x + threadIdx.x] += total;
        }
    }
}

/* ------------------------------------------------------------------ strips and tiles */

/* Sets the walker to the strip of this thread in a tile. Returns false if it has none. */
static __device__ __forceinline__ bool
trawl_nfa_begin_strip(const trawl_nfa_scan &scan, uint32_t strip, trawl_nfa_walker *walker) {
    if (strip >= trawl_cuda_strip_count(&scan.reporter.slice, scan.shape.strip_bytes)) {
        return false;
    }
    trawl_cuda_range range =
        trawl_cuda_strip_range(scan.reporter.slice, scan.shape.strip_bytes, strip);
    walker->first = range.first;
    walker->past = range.past;
    walker->begin = range.first < scan.shape.overlap ? 0 : range.first - scan.shape.overlap;
    if (range.first == range.past) {
        walker->begin = range.past; /* a strip without owned bytes */
    }
    if (scan.reporter.output.pass == TRAWL_CUDA_PASS_RECORDS) {
        walker->cursor = scan.reporter.output.sizes[strip];
    } else if (scan.reporter.output.pass == TRAWL_CUDA_PASS_SIZES) {
        walker->cursor = 0;
    }
    return true;
}

/* Sets the walker to the root. */
template <int FORM, int PATH>
static __device__ __forceinline__ void trawl_nfa_at_root(const trawl_nfa_scan &scan,
                                                         trawl_nfa_walker *walker) {
    trawl_nfa_enter<FORM, PATH>(scan.nfa, walker->copy, 0, &walker->place);
}

/* After each strip: adds its size or its records to the results. Counts are added after the last
 * tile. */
static __device__ __forceinline__ void trawl_nfa_end_strip(const trawl_nfa_scan &scan, bool valid,
                                                           uint32_t strip,
                                                           const trawl_nfa_walker &walker) {
    trawl_cuda_pass pass = scan.reporter.output.pass;
    if (pass == TRAWL_CUDA_PASS_SIZES || pass == TRAWL_CUDA_PASS_RECORDS) {
        trawl_cuda_cursor_end(scan.reporter.output, valid, strip, walker.cursor);
    }
}

static __device__ __forceinline__ void trawl_nfa_end_tiles(const trawl_nfa_scan &scan,
                                                           const trawl_nfa_walker &walker) {
    if (scan.shape.counters != NULL && scan.shape.coalesced) {
        scan.shape.counters[blockIdx.x * blockDim.x + threadIdx.x] = walker.cursor;
        return;
    }
    trawl_cuda_pass pass = scan.reporter.output.pass;
    if (pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_PATTERNS) {
        trawl_cuda_cursor_end(scan.reporter.output, true, 0, walker.cursor);
    }
}

/* ------------------------------------------------------------------ text from device memory */

template <int FORM, bool FIXED, int PATH, int AFTER>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    walk_bytes(const __grid_constant__ trawl_nfa_scan scan) {
    if (!trawl_cuda_wanted(scan.reporter.output)) {
        return;
    }
    trawl_nfa_walker walker = trawl_nfa_new_walker(NULL, NULL);
    const uint8_t *text = scan.reporter.slice.text;
    for (uint32_t tile = blockIdx.x; tile < scan.shape.tiles; tile += gridDim.x) {
        uint32_t strip = tile * blockDim.x + threadIdx.x;
        bool valid = trawl_nfa_begin_strip(scan, strip, &walker);
        if (valid) {
            trawl_nfa_at_root<FORM, PATH>(scan, &walker);
#pragma unroll 1
            for (uint32_t at = walker.begin; at < walker.past; at++) {
                trawl_nfa_visit<FORM, FIXED, PATH, AFTER>(scan, &walker, text[at], at);
            }
        }
        trawl_nfa_end_strip(scan, valid, strip, walker);
    }
    trawl_nfa_end_tiles(scan, walker);
}

/* Loads `count` bytes of text from text[at] on, the first one lowest: 16, or as many as there are
 * up to the next address that is a multiple of 16 or to the end of the strip. */
static __device__ __forceinline__ uint4 trawl_nfa_load(const uint8_t *text, uint32_t at,
                                                       uint32_t count) {
    if (count == 16) {
        return __ldg((const uint4 *)(text + at));
    }
    uint32_t words[4] = {0, 0, 0, 0};
#pragma unroll
    for (uint32_t i = 0; i < 16; i++) {
        if (i < count) {
            words[i / 4] |= (uint32_t)text[at + i] << 8 * (i % 4);
        }
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

template <int FORM, bool FIXED, int PATH, int AFTER>
static __device__ __forceinline__ void trawl_nfa_walk_words(const trawl_nfa_scan &scan,
                                                            trawl_nfa_walker *walker) {
    const uint8_t *text = scan.reporter.slice.text;
    for (uint32_t tile = blockIdx.x; tile < scan.shape.tiles; tile += gridDim.x) {
        uint32_t strip = tile * blockDim.x + threadIdx.x;
        bool valid = trawl_nfa_begin_strip(scan, strip, walker);
        if (valid) {
            trawl_nfa_at_root<FORM, PATH>(scan, walker);
#pragma unroll 1
            for (uint32_t at = walker->begin; at < walker->past;) {
                uint32_t count = 16 - (uint32_t)((uintptr_t)(text + at) & 15);
                count = count < walker->past - at ? count : walker->past - at;
                uint4 vector = trawl_nfa_load(text, at, count);
                for (uint32_t past = at + count; at < past;) {
                    uint32_t word = vector.x;
                    vector.x = vector.y;
                    vector.y = vector.z;
                    vector.z = vector.w;
                    uint32_t end = past - at < 4 ? past : at + 4;
#pragma unroll 1
                    for (; at < end; at++) {
                        trawl_nfa_visit<FORM, FIXED, PATH, AFTER>(scan, walker, word & 0xff, at);
                        word >>= 8;
                    }
                }
            }
        }
        trawl_nfa_end_strip(scan, valid, strip, *walker);
    }
    trawl_nfa_end_tiles(scan, *walker);
}

/* Copies the tables to shared memory. All threads of the block call this. */
static __device__ __forceinline__ void trawl_nfa_copy_tables(const trawl_cuda_nfa &nfa,
                                                             uint4 *copy) {
    for (uint32_t table = 0; table < TRAWL_CUDA_NFA_TABLES; table++) {
        const uint32_t *from = (const uint32_t *)nfa.tables[table].memory;
        uint32_t *to = (uint32_t *)(copy + nfa.tables[table].place);
        for (uint32_t i = threadIdx.x; i < nfa.tables[table].bytes / 4; i += blockDim.x) {
            to[i] = from[i];
        }
    }
    __syncthreads();
}

template <int FORM, bool FIXED, int PATH, int AFTER>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    walk_words(const __grid_constant__ trawl_nfa_scan scan) {
    if (!trawl_cuda_wanted(scan.reporter.output)) {
        return;
    }
    TRAWL_SHARED(shared);
    trawl_nfa_walker walker = trawl_nfa_new_walker(NULL, NULL);
    if (PATH == TRAWL_CUDA_NFA_IN_SHARED) {
        trawl_nfa_copy_tables(scan.nfa, (uint4 *)shared);
        walker.copy = (const uint4 *)shared;
    }
    trawl_nfa_walk_words<FORM, FIXED, PATH, AFTER>(scan, &walker);
}

/* ------------------------------------------------------------------ text through shared memory */

/* Copies text[first .. first + tile_bytes) to shared memory, as far as there is text. The address
 * of text[first] is a multiple of 16. */
static __device__ __forceinline__ void trawl_nfa_load_tile(const trawl_nfa_scan &scan,
                                                           int32_t first, uint8_t *tile) {
    const trawl_cuda_slice &slice = scan.reporter.slice;
    int32_t length = (int32_t)slice.length;
    if (!scan.shape.wide_reads) {
        for (uint32_t i = threadIdx.x; i < scan.shape.tile_bytes; i += blockDim.x) {
            int32_t at = first + (int32_t)i;
            if (at >= 0 && at < length) {
                tile[i] = slice.text[at];
            }
        }
        return;
    }
    for (uint32_t i = threadIdx.x; i < scan.shape.tile_bytes / 16; i += blockDim.x) {
        int32_t at = first + (int32_t)(16 * i);
        if (at >= 0 && at + 16 <= length) {
            ((uint4 *)tile)[i] = __ldg((const uint4 *)(slice.text + at));
            continue;
        }
        for (int32_t k = at < 0 ? -at : 0; k < 16 && at + k < length; k++) {
            tile[16 * i + (uint32_t)k] = slice.text[at + k];
        }
    }
}

/* Writes the states of a tile's owned bytes, all threads of the block together. */
static __device__ __forceinline__ void trawl_nfa_write_tile(const trawl_nfa_scan &scan,
                                                            const trawl_nfa_walker &walker) {
    const trawl_cuda_slice &slice = scan.reporter.slice;
    int32_t first =
        walker.staged_first < (int32_t)slice.owned ? (int32_t)slice.owned : walker.staged_first;
    int32_t past = walker.staged_first + (int32_t)(scan.shape.strip_bytes * blockDim.x);
    past = past < (int32_t)slice.length ? past : (int32_t)slice.length;
    uint64_t to = slice.first + ((uint32_t)first - slice.owned);
    uint32_t from = (uint32_t)(first - walker.staged_first);
    for (uint32_t i = threadIdx.x; (int32_t)i < past - first; i += blockDim.x) {
        if (scan.shape.state_bytes == 4) {
            ((uint32_t *)scan.reporter.output.states)[to + i] =
                ((const uint32_t *)walker.staged)[from + i];
        } else {
            ((uint16_t *)scan.reporter.output.states)[to + i] =
                ((const uint16_t *)walker.staged)[from + i];
        }
    }
}

template <int FORM, bool FIXED, int PATH, int AFTER>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    walk_tiles(const __grid_constant__ trawl_nfa_scan scan) {
    if (!trawl_cuda_wanted(scan.reporter.output)) {
        return;
    }
    TRAWL_SHARED(shared);
    uint8_t *classes = shared;
    uint8_t *tile_text = shared + 256;
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x) {
        classes[i] = ((const uint8_t *)scan.nfa.tables[TRAWL_CUDA_NFA_CLASSES].memory)[i];
    }
    trawl_nfa_walker walker = trawl_nfa_new_walker(NULL, classes);
    walker.staged = tile_text + scan.shape.tile_bytes;
    const uint8_t *text = scan.reporter.slice.text;
    uint32_t block_bytes = scan.shape.strip_bytes * blockDim.x;
    for (uint32_t tile = blockIdx.x; tile < scan.shape.tiles; tile += gridDim.x) {
        walker.staged_first =
            trawl_cuda_origin(&scan.reporter.slice) + (int32_t)(tile * block_bytes);
        int32_t tile_first = walker.staged_first - (int32_t)scan.shape.tile_before;
        trawl_nfa_load_tile(scan, tile_first, tile_text);
        __syncthreads();
        uint32_t strip = tile * blockDim.x + threadIdx.x;
        bool valid = trawl_nfa_begin_strip(scan, strip, &walker);
        if (valid) {
            trawl_nfa_at_root<FORM, PATH>(scan, &walker);
            uint32_t at = walker.begin;
            /* The overlap of very long patterns begins before the tile. */
#pragma unroll 1
            for (; (int32_t)at < tile_first; at++) {
                trawl_nfa_step<FORM, FIXED, PATH>(scan.nfa, NULL, classes, text[at], &walker.place);
            }
#pragma unroll 1
            for (; at < walker.past; at++) {
                trawl_nfa_visit<FORM, FIXED, PATH, AFTER>(scan, &walker,
                                                          tile_text[(int32_t)at - tile_first], at);
            }
        }
        trawl_nfa_end_strip(scan, valid, strip, walker);
        __syncthreads();
        if (AFTER == TRAWL_CUDA_NFA_WRITE && scan.shape.staged_states) {
            trawl_nfa_write_tile(scan, walker);
        }
    }
    trawl_nfa_end_tiles(scan, walker);
}

/* ------------------------------------------------------------------ launching */

/* Launches a kernel whose only argument is the scan. */
template <typename Kernel>
static trawl_status trawl_nfa_launch_kernel(Kernel *kernel, const trawl_cuda_ac_nfa_launch *launch,
                                            const trawl_nfa_scan &scan, trawl_error *error) {
    uint32_t shared = launch->plan->shared_bytes;
    trawl_status status = trawl_cuda_allow_shared(launch->device, kernel, shared, error);
    if (status == TRAWL_OK) {
        TRAWL_LAUNCH(kernel, launch->blocks, launch->plan->block_threads, shared, launch->stream,
                     scan);
        TRAWL_CUDA_LAUNCHED("ac-nfa", error);
    }
    return status;
}

/* Copies the tables to constant memory, in the launch's stream. */
static trawl_status trawl_nfa_fill_constant(const trawl_cuda_ac_nfa_launch *launch,
                                            trawl_error *error) {
    for (uint32_t i = 0; i < TRAWL_CUDA_NFA_TABLES; i++) {
        const trawl_cuda_nfa_table *table = &launch->tables->nfa.tables[i];
        if (table->bytes != 0) {
            TRAWL_CUDA_TRY(cudaMemcpyToSymbolAsync(trawl_nfa_constant, table->memory, table->bytes,
                                                   (size_t)table->place * 16,
                                                   cudaMemcpyDeviceToDevice, launch->stream),
                           error);
        }
    }
    return TRAWL_OK;
}

template <typename Kernel>
static trawl_status trawl_nfa_launch_constant(Kernel *kernel,
                                              const trawl_cuda_ac_nfa_launch *launch,
                                              const trawl_nfa_scan &scan, trawl_error *error) {
    bool filled = false;
    trawl_status status = trawl_cuda_nfa_constant_begin(launch, &filled, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (!filled) {
        status = trawl_nfa_fill_constant(launch, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_nfa_launch_kernel(kernel, launch, scan, error);
    }
    return trawl_cuda_nfa_constant_end(launch, status, error);
}

template <int FORM, bool FIXED, int AFTER>
static trawl_status trawl_nfa_launch_after(const trawl_cuda_ac_nfa_launch *launch,
                                           trawl_error *error) {
    trawl_nfa_scan scan = {launch->tables->nfa, launch->shape, launch->keys, launch->reporter};
    bool textures = launch->plan->table_path == TRAWL_TABLES_TEXTURE;
    switch (launch->plan->kernel) {
    case TRAWL_CUDA_AC_NFA_U:
        return trawl_nfa_launch_kernel(walk_bytes<FORM, FIXED, TRAWL_CUDA_NFA_PLAIN, AFTER>, launch,
                                       scan, error);
    case TRAWL_CUDA_AC_NFA_TC:
        return textures
                   ? trawl_nfa_launch_kernel(walk_bytes<FORM, FIXED, TRAWL_CUDA_NFA_TEXTURE, AFTER>,
                                             launch, scan, error)
                   : trawl_nfa_launch_kernel(
                         walk_bytes<FORM, FIXED, TRAWL_CUDA_NFA_READ_ONLY, AFTER>, launch, scan,
                         error);
    case TRAWL_CUDA_AC_NFA_GLOBAL:
        return trawl_nfa_launch_kernel(walk_words<FORM, FIXED, TRAWL_CUDA_NFA_PLAIN, AFTER>, launch,
                                       scan, error);
    case TRAWL_CUDA_AC_NFA_SHARED:
        return trawl_nfa_launch_kernel(walk_words<FORM, FIXED, TRAWL_CUDA_NFA_IN_SHARED, AFTER>,
                                       launch, scan, error);
    case TRAWL_CUDA_AC_NFA_CONSTANT:
        return trawl_nfa_launch_constant(walk_words<FORM, FIXED, TRAWL_CUDA_NFA_IN_CONSTANT, AFTER>,
                                         launch, scan, error);
    default:
        return textures
                   ? trawl_nfa_launch_kernel(walk_tiles<FORM, FIXED, TRAWL_CUDA_NFA_TEXTURE, AFTER>,
                                             launch, scan, error)
                   : trawl_nfa_launch_kernel(
                         walk_tiles<FORM, FIXED, TRAWL_CUDA_NFA_READ_ONLY, AFTER>, launch, scan,
                         error);
    }
}

template <int FORM, bool FIXED>
static trawl_status trawl_nfa_launch(const trawl_cuda_ac_nfa_launch *launch, trawl_error *error) {
    trawl_cuda_pass pass = launch->reporter.output.pass;
    if (pass == TRAWL_CUDA_PASS_STATES) {
        return trawl_nfa_launch_after<FORM, FIXED, TRAWL_CUDA_NFA_WRITE>(launch, error);
    }
    if (pass == TRAWL_CUDA_PASS_COUNT && !launch->tables->verify) {
        return trawl_nfa_launch_after<FORM, FIXED, TRAWL_CUDA_NFA_COUNT>(launch, error);
    }
    return trawl_nfa_launch_after<FORM, FIXED, TRAWL_CUDA_NFA_REPORT>(launch, error);
}

#endif
