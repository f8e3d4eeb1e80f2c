/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel hot for pass STATES, which writes the state after every byte: the walk of hot_report.cu,
 * but each thread gathers states in shared memory and its warp writes them, coalesced (Zha & Sahni
 * 2011, IV-B2).
 */
#include "engines/ac_dfa/cuda/hot.cuh"

/* The state of a thread's walk. */
typedef struct place {
    uint32_t row;  /* the state's rank if it has a row, else the number of rows */
    uint32_t rank; /* the state's rank if it has no row */
} place;

/* What all steps of a thread read. */
typedef struct tables {
    const uint8_t *class_of; /* like `rows`, in shared memory */
    const uint16_t *rows;
} tables;

template <bool WHOLE>
static __device__ __forceinline__ void step(const trawl_hot_view &view, const tables &tables,
                                            uint32_t byte, place *place) {
    uint32_t column = tables.class_of[byte];
    uint32_t entry = tables.rows[place->row * view.classes + column];
    if (entry < 0x10000u - (1u << view.image.rank_bits)) {
        place->row = entry & ((1u << view.image.rank_bits) - 1);
        return;
    }
    uint32_t from = WHOLE || place->row != view.image.rows ? place->row : place->rank;
    entry = __ldg(view.full + ((size_t)from * view.classes + column));
    place->rank = entry & ((1u << view.full_bits) - 1);
    place->row = WHOLE || place->rank < view.image.rows ? place->rank : view.image.rows;
}

/* Returns the state's number, as the output array has it. */
template <bool WHOLE>
static __device__ __forceinline__ uint32_t number_of(const trawl_hot_view &view,
                                                     const place &place) {
    uint32_t rank = WHOLE || place.row != view.image.rows ? place.row : place.rank;
    return view.number == NULL ? rank : __ldg(view.number + rank);
}

/* Returns the place of 16 bytes of a thread's gathered states. Columns are permuted by the thread's
 * number: otherwise the threads of a warp, 64 bytes apart, would use only some of the banks:
 *
 *     thread   0, 1    0 1 2 3       the order in which a thread's columns are stored
 *              2, 3    1 0 3 2
 *              4, 5    2 3 0 1
 *              6, 7    3 2 1 0 */
static __device__ __forceinline__ uint4 *stage_at(uint4 *stage, uint32_t thread, uint32_t column) {
    return stage + (thread * 4 + (column ^ (thread >> 1 & 3)));
}

/* Writes the states that the threads of a warp have gathered: 64 bytes for each thread. The states
 * of thread t are those after the bytes from text[begin + t * strip_bytes] on; states for text from
 * `past` on are not written. Neighbouring lanes write neighbouring 16 bytes (Zha & Sahni 2011,
 * IV-B2). */
template <typename T>
static __device__ __forceinline__ void write_stage(const trawl_cuda_reporter &reporter,
                                                   uint4 *stage, int64_t begin,
                                                   uint32_t strip_bytes, int64_t past) {
    const uint32_t states_per_vector = 16 / sizeof(T);
    T *states = (T *)reporter.output.states + reporter.slice.first;
    uint32_t lane = threadIdx.x % 32;
    __syncwarp();
    for (uint32_t i = lane; i < 32 * 4; i += 32) {
        uint32_t thread = i / 4, column = i % 4;
        uint4 vector = *stage_at(stage, thread, column);
        int64_t at = begin + (int64_t)thread * strip_bytes + column * states_per_vector;
        int64_t index = at - (int64_t)reporter.slice.owned;
        if (index >= 0 && at + states_per_vector <= past && (uintptr_t)(states + index) % 16 == 0) {
            __stcs((uint4 *)(states + index), vector);
            continue;
        }
        uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
#pragma unroll
        for (uint32_t j = 0; j < states_per_vector; j++) {
            if (index + j >= 0 && at + j < past) {
                states[index + j] = (T)(words[j * sizeof(T) / 4] >> (8 * (j * sizeof(T) % 4)));
            }
        }
    }
    __syncwarp();
}

/* A warp's memory for gathered states, and the text to which they belong. */
typedef struct stage_of_warp {
    uint4 *vectors;
    int64_t begin; /* of the first thread's strip */
    int64_t past;  /* end of the text whose states are wanted */
} stage_of_warp;

/* Stores the states after 16 bytes, and writes when there are 64 bytes of states. */
static __device__ __forceinline__ void gather(const trawl_cuda_reporter &reporter,
                                              const trawl_hot_view &view,
                                              const stage_of_warp &stage, const uint4 *gathered,
                                              uint32_t offset, uint32_t strip_bytes) {
    uint32_t lane = threadIdx.x % 32;
    if (view.wide_states) {
#pragma unroll
        for (uint32_t i = 0; i < 4; i++) {
            *stage_at(stage.vectors, lane, i) = gathered[i];
        }
        write_stage<uint32_t>(reporter, stage.vectors, stage.begin + offset, strip_bytes,
                              stage.past);
        return;
    }
    uint32_t column = offset / 16 % 2 * 2;
    *stage_at(stage.vectors, lane, column) = gathered[0];
    *stage_at(stage.vectors, lane, column + 1) = gathered[1];
    if (column != 0) {
        write_stage<uint16_t>(reporter, stage.vectors, stage.begin + offset - 16, strip_bytes,
                              stage.past);
    }
}

/* Stores the number of the state after byte j of 16 in `gathered`. j is a compile-time constant. */
static __device__ __forceinline__ void put_number(const trawl_hot_view &view, uint32_t number,
                                                  uint32_t j, uint32_t *gathered) {
    if (view.wide_states) {
        gathered[j] = number;
    } else {
        gathered[j / 2] = j % 2 == 0 ? number : gathered[j / 2] | number << 16;
    }
}

/* Steps over the 16 bytes at text[at]; only those in text[begin .. end) exist. */
template <bool WHOLE>
static __device__ __forceinline__ void walk_vector(const trawl_hot_view &view, const tables &tables,
                                                   const uint8_t *text, const uint4 &vector,
                                                   int64_t at, uint32_t begin, uint32_t end,
                                                   place *place, uint32_t *gathered) {
    const uint32_t words[4] = {vector.x, vector.y, vector.z, vector.w};
    if (at >= (int64_t)begin && at + 16 <= (int64_t)end) {
#pragma unroll
        for (uint32_t j = 0; j < 16; j++) {
            step<WHOLE>(view, tables, words[j / 4] >> (8 * (j % 4)) & 0xff, place);
            put_number(view, number_of<WHOLE>(view, *place), j, gathered);
        }
        return;
    }
#pragma unroll
    for (uint32_t j = 0; j < 16; j++) {
        if (at + j >= (int64_t)begin && at + j < (int64_t)end) {
            step<WHOLE>(view, tables, text[at + j], place);
        }
        put_number(view, number_of<WHOLE>(view, *place), j, gathered);
    }
}

template <bool WHOLE>
static __global__ void __launch_bounds__(TRAWL_CUDA_MOST_THREADS, 1)
    hot_states(const __grid_constant__ trawl_cuda_reporter reporter,
               const __grid_constant__ trawl_hot_view view, uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    for (uint32_t i = threadIdx.x; i < view.image.image_bytes / 16; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg((const uint4 *)view.image.bytes + i);
    }
    __syncthreads();
    const tables tables = {shared, (const uint16_t *)(shared + TRAWL_GPU_CLASS_BYTES)};
    const trawl_cuda_slice &slice = reporter.slice;
    const uint8_t *text = slice.text;
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t strip = blockIdx.x * blockDim.x + threadIdx.x; strip - lane < strips;
         strip += gridDim.x * blockDim.x) {
        bool valid = strip < strips;
        int64_t from = trawl_cuda_strip_begin(&slice, strip_bytes, valid ? strip : 0);
        uint32_t begin = from < (int64_t)slice.owned ? slice.owned : (uint32_t)from;
        uint32_t end = valid ? slice.length : begin;
        place place = {0, 0};
        for (uint32_t at = begin < view.overlap ? 0 : begin - view.overlap; valid && at < begin;
             at++) {
            step<WHOLE>(view, tables, text[at], &place);
        }
        stage_of_warp stage = {(uint4 *)(shared + view.image.image_bytes) +
                                   threadIdx.x / 32 * (32 * TRAWL_HOT_STAGE_BYTES / 16),
                               trawl_cuda_strip_begin(&slice, strip_bytes, strip - lane),
                               (int64_t)slice.length};
        for (uint32_t offset = 0; offset < strip_bytes; offset += TRAWL_HOT_READ_BYTES) {
            int64_t at = from + offset;
            uint4 vectors[TRAWL_HOT_READ_BYTES / 16];
#pragma unroll
            for (uint32_t v = 0; v < TRAWL_HOT_READ_BYTES / 16; v++) {
                bool inside = at + 16 * v >= 0 && at + 16 * v + 16 <= (int64_t)end;
                vectors[v] =
                    inside ? __ldg((const uint4 *)(text + at) + v) : make_uint4(0, 0, 0, 0);
            }
#pragma unroll
            for (uint32_t v = 0; v < TRAWL_HOT_READ_BYTES / 16; v++) {
                uint32_t numbers[16];
                walk_vector<WHOLE>(view, tables, text, vectors[v], at + 16 * v, begin, end, &place,
                                   numbers);
                uint4 gathered[4];
#pragma unroll
                for (uint32_t i = 0; i < 4; i++) {
                    bool used = i < 2 || view.wide_states;
                    gathered[i] = used ? make_uint4(numbers[4 * i], numbers[4 * i + 1],
                                                    numbers[4 * i + 2], numbers[4 * i + 3])
                                       : make_uint4(0, 0, 0, 0);
                }
                gather(reporter, view, stage, gathered, offset + 16 * v, strip_bytes);
            }
        }
    }
}

/* ------------------------------------------------------------------ launching */

template <bool WHOLE> static trawl_status run(const trawl_cuda_hot_call *call, trawl_error *error) {
    trawl_status status =
        trawl_cuda_allow_shared(call->device, hot_states<WHOLE>, call->shared_bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH((hot_states<WHOLE>), call->blocks, call->threads, call->shared_bytes, call->stream,
                 *call->reporter, call->view, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("hot_states", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_hot_states(const trawl_cuda_hot_call *call, trawl_error *error) {
    return call->view.image.whole ? run<true>(call, error) : run<false>(call, error);
}
