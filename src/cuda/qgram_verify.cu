/*
 * The second step of a scan for records: the second and the third question (qgram.h) for what the
 * first step has listed, part by part, so that hits are noted in the order of the text. A warp
 * takes a part; blocks are small and need little shared memory, so that the first cache is large
 * and many look-ups are under way. Where order does not matter, qgram_tally.cu does the same
 * faster.
 */
#include "cuda/qgram_settle.cuh"

#define THREADS 256u

static __global__ void __launch_bounds__(THREADS, 4)
    verify(const __grid_constant__ trawl_cuda_reporter reporter,
           const __grid_constant__ trawl_cuda_qgram_view view,
           const __grid_constant__ trawl_cuda_qgram_candidates candidates,
           const __grid_constant__ trawl_cuda_qgram_notes notes, uint32_t part_bytes) {
    TRAWL_SHARED(shared);
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t bitmap_words = part_bytes / 32 + 1;
    const uint32_t warp_words = view.tiers * bitmap_words + TRAWL_QGRAM_QUEUE;
    trawl_cuda_qgram_view *near = (trawl_cuda_qgram_view *)shared;
    for (uint32_t i = threadIdx.x; i < sizeof view / 4; i += THREADS) {
        ((uint32_t *)near)[i] = ((const uint32_t *)&view)[i];
    }
    uint32_t *own = (uint32_t *)shared + TRAWL_QGRAM_VIEW_WORDS + threadIdx.x / 32 * warp_words;
    for (uint32_t i = lane; i < warp_words; i += 32) {
        own[i] = 0;
    }
    __syncthreads();
    const surroundings around = {
        &reporter, near, &notes, NULL, own, own + view.tiers * bitmap_words, bitmap_words};
    const trawl_cuda_piece &piece = reporter.piece;
    const uint32_t parts = trawl_cuda_part_count(&piece, part_bytes);
    for (uint32_t part = (blockIdx.x * THREADS + threadIdx.x) / 32; part < parts;
         part += gridDim.x * (THREADS / 32)) {
        uint32_t count = candidates.count[part];
        if (count > candidates.capacity) {
            continue;
        }
        const uint16_t *list = candidates.list + (size_t)part * candidates.capacity;
        int64_t begin = trawl_cuda_part_begin(&piece, part_bytes, part);
        int64_t past = begin + part_bytes;
        place place;
        memset(&place, 0, sizeof place);
        place.round = (int32_t)begin;
        place.first = begin < (int64_t)piece.owned ? piece.owned : (uint32_t)begin;
        place.past = past > (int64_t)piece.length ? piece.length : (uint32_t)past;
        place.part = part;
        place.bits |= ask_before(around, place.round);
        for (uint32_t i = lane; i < count; i += 32) {
            uint32_t entry = list[i], number = entry >> TRAWL_QGRAM_ENTRY_SHIFT;
            uint32_t last = entry & ((1u << TRAWL_QGRAM_ENTRY_SHIFT) - 1);
            if (near->table[number].tier.stride > 1) {
                place.bits |= ask_align(around, place.round, number, (int32_t)last + 1);
            } else {
                atomicOr(&around.bitmaps[number * bitmap_words + last / 32], 1u << (last % 32));
                place.bits = 1;
            }
        }
        if (__any_sync(FULL, place.bits != 0)) {
            settled result = settle<NOTE>(around, place);
            place.cursor = result.cursor;
            place.noted = result.noted;
            __syncwarp();
            if (lane < view.tiers) { /* what ends behind the part is another warp's */
                around.bitmaps[lane * bitmap_words] = 0;
            }
            __syncwarp();
        }
        hand_in_part(reporter.output, notes, place);
    }
}

trawl_status trawl_cuda_qgram_verify(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t parts = trawl_cuda_part_count(&call->reporter->piece, call->part_bytes);
    uint32_t warp_words = call->view->tiers * (call->part_bytes / 32 + 1) + TRAWL_QGRAM_QUEUE;
    uint32_t bytes = 4 * (TRAWL_QGRAM_VIEW_WORDS + THREADS / 32 * warp_words);
    uint32_t blocks = (parts + THREADS / 32 - 1) / (THREADS / 32);
    uint32_t most = (uint32_t)call->device->multiprocessors * 8;
    trawl_status status = trawl_cuda_allow_shared(call->device, verify, bytes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    TRAWL_LAUNCH(verify, blocks < most ? blocks : most, THREADS, bytes, call->stream,
                 *call->reporter, *call->view, call->candidates, call->notes, call->part_bytes);
    TRAWL_CUDA_LAUNCHED("verify", error);
    return TRAWL_OK;
}
