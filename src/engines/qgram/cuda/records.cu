/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Records from noted hits in order (order_hits.cu). The pass that counted matches has noted which
 * keys end where. The sums over the strips' matches are where the records of each strip begin. Each
 * thread of a warp has one hit of the strip, so that most records of a warp follow each other. */
#include "engines/qgram/cuda/find_keys.cuh"

#define THREADS trawl_qgram_tuned::record_threads
#define WARPS (THREADS / 32)

/* A thread's hit and the matches it stands for. */
typedef struct hit_matches {
    trawl_key_record record; /* of its key */
    uint32_t end, number, key;
    uint32_t total;
} hit_matches;

/* As trawl_record_is_plain. */
static __device__ __forceinline__ bool is_plain(const trawl_key_record &record) {
    return record.patterns == 1 && record.link == TRAWL_NO_KEY;
}

static __device__ __forceinline__ hit_matches matches_of(const trawl_cuda_reporter &reporter,
                                                         const trawl_cuda_qgram_view &view,
                                                         const trawl_cuda_qgram_hit &hit) {
    hit_matches result;
    result.end = hit.end;
    result.number = hit.key >> TRAWL_QGRAM_TIER_SHIFT;
    result.key = hit.key & ((1u << TRAWL_QGRAM_TIER_SHIFT) - 1);
    const trawl_cuda_keys &keys = view.table[result.number].endings.keys;
    const uint4 words = __ldg((const uint4 *)keys.outputs.records + result.key);
    result.record = {words.x, words.y, words.z, words.w};
    result.total =
        is_plain(result.record) ? 1 : trawl_cuda_total(reporter, keys, hit.end, result.key);
    return result;
}

static __global__ void __launch_bounds__(THREADS)
    write_records(const __grid_constant__ trawl_cuda_reporter reporter,
                  const __grid_constant__ trawl_cuda_qgram_view view,
                  const __grid_constant__ trawl_cuda_qgram_noted_hits noted, uint32_t strips) {
    if (!trawl_cuda_wanted(reporter.output)) {
        return;
    }
    const uint32_t lane = threadIdx.x % 32;
    for (uint32_t strip = (blockIdx.x * THREADS + threadIdx.x) / 32; strip < strips;
         strip += gridDim.x * WARPS) {
        const uint32_t count = noted.count[strip];
        if (count == 0 || count > noted.capacity) {
            continue;
        }
        const trawl_cuda_qgram_hit *hits = noted.hits + (size_t)strip * noted.capacity;
        trawl_counter cursor = reporter.output.sizes[strip];
        for (uint32_t i = lane; i - lane < count; i += 32) {
            hit_matches own = {{0, 0, 0, 0}, 0, 0, 0, 0};
            if (i < count) {
                own = matches_of(reporter, view, hits[i]);
            }
            uint32_t all;
            trawl_counter at = cursor + sum_before(own.total, &all);
            if (own.total == 1 && is_plain(own.record)) {
                reporter.output.matches[at] = {reporter.slice.base + own.end, own.record.ids,
                                               own.record.length};
            } else if (own.total != 0) {
                trawl_cuda_report_key(reporter, view.table[own.number].endings.keys, own.end,
                                      own.key, &at);
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
    uint32_t most = (uint32_t)call->device->multiprocessors * trawl_qgram_tuned::record_blocks;
    TRAWL_LAUNCH(write_records, blocks < most ? blocks : most, THREADS, 0, call->stream,
                 *call->reporter, *call->view, call->noted, strips);
    TRAWL_CUDA_LAUNCHED("write_records", error);
    return TRAWL_OK;
}
