/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Steps of a search of rows (rows.cu), each a kernel or a few over the matches of a piece of the
 * text, which are ordered by their ends:
 *
 *     check rows    whether the offsets can be used                        row_find.cu
 *     find rows     the row of each match, or none; conditions; forms      row_find.cu
 *                   ANY and COUNT are mostly done with that
 *     select        leftmost matches; all others are in no row then        row_select.cu
 *     count         what is left, for form COUNT                           row_find.cu
 *     distinct      drops matches whose group the row has already          row_distinct.cu
 *     write         the matches that are left, one behind the other        row_write.cu
 *
 * How many matches there are is known on the device only. So grids are sized by the room for
 * matches, and each warp takes an equal share of the matches that there are.
 */
#ifndef TRAWL_RUN_GPU_ROWS_CUH
#define TRAWL_RUN_GPU_ROWS_CUH

#include "run/gpu/scan.cuh"

#include "trawl/trawl_cuda_rows.h"

extern "C" {
#include "database/conditions.h"
#include "database/selection_search.h"
}

/* In place of a match's row: the match is in none. */
#define TRAWL_NO_ROW UINT64_MAX
/* A bit in a match's row number: the row has had the match's group before. */
#define TRAWL_ROW_REPEATED (UINT64_C(1) << 63)
/* In place of the pattern of a match that is selected. */
#define TRAWL_NOT_CHOSEN UINT32_MAX
/* A place of the table of distinct groups that is free. */
#define TRAWL_FREE_SLOT UINT32_MAX

/* Rows as kernels see them. */
typedef struct trawl_row_view {
    const void *offsets;
    uint64_t count;
    uint64_t begin, end; /* what is searched */
    const uint8_t *valid;
    uint64_t valid_offset;
    uint32_t tail;
    bool wide; /* offsets of 8 bytes, else of 4 */
} trawl_row_view;

/* The row that the next piece begins in, if it has begun before. */
typedef struct trawl_row_carry {
    uint64_t row;  /* TRAWL_NO_ROW: none */
    uint32_t same; /* whether the piece before began in this row, too */
} trawl_row_carry;

/* Conditions as kernels see them. */
typedef struct trawl_row_conditions {
    const trawl_condition_record *records; /* NULL: no pattern has one */
    const uint32_t *of;                    /* the record of each pattern */
    const uint8_t *classes;                /* the members of each class, 32 bytes of bits */
} trawl_row_conditions;

/*
 * What the selection of leftmost matches needs. No match reaches from one row into another, so the
 * matches of a piece are selected as if they were of one text.
 *
 * If the database has keys for the selection (`view`), kernels report the longest match at each
 * position. Such a match may begin before its row; then only the matches inside of it that lie in
 * the row count. Otherwise kernels report all matches.
 */
typedef struct trawl_row_selection {
    bool first;                /* leftmost-first, else leftmost-longest */
    trawl_selection_view view; /* without keys: there is none */
    const uint32_t *offsets;   /* of the patterns, for their lengths */
    uint64_t *least;   /* of each match, and one more: the least start, in their rows, of this and
                          all later matches */
    uint32_t *chosen;  /* of each match: the pattern that is selected and ends there */
    uint32_t *exits;   /* row_select.cu */
    uint32_t *entries; /* of each chunk: row_select.cu */
    const uint64_t *from; /* where the selection of this piece begins, unless matches begin later */
    uint64_t *next;       /* where the selection of the next piece begins */
} trawl_row_selection;

/* One piece of the text and all that is done with its matches; passed to kernels by value. Pointers
 * that the form does not need are NULL. */
typedef struct trawl_row_piece {
    trawl_row_view rows;
    const uint8_t *text; /* of all rows, for conditions */
    uint64_t end;        /* of the piece, in the text */
    trawl_row_conditions conditions;
    trawl_row_selection selection;
    /* matches */
    trawl_cuda_match *matches;
    const trawl_counter *total;
    uint64_t capacity;
    uint64_t *row_of; /* of each match */
    /* groups */
    const uint32_t *group_of;  /* the index of each pattern's group; NULL: its id */
    const uint32_t *group_ids; /* by index; NULL: the index */
    uint32_t *slots;           /* indices of matches; their number is a power of 2 */
    uint32_t *seen; /* a bit for each group that carry->row has in the pieces so far; NULL: there is
                       one piece */
    uint32_t seen_words;
    trawl_row_carry *carry;
    /* shares of warps: places[w + 1] is where warp w writes its first item */
    trawl_counter *places;
    uint32_t warps; /* of a grid over matches */
    /* results */
    trawl_cuda_row_results results;
    uint32_t *bits; /* the caller's, or of the workspace */
} trawl_row_piece;

/* ------------------------------------------------------------------ rows */

static __device__ __forceinline__ uint64_t trawl_row_offset(const trawl_row_view &rows,
                                                            uint64_t index) {
    return rows.wide ? ((const uint64_t *)rows.offsets)[index]
                     : ((const uint32_t *)rows.offsets)[index];
}

/* The last row in [low, high] that begins at or before `place`; row `low` does. */
static __device__ __forceinline__ uint64_t trawl_row_at(const trawl_row_view &rows, uint64_t place,
                                                        uint64_t low, uint64_t high) {
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (trawl_row_offset(rows, middle) <= place) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static __device__ __forceinline__ bool trawl_row_valid(const trawl_row_view &rows, uint64_t row) {
    uint64_t bit = rows.valid_offset + row;
    return rows.valid == NULL || (rows.valid[bit / 8] >> (bit % 8) & 1) != 0;
}

/* Whether the bytes begin to end are in the row. */
static __device__ __forceinline__ bool trawl_row_has(const trawl_row_view &rows, uint64_t row,
                                                     uint64_t begin, uint64_t end) {
    return trawl_row_offset(rows, row) <= begin &&
           end + rows.tail <= trawl_row_offset(rows, row + 1) && trawl_row_valid(rows, row);
}

/* ------------------------------------------------------------------ matches */

/* The number of matches of this piece; 0 if there was no room for all. */
static __device__ __forceinline__ uint64_t trawl_row_matches(const trawl_row_piece &piece) {
    const bool usable =
        *piece.total <= piece.capacity && piece.results.summary->bad_row == UINT64_MAX;
    return usable ? *piece.total : 0;
}

/* The share of this warp of `count` items: a multiple of 32, so that warps stay full. */
typedef struct trawl_row_share {
    uint64_t begin, end;
} trawl_row_share;

static __device__ __forceinline__ uint32_t trawl_row_warp(void) {
    return (blockIdx.x * blockDim.x + threadIdx.x) / 32;
}

static __device__ __forceinline__ trawl_row_share trawl_row_share_of(const trawl_row_piece &piece,
                                                                     uint64_t count) {
    const uint64_t each = (count / piece.warps + 32) / 32 * 32;
    const uint64_t begin = each * trawl_row_warp();
    trawl_row_share share;
    share.begin = begin < count ? begin : count;
    share.end = count - share.begin < each ? count : share.begin + each;
    return share;
}

static __device__ __forceinline__ uint32_t trawl_row_group(const trawl_row_piece &piece,
                                                           uint32_t pattern) {
    return piece.group_of == NULL ? pattern : piece.group_of[pattern];
}

/* ------------------------------------------------------------------ steps */

/* Blocks and threads of a grid over `items`. */
typedef struct trawl_row_grid {
    uint32_t blocks, threads;
} trawl_row_grid;

trawl_row_grid trawl_cuda_row_grid(const trawl_gpu_tuning *tuning, uint64_t items);

/* Writes into the summary the first row whose offsets cannot be used, and the room for matches. */
trawl_status trawl_cuda_rows_check(const trawl_row_piece *piece, trawl_row_grid grid,
                                   cudaStream_t stream, trawl_error *error);
trawl_status trawl_cuda_rows_find(const trawl_row_piece *piece, trawl_cuda_rows_form form,
                                  trawl_row_grid grid, cudaStream_t stream, trawl_error *error);
/* Counts the matches that are left after a selection. */
trawl_status trawl_cuda_rows_count(const trawl_row_piece *piece, trawl_row_grid grid,
                                   cudaStream_t stream, trawl_error *error);
/* Sets *bytes to the room that trawl_cuda_rows_select needs at `scan`. */
trawl_status trawl_cuda_rows_select_room(uint32_t warps, size_t *bytes, trawl_error *error);
trawl_status trawl_cuda_rows_select(const trawl_row_piece *piece, trawl_row_grid grid, void *scan,
                                    size_t scan_bytes, cudaStream_t stream, trawl_error *error);
/* Sets a byte for each row from its bit. */
trawl_status trawl_cuda_rows_spread(const uint32_t *bits, uint8_t *found, uint64_t rows,
                                    trawl_row_grid grid, cudaStream_t stream, trawl_error *error);
trawl_status trawl_cuda_rows_distinct(const trawl_row_piece *piece, trawl_row_grid grid,
                                      cudaStream_t stream, trawl_error *error);
/* Sets *bytes to the room that trawl_cuda_rows_write needs at `sum`. */
trawl_status trawl_cuda_rows_write_room(uint32_t warps, size_t *bytes, trawl_error *error);
trawl_status trawl_cuda_rows_write(const trawl_row_piece *piece, trawl_cuda_rows_form form,
                                   trawl_row_grid grid, void *sum, size_t sum_bytes,
                                   cudaStream_t stream, trawl_error *error);

#endif
