/*
 * The second step of a scan: the second and the third question (qgram.h) for what the first step
 * has listed.
 *
 * A warp takes the next candidates of some parts together, 32 at a time, whichever part they are
 * of: of as many parts as it takes to have enough of them, and of none so many that others wait for
 * this warp. Candidates that follow each other are next to each other in the text, and so are those
 * of a block's warps: more of them at a time, from all over the text, took longer. Most fail the
 * second question: the ends that are left wait in shared memory until there is one for every
 * thread.
 */
#include "cuda/qgram_tally.cuh"

#define THREADS 256u
#define WARPS (THREADS / 32)
#define SHARE 64u     /* candidates of a part that a warp takes, at most */
#define EXPECTED 256u /* of all parts that it takes */

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

/* Asks for candidates from .. past - 1 of one part for each thread, which may be none. Returns what
 * is counted meanwhile. */
template <bool REPORT>
static __device__ __forceinline__ trawl_counter
take_parts(const tallying &tallying, const trawl_cuda_qgram_view &view,
           const trawl_cuda_qgram_candidates &candidates, queue *queue, uint32_t part,
           uint32_t from, uint32_t past) {
    const trawl_cuda_piece &piece = tallying.reporter->piece;
    const uint32_t own = past - from;
    trawl_counter counted = 0;
    uint32_t all, before = sum_before(own, &all);
    for (uint32_t i = threadIdx.x % 32; i - threadIdx.x % 32 < all; i += 32) {
        const bool there = i < all;
        const uint32_t item = there ? i : all - 1, thread = thread_with(before + own, item);
        const uint32_t its = __shfl_sync(FULL, part, (int)thread);
        const uint32_t index = __shfl_sync(FULL, from - before, (int)thread) + item;
        ends found = {0, 0, 0};
        if (there) {
            uint32_t entry = __ldg(candidates.list + (size_t)its * candidates.capacity + index);
            found = ask_sample(piece, view, entry >> TRAWL_QGRAM_ENTRY_SHIFT,
                               (int32_t)trawl_cuda_part_begin(&piece, tallying.part_bytes, its) +
                                   (int32_t)(entry & (TRAWL_QGRAM_MOST_PART - 1)) + 1);
        }
        counted += wait<REPORT>(tallying, view, queue, found);
    }
    return counted;
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
    const uint32_t usual = *candidates.listed / parts, most = usual < SHARE ? usual : SHARE;
    const uint32_t each = most * 32 < EXPECTED ? 32 : EXPECTED / most;
    const uint32_t groups = (parts + each - 1) / each;
    const uint32_t shares = (*candidates.longest + SHARE - 1) / SHARE;
    for (uint64_t turn = warp; turn < (uint64_t)groups * shares; turn += warps) {
        uint32_t part = (uint32_t)(turn % groups) * each + lane;
        uint32_t from = (uint32_t)(turn / groups) * SHARE;
        uint32_t count = lane < each && part < parts ? __ldg(candidates.count + part) : 0;
        count = count <= candidates.capacity ? count : 0; /* else qgram_rest.cu does that part */
        count = count < from ? from : count < from + SHARE ? count : from + SHARE;
        if (__any_sync(FULL, count > from)) {
            counted += take_parts<REPORT>(tallying, view, candidates, &queue, part, from, count);
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
