/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * hot: the rows of the most visited states in shared memory.
 *
 * States are renumbered by rank, the most visited ones first (state_ranks.h). There are two tables:
 *
 *     the image, in shared memory: rows of the first `rows` ranks, with a 16-bit entry for each
 *     byte class
 *
 *         15          rank_bits          0
 *         | total      | next state's rank |     total: how many patterns end in the next state
 *
 *     the full table, in device memory: rows of all ranks, with a 32-bit entry for each byte class
 *
 *         31          full_bits          0
 *         | total      | next state's rank |     total = full_most: that many patterns or more, or
 *                                                patterns that need verification
 *
 * If all bits of the image's total are set, the step has to read the full table: the next state has
 * no row in the image, or too many patterns end in it, or they need verification. Row number `rows`
 * of the image stands for all states without a row: all its entries are of that kind.
 *
 * So a step is a look-up in shared memory, and one comparison finds all rare cases.
 */
#ifndef TRAWL_ENGINES_AC_DFA_CUDA_HOT_CUH
#define TRAWL_ENGINES_AC_DFA_CUDA_HOT_CUH

#include "engines/ac_dfa/cuda/engine.cuh"

/* A block's shared memory begins with the image: the class of each byte (TRAWL_GPU_CLASS_BYTES),
 * then the rows. */
typedef struct trawl_hot_image {
    uint8_t *bytes;       /* in device memory; aligned to 16 */
    uint32_t image_bytes; /* a multiple of 16 */
    uint32_t rows;        /* states with rows */
    uint32_t rank_bits;
    bool whole; /* all states have rows */
} trawl_hot_image;

/* Passed to kernels by value. */
typedef struct trawl_hot_view {
    trawl_hot_image image;
    uint32_t classes;
    uint32_t states;
    uint32_t full_bits;
    uint32_t full_most;
    const uint32_t *full;   /* states * classes */
    const uint32_t *key;    /* by rank: the longest key that ends there, or TRAWL_NO_KEY */
    const uint32_t *number; /* by rank: the state's number in the database; NULL: the rank itself */
    uint32_t overlap;       /* max_length - 1 */
    uint32_t wide_states;   /* the output array of states has 4 bytes for each, else 2 */
} trawl_hot_view;

typedef struct trawl_cuda_hot {
    trawl_hot_view view;          /* with the image for counting */
    trawl_hot_image staged_image; /* a smaller one: gathered states or notes need memory too */
    uint32_t stage_bytes;         /* shared memory for these */
    uint32_t verify;              /* some patterns have to be verified */
    uint32_t *memory;             /* device memory of full, key and number */
} trawl_cuda_hot;

/* The notes of matches that a warp has room for (hot_report.cu), of 16 bytes each. Notes, the
 * block's counters of states, and gathered states use the same memory, each in another pass. */
#define TRAWL_HOT_NOTES (32 * TRAWL_HOT_STAGE_BYTES / 16)

/* A launch of one of the walks, with the image that its pass has room for. */
typedef struct trawl_cuda_hot_call {
    const trawl_cuda_reporter *reporter;
    trawl_cuda_keys keys;
    trawl_hot_view view;
    uint32_t blocks;
    uint32_t threads;
    uint32_t strip_bytes;
    uint32_t shared_bytes;
    const trawl_cuda_device *device;
    cudaStream_t stream;
} trawl_cuda_hot_call;

/* Pass STATES. */
trawl_status trawl_cuda_hot_states(const trawl_cuda_hot_call *call, trawl_error *error);

/* Writes the rank of the state after each owned byte of a slice, 2 bytes each, or 4 if
 * view.wide_states is set: ranks[i] for the byte i bytes after that at trawl_cuda_origin(). For
 * engines that have such an automaton beside their own tables. */
trawl_status trawl_cuda_hot_ranks(const trawl_cuda_db *automaton, const trawl_cuda_slice *slice,
                                  void *ranks, cudaStream_t stream, trawl_error *error);

/* Any other pass. `verify`: some patterns have to be verified. */
trawl_status trawl_cuda_hot_report(const trawl_cuda_hot_call *call, bool verify,
                                   trawl_error *error);

/* Bytes of a block's shared memory for gathered states or notes: whole warps, at most half of
 * it. */
static inline uint32_t trawl_cuda_hot_stage_bytes(size_t shared_bytes) {
    size_t most = (size_t)1024 * TRAWL_HOT_STAGE_BYTES;
    size_t warp = (size_t)32 * TRAWL_HOT_STAGE_BYTES;
    size_t half = shared_bytes / 2 / warp * warp;
    return (uint32_t)(half < most ? half : most);
}

#endif
