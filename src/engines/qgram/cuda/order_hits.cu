/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Puts the noted hits of each strip in order: by end, then by tier. Among keys with the same end,
 * those of earlier tiers are longer and come first.
 *
 * A tier has at most one hit at an end. So a strip's hits can be a bitmap with a bit for each end
 * and tier, and a hit's place is the number of bits before its own. A warp does this in shared
 * memory, in time that is linear in the number of hits; with at most one hit for each thread, it
 * compares them all.
 */
#include "engines/qgram/cuda/find_keys.cuh"

#define THREADS trawl_qgram_tuned::order_threads
#define WARPS (THREADS / 32)

/* The arguments of the functions below. */
typedef struct order_context {
    trawl_cuda_qgram_noted_hits noted;
    uint32_t tiers;
    uint32_t words; /* of a bitmap: strip_bytes * tiers / 32 */
    uint64_t *sorted;
    uint32_t *bitmap;
    uint16_t *before; /* the number of bits before each word of the bitmap */
} order_context;

/* Shared memory of a warp in bytes, a multiple of 8. */
static inline __host__ __device__ uint32_t warp_bytes(uint32_t capacity, uint32_t words) {
    return capacity * (uint32_t)sizeof(uint64_t) + words * (uint32_t)sizeof(uint32_t) +
           (words * (uint32_t)sizeof(uint16_t) + 7) / 8 * 8;
}

static __device__ __forceinline__ uint64_t rank_of(const trawl_cuda_qgram_hit &hit) {
    return (uint64_t)hit.end << 32 | hit.key;
}

/* At most 32 hits, one for each thread. */
static __device__ __forceinline__ void order_few(trawl_cuda_qgram_hit *hits, uint32_t count) {
    const uint32_t lane = threadIdx.x % 32;
    trawl_cuda_qgram_hit own = {0, 0};
    if (lane < count) {
        own = hits[lane];
    }
    uint32_t place = 0;
    for (uint32_t i = 0; i < count; i++) {
        const trawl_cuda_qgram_hit other = {__shfl_sync(FULL, own.end, (int)i),
                                            __shfl_sync(FULL, own.key, (int)i)};
        place += rank_of(other) < rank_of(own);
    }
    if (lane < count) {
        hits[place] = own;
    }
}

/* The hit's bit. */
static __device__ __forceinline__ uint32_t bit_of(const order_context &self, int32_t begin,
                                                  const trawl_cuda_qgram_hit &hit) {
    return (uint32_t)((int32_t)hit.end - 1 - begin) * self.tiers +
           (hit.key >> TRAWL_QGRAM_TIER_SHIFT);
}

static __device__ __forceinline__ void make_bitmap(const order_context &self, int32_t begin,
                                                   const trawl_cuda_qgram_hit *hits,
                                                   uint32_t count) {
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t i = lane; i < self.words; i += 32) {
        self.bitmap[i] = 0;
    }
    __syncwarp();
    for (uint32_t i = lane; i < count; i += 32) {
        const uint32_t bit = bit_of(self, begin, hits[i]);
        atomicOr(&self.bitmap[bit / 32], 1u << bit % 32);
    }
    __syncwarp();
    uint32_t sum = 0;
    for (uint32_t i = lane; i - lane < self.words; i += 32) {
        const uint32_t bits = i < self.words ? (uint32_t)__popc(self.bitmap[i]) : 0;
        uint32_t all;
        const uint32_t before = sum + sum_before(bits, &all);
        if (i < self.words) {
            self.before[i] = (uint16_t)before;
        }
        sum += all;
    }
    __syncwarp();
}

static __device__ __forceinline__ void order_many(const order_context &self, int32_t begin,
                                                  trawl_cuda_qgram_hit *hits, uint32_t count) {
    const uint32_t lane = threadIdx.x % 32;
    make_bitmap(self, begin, hits, count);
    for (uint32_t i = lane; i < count; i += 32) {
        const trawl_cuda_qgram_hit hit = hits[i];
        const uint32_t bit = bit_of(self, begin, hit);
        const uint32_t before = self.bitmap[bit / 32] & ((1u << bit % 32) - 1);
        self.sorted[self.before[bit / 32] + (uint32_t)__popc(before)] = rank_of(hit);
    }
    __syncwarp();
    for (uint32_t i = lane; i < count; i += 32) {
        hits[i] = {(uint32_t)(self.sorted[i] >> 32), (uint32_t)self.sorted[i]};
    }
    __syncwarp();
}

static __global__ void __launch_bounds__(THREADS)
    order_hits(const __grid_constant__ trawl_cuda_slice slice,
               const __grid_constant__ trawl_cuda_output output,
               const __grid_constant__ trawl_cuda_qgram_noted_hits noted, uint32_t tiers,
               uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    if (!trawl_cuda_wanted(output)) {
        return;
    }
    const uint32_t words = strip_bytes * tiers / 32;
    uint64_t *sorted = (uint64_t *)(shared + threadIdx.x / 32 * warp_bytes(noted.capacity, words));
    uint32_t *bitmap = (uint32_t *)(sorted + noted.capacity);
    const order_context self = {noted, tiers, words, sorted, bitmap, (uint16_t *)(bitmap + words)};
    const uint32_t strips = trawl_cuda_strip_count(&slice, strip_bytes);
    for (uint32_t strip = (blockIdx.x * THREADS + threadIdx.x) / 32; strip < strips;
         strip += gridDim.x * WARPS) {
        const uint32_t count = noted.count[strip];
        trawl_cuda_qgram_hit *hits = noted.hits + (size_t)strip * noted.capacity;
        if (count > noted.capacity) {
            continue; /* full_strips.cu does without hits */
        }
        if (count > 32) {
            order_many(self, (int32_t)trawl_cuda_strip_begin(&slice, strip_bytes, strip), hits,
                       count);
        } else if (count > 1) {
            order_few(hits, count);
        }
    }
}

trawl_status trawl_cuda_qgram_order_hits(const trawl_cuda_qgram_call *call, uint32_t tiers,
                                         trawl_error *error) {
    const trawl_cuda_reporter *reporter = call->reporter;
    const uint32_t strips = trawl_cuda_strip_count(&reporter->slice, call->strip_bytes);
    const uint32_t blocks = (strips + WARPS - 1) / WARPS;
    const uint32_t most = (uint32_t)call->device->multiprocessors * trawl_qgram_tuned::order_blocks;
    const uint32_t words = call->strip_bytes * tiers / 32;
    const uint32_t shared = WARPS * warp_bytes(call->noted.capacity, words);
    trawl_status status = trawl_cuda_allow_shared(call->device, order_hits, shared, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH(order_hits, blocks < most ? blocks : most, THREADS, shared, call->stream,
                 reporter->slice, reporter->output, call->noted, tiers, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("order_hits", error);
    return TRAWL_OK;
}
