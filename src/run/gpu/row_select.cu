/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Selection of leftmost matches on the device: what run/leftmost.h does on the host, for the
 * matches of a piece, which are ordered by their ends.
 *
 *     text      ...row........................|row...........................
 *     matches   [====)     [==|====)             [====)
 *                             [========)              |
 *                                  [=====)            |
 *     least     ^          ^  ^    ^             ^      the first start of this and later ones
 *     stretch   0          1                     2
 *
 * The match that is selected after another one depends only on the end of that one. Each such end
 * is the end of some match in the list. So a match of the list represents its end, and has one
 * *successor*.
 *
 * A *stretch* is a part of the list that no match connects with the rest: it begins where all
 * matches before end at or before the least start of this and all later matches (`least`). One
 * thread for each stretch goes from successor to successor. Most stretches are short; a long one
 * arises where matches overlap without a gap. For long stretches, matches are divided into chunks:
 *
 *     chunk     |        0        |        1        |        2        |        3        |
 *     stretch        )(-------------------------------------------------------)(----
 *                                 |     inner       |     inner       |
 *
 * In an *inner* chunk no stretch begins. For each match of an inner chunk a block computes the
 * successor, and by pointer jumping the first successor behind the chunk, the match's *exit*. The
 * thread of the stretch passes an inner chunk in one step, and stores the match by which it has
 * entered it. Finally a block selects the matches inside the chunk, from that match on.
 */
#include <cub/device/device_scan.cuh>

#include "run/gpu/rows.cuh"

#define ALL_LANES 0xffffffffu
#define NO_MATCH UINT32_MAX
/* Matches of a chunk, and threads of its block. */
#define CHUNK TRAWL_ROW_CHUNK
/* Values of a chunk's entry: no thread has entered the chunk yet; the chunk is not inner. */
#define NOT_ENTERED UINT32_MAX
#define NOT_INNER (UINT32_MAX - 1)

/* ------------------------------------------------------------------ least starts */

struct smaller {
    __host__ __device__ trawl_counter operator()(trawl_counter left, trawl_counter right) const {
        return left < right ? left : right;
    }
};

/* The start of match i in its row; UINT64_MAX if it is in no row. */
static __device__ __forceinline__ uint64_t start_in_row(const trawl_row_piece &piece, uint64_t i) {
    const uint64_t row = piece.row_of[i];
    if (row == TRAWL_NO_ROW) {
        return UINT64_MAX;
    }
    const uint64_t start = piece.matches[i].end - piece.matches[i].length;
    const uint64_t begin = trawl_row_offset(piece.rows, row);
    return start > begin ? start : begin;
}

/* The entry of a warp's share in `places`. The last share comes first, so that a prefix sum goes
 * from the last match to the first. */
static __device__ __forceinline__ trawl_counter *place_of(const trawl_row_piece &piece,
                                                          uint32_t warp) {
    return &piece.places[piece.warps - 1 - warp];
}

static __global__ void least_of_shares(trawl_row_piece piece) {
    const trawl_row_share share = trawl_row_share_of(piece, trawl_row_matches(piece));
    uint64_t least = UINT64_MAX;
    for (uint64_t i = share.begin + threadIdx.x % 32; i < share.end; i += 32) {
        const uint64_t start = start_in_row(piece, i);
        least = start < least ? start : least;
    }
    for (int offset = 16; offset != 0; offset /= 2) {
        const uint64_t other = __shfl_down_sync(ALL_LANES, (trawl_counter)least, (unsigned)offset);
        least = other < least ? other : least;
    }
    if (threadIdx.x % 32 == 0) {
        *place_of(piece, trawl_row_warp()) = least;
    }
}

/* Each warp goes through its share from the last match to the first. `places` has the least start
 * of each share and all later ones. */
static __global__ void least_of_matches(trawl_row_piece piece) {
    const uint32_t lane = threadIdx.x % 32, warp = trawl_row_warp();
    const uint64_t matches = trawl_row_matches(piece);
    const trawl_row_share share = trawl_row_share_of(piece, matches);
    uint64_t later = warp + 1 == piece.warps ? UINT64_MAX : *place_of(piece, warp + 1);
    if (warp == 0 && lane == 0) {
        piece.selection.least[matches] = UINT64_MAX;
    }
    const uint64_t count = share.end - share.begin;
    for (uint64_t done = 0; done < count; done += 32) {
        const bool there = done + lane < count;
        const uint64_t i = share.end - 1 - (there ? done + lane : 0);
        uint64_t least = there ? start_in_row(piece, i) : UINT64_MAX;
        for (uint32_t offset = 1; offset < 32; offset *= 2) {
            const uint64_t other = __shfl_up_sync(ALL_LANES, (trawl_counter)least, offset);
            least = lane >= offset && other < least ? other : least;
        }
        least = later < least ? later : least;
        if (there) {
            piece.selection.least[i] = least;
            piece.selection.chosen[i] = TRAWL_NOT_CHOSEN;
        }
        later = __shfl_sync(ALL_LANES, (trawl_counter)least, 31);
    }
}

/* ------------------------------------------------------------------ successors */

/* A selected match: its end, as the index of a match in the list that ends there, and its
 * pattern. */
typedef struct selected {
    uint32_t at; /* NO_MATCH: there is none */
    uint32_t pattern;
} selected;

/* The last match, from `first` on, with the same least start as match `first`: the match that
 * begins there. */
static __device__ __forceinline__ uint64_t outermost(const trawl_row_piece &piece, uint64_t first,
                                                     uint64_t past) {
    const uint64_t *least = piece.selection.least, start = least[first];
    uint64_t step = 1, low = first, high = first + 1;
    while (high < past && least[high] == start) {
        low = high;
        high += step;
        step *= 2;
    }
    high = high < past ? high : past;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (least[middle] == start) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The first match in [low, high] that ends at `end`; there is one. */
static __device__ __forceinline__ uint32_t ending_at(const trawl_row_piece &piece, uint64_t low,
                                                     uint64_t high, uint64_t end) {
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (piece.matches[middle].end < end) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

/* The match that is selected first from offset `next` on, among those inside of matches `first` to
 * `past` - 1. Each of these is the longest at its end. */
static __device__ selected first_of_keys(const trawl_row_piece &piece, uint64_t next,
                                         uint64_t first, uint64_t past) {
    const trawl_selection_view &view = piece.selection.view;
    for (uint64_t i = first; i < past && piece.selection.least[i] < piece.end; i++) {
        const uint64_t least = piece.selection.least[i];
        i = outermost(piece, i, past);
        const trawl_cuda_match match = piece.matches[i];
        const uint64_t start = match.end - match.length, second = piece.selection.least[i + 1];
        const uint64_t from = least > next ? least : next;
        const uint32_t key = view.patterns[match.pattern];
        trawl_selection_inside found = {0, view.keys[key].pattern};
        if (from >= second || from >= match.end ||
            (from > start && !trawl_selection_next(&view, key, from - start, &found)) ||
            start + found.offset >= second) {
            continue;
        }
        if (start + found.offset >= piece.end) {
            break;
        }
        const uint32_t *offset = &piece.selection.offsets[found.pattern];
        const uint64_t end = start + found.offset + (offset[1] - offset[0]);
        return {ending_at(piece, first, i, end), found.pattern};
    }
    return {NO_MATCH, 0};
}

/* Whether a match is to be selected rather than `best`. */
static __device__ __forceinline__ bool is_better(const trawl_row_selection &selection,
                                                 const trawl_cuda_match &match,
                                                 const trawl_cuda_match &best) {
    const uint64_t start = match.end - match.length, best_start = best.end - best.length;
    return start != best_start                         ? start < best_start
           : !selection.first && match.end != best.end ? match.end > best.end
                                                       : match.pattern < best.pattern;
}

/* As first_of_keys, for databases whose kernels report all matches. */
static __device__ selected first_of_all(const trawl_row_piece &piece, uint64_t next, uint64_t first,
                                        uint64_t past) {
    uint32_t best = NO_MATCH;
    trawl_cuda_match best_match = {0, 0, 0};
    for (uint64_t i = first; i < past && piece.selection.least[i] < piece.end; i++) {
        if (best != NO_MATCH && piece.selection.least[i] > best_match.end - best_match.length) {
            break; /* this and all later matches begin behind the best one */
        }
        const trawl_cuda_match match = piece.matches[i];
        if (piece.row_of[i] != TRAWL_NO_ROW && match.end - match.length >= next &&
            (best == NO_MATCH || is_better(piece.selection, match, best_match))) {
            best = (uint32_t)i;
            best_match = match;
        }
    }
    return best == NO_MATCH || best_match.end - best_match.length >= piece.end
               ? selected{NO_MATCH, 0}
               : selected{best, best_match.pattern};
}

static __device__ __noinline__ selected first_from(const trawl_row_piece &piece, uint64_t next,
                                                   uint64_t first, uint64_t past) {
    return piece.selection.view.keys != NULL ? first_of_keys(piece, next, first, past)
                                             : first_of_all(piece, next, first, past);
}

static __device__ __forceinline__ selected successor(const trawl_row_piece &piece, uint64_t match,
                                                     uint64_t past) {
    return first_from(piece, piece.matches[match].end, match + 1, past);
}

/* ------------------------------------------------------------------ chunks */

/* Whether a stretch begins with match i. */
static __device__ __forceinline__ bool begins_stretch(const trawl_row_piece &piece, uint64_t i) {
    return i == 0 || piece.matches[i - 1].end <= piece.selection.least[i];
}

/* Each block handles one chunk after the other, and writes the exit of each match of the inner
 * chunks. */
static __global__ void __launch_bounds__(CHUNK)
    find_exits(const __grid_constant__ trawl_row_piece piece) {
    __shared__ uint32_t jump[CHUNK];
    const uint64_t matches = trawl_row_matches(piece);
    for (uint64_t begin = (uint64_t)blockIdx.x * CHUNK; begin < matches;
         begin += (uint64_t)gridDim.x * CHUNK) {
        const uint64_t i = begin + threadIdx.x, past = begin + CHUNK;
        const bool outer = __syncthreads_or(i >= matches || begins_stretch(piece, i)) != 0;
        if (threadIdx.x == 0) {
            piece.selection.entries[begin / CHUNK] = outer ? NOT_INNER : NOT_ENTERED;
        }
        if (outer) {
            continue;
        }
        uint32_t exit = successor(piece, i, matches).at;
        for (uint32_t step = 1; step < CHUNK; step *= 2) {
            jump[threadIdx.x] = exit;
            __syncthreads();
            exit = exit < past ? jump[exit - begin] : exit;
            __syncthreads();
        }
        piece.selection.exits[i] = exit;
    }
}

/* Selects the matches of the inner chunks, from the match on by which the thread of the stretch has
 * entered. */
static __global__ void __launch_bounds__(CHUNK)
    select_in_chunks(const __grid_constant__ trawl_row_piece piece) {
    __shared__ uint32_t next[CHUNK];
    __shared__ bool taken[CHUNK];
    const uint64_t matches = trawl_row_matches(piece);
    for (uint64_t begin = (uint64_t)blockIdx.x * CHUNK; begin < matches;
         begin += (uint64_t)gridDim.x * CHUNK) {
        const uint32_t entry = piece.selection.entries[begin / CHUNK];
        if (entry == NOT_INNER || entry == NOT_ENTERED) {
            continue;
        }
        const selected found = successor(piece, begin + threadIdx.x, matches);
        next[threadIdx.x] = found.at;
        taken[threadIdx.x] = false;
        __syncthreads();
        if (threadIdx.x == 0) {
            for (uint32_t at = entry; at < begin + CHUNK; at = next[at - begin]) {
                taken[at - begin] = true;
            }
        }
        __syncthreads();
        if (taken[threadIdx.x] && found.at != NO_MATCH) {
            piece.selection.chosen[found.at] = found.pattern;
        }
        __syncthreads();
    }
}

/* ------------------------------------------------------------------ stretches */

/* Whether a stretch begins behind match `before`, at match `at` or before it. */
static __device__ __forceinline__ bool leaves_stretch(const trawl_row_piece &piece, uint64_t before,
                                                      uint64_t at) {
    for (uint64_t i = before + 1; i <= at; i++) {
        if (begins_stretch(piece, i)) {
            return true;
        }
    }
    return false;
}

/* Selects in a stretch with inner chunks. The selection inside of these is left to
 * select_in_chunks. */
static __device__ void select_long(const trawl_row_piece &piece, uint64_t first, uint64_t matches) {
    const trawl_row_selection &selection = piece.selection;
    selected found = first_from(piece, *selection.from, first, matches);
    uint64_t before = first;
    while (found.at != NO_MATCH && !leaves_stretch(piece, before, found.at)) {
        const uint32_t at = found.at, chunk = at / CHUNK;
        selection.chosen[at] = found.pattern;
        before = at;
        if (selection.entries[chunk] == NOT_INNER) {
            found = successor(piece, at, matches);
            continue;
        }
        selection.entries[chunk] = at;
        found = {selection.exits[at], TRAWL_NOT_CHOSEN};
        before = (uint64_t)chunk * CHUNK + CHUNK - 1;
    }
}

static __device__ void select_short(const trawl_row_piece &piece, uint64_t first, uint64_t past) {
    selected found = first_from(piece, *piece.selection.from, first, past);
    while (found.at != NO_MATCH) {
        piece.selection.chosen[found.at] = found.pattern;
        found = successor(piece, found.at, past);
    }
}

/* One thread for each stretch. A stretch that reaches into more than two chunks has an inner
 * one. */
static __global__ void select_in_stretches(const __grid_constant__ trawl_row_piece piece) {
    const uint64_t matches = trawl_row_matches(piece);
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < matches; i += stride) {
        if (!begins_stretch(piece, i)) {
            continue;
        }
        const uint64_t most = matches - i < 2 * CHUNK ? matches : i + 2 * CHUNK;
        uint64_t past = i + 1;
        while (past < most && !begins_stretch(piece, past)) {
            past++;
        }
        if (past == most && past < matches) {
            select_long(piece, i, matches);
        } else {
            select_short(piece, i, past);
        }
    }
}

/* ------------------------------------------------------------------ the step */

/* Writes each selected match over the match of the list with the same end, and removes all others
 * from their rows. */
static __global__ void keep_chosen(trawl_row_piece piece) {
    const trawl_row_selection &selection = piece.selection;
    const uint64_t matches = trawl_row_matches(piece);
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t number = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    /* A match may be longer than a piece. */
    uint64_t end = number == 0 ? *selection.from : 0;
    for (uint64_t i = number; i < matches; i += stride) {
        const uint32_t pattern = selection.chosen[i];
        if (pattern == TRAWL_NOT_CHOSEN) {
            piece.row_of[i] = TRAWL_NO_ROW;
            continue;
        }
        piece.matches[i].pattern = pattern;
        piece.matches[i].length = selection.offsets[pattern + 1] - selection.offsets[pattern];
        end = piece.matches[i].end > end ? piece.matches[i].end : end;
    }
    if (end > piece.end) {
        atomicMax((trawl_counter *)selection.next, (trawl_counter)end);
    }
}

trawl_status trawl_cuda_rows_select_room(uint32_t warps, size_t *bytes, trawl_error *error) {
    trawl_counter *places = NULL;
    *bytes = 0;
    TRAWL_CUDA_TRY(
        cub::DeviceScan::InclusiveScan(NULL, *bytes, places, places, smaller(), (int64_t)warps),
        error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_rows_select(const trawl_row_piece *piece, trawl_row_grid grid, void *scan,
                                    size_t scan_bytes, cudaStream_t stream, trawl_error *error) {
    TRAWL_LAUNCH(least_of_shares, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("least_of_shares", error);
    TRAWL_CUDA_TRY(cub::DeviceScan::InclusiveScan(scan, scan_bytes, piece->places, piece->places,
                                                  smaller(), (int64_t)piece->warps, stream),
                   error);
    TRAWL_LAUNCH(least_of_matches, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("least_of_matches", error);
    TRAWL_LAUNCH(find_exits, grid.blocks, CHUNK, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("find_exits", error);
    TRAWL_LAUNCH(select_in_stretches, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("select_in_stretches", error);
    TRAWL_LAUNCH(select_in_chunks, grid.blocks, CHUNK, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("select_in_chunks", error);
    TRAWL_LAUNCH(keep_chosen, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("keep_chosen", error);
    return TRAWL_OK;
}
