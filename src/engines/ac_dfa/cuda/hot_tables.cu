/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The tables of kernel hot, filled on the device when a database is uploaded. */
#include "engines/ac_dfa/cuda/hot.cuh"

extern "C" {
#include "engines/ac_dfa/state_ranks.h"
}

/* The largest total that an entry of the full table can have; larger ones are looked up among the
 * keys. Small enough that the sum over two units of 32 bytes, which a thread reads at once, cannot
 * overflow. */
#define MOST_FULL_TOTAL 255u

/* ------------------------------------------------------------------ on the device */

/* What the kernels below read; passed by value. */
typedef struct hot_source {
    trawl_cuda_dfa dfa;
    trawl_outputs outputs;
    uint8_t byte_of[256];    /* a byte of each class, for layouts with a column for each byte */
    const uint32_t *order;   /* the state of each rank; NULL: they are equal */
    const uint32_t *rank_of; /* the rank of each state; NULL: they are equal */
} hot_source;

static __device__ uint32_t next_state(const hot_source &source, uint32_t state, uint32_t column) {
    const trawl_cuda_dfa &dfa = source.dfa;
    size_t row = (size_t)state * dfa.columns;
    switch (dfa.layout) {
    case TRAWL_DFA_NARROW:
        return ((const uint16_t *)dfa.table)[row + column];
    case TRAWL_DFA_WIDE:
        return ((const uint32_t *)dfa.table)[row + column] / dfa.columns;
    case TRAWL_DFA_STT16:
        return ((const uint16_t *)dfa.table)[row + source.byte_of[column]];
    default:
        return ((const uint32_t *)dfa.table)[row + source.byte_of[column]];
    }
}

static __device__ uint32_t key_of(const hot_source &source, uint32_t state) {
    const trawl_cuda_dfa &dfa = source.dfa;
    if (dfa.layout == TRAWL_DFA_STT) {
        return ((const uint32_t *)dfa.table)[(size_t)state * dfa.columns + 256] - 1;
    }
    uint32_t first = dfa.layout == TRAWL_DFA_WIDE ? dfa.first_match / dfa.columns : dfa.first_match;
    return state < first ? TRAWL_NO_KEY : dfa.output[state - first];
}

/* Fills the full table and the keys. One thread for each entry, which also fills the key of its
 * rank if it is the first one of a row. */
static __global__ void fill_full(const __grid_constant__ hot_source source, uint32_t full_bits,
                                 uint32_t full_most, uint32_t *full, uint32_t *key) {
    uint64_t entries = (uint64_t)source.dfa.states * source.dfa.classes;
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < entries; i += stride) {
        uint32_t rank = (uint32_t)(i / source.dfa.classes);
        uint32_t column = (uint32_t)(i % source.dfa.classes);
        uint32_t state = source.order == NULL ? rank : source.order[rank];
        uint32_t next = next_state(source, state, column);
        uint32_t next_key = key_of(source, next);
        uint32_t total = 0;
        if (next_key != TRAWL_NO_KEY) {
            bool verify = (source.outputs.verify[next_key] & TRAWL_VERIFY_CHAIN) != 0;
            total = source.outputs.total[next_key];
            total = verify || total > full_most ? full_most : total;
        }
        full[i] = (source.rank_of == NULL ? next : source.rank_of[next]) | total << full_bits;
        if (column == 0) {
            key[rank] = key_of(source, state);
        }
    }
}

static __global__ void fill_ranks(const uint32_t *order, uint32_t states, uint32_t *rank_of) {
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t rank = blockIdx.x * blockDim.x + threadIdx.x; rank < states; rank += stride) {
        rank_of[order[rank]] = rank;
    }
}

/* Fills the image from the full table. One thread for each entry and, among these, for each byte's
 * class. */
static __global__ void fill_image(const __grid_constant__ trawl_hot_view view,
                                  const uint8_t *class_of) {
    const trawl_hot_image &image = view.image;
    uint16_t *table = (uint16_t *)(image.bytes + TRAWL_GPU_CLASS_BYTES);
    uint32_t entries = (image.image_bytes - TRAWL_GPU_CLASS_BYTES) / 2;
    uint32_t in_rows = image.rows * view.classes;
    uint32_t most = (1u << (16 - image.rank_bits)) - 1;
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < entries; i += stride) {
        uint32_t entry = 0xffff;
        if (i < in_rows) {
            uint32_t full = view.full[i];
            uint32_t next = full & ((1u << view.full_bits) - 1);
            uint32_t total = full >> view.full_bits;
            if (next < image.rows && total < most && total < view.full_most) {
                entry = total << image.rank_bits | next;
            }
        }
        table[i] = (uint16_t)entry;
        if (i < 256) {
            image.bytes[i] = class_of[i];
        }
    }
}

/* ------------------------------------------------------------------ on the host */

/* The number of blocks that fill `count` entries. */
static uint32_t blocks_for(const trawl_gpu_tuning *tuning, uint64_t count) {
    uint64_t blocks = (count + tuning->hot_table_threads - 1) / tuning->hot_table_threads;
    return blocks < tuning->hot_table_blocks ? (uint32_t)blocks : tuning->hot_table_blocks;
}

/* The number of rows for which there is room beside the classes in `bytes` of shared memory. */
static uint32_t rows_in(size_t bytes, uint32_t classes) {
    return (uint32_t)((bytes - TRAWL_GPU_CLASS_BYTES - 15) / (2 * classes));
}

static trawl_status make_image(const trawl_gpu_tuning *tuning, const trawl_cuda_hot *hot,
                               const trawl_cuda_dfa *dfa, const trawl_hot_shape *shape,
                               trawl_hot_image *image, trawl_error *error) {
    trawl_hot_view view = hot->view;
    uint32_t rows = shape->rows + (shape->whole ? 0 : 1);
    /* At least 256 entries, so that the same threads fill the class of each byte. */
    uint32_t entries = rows * dfa->classes < 256 ? 256 : rows * dfa->classes;
    view.image.image_bytes = (TRAWL_GPU_CLASS_BYTES + 2 * entries + 15) / 16 * 16;
    view.image.rows = shape->rows;
    view.image.rank_bits = shape->rank_bits;
    view.image.whole = shape->whole;
    TRAWL_CUDA_TRY(cudaMalloc((void **)&view.image.bytes, view.image.image_bytes), error);
    *image = view.image;
    TRAWL_LAUNCH(fill_image, blocks_for(tuning, entries), tuning->hot_table_threads, 0,
                 (cudaStream_t)0, view, dfa->class_of);
    TRAWL_CUDA_LAUNCHED("fill_image", error);
    return TRAWL_OK;
}

static trawl_status fill(const trawl_cuda_db *uploaded, const trawl_cuda_dfa *dfa,
                         const trawl_state_ranks *ranks, uint32_t *rank_of, trawl_cuda_hot *hot,
                         trawl_error *error) {
    const trawl_gpu_tuning *tuning = uploaded->device.tuning;
    hot_source source;
    memset(&source, 0, sizeof source);
    source.dfa = *dfa;
    source.outputs = uploaded->keys[0].outputs;
    const uint8_t *class_of =
        (const uint8_t *)trawl_db_section(uploaded->db, TRAWL_SECTION_CLASSES, 0, NULL);
    for (unsigned byte = 0; byte < 256; byte++) {
        source.byte_of[class_of[byte]] = (uint8_t)byte;
    }
    if (rank_of != NULL) {
        uint32_t *order = const_cast<uint32_t *>(hot->view.number);
        TRAWL_CUDA_TRY(cudaMemcpy(order, ranks->order, (size_t)ranks->states * sizeof *order,
                                  cudaMemcpyHostToDevice),
                       error);
        TRAWL_LAUNCH(fill_ranks, blocks_for(tuning, ranks->states), tuning->hot_table_threads, 0,
                     (cudaStream_t)0, order, ranks->states, rank_of);
        TRAWL_CUDA_LAUNCHED("fill_ranks", error);
        source.order = order;
        source.rank_of = rank_of;
    }
    TRAWL_LAUNCH(fill_full, blocks_for(tuning, (uint64_t)dfa->states * dfa->classes),
                 tuning->hot_table_threads, 0, (cudaStream_t)0, source, hot->view.full_bits,
                 hot->view.full_most, hot->memory, const_cast<uint32_t *>(hot->view.key));
    TRAWL_CUDA_LAUNCHED("fill_full", error);
    return TRAWL_OK;
}

static trawl_status make(const trawl_cuda_db *uploaded, const trawl_cuda_dfa *dfa,
                         const trawl_state_ranks *ranks, trawl_cuda_hot *hot, trawl_error *error) {
    /* Where all states have rows, ranks are the states' own numbers, so that pass STATES writes
     * them without a look-up. */
    size_t shared = uploaded->device.shared_bytes;
    uint32_t rows = rows_in(shared, dfa->classes);
    uint32_t states_rows = rows_in(shared - hot->stage_bytes, dfa->classes);
    trawl_hot_shape shape = trawl_hot_shape_choose(uploaded->db, ranks, rows);
    trawl_hot_shape states_shape = trawl_hot_shape_choose(uploaded->db, ranks, states_rows);
    bool renumbered = !states_shape.whole;

    trawl_hot_view *view = &hot->view;
    view->classes = dfa->classes;
    view->states = dfa->states;
    view->overlap = dfa->overlap;
    view->wide_states = dfa->wide_states;
    view->full_bits = 1;
    while (UINT32_C(1) << view->full_bits < dfa->states) {
        view->full_bits++;
    }
    view->full_most = UINT32_MAX >> view->full_bits;
    view->full_most = view->full_most < MOST_FULL_TOTAL ? view->full_most : MOST_FULL_TOTAL;
    size_t entries = (size_t)dfa->states * dfa->classes;
    size_t words = entries + dfa->states * (renumbered ? 2u : 1u);
    TRAWL_CUDA_TRY(cudaMalloc((void **)&hot->memory, words * sizeof *hot->memory), error);
    view->full = hot->memory;
    view->key = hot->memory + entries;
    view->number = renumbered ? view->key + dfa->states : NULL;

    uint32_t *rank_of = NULL;
    if (renumbered) {
        TRAWL_CUDA_TRY(cudaMalloc((void **)&rank_of, (size_t)dfa->states * sizeof *rank_of), error);
    }
    trawl_status status = fill(uploaded, dfa, ranks, rank_of, hot, error);
    if (status == TRAWL_OK) {
        status =
            make_image(uploaded->device.tuning, hot, dfa, &states_shape, &hot->staged_image, error);
    }
    if (status == TRAWL_OK) {
        status = make_image(uploaded->device.tuning, hot, dfa, &shape, &hot->view.image, error);
    }
    cudaError_t code = cudaDeviceSynchronize();
    (void)cudaFree(rank_of);
    return status == TRAWL_OK && code != cudaSuccess
               ? trawl_cuda_failed(code, "cudaDeviceSynchronize", error)
               : status;
}

trawl_status trawl_cuda_hot_make(const trawl_cuda_db *uploaded, const trawl_cuda_dfa *dfa,
                                 const uint8_t *sample, size_t sample_length, trawl_cuda_hot **made,
                                 trawl_error *error) {
    trawl_cuda_hot *hot = (trawl_cuda_hot *)trawl_allocate_zeroed(1, sizeof *hot);
    *made = NULL;
    if (hot == NULL) {
        return trawl_fail_memory(error, "a database on a device", sizeof *hot);
    }
    hot->verify = dfa->verify;
    hot->stage_bytes = trawl_cuda_hot_stage_bytes(uploaded->device.shared_bytes);
    trawl_state_ranks ranks;
    trawl_status status =
        trawl_state_ranks_make(uploaded->db, sample, sample_length, &ranks, error);
    if (status == TRAWL_OK) {
        status = make(uploaded, dfa, &ranks, hot, error);
        trawl_state_ranks_release(&ranks);
    }
    if (status != TRAWL_OK) {
        trawl_cuda_hot_release(hot);
        return status;
    }
    *made = hot;
    return TRAWL_OK;
}

void trawl_cuda_hot_release(trawl_cuda_hot *hot) {
    if (hot != NULL) {
        (void)cudaFree(hot->view.image.bytes);
        (void)cudaFree(hot->staged_image.bytes);
        (void)cudaFree(hot->memory);
        trawl_release(hot);
    }
}
