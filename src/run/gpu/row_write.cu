/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Writes the remaining matches of a piece behind the results of the earlier pieces. Each warp
 * counts those of its share; a prefix sum gives the place where each warp writes; the warps
 * write. */
#include <cub/device/device_scan.cuh>

#include "run/gpu/rows.cuh"

#define ALL_LANES 0xffffffffu

static __device__ __forceinline__ bool is_kept(uint64_t row) {
    return (row & TRAWL_ROW_REPEATED) == 0; /* TRAWL_NO_ROW has this bit, too */
}

/* Sets places to: the number of items of the earlier pieces, those of each warp, 0. The exclusive
 * sum over these numbers is where each warp writes, and at the end the new number of items. */
static __global__ void count_kept(trawl_row_piece piece) {
    const uint32_t lane = threadIdx.x % 32, warp = trawl_row_warp();
    const trawl_row_share share = trawl_row_share_of(piece, trawl_row_matches(piece));
    trawl_counter kept = 0;
    for (uint64_t i = share.begin + lane; i < share.end; i += 32) {
        kept += is_kept(piece.row_of[i]) ? 1 : 0;
    }
    for (int offset = 16; offset != 0; offset /= 2) {
        kept += __shfl_down_sync(ALL_LANES, kept, (unsigned)offset);
    }
    if (lane == 0) {
        piece.places[warp + 1] = kept;
    }
    if (warp == 0 && lane == 0) {
        piece.places[0] = piece.results.summary->total;
        piece.places[piece.warps + 1] = 0;
    }
}

static __device__ __forceinline__ void write_id(const trawl_row_piece &piece, uint64_t row,
                                                const trawl_cuda_match &match, uint64_t place) {
    const uint32_t group = trawl_row_group(piece, match.pattern);
    if (place < piece.results.capacity) {
        piece.results.ids[place] = piece.group_ids == NULL ? group : piece.group_ids[group];
    }
    if (piece.results.in_rows != NULL) {
        atomicAdd((trawl_counter *)&piece.results.in_rows[group], (trawl_counter)1);
    }
    if (piece.seen != NULL && row == piece.carry->row) {
        atomicOr(&piece.seen[group / 32], 1u << (group % 32));
    }
}

static __device__ __forceinline__ void write_match(const trawl_row_piece &piece, uint64_t row,
                                                   trawl_cuda_match match, uint64_t place) {
    if (place < piece.results.capacity) {
        match.end -= trawl_row_offset(piece.rows, row);
        piece.results.matches[place] = match;
    }
}

/* Writes the remaining matches. `begin` receives the number of items of each row; the sums over it
 * are made at the end of the call. */
template <int FORM> static __global__ void write_kept(trawl_row_piece piece) {
    const uint32_t lane = threadIdx.x % 32, warp = trawl_row_warp();
    const trawl_row_share share = trawl_row_share_of(piece, trawl_row_matches(piece));
    uint64_t place = piece.places[warp + 1];
    for (uint64_t first = share.begin; first < share.end; first += 32) {
        const uint64_t i = first + lane;
        const uint64_t row = i < share.end ? piece.row_of[i] : TRAWL_NO_ROW;
        const bool kept = is_kept(row);
        const uint32_t all = __ballot_sync(ALL_LANES, kept);
        const uint32_t peers = __match_any_sync(ALL_LANES, (trawl_counter)row);
        if (kept) {
            const uint64_t mine = place + (uint32_t)__popc(all & ((1u << lane) - 1));
            if (FORM == TRAWL_CUDA_ROWS_WHICH) {
                write_id(piece, row, piece.matches[i], mine);
            } else {
                write_match(piece, row, piece.matches[i], mine);
            }
            if ((uint32_t)__ffs((int)peers) - 1 == lane) {
                atomicAdd((trawl_counter *)&piece.results.begin[row], (trawl_counter)__popc(peers));
            }
        }
        place += (uint32_t)__popc(all);
    }
}

trawl_status trawl_cuda_rows_write_room(uint32_t warps, size_t *bytes, trawl_error *error) {
    trawl_counter *places = NULL;
    *bytes = 0;
    TRAWL_CUDA_TRY(cub::DeviceScan::ExclusiveSum(NULL, *bytes, places, places, (int64_t)warps + 2),
                   error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_rows_write(const trawl_row_piece *piece, trawl_cuda_rows_form form,
                                   trawl_row_grid grid, void *sum, size_t sum_bytes,
                                   cudaStream_t stream, trawl_error *error) {
    TRAWL_LAUNCH(count_kept, grid.blocks, grid.threads, 0, stream, *piece);
    TRAWL_CUDA_LAUNCHED("count_kept", error);
    TRAWL_CUDA_TRY(cub::DeviceScan::ExclusiveSum(sum, sum_bytes, piece->places, piece->places,
                                                 (int64_t)piece->warps + 2, stream),
                   error);
    if (form == TRAWL_CUDA_ROWS_WHICH) {
        TRAWL_LAUNCH(write_kept<TRAWL_CUDA_ROWS_WHICH>, grid.blocks, grid.threads, 0, stream,
                     *piece);
    } else {
        TRAWL_LAUNCH(write_kept<TRAWL_CUDA_ROWS_MATCHES>, grid.blocks, grid.threads, 0, stream,
                     *piece);
    }
    TRAWL_CUDA_LAUNCHED("write_kept", error);
    TRAWL_CUDA_TRY(cudaMemcpyAsync(&piece->results.summary->total, piece->places + piece->warps + 1,
                                   sizeof(uint64_t), cudaMemcpyDeviceToDevice, stream),
                   error);
    return TRAWL_OK;
}
