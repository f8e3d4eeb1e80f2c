/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Selecting leftmost matches on the device: what run/leftmost.h does on the host, for the matches
 * of a piece, which are ordered by their ends.
 *
 *     text      ...row........................|row...........................
 *     matches   [====)     [==|====)             [====)
 *                             [========)              |
 *                                  [=====)            |
 *     least     ^          ^  ^    ^             ^     where the first of this and all later ones
 *     stretch   ----------)(--------------------)(--   begins
 *
 * Between two stretches no match crosses: where all matches up to one end before this and all later
 * ones begin, which `least` tells. So stretches are selected from independently, by a thread each.
 * Stretches are short, but where matches overlap without a gap; there one thread takes time
 * proportional to the stretch.
 *
 * A match that is selected takes the place of the match that ends at the same position, and all
 * others lose their row.
 */
#include <cub/device/device_scan.cuh>

#include "run/gpu/rows.cuh"

#define ALL_LANES 0xffffffffu

/* ------------------------------------------------------------------ least starts */

struct smaller {
    __host__ __device__ trawl_counter operator()(trawl_counter left, trawl_counter right) const {
        return left < right ? left : right;
    }
};

/* Where match i begins in its row; UINT64_MAX if it is in none. */
static __device__ __forceinline__ uint64_t start_in_row(const trawl_row_piece &piece, uint64_t i) {
    const uint64_t row = piece.row_of[i];
    if (row == TRAWL_NO_ROW) {
        return UINT64_MAX;
    }
    const uint64_t start = piece.matches[i].end - piece.matches[i].length;
    const uint64_t begin = trawl_row_offset(piece.rows, row);
    return start > begin ? start : begin;
}

/* The last share comes first in `places`, so that a scan goes from the last match to the first. */
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
        }
        later = __shfl_sync(ALL_LANES, (trawl_counter)least, 31);
    }
}

/* ------------------------------------------------------------------ a stretch */

/* Whether a stretch begins with match i. */
static __device__ __forceinline__ bool begins_stretch(const trawl_row_piece &piece, uint64_t i) {
    return i == 0 || piece.matches[i - 1].end <= piece.selection.least[i];
}

/* A thread on its way through a stretch. */
typedef struct stretch {
    uint64_t next;    /* where a selected match may begin */
    uint64_t pending; /* the first match of which it is not known whether one is selected here */
} stretch;

/* Matches before `match` are in no row. */
static __device__ __forceinline__ void drop_before(const trawl_row_piece &piece, stretch *self,
                                                   uint64_t match) {
    for (; self->pending < match; self->pending++) {
        piece.row_of[self->pending] = TRAWL_NO_ROW;
    }
}

/* Notes where the next piece has to go on. */
static __device__ __forceinline__ void go_on_at(const trawl_row_piece &piece, uint64_t end) {
    if (end > piece.end) {
        atomicMax((trawl_counter *)piece.selection.next, (trawl_counter)end);
    }
}

/* Selects a match of `pattern` that ends at `end`, where one of the matches up to number `last`
 * does. */
static __device__ __forceinline__ void select_inside(const trawl_row_piece &piece, stretch *self,
                                                     uint64_t last, uint64_t end, uint32_t pattern,
                                                     uint32_t length) {
    uint64_t at = self->pending;
    while (at < last && piece.matches[at].end < end) {
        at++;
    }
    drop_before(piece, self, at);
    if (piece.matches[at].end == end) {
        piece.matches[at] = {end, pattern, length};
        self->pending = at + 1;
    }
    self->next = end;
    go_on_at(piece, end);
}

/* Selects what begins inside match i, the longest at its end, and before the next one that is not
 * inside of a later one. Returns whether the piece ends there. */
static __device__ __forceinline__ bool select_from(const trawl_row_piece &piece, stretch *self,
                                                   uint64_t i) {
    const trawl_selection_view &view = piece.selection.view;
    const trawl_cuda_match match = piece.matches[i];
    const uint64_t start = match.end - match.length, least = piece.selection.least[i];
    const uint64_t second = piece.selection.least[i + 1];
    const uint32_t key = view.patterns[match.pattern];
    for (;;) {
        const uint64_t from = least > self->next ? least : self->next;
        trawl_selection_inside found = {0, view.keys[key].pattern};
        if (from >= second || from >= match.end ||
            (from > start && !trawl_selection_next(&view, key, from - start, &found)) ||
            start + found.offset >= second) {
            return false;
        }
        if (start + found.offset >= piece.end) {
            return true;
        }
        const uint32_t *offset = &piece.selection.offsets[found.pattern];
        const uint32_t length = offset[1] - offset[0];
        select_inside(piece, self, i, start + found.offset + length, found.pattern, length);
    }
}

/* A stretch of matches of which each is the longest at its end. Returns the match behind it. */
static __device__ uint64_t select_by_keys(const trawl_row_piece &piece, stretch *self,
                                          uint64_t matches) {
    uint64_t i = self->pending;
    bool over = false;
    do {
        /* Else the match is in no row, or inside of a later one. */
        const bool outermost = piece.selection.least[i] < piece.selection.least[i + 1];
        over = over || (outermost && select_from(piece, self, i));
        i++;
    } while (i < matches && !begins_stretch(piece, i));
    return i;
}

/* Whether match i is to be selected rather than `best`, which begins at the same place or later. */
static __device__ __forceinline__ bool is_better(const trawl_row_selection &selection,
                                                 const trawl_cuda_match &match,
                                                 const trawl_cuda_match &best) {
    const uint64_t start = match.end - match.length, best_start = best.end - best.length;
    return start != best_start                         ? start < best_start
           : !selection.first && match.end != best.end ? match.end > best.end
                                                       : match.pattern < best.pattern;
}

/* The best of the matches from `first` on that begin at self->next or later; UINT64_MAX: none in
 * this stretch, and *past is the match behind it. */
static __device__ uint64_t find_best(const trawl_row_piece &piece, const stretch &self,
                                     uint64_t first, uint64_t begin, uint64_t matches,
                                     uint64_t *past) {
    uint64_t best = UINT64_MAX, i = first;
    trawl_cuda_match best_match = {0, 0, 0};
    for (; i < matches && (i == begin || !begins_stretch(piece, i)); i++) {
        if (best != UINT64_MAX && piece.selection.least[i] > best_match.end - best_match.length) {
            return best; /* all later ones begin later */
        }
        const trawl_cuda_match match = piece.matches[i];
        if (piece.row_of[i] != TRAWL_NO_ROW && match.end - match.length >= self.next &&
            (best == UINT64_MAX || is_better(piece.selection, match, best_match))) {
            best = i;
            best_match = match;
        }
    }
    *past = i;
    return best;
}

/* A stretch of all matches. Returns the match behind it. */
static __device__ uint64_t select_from_all(const trawl_row_piece &piece, stretch *self,
                                           uint64_t matches) {
    const uint64_t begin = self->pending;
    uint64_t past = begin;
    for (;;) {
        const uint64_t best = find_best(piece, *self, self->pending, begin, matches, &past);
        if (best == UINT64_MAX) {
            return past;
        }
        const trawl_cuda_match match = piece.matches[best];
        if (match.end - match.length >= piece.end) {
            break;
        }
        drop_before(piece, self, best);
        self->pending = best + 1;
        self->next = match.end;
        go_on_at(piece, match.end);
    }
    for (past = self->pending; past < matches && (past == begin || !begins_stretch(piece, past));) {
        past++;
    }
    return past;
}

/* A thread for each stretch. */
static __global__ void select_matches(trawl_row_piece piece) {
    const uint64_t matches = trawl_row_matches(piece);
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        go_on_at(piece, *piece.selection.from); /* a match may be longer than a piece */
    }
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < matches; i += stride) {
        if (!begins_stretch(piece, i)) {
            continue;
        }
        stretch self = {*piece.selection.from, i};
        const uint64_t past = piece.selection.view.keys != NULL
                                  ? select_by_keys(piece, &self, matches)
                                  : select_from_all(piece, &self, matches);
        drop_before(piece, &self, past);
    }
}

/* ------------------------------------------------------------------ the step */

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
    TRAWL_LAUNCH(select_matches, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("select_matches", error);
    return TRAWL_OK;
}
