/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Records from noted hits. The pass that counted matches has noted which keys end where. The sums
 * over the strips' matches are where the records of each strip begin. A warp sorts the hits of a
 * strip by end, then by tier, and writes their records. Among keys with the same end, those of
 * earlier tiers are longer and come first. */
#include "engines/qgram/cuda/find_keys.cuh"

#define THREADS trawl_qgram_tuned::record_threads
#define WARPS (THREADS / 32)

/* Sorts `count` numbers, a power of two, in shared memory by a bitonic network (Batcher 1968). All
 * threads of a warp call this. */
static __device__ __forceinline__ void sort(uint64_t *numbers, uint32_t count) {
    for (uint32_t size = 2; size <= count; size *= 2) {
        for (uint32_t distance = size / 2; distance != 0; distance /= 2) {
            for (uint32_t i = threadIdx.x % 32; i < count / 2; i += 32) {
                uint32_t low = 2 * i - (i & (distance - 1)), high = low + distance;
                uint64_t first = numbers[low], second = numbers[high];
                if ((first > second) == ((low & size) == 0)) {
                    numbers[low] = second;
                    numbers[high] = first;
                }
            }
            __syncwarp();
        }
    }
}

static __global__ void __launch_bounds__(THREADS)
    write_records(const __grid_constant__ trawl_cuda_reporter reporter,
                  const __grid_constant__ trawl_cuda_qgram_view view,
                  const __grid_constant__ trawl_cuda_qgram_noted_hits noted, uint32_t strips,
                  uint32_t room) {
    TRAWL_SHARED(shared);
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    const uint32_t lane = threadIdx.x % 32;
    uint64_t *sorted = (uint64_t *)shared + threadIdx.x / 32 * room;
    for (uint32_t strip = (blockIdx.x * THREADS + threadIdx.x) / 32; strip < strips;
         strip += gridDim.x * WARPS) {
        const uint32_t count = noted.count[strip];
        if (count == 0 || count > noted.capacity) {
            continue;
        }
        uint32_t padded = 2;
        while (padded < count) {
            padded *= 2;
        }
        const trawl_cuda_qgram_hit *hits = noted.hits + (size_t)strip * noted.capacity;
        for (uint32_t i = lane; i < padded; i += 32) {
            sorted[i] = i < count ? (uint64_t)hits[i].end << 32 | hits[i].key : ~UINT64_C(0);
        }
        __syncwarp();
        sort(sorted, padded);
        trawl_counter cursor = reporter.output.sizes[strip];
        for (uint32_t i = lane; i - lane < count; i += 32) {
            const uint64_t hit = i < count ? sorted[i] : 0;
            const uint32_t end = (uint32_t)(hit >> 32);
            const uint32_t key = (uint32_t)hit & ((1u << TRAWL_QGRAM_TIER_SHIFT) - 1);
            const trawl_cuda_keys &keys =
                view.table[(uint32_t)hit >> TRAWL_QGRAM_TIER_SHIFT].endings.keys;
            uint32_t own = i < count ? trawl_cuda_qgram_total(reporter, keys, end, key) : 0;
            uint32_t all;
            trawl_counter at = cursor + sum_before(own, &all);
            if (own == 1 && __ldg(keys.outputs.link + key) == TRAWL_NO_KEY &&
                (__ldg(keys.outputs.verify + key) & TRAWL_VERIFY_CHAIN) == 0) {
                uint32_t id = __ldg(keys.outputs.ids + __ldg(keys.outputs.first + key));
                reporter.output.matches[at] = {reporter.slice.base + end, id,
                                               __ldg(keys.outputs.length + key)};
            } else if (own != 0) {
                trawl_cuda_report_key(reporter, keys, end, key, &at);
            }
            cursor += all;
        }
        __syncwarp();
        if (lane == 0) {
            reporter.output.sizes[strip] = cursor;
        }
    }
}

trawl_status trawl_cuda_qgram_write_records(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t strips = trawl_cuda_strip_count(&call->reporter->slice, call->strip_bytes);
    uint32_t blocks = (strips + WARPS - 1) / WARPS;
    uint32_t most = (uint32_t)call->device->multiprocessors * trawl_qgram_tuned::record_blocks,
             room = 2;
    while (room < call->noted.capacity) {
        room *= 2;
    }
    TRAWL_LAUNCH(write_records, blocks < most ? blocks : most, THREADS,
                 WARPS * room * sizeof(uint64_t), call->stream, *call->reporter, *call->view,
                 call->noted, strips, room);
    TRAWL_CUDA_LAUNCHED("write_records", error);
    return TRAWL_OK;
}
