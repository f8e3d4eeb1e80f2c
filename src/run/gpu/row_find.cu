/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Finds the row of each match. Forms ANY and COUNT write their results here; for the other forms,
 * the row is stored for later steps. */
#include "run/gpu/rows.cuh"

#define ALL_LANES 0xffffffffu

trawl_row_grid trawl_cuda_row_grid(const trawl_gpu_tuning *tuning, uint64_t items) {
    trawl_row_grid grid;
    const uint64_t needed = items / tuning->row_threads + 1;
    grid.threads = tuning->row_threads;
    grid.blocks = needed < tuning->row_blocks ? (uint32_t)needed : tuning->row_blocks;
    return grid;
}

/* ------------------------------------------------------------------ offsets */

/* Checks the offsets on the device, since the host must not wait for them. */
static __global__ void check_rows(trawl_row_view rows, uint64_t room,
                                  trawl_cuda_rows_summary *summary) {
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        summary->piece_room = room;
    }
    for (uint64_t row = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; row < rows.count;
         row += stride) {
        const uint64_t begin = trawl_row_offset(rows, row), end = trawl_row_offset(rows, row + 1);
        if (begin < rows.begin || end < begin || end > rows.end) {
            atomicMin((trawl_counter *)&summary->bad_row, (trawl_counter)row);
        }
    }
}

trawl_status trawl_cuda_rows_check(const trawl_row_piece *piece, trawl_row_grid grid,
                                   cudaStream_t stream, trawl_error *error) {
    TRAWL_LAUNCH(check_rows, grid.blocks, grid.threads, 0, stream, piece->rows, piece->capacity,
                 piece->results.summary);
    TRAWL_CUDA_LAUNCHED("check_rows", error);
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ matches */

/* The mask of a neighbour (database/conditions.h) as far as class `wanted`, one bit, needs it: that
 * bit if the byte at `at` is not in the class, else 0; all bits for a border. */
static __device__ __forceinline__ uint16_t outside(const trawl_row_piece &piece, uint16_t wanted,
                                                   bool border, uint64_t at) {
    const uint32_t number = (uint32_t)__ffs((int)wanted) - 1;
    if (border || number == TRAWL_CLASS_NONE) {
        return TRAWL_BORDER;
    }
    const uint32_t byte = piece.text[at];
    const bool member = (piece.conditions.classes[number * 32 + byte / 8] >> (byte % 8) & 1) != 0;
    return member ? 0 : wanted;
}

/* Whether a match in a row fulfils the condition of its pattern. */
static __device__ __noinline__ bool holds(const trawl_row_piece &piece, uint64_t row,
                                          const trawl_cuda_match &match) {
    const trawl_condition_record &record =
        piece.conditions.records[piece.conditions.of[match.pattern]];
    const uint64_t begin = trawl_row_offset(piece.rows, row), start = match.end - match.length;
    const bool ends = match.end + piece.rows.tail == trawl_row_offset(piece.rows, row + 1);
    return trawl_condition_record_holds(&record, start - begin, match.end - begin,
                                        outside(piece, record.left, start == begin, start - 1),
                                        outside(piece, record.right, ends, match.end), ends);
}

/* Whether a match, the longest at its end, or a shorter match inside of it lies in the row that
 * begins at `begin`. */
static __device__ __forceinline__ bool reaches(const trawl_row_selection &selection,
                                               const trawl_cuda_match &match, uint64_t begin) {
    const uint64_t start = match.end - match.length;
    trawl_selection_inside inside;
    return start >= begin ||
           trawl_selection_next(&selection.view, selection.view.patterns[match.pattern],
                                begin - start, &inside);
}

/* The row of a match, which is in [low, high]; TRAWL_NO_ROW if the match is in no row. */
static __device__ __forceinline__ uint64_t row_of_match(const trawl_row_piece &piece,
                                                        const trawl_cuda_match &match, uint64_t low,
                                                        uint64_t high) {
    const trawl_row_view &rows = piece.rows;
    const uint64_t row = trawl_row_at(rows, match.end - 1, low, high);
    bool found;
    if (piece.selection.view.keys != NULL) {
        const uint64_t begin = trawl_row_offset(rows, row);
        found =
            trawl_row_has(rows, row, begin, match.end) && reaches(piece.selection, match, begin);
    } else {
        found = trawl_row_has(rows, row, match.end - match.length, match.end) &&
                (piece.conditions.records == NULL || holds(piece, row, match));
    }
    return found ? row : TRAWL_NO_ROW;
}

/* Sets the row's bit; returns whether it was 0. Reads the bit first: most rows with matches have
 * several of them, and a load is cheaper than an atomic operation. */
static __device__ __forceinline__ uint32_t set_bit(uint32_t *bits, uint64_t row) {
    const uint32_t bit = 1u << (row % 32);
    uint32_t *word = &bits[row / 32];
    return (__ldcg(word) & bit) == 0 && (atomicOr(word, bit) & bit) == 0 ? 1 : 0;
}

/* Adds a match to the counters of its pattern and group. */
static __device__ __forceinline__ void count_pattern(const trawl_row_piece &piece,
                                                     uint32_t pattern) {
    if (piece.results.per_pattern != NULL) {
        atomicAdd((trawl_counter *)&piece.results.per_pattern[pattern], (trawl_counter)1);
    }
    if (piece.results.per_group != NULL) {
        atomicAdd((trawl_counter *)&piece.results.per_group[trawl_row_group(piece, pattern)],
                  (trawl_counter)1);
    }
}

/* Handles the row of one match for each lane; returns what that adds to the total. All lanes call
 * it together; lanes without a match in a row pass TRAWL_NO_ROW. */
template <int FORM>
static __device__ __forceinline__ uint32_t note_row(const trawl_row_piece &piece, uint64_t row,
                                                    uint32_t pattern) {
    /* Neighbouring matches are mostly in the same row: one lane writes for all of these. */
    const uint32_t peers = __match_any_sync(ALL_LANES, (trawl_counter)row);
    const bool leads = row != TRAWL_NO_ROW && (uint32_t)__ffs((int)peers) - 1 == threadIdx.x % 32;
    if (FORM == TRAWL_CUDA_ROWS_ANY) {
        return leads ? set_bit(piece.bits, row) : 0;
    }
    if (row != TRAWL_NO_ROW) {
        count_pattern(piece, pattern);
    }
    if (leads && piece.results.per_row != NULL) {
        atomicAdd((trawl_counter *)&piece.results.per_row[row], (trawl_counter)__popc(peers));
    }
    return leads ? (uint32_t)__popc(peers) : 0;
}

/* Adds the sums of all lanes of a warp to the total. */
static __device__ __forceinline__ void add_to_total(const trawl_row_piece &piece,
                                                    trawl_counter sum) {
    for (int offset = 16; offset != 0; offset /= 2) {
        sum += __shfl_down_sync(ALL_LANES, sum, (unsigned)offset);
    }
    if (threadIdx.x % 32 == 0 && sum != 0) {
        atomicAdd((trawl_counter *)&piece.results.summary->total, sum);
    }
}

template <int FORM>
static __global__ void find_rows(const __grid_constant__ trawl_row_piece piece) {
    const uint32_t lane = threadIdx.x % 32;
    trawl_cuda_rows_summary *summary = piece.results.summary;
    if (blockIdx.x == 0 && threadIdx.x == 0 && *piece.total > summary->piece_matches) {
        summary->piece_matches = *piece.total;
    }
    const trawl_row_share share = trawl_row_share_of(piece, trawl_row_matches(piece));
    if (share.begin == share.end) {
        return;
    }
    /* The rows of the first and the last match bound the search for all matches between. */
    const uint64_t last_row = piece.rows.count - 1;
    const uint64_t low = trawl_row_at(piece.rows, piece.matches[share.begin].end - 1, 0, last_row);
    const uint64_t high =
        trawl_row_at(piece.rows, piece.matches[share.end - 1].end - 1, low, last_row);
    trawl_counter sum = 0;
    for (uint64_t first = share.begin; first < share.end; first += 32) {
        const uint64_t i = first + lane;
        trawl_cuda_match match = {0, 0, 0};
        uint64_t row = TRAWL_NO_ROW;
        if (i < share.end) {
            match = piece.matches[i];
            row = row_of_match(piece, match, low, high);
        }
        if (FORM == TRAWL_CUDA_ROWS_ANY || FORM == TRAWL_CUDA_ROWS_COUNT) {
            sum += note_row<FORM>(piece, row, match.pattern);
        } else if (i < share.end) {
            piece.row_of[i] = row;
        }
    }
    if (FORM == TRAWL_CUDA_ROWS_ANY || FORM == TRAWL_CUDA_ROWS_COUNT) {
        add_to_total(piece, sum);
    }
}

static __global__ void count_selected(trawl_row_piece piece) {
    const trawl_row_share share = trawl_row_share_of(piece, trawl_row_matches(piece));
    trawl_counter sum = 0;
    for (uint64_t first = share.begin; first < share.end; first += 32) {
        const uint64_t i = first + threadIdx.x % 32;
        const bool there = i < share.end;
        sum += note_row<TRAWL_CUDA_ROWS_COUNT>(piece, there ? piece.row_of[i] : TRAWL_NO_ROW,
                                               there ? piece.matches[i].pattern : 0);
    }
    add_to_total(piece, sum);
}

trawl_status trawl_cuda_rows_count(const trawl_row_piece *piece, trawl_row_grid grid,
                                   cudaStream_t stream, trawl_error *error) {
    TRAWL_LAUNCH(count_selected, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("count_selected", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_rows_find(const trawl_row_piece *piece, trawl_cuda_rows_form form,
                                  trawl_row_grid grid, cudaStream_t stream, trawl_error *error) {
    switch (form) {
    case TRAWL_CUDA_ROWS_ANY:
        TRAWL_LAUNCH(find_rows<TRAWL_CUDA_ROWS_ANY>, grid.blocks, grid.threads, 0, stream, *piece);
        break;
    case TRAWL_CUDA_ROWS_COUNT:
        TRAWL_LAUNCH(find_rows<TRAWL_CUDA_ROWS_COUNT>, grid.blocks, grid.threads, 0, stream,
                     *piece);
        break;
    case TRAWL_CUDA_ROWS_WHICH:
    case TRAWL_CUDA_ROWS_MATCHES:
        TRAWL_LAUNCH(find_rows<TRAWL_CUDA_ROWS_MATCHES>, grid.blocks, grid.threads, 0, stream,
                     *piece);
        break;
    }
    TRAWL_CUDA_LAUNCHED("find_rows", error);
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ bytes from bits */

static __global__ void spread_bits(const uint32_t *bits, uint8_t *found, uint64_t rows) {
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t row = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; row < rows;
         row += stride) {
        found[row] = (uint8_t)(bits[row / 32] >> (row % 32) & 1);
    }
}

trawl_status trawl_cuda_rows_spread(const uint32_t *bits, uint8_t *found, uint64_t rows,
                                    trawl_row_grid grid, cudaStream_t stream, trawl_error *error) {
    TRAWL_LAUNCH(spread_bits, grid.blocks, grid.threads, 0, stream, bits, found, rows);
    TRAWL_CUDA_LAUNCHED("spread_bits", error);
    return TRAWL_OK;
}
