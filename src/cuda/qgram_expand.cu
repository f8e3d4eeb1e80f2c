/* Records from hits: what the counting walk has noted says which keys end where, and the sums over
 * the parts where their records go. A warp writes a part's. */
#include "cuda/qgram.cuh"

#define FULL 0xffffffffu
#define THREADS 256u

static __global__ void __launch_bounds__(THREADS)
    expand(const __grid_constant__ trawl_cuda_reporter reporter,
           const __grid_constant__ trawl_cuda_qgram_view view,
           const __grid_constant__ trawl_cuda_qgram_notes notes, uint32_t parts) {
    uint32_t part = (blockIdx.x * THREADS + threadIdx.x) / 32;
    if (part >= parts || !trawl_cuda_wanted(reporter.output)) {
        return;
    }
    uint32_t count = notes.count[part];
    if (count == 0 || count > notes.capacity) {
        return;
    }
    const uint32_t lane = threadIdx.x % 32;
    const trawl_cuda_qgram_hit *hits = notes.hits + (size_t)part * notes.capacity;
    trawl_counter cursor = reporter.output.sizes[part];
    for (uint32_t i = lane; i - lane < count; i += 32) {
        trawl_cuda_qgram_hit hit = {0, TRAWL_NO_KEY};
        if (i < count) {
            hit = hits[i];
        }
        const trawl_cuda_keys &keys =
            view.table[hit.key == TRAWL_NO_KEY ? 0 : hit.key >> TRAWL_QGRAM_TIER_SHIFT]
                .endings.keys;
        uint32_t key = hit.key & ((1u << TRAWL_QGRAM_TIER_SHIFT) - 1);
        uint32_t own = 0;
        if (hit.key != TRAWL_NO_KEY) {
            own = trawl_cuda_qgram_total(reporter, keys, hit.end, key);
        }
        uint32_t inclusive = own;
#pragma unroll
        for (uint32_t distance = 1; distance < 32; distance *= 2) {
            uint32_t other = __shfl_up_sync(FULL, inclusive, distance);
            inclusive += lane < distance ? 0 : other;
        }
        trawl_counter at = cursor + (inclusive - own);
        if (own == 1 && __ldg(keys.outputs.link + key) == TRAWL_NO_KEY &&
            (__ldg(keys.outputs.verify + key) & TRAWL_VERIFY_CHAIN) == 0) {
            uint32_t id = __ldg(keys.outputs.ids + __ldg(keys.outputs.first + key));
            reporter.output.matches[at] = {reporter.piece.base + hit.end, id,
                                           __ldg(keys.outputs.length + key)};
        } else if (own != 0) {
            trawl_cuda_report_key(reporter, keys, hit.end, key, &at);
        }
        cursor += __shfl_sync(FULL, inclusive, 31);
    }
    __syncwarp();
    if (lane == 0) {
        reporter.output.sizes[part] = cursor;
    }
}

trawl_status trawl_cuda_qgram_expand(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t parts = trawl_cuda_part_count(&call->reporter->piece, call->part_bytes);
    uint32_t blocks = (parts + THREADS / 32 - 1) / (THREADS / 32);
    TRAWL_LAUNCH(expand, blocks, THREADS, 0, call->stream, *call->reporter, *call->view,
                 call->notes, parts);
    TRAWL_CUDA_LAUNCHED("expand", error);
    return TRAWL_OK;
}
