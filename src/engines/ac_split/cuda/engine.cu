/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * ac-split on the device (Tran et al., 5.1.2, Pseudocode 2): every part of the set has a DFA, a
 * texture object over the DFA's table, and a stream of its own. All parts scan the whole text at
 * the same time.
 *
 *     p1    text straight from device memory (Fig. 9), as ac-dfa's ac1 does it
 *     p2    text through shared memory (Fig. 10), without bank conflicts (4.3)
 *     p2-conflicts    as p2, but rows are stored in order: what Fig. 19 compares p2 with
 *
 * Parts of the set add to the same results by atomic additions. Places for records are taken in the
 * same way, so the records of a strip are sorted afterwards.
 *
 * How p2 stores its tile: ../tile.h.
 */
#include "engines/ac_dfa/cuda/walk.cuh"
#include "engines/ac_split/tile.h"
#include "engines/engines.cuh"

/* The kernels, in the order of `kernels` in ../build.c. */
enum { KERNEL_P2, KERNEL_P1, KERNEL_P2_CONFLICTS };

/* One part of the set. */
typedef struct split_part {
    trawl_cuda_dfa dfa;
    cudaStream_t stream;
    cudaEvent_t done; /* in this part's stream */
} split_part;

/* uploaded->tables of this engine. */
typedef struct split_tables {
    trawl_error obstacle; /* why a part has no texture; status TRAWL_OK if all have one */
    cudaEvent_t begin;    /* in the caller's stream */
    uint32_t count;
    split_part parts[];
} split_tables;

/* ------------------------------------------------------------------ preparing */

static void release(trawl_cuda_db *uploaded) {
    split_tables *tables = (split_tables *)uploaded->tables;
    if (tables == NULL) {
        return;
    }
    for (uint32_t i = 0; i < tables->count; i++) {
        split_part *part = &tables->parts[i];
        trawl_cuda_texture_free(part->dfa.texture);
        if (part->stream != NULL) {
            (void)cudaStreamDestroy(part->stream);
        }
        if (part->done != NULL) {
            (void)cudaEventDestroy(part->done);
        }
    }
    if (tables->begin != NULL) {
        (void)cudaEventDestroy(tables->begin);
    }
    trawl_release(tables);
    uploaded->tables = NULL;
}

static trawl_status prepare_part(const trawl_cuda_db *uploaded, split_tables *tables,
                                 uint32_t index, trawl_error *error) {
    split_part *part = &tables->parts[index];
    trawl_cuda_dfa_view(uploaded, index, &part->dfa);
    TRAWL_CUDA_TRY(cudaStreamCreateWithFlags(&part->stream, cudaStreamNonBlocking), error);
    TRAWL_CUDA_TRY(cudaEventCreateWithFlags(&part->done, cudaEventDisableTiming), error);
    return trawl_cuda_texture(uploaded, TRAWL_SECTION_DFA_TABLE, index,
                              trawl_dfa_entry_bytes(part->dfa.layout), &part->dfa.texture,
                              &tables->obstacle, error);
}

static trawl_status prepare(trawl_cuda_db *uploaded, const uint8_t *sample, size_t sample_length,
                            trawl_error *error) {
    (void)sample;
    (void)sample_length;
    uint32_t count = uploaded->db->header->parts;
    size_t size = sizeof(split_tables) + count * sizeof(split_part);
    split_tables *tables = (split_tables *)trawl_allocate_zeroed(1, size);
    if (tables == NULL) {
        return trawl_fail_memory(error, "a database on a device", size);
    }
    uploaded->tables = tables;
    tables->count = count;
    cudaError_t code = cudaEventCreateWithFlags(&tables->begin, cudaEventDisableTiming);
    trawl_status status =
        code == cudaSuccess ? TRAWL_OK : trawl_cuda_failed(code, "cudaEventCreateWithFlags", error);
    for (uint32_t i = 0; status == TRAWL_OK && i < count; i++) {
        status = prepare_part(uploaded, tables, i, error);
    }
    if (status != TRAWL_OK) {
        release(uploaded);
    }
    return status;
}

/* ------------------------------------------------------------------ planning */

/* Rows of the tile with text before the block's own, at most as many bytes as in other tiles,
 * rounded up to whole rows. */
static uint32_t rows_before(const trawl_cuda_db *uploaded, uint32_t strip_bytes) {
    uint32_t overlap = uploaded->db->header->max_length - 1;
    uint32_t before = overlap < TRAWL_CUDA_MOST_TILE_BEFORE ? overlap : TRAWL_CUDA_MOST_TILE_BEFORE;
    return (before + strip_bytes - 1) / strip_bytes;
}

/* The bytes of a strip if the caller does not name them. p2: a thread also reads max_length - 1
 * bytes before its strip, so longer patterns get longer strips than the paper's. */
static uint32_t usual_strip_bytes(const trawl_cuda_db *uploaded, uint32_t kernel,
                                  uint32_t threads) {
    const trawl_gpu_tuning *tuning = uploaded->device.tuning;
    if (kernel == KERNEL_P1) {
        return tuning->split_p1.strip_bytes;
    }
    uint32_t bytes = tuning->split_p2.strip_bytes;
    while (bytes < uploaded->db->header->max_length &&
           2 * bytes * threads <= tuning->split_block_bytes) {
        bytes *= 2;
    }
    return bytes;
}

static trawl_status plan_shape(const trawl_cuda_db *uploaded,
                               const trawl_cuda_launch_request *request,
                               trawl_cuda_launch_plan *plan, trawl_error *error) {
    bool tiled = plan->kernel != KERNEL_P1;
    uint32_t threads = request->block_threads;
    if (threads == 0) {
        const trawl_gpu_tuning *tuning = uploaded->device.tuning;
        threads = tiled ? tuning->split_p2.block_threads : tuning->split_p1.block_threads;
    }
    plan->block_threads = threads;
    trawl_status status =
        trawl_cuda_plan_text(uploaded, request, usual_strip_bytes(uploaded, plan->kernel, threads),
                             tiled ? 4 : 1, TRAWL_CUDA_MOST_BLOCK_BYTES, plan, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (tiled) {
        trawl_split_rows tile =
            trawl_split_rows_of(plan->strip_bytes / 4, plan->kernel == KERNEL_P2);
        plan->bank_accesses = trawl_split_bank_accesses(&tile, 0, 0);
    }
    uint32_t rows = tiled ? rows_before(uploaded, plan->strip_bytes) + threads : 0;
    return trawl_cuda_plan_shared(uploaded, TRAWL_GPU_CLASS_BYTES + rows * plan->strip_bytes, plan,
                                  error);
}

static trawl_status plan(const trawl_cuda_db *uploaded, const trawl_cuda_launch_request *request,
                         trawl_cuda_launch_plan *plan, trawl_error *error) {
    const split_tables *tables = (const split_tables *)uploaded->tables;
    plan->overlap = uploaded->db->header->max_length - 1;
    plan->ordered = tables->count == 1;
    trawl_status status =
        trawl_cuda_plan_path(uploaded, request->table_path, &tables->obstacle, plan, error);
    return status == TRAWL_OK ? plan_shape(uploaded, request, plan, error) : status;
}

/* ------------------------------------------------------------------ kernel p2 */

/* A block's tile: its first row begins with text[first]. */
typedef struct split_tile {
    uint32_t *words;
    int32_t first; /* may be before the text */
    trawl_split_rows rows;
} split_tile;

static __device__ __forceinline__ split_tile split_tile_at(uint8_t *memory, int32_t first,
                                                           uint32_t row_words, bool diagonal) {
    split_tile tile;
    tile.words = (uint32_t *)memory;
    tile.first = first;
    tile.rows = trawl_split_rows_of(row_words, diagonal);
    return tile;
}

/* Word `index` of the tile, which is in row `row`. */
static __device__ __forceinline__ uint32_t *split_word(const split_tile &tile, uint32_t index,
                                                       uint32_t row) {
    return &tile.words[trawl_split_place(&tile.rows, index, row)];
}

/* Loads text[at] .. text[at + 3], zeros where there is no text. text + at is a multiple of 4. */
static __device__ __forceinline__ uint32_t split_load(const trawl_cuda_slice &slice, int32_t at) {
    if (at >= 0 && at + 4 <= (int32_t)slice.length) {
        return __ldg((const uint32_t *)(slice.text + at));
    }
    uint32_t word = 0;
    for (int32_t j = 0; j < 4; j++) {
        if (at + j >= 0 && at + j < (int32_t)slice.length) {
            word |= (uint32_t)slice.text[at + j] << (8 * j);
        }
    }
    return word;
}

/* Fills the tile: each warp loads 128 neighbouring bytes at a time. All threads of the block call
 * this. */
static __device__ __forceinline__ void split_fill(const trawl_cuda_slice &slice,
                                                  const split_tile &tile, uint32_t rows) {
    uint32_t row = threadIdx.x / tile.rows.words, column = threadIdx.x % tile.rows.words;
    uint32_t rows_on = blockDim.x / tile.rows.words, columns_on = blockDim.x % tile.rows.words;
    for (uint32_t i = threadIdx.x; i < rows * tile.rows.words; i += blockDim.x) {
        *split_word(tile, i, row) = split_load(slice, tile.first + (int32_t)(4 * i));
        row += rows_on;
        column += columns_on;
        if (column >= tile.rows.words) {
            column -= tile.rows.words;
            row++;
        }
    }
    __syncthreads();
}

/* The part of a walk that changes with each step. */
typedef struct split_walk {
    uint32_t state;
    trawl_counter cursor;
} split_walk;

template <int LAYOUT, int PATH, int AFTER, bool REPORTING>
static __device__ __forceinline__ void
split_step(const trawl_cuda_reporter &reporter, const trawl_cuda_keys &keys,
           const trawl_cuda_dfa &dfa, const uint8_t *class_of, uint32_t byte, int32_t at,
           split_walk *walk) {
    walk->state = trawl_dfa_step<LAYOUT, PATH>(dfa, class_of, walk->state, byte);
    if (REPORTING) {
        trawl_dfa_after<LAYOUT, PATH, AFTER>(reporter, keys, dfa, walk->state, (uint32_t)at,
                                             &walk->cursor);
    }
}

/* Walks text[from] .. text[past - 1], which are in the tile, a word at a time. */
template <int LAYOUT, int PATH, int AFTER, bool REPORTING>
static __device__ __forceinline__ void
split_walk_tile(const trawl_cuda_reporter &reporter, const trawl_cuda_keys &keys,
                const trawl_cuda_dfa &dfa, const uint8_t *class_of, const split_tile &tile,
                int32_t from, int32_t past, split_walk *walk) {
    uint32_t index = (uint32_t)(from - tile.first) / 4;
    uint32_t row = index / tile.rows.words, column = index % tile.rows.words;
    for (int32_t at = tile.first + (int32_t)(4 * index); at < past; at += 4) {
        uint32_t word = *split_word(tile, index++, row);
        if (++column == tile.rows.words) {
            column = 0;
            row++;
        }
        if (at >= from && at + 4 <= past) {
#pragma unroll
            for (int32_t j = 0; j < 4; j++) {
                split_step<LAYOUT, PATH, AFTER, REPORTING>(reporter, keys, dfa, class_of,
                                                           word >> (8 * j) & 0xff, at + j, walk);
            }
        } else {
#pragma unroll 1
            for (int32_t j = 0; j < 4; j++) {
                if (at + j >= from && at + j < past) {
                    split_step<LAYOUT, PATH, AFTER, REPORTING>(
                        reporter, keys, dfa, class_of, word >> (8 * j) & 0xff, at + j, walk);
                }
            }
        }
    }
}

template <int LAYOUT, int PATH, int AFTER>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    walk_tile(const __grid_constant__ trawl_cuda_reporter reporter,
              const __grid_constant__ trawl_cuda_keys keys,
              const __grid_constant__ trawl_cuda_dfa dfa, uint32_t strip_bytes, uint32_t before,
              bool diagonal) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    TRAWL_SHARED(class_of);
    const trawl_cuda_slice &slice = reporter.slice;
    uint32_t block_bytes = blockDim.x * strip_bytes;
    int32_t block_begin = (int32_t)trawl_cuda_strip_begin(&slice, block_bytes, blockIdx.x);
    split_tile tile =
        split_tile_at(class_of + TRAWL_GPU_CLASS_BYTES,
                      block_begin - (int32_t)(before * strip_bytes), strip_bytes / 4, diagonal);
    trawl_dfa_load_classes<LAYOUT>(dfa, class_of);
    split_fill(slice, tile, before + blockDim.x);

    uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x;
    bool valid = strip < trawl_cuda_strip_count(&slice, strip_bytes);
    split_walk walk = {0, 0};
    if (valid) {
        walk.cursor = trawl_cuda_cursor_begin(reporter.output, strip);
        trawl_dfa_span span = trawl_dfa_span_of(slice, strip_bytes, strip, dfa.overlap);
        int32_t at = (int32_t)span.begin;
        for (; at < tile.first; at++) {
            split_step<LAYOUT, PATH, AFTER, false>(reporter, keys, dfa, class_of, slice.text[at],
                                                   at, &walk);
        }
        split_walk_tile<LAYOUT, PATH, AFTER, false>(reporter, keys, dfa, class_of, tile, at,
                                                    (int32_t)span.first, &walk);
        split_walk_tile<LAYOUT, PATH, AFTER, true>(reporter, keys, dfa, class_of, tile,
                                                   (int32_t)span.first, (int32_t)span.past, &walk);
    }
    trawl_cuda_cursor_end(reporter.output, valid, strip, walk.cursor);
}

/* ------------------------------------------------------------------ launching */

template <int LAYOUT, int PATH, int AFTER>
static trawl_status launch_tile(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    return trawl_dfa_launch_kernel(walk_tile<LAYOUT, PATH, AFTER>, launch, error,
                                   launch->tile_before, launch->plan->kernel == KERNEL_P2);
}

template <int LAYOUT, int PATH>
static trawl_status launch_after(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    return trawl_dfa_after_of(launch) == TRAWL_DFA_COUNT
               ? launch_tile<LAYOUT, PATH, TRAWL_DFA_COUNT>(launch, error)
               : launch_tile<LAYOUT, PATH, TRAWL_DFA_REPORT>(launch, error);
}

template <int PATH>
static trawl_status launch_layout(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    switch (launch->dfa.layout) {
    case TRAWL_DFA_NARROW:
        return launch_after<TRAWL_DFA_NARROW, PATH>(launch, error);
    case TRAWL_DFA_WIDE:
        return launch_after<TRAWL_DFA_WIDE, PATH>(launch, error);
    default:
        return launch_after<TRAWL_DFA_STT, PATH>(launch, error);
    }
}

static trawl_status launch_part(const trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    if (launch->plan->kernel == KERNEL_P1) {
        return trawl_cuda_ac_dfa_direct(launch, error);
    }
    return launch->plan->table_path == TRAWL_TABLES_TEXTURE
               ? launch_layout<TRAWL_DFA_TEXTURE>(launch, error)
               : launch_layout<TRAWL_DFA_READ_ONLY>(launch, error);
}

/* Launches a part in its own stream, after all earlier work of the caller's stream. */
static trawl_status fork_part(const split_tables *tables, const split_part *part,
                              trawl_cuda_ac_dfa_launch *launch, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaStreamWaitEvent(part->stream, tables->begin, 0), error);
    launch->stream = part->stream;
    return launch_part(launch, error);
}

/* Lets the caller's stream wait for a part. */
static trawl_status join_part(const split_part *part, cudaStream_t stream, trawl_error *error) {
    TRAWL_CUDA_TRY(cudaEventRecord(part->done, part->stream), error);
    TRAWL_CUDA_TRY(cudaStreamWaitEvent(stream, part->done, 0), error);
    return TRAWL_OK;
}

static trawl_status launch_together(const trawl_cuda_db *uploaded, trawl_cuda_ac_dfa_launch *launch,
                                    trawl_error *error) {
    const split_tables *tables = (const split_tables *)uploaded->tables;
    cudaStream_t stream = launch->stream;
    TRAWL_CUDA_TRY(cudaEventRecord(tables->begin, stream), error);
    trawl_status status = TRAWL_OK;
    for (uint32_t i = 0; status == TRAWL_OK && i < tables->count; i++) {
        launch->dfa = tables->parts[i].dfa;
        launch->keys = uploaded->keys[i];
        status = fork_part(tables, &tables->parts[i], launch, error);
        /* Also after a failure: some work may already be in the part's stream. */
        trawl_status joined =
            join_part(&tables->parts[i], stream, status == TRAWL_OK ? error : NULL);
        status = status == TRAWL_OK ? joined : status;
    }
    return status;
}

static trawl_status launch(const trawl_cuda_db *uploaded, const trawl_cuda_launch_plan *plan,
                           const trawl_cuda_slice *slice, const trawl_cuda_output *output,
                           void *workspace, cudaStream_t stream, trawl_error *error) {
    (void)workspace;
    trawl_cuda_ac_dfa_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.plan = plan;
    launch.reporter = {*slice, *output, uploaded->patterns};
    launch.blocks = trawl_cuda_block_count(slice, plan);
    launch.tile_before = rows_before(uploaded, plan->strip_bytes); /* in rows */
    launch.device = &uploaded->device;
    launch.stream = stream;
    launch.reporter.output.shared_strips = ((const split_tables *)uploaded->tables)->count > 1;
    /* The streams and events belong to the uploaded database, which several threads may scan at the
     * same time. */
    pthread_mutex_t *lock = const_cast<pthread_mutex_t *>(&uploaded->lock);
    (void)pthread_mutex_lock(lock);
    trawl_status status = launch_together(uploaded, &launch, error);
    (void)pthread_mutex_unlock(lock);
    return status;
}

const trawl_cuda_engine trawl_cuda_ac_split = {prepare, release, plan, launch, false, NULL};
