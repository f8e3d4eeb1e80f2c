/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Keeps the first match of each group in each row, and drops the others.
 *
 * A hash table with open addressing has an entry of 4 bytes for each pair of row and group: the
 * index of the first match of that pair. (The pair itself is read from the match.) At least half of
 * the entries stay free. For the one row that began in an earlier piece, a bit for each group says
 * whether the row had the group there.
 */
#include "run/gpu/rows.cuh"

/* The key of an entry of the table. */
typedef struct row_group {
    uint64_t row;
    uint32_t group;
} row_group;

static __device__ __forceinline__ row_group key_of(const trawl_row_piece &piece, uint64_t index) {
    row_group key;
    /* Other threads may set the bit meanwhile. */
    key.row = *(const volatile uint64_t *)&piece.row_of[index] & ~TRAWL_ROW_REPEATED;
    key.group = trawl_row_group(piece, piece.matches[index].pattern);
    return key;
}

static __device__ __forceinline__ bool same_key(const row_group &left, const row_group &right) {
    return left.row == right.row && left.group == right.group;
}

/* The finalizer of MurmurHash3 (public domain). */
static __device__ __forceinline__ uint64_t hash_key(const row_group &key) {
    uint64_t hash = key.row * UINT64_C(0x9e3779b97f4a7c15) + key.group;
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return hash ^ hash >> 33;
}

/* The number of entries that are used for `matches` matches, less 1. The number is a power of 2,
 * and at least twice that of the matches. */
static __device__ __forceinline__ uint64_t slot_mask(uint64_t matches) {
    return (UINT64_C(2) << (64 - __clzll((long long)matches))) - 1;
}

static __global__ void clear_slots(trawl_row_piece piece) {
    const uint64_t matches = trawl_row_matches(piece);
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    if (matches == 0) {
        return;
    }
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i <= slot_mask(matches);
         i += stride) {
        piece.slots[i] = TRAWL_FREE_SLOT;
    }
}

/* Each match writes its index into the entry of its key, unless an earlier match is there. An entry
 * keeps its key once it is taken. */
static __global__ void insert_matches(trawl_row_piece piece) {
    const uint64_t matches = trawl_row_matches(piece), mask = slot_mask(matches);
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < matches; i += stride) {
        if (piece.row_of[i] == TRAWL_NO_ROW) {
            continue;
        }
        const row_group key = key_of(piece, i);
        for (uint64_t at = hash_key(key) & mask;; at = (at + 1) & mask) {
            const uint32_t there = atomicCAS(&piece.slots[at], TRAWL_FREE_SLOT, (uint32_t)i);
            if (there == TRAWL_FREE_SLOT) {
                break;
            }
            if (same_key(key_of(piece, there), key)) {
                atomicMin(&piece.slots[at], (uint32_t)i);
                break;
            }
        }
    }
}

/* The first match of a key, which is in the table. */
static __device__ __forceinline__ uint32_t first_of(const trawl_row_piece &piece,
                                                    const row_group &key, uint64_t mask) {
    uint64_t at = hash_key(key) & mask;
    while (!same_key(key_of(piece, piece.slots[at]), key)) {
        at = (at + 1) & mask;
    }
    return piece.slots[at];
}

/* Whether the row had the group in an earlier piece. */
static __device__ __forceinline__ bool seen_before(const trawl_row_piece &piece,
                                                   const row_group &key) {
    return piece.seen != NULL && key.row == piece.carry->row &&
           (piece.seen[key.group / 32] >> (key.group % 32) & 1) != 0;
}

static __global__ void drop_repeated(trawl_row_piece piece) {
    const uint64_t matches = trawl_row_matches(piece), mask = slot_mask(matches);
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < matches; i += stride) {
        if (piece.row_of[i] == TRAWL_NO_ROW) {
            continue;
        }
        const row_group key = key_of(piece, i);
        if (first_of(piece, key, mask) != i || seen_before(piece, key)) {
            piece.row_of[i] = key.row | TRAWL_ROW_REPEATED;
        }
    }
}

/* ------------------------------------------------------------------ rows in several pieces */

/* Finds the row that goes on behind the end of the piece. One thread does it. */
static __global__ void carry_row(trawl_row_piece piece) {
    const trawl_row_view &rows = piece.rows;
    uint64_t row = TRAWL_NO_ROW;
    if (threadIdx.x != 0) {
        return;
    }
    if (piece.results.summary->bad_row == UINT64_MAX && trawl_row_offset(rows, 0) < piece.end) {
        row = trawl_row_at(rows, piece.end - 1, 0, rows.count - 1);
        row = trawl_row_offset(rows, row + 1) > piece.end ? row : TRAWL_NO_ROW;
    }
    piece.carry->same = row != TRAWL_NO_ROW && row == piece.carry->row ? 1 : 0;
    piece.carry->row = row;
}

static __global__ void clear_seen(trawl_row_piece piece) {
    const uint32_t stride = gridDim.x * blockDim.x;
    if (piece.carry->same != 0) {
        return;
    }
    for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < piece.seen_words; i += stride) {
        piece.seen[i] = 0;
    }
}

trawl_status trawl_cuda_rows_distinct(const trawl_row_piece *piece, trawl_row_grid grid,
                                      cudaStream_t stream, trawl_error *error) {
    TRAWL_LAUNCH(clear_slots, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("clear_slots", error);
    TRAWL_LAUNCH(insert_matches, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("insert_matches", error);
    TRAWL_LAUNCH(drop_repeated, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("drop_repeated", error);
    if (piece->seen != NULL) {
        TRAWL_LAUNCH(carry_row, 1, 32, 0, stream, *piece);
        TRAWL_CUDA_LAUNCHED("carry_row", error);
        TRAWL_LAUNCH(clear_seen, grid.blocks, grid.threads, 0, stream, *piece);
        TRAWL_CUDA_LAUNCHED("clear_seen", error);
    }
    return TRAWL_OK;
}
