/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the second step of a scan (qgram_tally.cu) does with the places where keys may end, the
 * order of matches being of no matter.
 */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_VERIFY_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_VERIFY_CUH

#include "engines/qgram/cuda/test.cuh"

/* What a kernel reports with. */
typedef struct tallying {
    const trawl_cuda_reporter *reporter;
    const trawl_cuda_qgram_notes *notes; /* pass SIZES */
    uint32_t strip_bytes;
} tallying;

/* The second question for the samples at the slice's first owned byte and before it, which reach
 * into it: a thread of a warp asks for one. */
static_assert(TRAWL_CUDA_QGRAM_TIERS * TRAWL_CUDA_QGRAM_BEFORE <= 32, "one for each thread");

static __device__ __forceinline__ ends ask_before(const trawl_cuda_slice &slice,
                                                  const trawl_cuda_qgram_view &view) {
    const uint32_t lane = threadIdx.x % 32, number = lane / TRAWL_CUDA_QGRAM_BEFORE;
    ends result = {number, 0, 0};
    if (number >= view.tiers || view.table[number].tier.stride == 1) {
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
    result.alignments = alignments_of(slice, table, result.end) & ~0u << distance << 1;
    result.alignments &= most < 31 ? (2u << most) - 1 : ~0u;
    return result;
}

/* Pass SIZES: `total` matches of one key. */
static __device__ __forceinline__ void note_hit(const tallying &tallying, uint32_t number,
                                                uint32_t end, uint32_t key, uint32_t total) {
    const trawl_cuda_reporter &reporter = *tallying.reporter;
    const trawl_cuda_qgram_notes &notes = *tallying.notes;
    int32_t from = (int32_t)end - 1 - trawl_cuda_origin(&reporter.slice);
    uint32_t strip = (uint32_t)from / tallying.strip_bytes;
    atomicAdd(&reporter.output.sizes[strip], (trawl_counter)total);
    uint32_t slot = atomicAdd(&notes.count[strip], 1u);
    if (slot < notes.capacity) {
        notes.hits[(size_t)strip * notes.capacity + slot] = {
            end, key | number << TRAWL_QGRAM_TIER_SHIFT};
    } else if (slot == notes.capacity) {
        atomicAdd(notes.overflown, 1u);
    }
}

/* Which of the suspects ends before text[end]? Counts its matches, which REPORT reports. The sample
 * that asks ends `alignment` bytes before. */
template <bool REPORT>
static __device__ __forceinline__ uint32_t verify_end(const tallying &tallying,
                                                      const trawl_cuda_qgram_tables &table,
                                                      uint32_t number, uint32_t end,
                                                      uint32_t alignment, const suspects &among) {
    const trawl_cuda_reporter &reporter = *tallying.reporter;
    uint32_t key = longest_of(reporter, table, among, end);
    if (key == TRAWL_NO_KEY ||
        (table.tier.stride > 1 && alignment - __ldg(table.anchors + key) >= table.tier.stride)) {
        return 0;
    }
    const trawl_cuda_keys &keys = table.endings.keys;
    const trawl_cuda_pass pass = reporter.output.pass;
    /* Only in folded tiers there are patterns that have to be compared. */
    bool chain =
        table.tier.folded != 0 && (__ldg(keys.outputs.verify + key) & TRAWL_VERIFY_CHAIN) != 0;
    if (!chain && REPORT && pass == TRAWL_CUDA_PASS_ENDS) {
        trawl_cuda_mark_end(reporter, end);
        return 0;
    }
    if (chain && REPORT && pass != TRAWL_CUDA_PASS_SIZES) {
        trawl_counter sum = 0; /* all that is ever in memory */
        trawl_cuda_report_key(reporter, keys, end, key, &sum);
        return (uint32_t)sum;
    }
    uint32_t total =
        chain ? trawl_cuda_qgram_total(reporter, keys, end, key) : __ldg(keys.outputs.total + key);
    if (REPORT && pass == TRAWL_CUDA_PASS_SIZES) {
        if (total != 0) {
            note_hit(tallying, number, end, key, total);
        }
        return 0;
    }
    if (REPORT) {
        atomicAdd(&reporter.output.hits[keys.first_hit + key], (trawl_counter)1);
    }
    return total;
}

/* Hands in what a block's threads have counted. */
template <bool REPORT>
static __device__ __forceinline__ void hand_in(const trawl_cuda_output &output,
                                               trawl_counter counted, uint32_t *shared) {
    if (!REPORT || output.pass == TRAWL_CUDA_PASS_PATTERNS) {
        add_total(output, counted, shared);
    }
}

#endif
