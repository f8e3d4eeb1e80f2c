/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The verify step for tiers of free anchors without crowded buckets: the entries of a candidate's
 * bucket have all keys that can match. The kernel for everything else (verify.cu) takes several
 * times as many instructions for a candidate.
 *
 *     candidate words ─► samples ─► bucket ─► counted: an equal value is the whole key
 *                                        └──► open entries ─► compared ─► counted, noted, reported
 */
#include "engines/qgram/cuda/verify.cuh"
#include "engines/qgram/cuda/verify_shares.cuh"

#define THREADS trawl_qgram_tuned::verify_threads
#define WARPS (THREADS / 32)

/* Blocks that a multiprocessor runs at the same time. */
#define BLOCKS(after)                                                                              \
    ((after) == AFTER_REPORT ? trawl_qgram_tuned::verify_blocks_reporting                          \
                             : trawl_qgram_tuned::verify_blocks_anchors)

/* The queues of a warp (verify_shares.cuh). */
typedef struct queues {
    uint64_t samples[WAITING]; /* candidates: tier and end */
    uint64_t ends[WAITING];    /* where the keys of open entries may end: tier and end */
    uint2 keys[WAITING];       /* the number of such a key, and the flags of its entry */
} queues;

/* The state of a warp. All members but `counted` have the same value in all threads. */
typedef struct work {
    const verify_context *context;
    const trawl_cuda_qgram_view *view;
    queues *queued;
    uint32_t waiting_samples, waiting_ends;
    trawl_counter counted;
} work;

/* Takes ends from the second queue, and compares the text with their keys. Unless each key counts
 * its own matches, a key with which others end is only counted if it is the longest one that ends
 * there. */
template <after_verify AFTER> static __device__ __forceinline__ void compare_keys(work *self) {
    bool there;
    const uint64_t end = take(self->queued->ends, &self->waiting_ends, &there);
    const uint2 key = self->queued->keys[self->waiting_ends + threadIdx.x % 32];
    verified_end found = {0, 0, 0, 0};
    __syncwarp();
    if (there) {
        const uint32_t number = tier_of(end);
        const trawl_cuda_qgram_tables &table = self->view->table[number];
        if (AFTER != AFTER_COUNT && (key.y & TRAWL_CUDA_ANCHOR_EXTENDED) != 0) {
            const key_range range =
                keys_with_ending(*self->context->reporter, table, (uint32_t)end);
            if (range.first != range.last) {
                found = verify_end<AFTER>(*self->context, table, number, (uint32_t)end, 0, key.x,
                                          range);
            }
        } else {
            found = verify_entry<AFTER>(*self->context, table, number, (uint32_t)end, key.x, key.y);
        }
    }
    __syncwarp();
    if (AFTER == AFTER_NOTE) {
        note_hits(*self->context, found);
    } else {
        self->counted += found.total;
    }
}

/* An entry with the text's value that is not counted at once: its key has to be compared, or has
 * several patterns, or matches are not only counted. `key` is TRAWL_NO_KEY if there is none. */
typedef struct open_entry {
    uint32_t key, flags;
    int32_t end;
} open_entry;

/* Counts an entry with the text's value, or returns it. `end`: of the sample. */
template <after_verify AFTER>
static __device__ __forceinline__ open_entry count_entry(work *self, const uint4 &entry,
                                                         uint32_t gram, int32_t end) {
    const uint32_t flags = entry_shift(entry);
    const int32_t key_end = end + (int32_t)(entry_end(entry) - gram);
    open_entry result = {TRAWL_NO_KEY, flags, key_end};
    if (may_end_at(self->context->reporter->slice, entry, key_end)) {
        const bool is_counted = AFTER == AFTER_COUNT &&
                                (flags & (TRAWL_CUDA_ANCHOR_WHOLE | TRAWL_CUDA_ANCHOR_SINGLE)) ==
                                    TRAWL_CUDA_ANCHOR_SINGLE;
        self->counted += is_counted ? 1 : 0;
        result.key = is_counted ? TRAWL_NO_KEY : entry.z;
    }
    return result;
}

/* Puts the threads' open entries into the second queue. `number`: of the tier. */
template <after_verify AFTER>
static __device__ __forceinline__ void queue_open(work *self, const open_entry &open,
                                                  uint32_t number) {
    const uint32_t some = __ballot_sync(FULL, open.key != TRAWL_NO_KEY);
    if (open.key != TRAWL_NO_KEY) {
        const uint32_t to = self->waiting_ends + rank_among(some);
        self->queued->ends[to] = (uint64_t)number << END_TIER_SHIFT | (uint32_t)open.end;
        self->queued->keys[to] = make_uint2(open.key, open.flags);
    }
    self->waiting_ends += (uint32_t)__popc(some);
    if (self->waiting_ends >= 32) {
        compare_keys<AFTER>(self);
    }
}

/* A thread's sample: the text around it, and the entries of its bucket behind the first one. */
typedef struct sample {
    uint32_t number; /* of the tier */
    int32_t end;
    anchor_text text;
    uint32_t entries;
    uint64_t at; /* of the first of these among all entries of the tier */
} sample;

static __device__ __forceinline__ uint64_t shuffled(uint64_t value, uint32_t thread) {
    return joined(__shfl_sync(FULL, (uint32_t)value, (int)thread),
                  __shfl_sync(FULL, (uint32_t)(value >> 32), (int)thread));
}

/* Compares the entries behind the first ones of all threads' buckets, each thread one of them:
 * some buckets have many entries, most have none. */
template <after_verify AFTER>
static __device__ __forceinline__ void test_further(work *self, const sample &own) {
    uint32_t all;
    const uint32_t before = sum_before(own.entries, &all);
    for (uint32_t first = 0; first < all; first += 32) {
        const uint32_t i = first + threadIdx.x % 32;
        const uint32_t thread = thread_with(before + own.entries, i < all ? i : 0);
        const uint32_t number = __shfl_sync(FULL, own.number, (int)thread);
        const int32_t end = __shfl_sync(FULL, own.end, (int)thread);
        const uint64_t at = shuffled(own.at - before, thread) + i;
        const anchor_text text = {shuffled(own.text.before, thread),
                                  shuffled(own.text.from, thread)};
        const trawl_cuda_qgram_tables &table = self->view->table[number];
        open_entry open = {TRAWL_NO_KEY, 0, 0};
        if (i < all) {
            const uint4 entry = __ldg(table.buckets + at);
            if (has_value(text, entry)) {
                open = count_entry<AFTER>(self, entry, table.tier.gram, end);
            }
        }
        queue_open<AFTER>(self, open, number);
    }
}

/* Compares the text around the threads' samples of tier `number`, which end before text[end], with
 * the entries of their buckets. `there`: the thread has a sample. */
template <after_verify AFTER>
static __device__ __forceinline__ void test_anchors(work *self, bool there, uint32_t number,
                                                    int32_t end) {
    const trawl_cuda_qgram_tables &table = self->view->table[number];
    sample own = {number, end, {0, 0}, 0, 0};
    open_entry open = {TRAWL_NO_KEY, 0, 0};
    if (there) {
        own.text = text_of_sample(self->context->reporter->slice, table, end);
        const uint64_t bucket = UINT64_C(2) * bucket_of(table, own.text);
        const uint4 first = __ldg(table.buckets + bucket);
        if (has_value(own.text, first)) {
            open = count_entry<AFTER>(self, first, table.tier.gram, end);
        }
        if (entry_more(first) != 0) {
            const uint4 second = __ldg(table.buckets + bucket + 1);
            const uint32_t more = entry_more(second);
            own.entries = more != 0 ? more : 1;
            own.at = more != 0 ? UINT64_C(2) * table.tier.buckets + second.z : bucket + 1;
        }
    }
    if (__any_sync(FULL, open.key != TRAWL_NO_KEY)) {
        queue_open<AFTER>(self, open, number);
    }
    if (__any_sync(FULL, own.entries != 0)) {
        test_further<AFTER>(self, own);
    }
}

/* Takes samples from the first queue. Those that end at the first owned byte or before it are
 * tested by test_samples_before(), those behind the slice in the next slice. */
template <after_verify AFTER> static __device__ __forceinline__ void test_samples(work *self) {
    const trawl_cuda_slice &slice = self->context->reporter->slice;
    bool there;
    const uint64_t sample = take(self->queued->samples, &self->waiting_samples, &there);
    const int32_t end = (int32_t)sample;
    const bool owned = end > (int32_t)slice.owned && end <= (int32_t)slice.length;
    test_anchors<AFTER>(self, there && owned, tier_of(sample), end);
}

template <after_verify AFTER> struct test_queued_anchors {
    work *self;

    __device__ __forceinline__ void operator()() const {
        test_samples<AFTER>(self);
    }
};

/* What is done with candidate words. Those of other tiers are left to verify.cu. */
template <after_verify AFTER> struct queue_anchor_words {
    work *self;

    __device__ __forceinline__ void operator()(candidate_word word) const {
        if (self->view->table[tier_of_word(word)].tier.anchors == 0) {
            word.candidate_bits = 0;
        }
        queue_candidates(word, self->queued->samples, &self->waiting_samples,
                         test_queued_anchors<AFTER>{self});
    }
};

template <after_verify AFTER> struct test_anchors_before {
    work *self;

    __device__ __forceinline__ void operator()(bool there, uint32_t number, int32_t end) const {
        test_anchors<AFTER>(self, there, number, end);
    }
};

template <after_verify AFTER>
static __global__ void __launch_bounds__(THREADS, BLOCKS(AFTER))
    verify_anchors(const __grid_constant__ trawl_cuda_reporter reporter,
                   const __grid_constant__ trawl_cuda_qgram_view view,
                   const __grid_constant__ trawl_cuda_qgram_candidates candidates,
                   const __grid_constant__ trawl_cuda_qgram_noted_hits noted,
                   uint32_t strip_bytes) {
    TRAWL_SHARED(shared);
    const verify_context context = {&reporter, &noted, strip_bytes};
    work work = {&context, &view, (queues *)shared + threadIdx.x / 32, 0, 0, 0};
    const uint32_t number = (blockIdx.x * THREADS + threadIdx.x) / 32;
    trawl_cuda_wait_for_last();
    if (number == 0) {
        test_samples_before(reporter.slice, view, test_anchors_before<AFTER>{&work});
    }
    take_shares(candidates, reporter.slice, strip_bytes, number, gridDim.x * WARPS,
                candidates.taken_of_anchors, queue_anchor_words<AFTER>{&work});
    while (work.waiting_samples != 0) {
        test_samples<AFTER>(&work);
    }
    while (work.waiting_ends != 0) {
        compare_keys<AFTER>(&work);
    }
    add_counted<AFTER>(reporter.output, work.counted, (uint32_t *)shared);
}

template <after_verify AFTER>
static trawl_status launch(const trawl_cuda_qgram_call *call, trawl_error *error) {
    TRAWL_LAUNCH_NEXT(call->device, (verify_anchors<AFTER>),
                      (uint32_t)call->device->multiprocessors * BLOCKS(AFTER), THREADS,
                      WARPS * sizeof(queues), call->stream, *call->reporter, *call->view,
                      call->candidates, call->noted, call->strip_bytes);
    TRAWL_CUDA_LAUNCHED("verify_anchors", error);
    return TRAWL_OK;
}

trawl_status trawl_cuda_qgram_verify_anchors(const trawl_cuda_qgram_call *call,
                                             trawl_error *error) {
    switch (call->reporter->output.pass) {
    case TRAWL_CUDA_PASS_COUNT:
        return launch<AFTER_COUNT>(call, error);
    case TRAWL_CUDA_PASS_SIZES:
        return launch<AFTER_NOTE>(call, error);
    default:
        return launch<AFTER_REPORT>(call, error);
    }
}
