/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The verify step: looks up end offsets and keys for all candidates that the filter step has
 * listed.
 *
 * Each look-up excludes most of what it is given. So that all 32 threads of a warp still have
 * something to look up, each look-up has a queue in shared memory, and is done when its queue has
 * an entry for every thread:
 *
 *     candidate words ─► samples ─► ends ─► ends with keys ─► match
 *                  end offsets     hash table     comparison
 *
 * Warps take shares of the lists: a share is the next words of some strips. A warp takes a share as
 * soon as its queues have room. All warps work in the same region of the text at the same time, so
 * that the text stays in caches; shares from all over the text took longer.
 */
#include "engines/qgram/cuda/verify.cuh"
#include "engines/qgram/cuda/verify_shares.cuh"

#define THREADS trawl_qgram_tuned::verify_threads
#define WARPS (THREADS / 32)

/* Blocks that a multiprocessor runs at the same time. */
#define BLOCKS(after, anchors)                                                                     \
    ((after) == AFTER_REPORT ? trawl_qgram_tuned::verify_blocks_reporting                          \
     : (anchors)             ? trawl_qgram_tuned::verify_blocks_anchors                            \
                             : trawl_qgram_tuned::verify_blocks_counting)

/* Where the end offset begins in an entry for an end. */
#define END_OFFSET_SHIFT 40

/*
 * The queues of a warp.
 *
 *               63     40 39    32 31     0
 *     samples   |         tier    | end    |   a candidate, by its end in the slice
 *     ends      | offset | tier   | end    |   end of a match that is possible
 *     ranges    | offset | tier   | end    |   the same, where the text ends like some keys
 */
typedef struct queues {
    uint64_t samples[WAITING]; /* candidates */
    uint64_t ends[WAITING];    /* possible ends, with their end offsets */
    uint64_t ranges[WAITING];  /* possible ends at which the text has the ending of some keys: */
    uint64_t ending[WAITING];  /* that ending (trawl_ending_number) */
    uint2 keys[WAITING];       /* the first of these keys, and one past the last (key_range) */
    uint32_t expected[2][WAITING]; /* of ends and of ranges: verify_end */
} queues;

/* The state of a warp. All members but `counted` have the same value in all threads. */
typedef struct work {
    const verify_context *context;
    const trawl_cuda_qgram_view *view;
    queues *queued;
    uint32_t waiting_samples, waiting_ends, waiting_ranges;
    trawl_counter counted;
} work;

/* ------------------------------------------------------------------ keys */

/* Takes ends from the last queue, and compares the text with the keys that have its ending. */
template <after_verify AFTER, bool ANCHORS>
static __device__ __forceinline__ void compare_inline(work *self) {
    const queues *queued = self->queued;
    bool there;
    const uint64_t end = take(queued->ranges, &self->waiting_ranges, &there);
    const uint32_t at = self->waiting_ranges + threadIdx.x % 32;
    verified_end found = {0, 0, 0, 0};
    if (there) {
        const key_range range = {queued->keys[at].x, queued->keys[at].y, queued->ending[at]};
        const uint32_t number = tier_of(end);
        const trawl_cuda_qgram_tables &table = self->view->table[number];
        if (ANCHORS && range.last == TRAWL_NO_KEY) {
            found = verify_entry<AFTER>(*self->context, table, number, (uint32_t)end, range.first,
                                        (uint32_t)range.ending);
        } else {
            const uint32_t expected = ANCHORS ? queued->expected[1][at] : TRAWL_NO_KEY;
            found = verify_end<AFTER>(*self->context, table, number, (uint32_t)end,
                                      (uint32_t)(end >> END_OFFSET_SHIFT), expected, range);
        }
    }
    __syncwarp();
    if (AFTER == AFTER_NOTE) {
        note_hits(*self->context, found);
    } else {
        self->counted += found.total;
    }
}

/* What a step that is not compiled in place leaves. */
typedef struct step_result {
    uint32_t waiting_ends, waiting_ranges;
    uint32_t counted; /* by the thread */
} step_result;

static __device__ __forceinline__ work work_of_step(const verify_context *context,
                                                    const trawl_cuda_qgram_view *view,
                                                    queues *queued, uint32_t waiting_ends,
                                                    uint32_t waiting_ranges) {
    return {context, view, queued, 0, waiting_ends, waiting_ranges, 0};
}

static __device__ __forceinline__ void add_step(work *self, const step_result &result) {
    self->waiting_ends = result.waiting_ends;
    self->waiting_ranges = result.waiting_ranges;
    self->counted += result.counted;
}

template <after_verify AFTER>
static __device__ __noinline__ step_result compare_apart(const verify_context *context,
                                                         const trawl_cuda_qgram_view *view,
                                                         queues *queued, uint32_t waiting_ends,
                                                         uint32_t waiting_ranges) {
    work step = work_of_step(context, view, queued, waiting_ends, waiting_ranges);
    compare_inline<AFTER, true>(&step);
    return {waiting_ends, step.waiting_ranges, (uint32_t)step.counted};
}

/* With free anchors there are several callers: one copy of the code serves all. */
template <after_verify AFTER, bool ANCHORS>
static __device__ __forceinline__ void compare_keys(work *self) {
    if constexpr (ANCHORS) {
        add_step(self, compare_apart<AFTER>(self->context, self->view, self->queued,
                                            self->waiting_ends, self->waiting_ranges));
    } else {
        compare_inline<AFTER, false>(self);
    }
}

/* Takes ends from the second queue, and looks up the range of keys with the text's ending. */
template <after_verify AFTER, bool ANCHORS>
static __device__ __forceinline__ void look_up_inline(work *self) {
    queues *queued = self->queued;
    bool there;
    const uint64_t end = take(queued->ends, &self->waiting_ends, &there);
    const uint32_t expected =
        ANCHORS ? queued->expected[0][self->waiting_ends + threadIdx.x % 32] : TRAWL_NO_KEY;
    key_range range = {0, 0, 0};
    __syncwarp();
    if (there) {
        range = keys_with_ending(*self->context->reporter, self->view->table[tier_of(end)],
                                 (uint32_t)end);
    }
    const uint32_t some = __ballot_sync(FULL, range.first != range.last);
    if (range.first != range.last) {
        const uint32_t to = self->waiting_ranges + rank_among(some);
        queued->ranges[to] = end;
        queued->ending[to] = range.ending;
        queued->keys[to] = make_uint2(range.first, range.last);
        if (ANCHORS) {
            queued->expected[1][to] = expected;
        }
    }
    self->waiting_ranges += (uint32_t)__popc(some);
    if (self->waiting_ranges >= 32) {
        compare_keys<AFTER, ANCHORS>(self);
    }
}

template <after_verify AFTER>
static __device__ __noinline__ step_result look_up_apart(const verify_context *context,
                                                         const trawl_cuda_qgram_view *view,
                                                         queues *queued, uint32_t waiting_ends,
                                                         uint32_t waiting_ranges) {
    work step = work_of_step(context, view, queued, waiting_ends, waiting_ranges);
    look_up_inline<AFTER, true>(&step);
    return {step.waiting_ends, step.waiting_ranges, (uint32_t)step.counted};
}

template <after_verify AFTER, bool ANCHORS>
static __device__ __forceinline__ void look_up_endings(work *self) {
    if constexpr (ANCHORS) {
        add_step(self, look_up_apart<AFTER>(self->context, self->view, self->queued,
                                            self->waiting_ends, self->waiting_ranges));
    } else {
        look_up_inline<AFTER, false>(self);
    }
}

/* The lowest end offset; only those of free anchors are above 31. */
template <bool ANCHORS>
static __device__ __forceinline__ int32_t first_end_offset(uint64_t end_offsets) {
    return ANCHORS ? __ffsll((long long)end_offsets) - 1 : __ffs((int)end_offsets) - 1;
}

/* Puts all possible ends of the threads' samples into the queue. */
template <after_verify AFTER, bool ANCHORS>
static __device__ __forceinline__ void queue_ends(work *self, ends found) {
    for (uint32_t some = __ballot_sync(FULL, found.end_offsets != 0); some != 0;
         some = __ballot_sync(FULL, found.end_offsets != 0)) {
        if (found.end_offsets != 0) {
            int32_t end_offset = first_end_offset<ANCHORS>(found.end_offsets);
            found.end_offsets &= found.end_offsets - 1;
            const uint32_t to = self->waiting_ends + rank_among(some);
            self->queued->ends[to] = (uint64_t)end_offset << END_OFFSET_SHIFT |
                                     (uint64_t)found.number << END_TIER_SHIFT |
                                     (uint32_t)(found.end + end_offset);
            if (ANCHORS) {
                self->queued->expected[0][to] = TRAWL_NO_KEY;
            }
        }
        self->waiting_ends += (uint32_t)__popc(some);
        if (self->waiting_ends >= 32) {
            look_up_endings<AFTER, ANCHORS>(self);
        }
    }
}

/* ------------------------------------------------------------------ free anchors */

/* Puts a key of each thread's candidate into a queue, whose value the text has: into the last one,
 * to be compared and counted; or into the second one, if a longer key may end there. `end`: of the
 * sample. */
template <after_verify AFTER>
static __device__ __forceinline__ void queue_entry(work *self, anchor_candidate *candidate,
                                                   uint32_t number, int32_t end) {
    const trawl_cuda_qgram_tables &table = self->view->table[number];
    uint4 entry = {0, 0, 0, 0};
    bool found = candidate->matched != 0;
    if (found) {
        entry = take_entry(candidate);
        end += (int32_t)(entry_end(entry) - table.tier.gram);
        found = may_end_at(self->context->reporter->slice, entry, end);
    }
    const uint32_t flags = entry_shift(entry);
    const bool is_asked =
        found && !counts_own<AFTER>(table) && (flags & TRAWL_CUDA_ANCHOR_EXTENDED) != 0;
    const bool is_counted =
        found && counts_own<AFTER>(table) &&
        (flags & (TRAWL_CUDA_ANCHOR_WHOLE | TRAWL_CUDA_ANCHOR_SINGLE)) == TRAWL_CUDA_ANCHOR_SINGLE;
    const bool is_known = found && !is_asked && !is_counted;
    const uint64_t place = (uint64_t)number << END_TIER_SHIFT | (uint32_t)end;
    queues *queued = self->queued;
    self->counted += is_counted ? 1 : 0;
    const uint32_t known = __ballot_sync(FULL, is_known), asked = __ballot_sync(FULL, is_asked);
    if (is_known) {
        const uint32_t to = self->waiting_ranges + rank_among(known);
        queued->ranges[to] = place;
        queued->ending[to] = flags;
        queued->keys[to] = make_uint2(entry.z, TRAWL_NO_KEY);
    }
    if (is_asked) {
        const uint32_t to = self->waiting_ends + rank_among(asked);
        queued->ends[to] = place;
        queued->expected[0][to] = entry.z;
    }
    self->waiting_ranges += (uint32_t)__popc(known);
    self->waiting_ends += (uint32_t)__popc(asked);
    if (self->waiting_ranges >= 32) {
        compare_keys<AFTER, true>(self);
    }
    if (self->waiting_ends >= 32) {
        look_up_endings<AFTER, true>(self);
    }
}

/* The end offsets in a crowded bucket that lead to owned ends in the slice. */
static __device__ __forceinline__ uint64_t crowded_ends(const trawl_cuda_slice &slice,
                                                        uint64_t crowded, int32_t end) {
    const int32_t most = (int32_t)slice.length - end, least = (int32_t)slice.owned + 1 - end;
    if (least > 63) {
        return 0;
    }
    crowded &= most < 63 ? (UINT64_C(2) << most) - 1 : ~UINT64_C(0);
    return crowded & (least > 0 ? ~UINT64_C(0) << least : ~UINT64_C(0));
}

/* Compares the text around the threads' samples, which end before text[end], with the entries of
 * their buckets. `there`: the thread has a sample. */
template <after_verify AFTER>
static __device__ __forceinline__ void test_anchors(work *self, bool there, uint32_t number,
                                                    int32_t end) {
    const trawl_cuda_slice &slice = self->context->reporter->slice;
    anchor_candidate candidate = {0, 0, NULL, NULL};
    if (there) {
        candidate = find_bucket(slice, self->view->table[number], end);
    }
    while (__any_sync(FULL, candidate.matched != 0)) {
        queue_entry<AFTER>(self, &candidate, number, end);
    }
    if (__any_sync(FULL, candidate.crowded != 0)) {
        const ends crowded = {number, end, crowded_ends(slice, candidate.crowded, end)};
        queue_ends<AFTER, true>(self, crowded);
    }
}

template <after_verify AFTER> struct test_anchors_of {
    work *self;

    __device__ __forceinline__ void operator()(bool there, uint32_t number, int32_t end) const {
        test_anchors<AFTER>(self, there, number, end);
    }
};

/* ------------------------------------------------------------------ end offsets */

/* Takes samples from the first queue, and looks up their end offsets, or their buckets. */
template <after_verify AFTER, bool ANCHORS>
static __device__ __forceinline__ void test_samples(work *self) {
    const trawl_cuda_slice &slice = self->context->reporter->slice;
    bool there;
    const uint64_t sample = take(self->queued->samples, &self->waiting_samples, &there);
    const uint32_t number = tier_of(sample);
    const bool anchors = ANCHORS && there && self->view->table[number].tier.anchors != 0;
    ends found = {0, 0, 0};
    if (there && !anchors) {
        found = find_end_offsets(slice, *self->view, number, (int32_t)sample);
    }
    queue_ends<AFTER, ANCHORS>(self, found);
    if (ANCHORS && __any_sync(FULL, anchors)) {
        const int32_t end = (int32_t)sample;
        const bool owned = end > (int32_t)slice.owned && end <= (int32_t)slice.length;
        test_anchors<AFTER>(self, anchors && owned, number, end);
    }
}

template <after_verify AFTER, bool ANCHORS> struct test_queued {
    work *self;

    __device__ __forceinline__ void operator()() const {
        test_samples<AFTER, ANCHORS>(self);
    }
};

/* What is done with candidate words: their candidates are put into the first queue. Without
 * ANCHORS, words of tiers of free anchors are left to verify_anchors.cu. */
template <after_verify AFTER, bool ANCHORS> struct queue_words {
    work *self;

    __device__ __forceinline__ void operator()(candidate_word word) const {
        if (!ANCHORS && self->view->table[tier_of_word(word)].tier.anchors != 0) {
            word.candidate_bits = 0;
        }
        queue_candidates(word, self->queued->samples, &self->waiting_samples,
                         test_queued<AFTER, ANCHORS>{self});
    }
};

template <after_verify AFTER, bool ANCHORS>
static __global__ void __launch_bounds__(THREADS, BLOCKS(AFTER, ANCHORS))
    verify_candidates(const __grid_constant__ trawl_cuda_reporter reporter,
                      const __grid_constant__ trawl_cuda_qgram_view view,
                      const __grid_constant__ trawl_cuda_qgram_candidates candidates,
                      const __grid_constant__ trawl_cuda_qgram_noted_hits noted,
                      uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    const verify_context context = {&reporter, &noted, strip_bytes};
    const trawl_cuda_slice &slice = reporter.slice;
    const uint32_t warps = gridDim.x * WARPS;
    work work = {&context, &view, (queues *)shared + threadIdx.x / 32, 0, 0, 0, 0};
    const uint32_t number = (blockIdx.x * THREADS + threadIdx.x) / 32;
    trawl_cuda_wait_for_last();
    if (number == 0) {
        queue_ends<AFTER, ANCHORS>(&work, test_before(slice, view));
        if (ANCHORS) {
            test_samples_before(slice, view, test_anchors_of<AFTER>{&work});
        }
    }
    take_shares(candidates, slice, strip_bytes, number, warps, candidates.taken,
                queue_words<AFTER, ANCHORS>{&work});
    while (work.waiting_samples != 0) {
        test_samples<AFTER, ANCHORS>(&work);
    }
    while (work.waiting_ends != 0) {
        look_up_endings<AFTER, ANCHORS>(&work);
    }
    while (work.waiting_ranges != 0) {
        compare_keys<AFTER, ANCHORS>(&work);
    }
    add_counted<AFTER>(reporter.output, work.counted, (uint32_t *)shared);
}

template <after_verify AFTER, bool ANCHORS>
static trawl_status launch(const trawl_cuda_qgram_call *call, trawl_error *error) {
    TRAWL_LAUNCH_NEXT(call->device, (verify_candidates<AFTER, ANCHORS>),
                      (uint32_t)call->device->multiprocessors * BLOCKS(AFTER, ANCHORS), THREADS,
                      WARPS * sizeof(queues), call->stream, *call->reporter, *call->view,
                      call->candidates, call->noted, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("verify_candidates", error);
    return TRAWL_OK;
}

/* Tiers of free anchors have a kernel of their own unless some buckets are crowded. Kernels for
 * both kinds of tiers need more registers. */
template <after_verify AFTER>
static trawl_status run(const trawl_cuda_qgram_call *call, trawl_error *error) {
    const trawl_cuda_qgram_view *view = call->view;
    uint32_t anchors = 0;
    bool crowded = false;
    for (uint32_t i = 0; i < view->tiers; i++) {
        anchors += view->table[i].tier.anchors;
        crowded |= view->table[i].tier.crowded != 0;
    }
    if (anchors != 0 && crowded) {
        return launch<AFTER, true>(call, error);
    }
    trawl_status status = anchors < view->tiers ? launch<AFTER, false>(call, error) : TRAWL_OK;
    return status == TRAWL_OK && anchors != 0 ? trawl_cuda_qgram_verify_anchors(call, error)
                                              : status;
}

trawl_status trawl_cuda_qgram_verify(const trawl_cuda_qgram_call *call, trawl_error *error) {
    switch (call->reporter->output.pass) {
    case TRAWL_CUDA_PASS_COUNT:
        return run<AFTER_COUNT>(call, error);
    case TRAWL_CUDA_PASS_SIZES:
        return run<AFTER_NOTE>(call, error);
    default:
        return run<AFTER_REPORT>(call, error);
    }
}
