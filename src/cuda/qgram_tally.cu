/*
 * The second step of a scan: the second and the third question (qgram.h) for what the first step
 * has listed.
 *
 * A warp takes so many parts together that some dozens of candidates may be expected of them, and
 * 32 of these at a time, whichever part they are of. Of parts with many it takes a share only, so
 * that no warp has much more to do than others. Most candidates fail the second question: the ends
 * that are left wait in shared memory until there is one for every thread. Everything else is in
 * registers, so that many look-ups are under way.
 */
#include "cuda/qgram_tally.cuh"

#define THREADS 256u
#define WARPS (THREADS / 32)
#define EXPECTED 96u /* candidates that a warp takes together */
#define SHARE 512u   /* of a part's, at most */

/* Blocks of a multiprocessor at the same time: as many as registers allow. */
#define BLOCKS 4u

/* Ends of a warp that wait for the third question: at most 31, and then one more of each thread. */
#define WAITING 64u
#define END_TIER_SHIFT 32
#define END_ALIGNMENT_SHIFT 40

/* A warp's ends that wait. All threads of the warp have the same. */
typedef struct queue {
    uint64_t *ends; /* in shared memory */
    uint32_t waiting;
} queue;

/* The third question for one of the ends that wait. */
template <bool REPORT>
static __device__ __forceinline__ uint32_t tally_waiting(const tallying &tallying,
                                                         const trawl_cuda_qgram_view &view,
                                                         uint64_t end) {
    uint32_t above = (uint32_t)(end >> END_TIER_SHIFT), number = above & 0xff;
    return tally_end<REPORT>(tallying, view.table[number], number, (uint32_t)end,
                             above >> (END_ALIGNMENT_SHIFT - END_TIER_SHIFT));
}

/* Lets all ends wait; returns what is counted meanwhile. */
template <bool REPORT>
static __device__ __forceinline__ trawl_counter wait(const tallying &tallying,
                                                     const trawl_cuda_qgram_view &view, queue *self,
                                                     ends found) {
    const uint32_t lane = threadIdx.x % 32;
    trawl_counter counted = 0;
    for (uint32_t some = __ballot_sync(FULL, found.alignments != 0); some != 0;
         some = __ballot_sync(FULL, found.alignments != 0)) {
        if (found.alignments != 0) {
            int32_t alignment = __ffs((int)found.alignments) - 1;
            found.alignments &= found.alignments - 1;
            self->ends[self->waiting + (uint32_t)__popc(some & ((1u << lane) - 1))] =
                (uint64_t)alignment << END_ALIGNMENT_SHIFT |
                (uint64_t)found.number << END_TIER_SHIFT | (uint32_t)(found.end + alignment);
        }
        self->waiting += (uint32_t)__popc(some);
        if (self->waiting >= 32) {
            __syncwarp();
            self->waiting -= 32;
            uint64_t last = self->ends[self->waiting + lane];
            __syncwarp();
            counted += tally_waiting<REPORT>(tallying, view, last);
        }
    }
    return counted;
}

/* Which thread has the part of candidate `item`, where each has the sum of the candidates up to its
 * part's. All threads of the warp call it. */
static __device__ __forceinline__ uint32_t thread_with(uint32_t sum, uint32_t item) {
    uint32_t thread = 0;
#pragma unroll
    for (uint32_t step = 16; step != 0; step /= 2) {
        uint32_t before = __shfl_sync(FULL, sum, (int)(thread + step - 1));
        thread += before <= item ? step : 0;
    }
    return thread;
}

/* Candidates from..past - 1 of one part for each thread, which may be none. Returns what is counted
 * meanwhile. */
template <bool REPORT>
static __device__ __forceinline__ trawl_counter
take_parts(const tallying &tallying, const trawl_cuda_qgram_view &view,
           const trawl_cuda_qgram_candidates &candidates, queue *queue, uint32_t part,
           uint32_t from, uint32_t past) {
    const trawl_cuda_piece &piece = tallying.reporter->piece;
    const uint32_t lane = threadIdx.x % 32, own = past - from;
    trawl_counter counted = 0;
    uint32_t all, before = sum_before(own, &all);
    for (uint32_t i = lane; i - lane < all; i += 32) {
        const uint32_t thread = thread_with(before + own, i < all ? i : all - 1);
        const uint32_t first = __shfl_sync(FULL, from - before, (int)thread);
        const uint32_t its = __shfl_sync(FULL, part, (int)thread);
        ends found = {0, 0, 0};
        if (i < all) {
            uint32_t entry =
                __ldg(candidates.list + (size_t)its * candidates.capacity + (first + i));
            uint32_t number = entry >> TRAWL_QGRAM_ENTRY_SHIFT;
            int32_t end = (int32_t)trawl_cuda_part_begin(&piece, tallying.part_bytes, its) +
                          (int32_t)(entry & (TRAWL_QGRAM_MOST_PART - 1)) + 1;
            found = ask_sample(piece, view.table[number], number, end);
        }
        counted += wait<REPORT>(tallying, view, queue, found);
    }
    return counted;
}

/* How many candidates a part has; of those with too many qgram_rest.cu does all. */
static __device__ __forceinline__ uint32_t listed_of(const trawl_cuda_qgram_candidates &candidates,
                                                     uint32_t part, uint32_t parts) {
    uint32_t count = part < parts ? __ldg(candidates.count + part) : 0;
    return count <= candidates.capacity ? count : 0;
}

template <bool REPORT>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    tally(const __grid_constant__ trawl_cuda_reporter reporter,
          const __grid_constant__ trawl_cuda_qgram_view view,
          const __grid_constant__ trawl_cuda_qgram_candidates candidates,
          const __grid_constant__ trawl_cuda_qgram_notes notes, uint32_t part_bytes) {
    TRAWL_SHARED(shared);
    const tallying tallying = {&reporter, &notes, part_bytes};
    const trawl_cuda_piece &piece = reporter.piece;
    const uint32_t parts = trawl_cuda_part_count(&piece, part_bytes);
    queue queue = {(uint64_t *)shared + threadIdx.x / 32 * WAITING, 0};
    const uint32_t warp = (blockIdx.x * THREADS + threadIdx.x) / 32;
    trawl_counter counted = 0;
    if (warp == 0) {
        counted += wait<REPORT>(tallying, view, &queue, ask_before(piece, view));
    }
    const uint32_t warps = gridDim.x * WARPS, lane = threadIdx.x % 32;
    uint64_t together = (uint64_t)EXPECTED * parts / (*candidates.listed + 1);
    const uint32_t each = together < 1 ? 1 : together < 32 ? (uint32_t)together : 32;
    for (uint32_t first = warp * each; first < parts; first += warps * each) {
        uint32_t count = lane < each ? listed_of(candidates, first + lane, parts) : 0;
        counted += take_parts<REPORT>(tallying, view, candidates, &queue, first + lane, 0,
                                      count < SHARE ? count : SHARE);
    }
    /* What parts have beyond that. Such parts are often next to each other: 32 that are not. */
    const uint32_t apart = (parts + 31) / 32;
    for (uint32_t item = warp; item < apart * ((candidates.capacity - 1) / SHARE); item += warps) {
        uint32_t part = lane * apart + item % apart, from = (item / apart + 1) * SHARE;
        uint32_t count = listed_of(candidates, part, parts);
        count = count < from + SHARE ? count : from + SHARE;
        if (__any_sync(FULL, count > from)) {
            counted += take_parts<REPORT>(tallying, view, candidates, &queue, part, from,
                                          count < from ? from : count);
        }
    }
    __syncwarp();
    if (lane < queue.waiting) {
        counted += tally_waiting<REPORT>(tallying, view, queue.ends[lane]);
    }
    hand_in<REPORT>(reporter.output, counted, (uint32_t *)shared);
}

template <bool REPORT>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    TRAWL_LAUNCH((tally<REPORT>), (uint32_t)call->device->multiprocessors * BLOCKS, THREADS,
                 WARPS * WAITING * sizeof(uint64_t), call->stream, *call->reporter, *call->view,
                 call->candidates, call->notes, call->part_bytes);
    TRAWL_CUDA_LAUNCHED("tally", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_qgram_tally(const trawl_cuda_qgram_call *call, trawl_error *error) {
    return call->reporter->output.pass == TRAWL_CUDA_PASS_COUNT ? run<false>(call, error)
                                                                : run<true>(call, error);
}
