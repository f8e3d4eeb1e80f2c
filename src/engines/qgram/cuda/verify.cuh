/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the verify step (verify.cu) does with possible ends, in any order. */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_VERIFY_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_VERIFY_CUH

#include "engines/qgram/cuda/free_anchors.cuh"

/* The arguments of the functions below. */
typedef struct verify_context {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_qgram_noted_hits *noted; /* for pass SIZES */
    uint32_t strip_bytes;
} verify_context;

/* Looks up the end offsets of samples that end at the first owned byte of the slice or before it
 * and may lead to owned matches. Each thread of a warp tests one sample. */
static_assert(TRAWL_CUDA_QGRAM_TIERS * TRAWL_CUDA_QGRAM_BEFORE <= 32, "one for each thread");

static __device__ __forceinline__ ends test_before(const trawl_cuda_slice &slice,
                                                   const trawl_cuda_qgram_view &view) {
    const uint32_t lane = threadIdx.x % 32, number = lane / TRAWL_CUDA_QGRAM_BEFORE;
    ends result = {number, 0, 0};
    if (number >= view.tiers || view.table[number].tier.stride == 1 ||
        view.table[number].tier.anchors != 0) {
        return result;
    }
    const trawl_cuda_qgram_tables &table = view.table[number];
    const uint32_t stride = table.tier.stride;
    /* Samples end at addresses that are multiples of the stride. */
    uint32_t behind = (uint32_t)((uintptr_t)(slice.text + slice.owned) % stride);
    uint32_t distance = behind + lane % TRAWL_CUDA_QGRAM_BEFORE * stride;
    if (distance + 1 >= TRAWL_CUDA_QGRAM_ANCHOR_SLACK) {
        return result;
    }
    result.end = (int32_t)slice.owned - (int32_t)distance;
    int32_t most = (int32_t)slice.length - result.end;
    result.end_offsets = end_offsets_of(slice, table, result.end) & ~0u << distance << 1;
    result.end_offsets &= most < 31 ? (2u << most) - 1 : ~0u;
    return result;
}

/* What the verify step does with matches. Each has a kernel of its own, because reporting needs
 * more registers. */
typedef enum after_verify { AFTER_COUNT, AFTER_NOTE, AFTER_REPORT } after_verify;

/* A key that ends at a position; `total` is 0 if there is none. */
typedef struct verified_end {
    uint32_t number; /* of its tier */
    uint32_t end, key;
    uint32_t total; /* number of matches */
} verified_end;

/* Notes hits with `total` matches, and adds these to the sizes of their strips. `total` may be 0.
 * All threads of the warp call this. */
static __device__ __forceinline__ void note_hits(const verify_context &context,
                                                 const verified_end &own) {
    const trawl_cuda_reporter &reporter = *context.reporter;
    const trawl_cuda_qgram_noted_hits &noted = *context.noted;
    const int32_t from = (int32_t)own.end - 1 - trawl_cuda_origin(&reporter.slice);
    const uint32_t strip = (uint32_t)from / context.strip_bytes, lane = threadIdx.x % 32;
    const uint32_t single = __ballot_sync(FULL, own.total == 1);
    uint32_t left = __ballot_sync(FULL, own.total != 0), slot = 0;
    bool placed = own.total == 0;
    for (uint32_t i = 0; i < trawl_qgram_tuned::strips_together && left != 0; i++) {
        const int first = __ffs((int)left) - 1;
        const uint32_t theirs = __shfl_sync(FULL, strip, first);
        const bool same = !placed && strip == theirs;
        const uint32_t group = __ballot_sync(FULL, same);
        trawl_counter sum = (trawl_counter)__popc(group);
        if ((group & ~single) != 0) {
            sum_before<trawl_counter>(same ? own.total : 0, &sum);
        }
        uint32_t taken = 0;
        if (lane == (uint32_t)first) {
            atomicAdd(&reporter.output.sizes[strip], sum);
            taken = atomicAdd(&noted.count[strip], (uint32_t)__popc(group));
        }
        taken = __shfl_sync(FULL, taken, first);
        slot = same ? taken + (uint32_t)__popc(group & ((1u << lane) - 1)) : slot;
        placed = placed || same;
        left &= ~group;
    }
    if (!placed) {
        atomicAdd(&reporter.output.sizes[strip], (trawl_counter)own.total);
        slot = atomicAdd(&noted.count[strip], 1u);
    }
    if (own.total != 0 && slot < noted.capacity) {
        noted.hits[(size_t)strip * noted.capacity + slot] = {
            own.end, own.key | own.number << TRAWL_QGRAM_TIER_SHIFT};
    } else if (own.total != 0 && slot == noted.capacity) {
        atomicAdd(noted.overflown, 1u);
    }
}

/* Counts the matches of the longest key of a tier that ends before text[end]; with AFTER_REPORT,
 * reports them as the pass asks. Returns the number of matches for the thread's count, or for
 * note_hits(). */
template <after_verify AFTER>
static __device__ __forceinline__ verified_end count_longest(const verify_context &context,
                                                             const trawl_cuda_qgram_tables &table,
                                                             uint32_t number, uint32_t end,
                                                             uint32_t key) {
    const trawl_cuda_reporter &reporter = *context.reporter;
    verified_end result = {number, end, key, 0};
    const trawl_cuda_keys &keys = table.endings.keys;
    /* Only folded tiers have patterns that must be compared with the text. */
    bool chain =
        table.tier.folded != 0 && (__ldg(keys.outputs.verify + key) & TRAWL_VERIFY_CHAIN) != 0;
    if (AFTER == AFTER_REPORT && !chain && reporter.output.pass == TRAWL_CUDA_PASS_ENDS) {
        trawl_cuda_mark_end(reporter, end);
        return result;
    }
    if (AFTER == AFTER_REPORT && chain) {
        trawl_counter sum = 0; /* its address is taken, so it is in local memory */
        trawl_cuda_report_key(reporter, keys, end, key, &sum);
        result.total = (uint32_t)sum;
        return result;
    }
    result.total =
        chain ? trawl_cuda_case_total(reporter, keys, end, key) : __ldg(keys.outputs.total + key);
    if (AFTER == AFTER_REPORT) {
        atomicAdd(&reporter.output.hits[keys.first_hit + key], (trawl_counter)1);
    }
    return result;
}

/* Whether an end that a sample has led to counts. `key`: the longest one that ends there.
 * `end_offset`: how many bytes before that end the sample ends. */
static __device__ __forceinline__ bool is_own_sample(const trawl_cuda_qgram_tables &table,
                                                     uint32_t key, uint32_t end_offset) {
    const uint32_t stride = table.tier.stride;
    if (table.tier.anchors != 0) {
        return __ldg(table.anchor_ends + (size_t)key * stride + end_offset % stride) == end_offset;
    }
    return stride == 1 || end_offset - __ldg(table.anchor_offsets + key) < stride;
}

/* Finds the key of the range that ends before text[end], and counts its matches as count_longest
 * does. `expected`: the key that is known to end there, whose matches are counted only if it is the
 * longest one; or TRAWL_NO_KEY. */
template <after_verify AFTER>
static __device__ __forceinline__ verified_end verify_end(const verify_context &context,
                                                          const trawl_cuda_qgram_tables &table,
                                                          uint32_t number, uint32_t end,
                                                          uint32_t end_offset, uint32_t expected,
                                                          const key_range &range) {
    const uint32_t key = longest_in_range(*context.reporter, table, range, end);
    const bool counts =
        key != TRAWL_NO_KEY &&
        (expected != TRAWL_NO_KEY ? key == expected : is_own_sample(table, key, end_offset));
    return counts ? count_longest<AFTER>(context, table, number, end, key)
                  : verified_end{number, end, key, 0};
}

/* Whether each key of a tier of free anchors counts its own matches, not those of its links too:
 * each has an anchor of its own then. */
template <after_verify AFTER>
static __device__ __forceinline__ bool counts_own(const trawl_cuda_qgram_tables &table) {
    return AFTER == AFTER_COUNT && table.tier.crowded == 0;
}

/* The number of matches of the key alone, without its links. `record`: trawl_key_record. */
static __device__ __forceinline__ uint32_t own_total(const trawl_cuda_reporter &reporter,
                                                     const trawl_cuda_keys &keys, uint32_t end,
                                                     uint32_t key, const uint4 &record) {
    if ((record.z & TRAWL_RECORD_VERIFY) == 0) {
        return record.z;
    }
    const uint32_t length = record.x, link = record.y;
    if (trawl_cuda_plain_before(reporter.slice, end, length) < length) {
        return trawl_cuda_case_own(reporter, keys, end, key, link, length);
    }
    return __ldg(keys.case_counts.plain + key) -
           (link == TRAWL_NO_KEY ? 0 : __ldg(keys.case_counts.plain + link));
}

/* Compares the key of an entry whose value the text has, if that is needed, and counts its matches.
 * It is the longest key that ends there, or counts its own ones. */
template <after_verify AFTER>
static __device__ __forceinline__ verified_end verify_entry(const verify_context &context,
                                                            const trawl_cuda_qgram_tables &table,
                                                            uint32_t number, uint32_t end,
                                                            uint32_t key, uint32_t flags) {
    const trawl_cuda_reporter &reporter = *context.reporter;
    const trawl_cuda_keys &keys = table.endings.keys;
    const uint4 record = __ldg((const uint4 *)keys.outputs.records + key);
    if ((flags & TRAWL_CUDA_ANCHOR_WHOLE) != 0) {
        const uint32_t length = record.x;
        bool less;
        if (length > end || common_before(reporter, end, __ldg(table.pattern_end + key), 0, length,
                                          table.tier.folded != 0, &less) != length) {
            return {number, end, key, 0};
        }
    }
    if (counts_own<AFTER>(table)) {
        return {number, end, key, own_total(reporter, keys, end, key, record)};
    }
    return count_longest<AFTER>(context, table, number, end, key);
}

/* Adds what the threads of a block have counted to the total. */
template <after_verify AFTER>
static __device__ __forceinline__ void add_counted(const trawl_cuda_output &output,
                                                   trawl_counter counted, uint32_t *shared) {
    if (AFTER == AFTER_COUNT || output.pass == TRAWL_CUDA_PASS_PATTERNS) {
        add_total(output, counted, shared);
    }
}

#endif
