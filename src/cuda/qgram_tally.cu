/*
 * The second step of a scan where the order of matches does not matter: the second and the third
 * question (qgram.h) for what the first step has listed.
 *
 * Most parts have few candidates or none. So a block takes several parts together, and each of its
 * warps 32 of their candidates at a time, whichever part they are of. Most candidates fail the
 * second question: the ends that are left wait in shared memory until there is one for every
 * thread. Everything else is in registers, so that many look-ups are under way.
 *
 * A candidate's ends count wherever they lie: those of a sample near the end of a part lie in the
 * next one. Where one of the two is not listed (too much passes there), qgram_walk.cu counts all
 * that ends in it and nothing else: ends in such a part are dropped here, and the samples that end
 * where such a part does are asked by the part behind it.
 */
#include "cuda/qgram_settle.cuh"

#define THREADS 256u
#define WARPS (THREADS / 32)

/* Blocks of a multiprocessor at the same time: as many as registers allow. */
#define BLOCKS(report, queued) ((report) || !(queued) ? 4u : 5u)

/* Whether ends wait for the third question; else each thread asks for its own ones at once. */
#ifndef TRAWL_QGRAM_TALLY_QUEUED
#define TRAWL_QGRAM_TALLY_QUEUED true
#endif

/* Parts that a block takes together: fewer when there are not enough of them for all blocks. */
#define MOST_TOGETHER 16u

/* Ends of a warp that wait for the third question: at most 31, and then one more of each thread. */
#define WAITING 64u
#define END_TIER_SHIFT 32
#define END_ALIGNMENT_SHIFT 40

/* Parts that are taken together, one a thread. */
typedef struct together {
    uint32_t first;     /* the first one */
    uint32_t own;       /* candidates of the thread's part */
    uint32_t sum;       /* of it and of those before it */
    uint32_t not_after; /* a bit for each part: the one before it is not listed */
    uint32_t not_ahead; /* the one behind it is not listed */
} together;

/* Parts first .. first + count - 1. Where the part before is not listed, BEFORE more candidates for
 * each tier: the samples that end where the part begins, or before, and reach into it. */
static __device__ __forceinline__ together
take_together(const trawl_cuda_qgram_candidates &candidates, uint32_t tiers, uint32_t parts,
              uint32_t first, uint32_t count) {
    const uint32_t lane = threadIdx.x % 32, part = first + lane, most = candidates.capacity;
    together self = {first, 0, 0, 0, 0};
    bool not_after = false, not_ahead = false;
    if (lane < count && part < parts) {
        uint32_t own = __ldg(candidates.count + part);
        not_after = part == 0 || __ldg(candidates.count + part - 1) > most;
        not_ahead = part + 1 < parts && __ldg(candidates.count + part + 1) > most;
        self.own = own > most ? 0 : own + (not_after ? tiers * TRAWL_CUDA_QGRAM_BEFORE : 0);
    }
    self.not_after = __ballot_sync(FULL, not_after);
    self.not_ahead = __ballot_sync(FULL, not_ahead);
    self.sum = self.own;
#pragma unroll
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        uint32_t other = __shfl_up_sync(FULL, self.sum, distance);
        self.sum += lane < distance ? 0 : other;
    }
    return self;
}

/* Which thread has the part of candidate `item`. All threads of the warp call it. */
static __device__ __forceinline__ uint32_t thread_with(const together &self, uint32_t item) {
    uint32_t thread = 0;
#pragma unroll
    for (uint32_t step = 16; step != 0; step /= 2) {
        uint32_t before = __shfl_sync(FULL, self.sum, (int)(thread + step - 1));
        thread += before <= item ? step : 0;
    }
    return thread;
}

/* Where keys may end by one candidate: before text[end + a] for each bit a of `alignments`. */
typedef struct ends {
    uint32_t number; /* of the tier */
    int32_t end;     /* of the sample */
    uint32_t alignments;
} ends;

/* Candidate `index` of part `thread` of those taken together. */
static __device__ __forceinline__ ends ask_candidate(const trawl_cuda_reporter &reporter,
                                                     const trawl_cuda_qgram_view &view,
                                                     const trawl_cuda_qgram_candidates &candidates,
                                                     uint32_t part_bytes, const together &self,
                                                     uint32_t thread, uint32_t index) {
    const trawl_cuda_piece &piece = reporter.piece;
    const uint32_t part = self.first + thread;
    const int32_t begin = (int32_t)trawl_cuda_part_begin(&piece, part_bytes, part);
    uint32_t asked = (self.not_after >> thread & 1) != 0 ? view.tiers * TRAWL_CUDA_QGRAM_BEFORE : 0;
    bool listed = index >= asked;
    ends result = {index / TRAWL_CUDA_QGRAM_BEFORE, begin, 0};
    if (listed) {
        uint32_t entry =
            __ldg(candidates.list + (size_t)part * candidates.capacity + index - asked);
        result.number = entry >> TRAWL_QGRAM_ENTRY_SHIFT;
        result.end += (int32_t)(entry & ((1u << TRAWL_QGRAM_ENTRY_SHIFT) - 1)) + 1;
    }
    const trawl_cuda_qgram_tables &table = view.table[result.number];
    uint32_t before = 0; /* ends up to here are in the part before */
    if (!listed) {
        before = index % TRAWL_CUDA_QGRAM_BEFORE * table.tier.stride;
        result.end -= (int32_t)before;
    }
    if (table.tier.stride > 1 && before < TRAWL_CUDA_QGRAM_REACH) {
        result.alignments = alignments_of(piece, table, result.end);
    } else {
        result.alignments = listed ? 1 : 0;
    }
    if (!listed) {
        result.alignments &= before < 31 ? ~0u << before << 1 : 0;
    }
    /* Ends are behind `owned` and not behind `past`. */
    int32_t past =
        (self.not_ahead >> thread & 1) != 0 ? begin + (int32_t)part_bytes : (int32_t)piece.length;
    int32_t least = (int32_t)piece.owned + 1 - result.end, most = past - result.end;
    if (least > 0) {
        result.alignments &= least < 32 ? ~0u << least : 0;
    }
    if (most < 31) {
        result.alignments &= most < 0 ? 0 : (2u << most) - 1;
    }
    return result;
}

/* Asks the third question and counts the matches, which REPORT reports. The sample that asks ends
 * `alignment` bytes before. */
template <bool REPORT>
static __device__ __forceinline__ uint32_t tally_end(const trawl_cuda_reporter &reporter,
                                                     const trawl_cuda_qgram_tables &table,
                                                     uint32_t end, uint32_t alignment) {
    uint32_t key = key_before(reporter, table, end);
    if (key == TRAWL_NO_KEY ||
        (table.tier.stride > 1 && alignment - __ldg(table.anchors + key) >= table.tier.stride)) {
        return 0;
    }
    const trawl_cuda_keys &keys = table.endings.keys;
    /* Only in folded tiers there are patterns that have to be compared. */
    if (table.tier.folded != 0 && (__ldg(keys.outputs.verify + key) & TRAWL_VERIFY_CHAIN) != 0) {
        if (!REPORT) {
            return trawl_cuda_qgram_total(reporter, keys, end, key);
        }
        trawl_counter sum = 0; /* all that is ever in memory */
        trawl_cuda_report_key(reporter, keys, end, key, &sum);
        return (uint32_t)sum;
    }
    if (REPORT && reporter.output.pass == TRAWL_CUDA_PASS_ENDS) {
        trawl_cuda_mark_end(reporter, end);
        return 0;
    }
    if (REPORT) {
        atomicAdd(&reporter.output.hits[keys.first_hit + key], (trawl_counter)1);
    }
    return __ldg(keys.outputs.total + key);
}

/* The same for one of the ends that wait. */
template <bool REPORT>
static __device__ __forceinline__ uint32_t tally_waiting(const trawl_cuda_reporter &reporter,
                                                         const trawl_cuda_qgram_view &view,
                                                         uint64_t end) {
    uint32_t above = (uint32_t)(end >> END_TIER_SHIFT);
    return tally_end<REPORT>(reporter, view.table[above & 0xff], (uint32_t)end,
                             above >> (END_ALIGNMENT_SHIFT - END_TIER_SHIFT));
}

template <bool REPORT, bool QUEUED>
static __global__ void __launch_bounds__(THREADS, BLOCKS(REPORT, QUEUED))
    tally(const __grid_constant__ trawl_cuda_reporter reporter,
          const __grid_constant__ trawl_cuda_qgram_view view,
          const __grid_constant__ trawl_cuda_qgram_candidates candidates, uint32_t part_bytes,
          uint32_t count) {
    TRAWL_SHARED(shared);
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t parts = trawl_cuda_part_count(&reporter.piece, part_bytes);
    uint64_t *queue = (uint64_t *)shared + warp * WAITING;
    uint32_t waiting = 0;
    trawl_counter counted = 0;
    for (uint32_t first = blockIdx.x * count; first < parts; first += gridDim.x * count) {
        const together self = take_together(candidates, view.tiers, parts, first, count);
        const uint32_t all = __shfl_sync(FULL, self.sum, 31);
        for (uint32_t begin = 32 * warp; begin < all; begin += THREADS) {
            const uint32_t item = begin + lane;
            const uint32_t thread = thread_with(self, item < all ? item : all - 1);
            const uint32_t before = __shfl_sync(FULL, self.sum - self.own, (int)thread);
            ends found = {0, 0, 0};
            if (item < all) {
                found = ask_candidate(reporter, view, candidates, part_bytes, self, thread,
                                      item - before);
            }
            if (!QUEUED) {
                for (; found.alignments != 0; found.alignments &= found.alignments - 1) {
                    int32_t alignment = __ffs((int)found.alignments) - 1;
                    counted +=
                        tally_end<REPORT>(reporter, view.table[found.number],
                                          (uint32_t)(found.end + alignment), (uint32_t)alignment);
                }
                continue;
            }
            for (uint32_t some = __ballot_sync(FULL, found.alignments != 0); some != 0;
                 some = __ballot_sync(FULL, found.alignments != 0)) {
                if (found.alignments != 0) {
                    int32_t alignment = __ffs((int)found.alignments) - 1;
                    found.alignments &= found.alignments - 1;
                    queue[waiting + (uint32_t)__popc(some & ((1u << lane) - 1))] =
                        (uint64_t)alignment << END_ALIGNMENT_SHIFT |
                        (uint64_t)found.number << END_TIER_SHIFT |
                        (uint32_t)(found.end + alignment);
                }
                waiting += (uint32_t)__popc(some);
                if (waiting >= 32) {
                    __syncwarp();
                    waiting -= 32;
                    uint64_t last = queue[waiting + lane];
                    __syncwarp();
                    counted += tally_waiting<REPORT>(reporter, view, last);
                }
            }
        }
    }
    if (QUEUED) {
        __syncwarp();
        if (lane < waiting) {
            counted += tally_waiting<REPORT>(reporter, view, queue[lane]);
        }
    }
    if (reporter.output.pass != TRAWL_CUDA_PASS_ENDS) {
        add_total(reporter.output, counted, (uint32_t *)shared);
    }
}

template <bool REPORT, bool QUEUED>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    uint32_t parts = trawl_cuda_part_count(&call->reporter->piece, call->part_bytes);
    /* Twice as many blocks as run at once, so that those that end early are replaced. */
    uint32_t blocks = 2 * BLOCKS(REPORT, QUEUED);
    uint32_t count = parts / ((uint32_t)call->device->multiprocessors * blocks);
    count = count < 1 ? 1 : count < MOST_TOGETHER ? count : MOST_TOGETHER;
    TRAWL_LAUNCH((tally<REPORT, QUEUED>), (parts + count - 1) / count, THREADS,
                 WARPS * WAITING * sizeof(uint64_t), call->stream, *call->reporter, *call->view,
                 call->candidates, call->part_bytes, count);
    TRAWL_CUDA_LAUNCHED("tally", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_qgram_tally(const trawl_cuda_qgram_call *call, trawl_error *error) {
    return call->reporter->output.pass == TRAWL_CUDA_PASS_COUNT
               ? run<false, TRAWL_QGRAM_TALLY_QUEUED>(call, error)
               : run<true, TRAWL_QGRAM_TALLY_QUEUED>(call, error);
}
