/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the verify step (verify.cu) does with possible ends, in any order. */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_VERIFY_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_VERIFY_CUH

#include "engines/qgram/cuda/find_keys.cuh"

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
    result.end_offsets = end_offsets_of(slice, table, result.end) & ~0u << distance << 1;
    result.end_offsets &= most < 31 ? (2u << most) - 1 : ~0u;
    return result;
}

/* Notes a hit with `total` matches, and adds these to the size of the strip. For pass SIZES. */
static __device__ __forceinline__ void note_hit(const verify_context &context, uint32_t number,
                                                uint32_t end, uint32_t key, uint32_t total) {
    const trawl_cuda_reporter &reporter = *context.reporter;
    const trawl_cuda_qgram_noted_hits &noted = *context.noted;
    int32_t from = (int32_t)end - 1 - trawl_cuda_origin(&reporter.slice);
    uint32_t strip = (uint32_t)from / context.strip_bytes;
    atomicAdd(&reporter.output.sizes[strip], (trawl_counter)total);
    uint32_t slot = atomicAdd(&noted.count[strip], 1u);
    if (slot < noted.capacity) {
        noted.hits[(size_t)strip * noted.capacity + slot] = {
            end, key | number << TRAWL_QGRAM_TIER_SHIFT};
    } else if (slot == noted.capacity) {
        atomicAdd(noted.overflown, 1u);
    }
}

/* Finds the key of the range that ends before text[end], and counts its matches; with REPORT,
 * reports them as the pass asks. `end_offset`: how many bytes before that end the sample ends.
 * Returns the number of matches for the thread's count. */
template <bool REPORT>
static __device__ __forceinline__ uint32_t verify_end(const verify_context &context,
                                                      const trawl_cuda_qgram_tables &table,
                                                      uint32_t number, uint32_t end,
                                                      uint32_t end_offset, const key_range &range) {
    const trawl_cuda_reporter &reporter = *context.reporter;
    uint32_t key = longest_in_range(reporter, table, range, end);
    if (key == TRAWL_NO_KEY ||
        (table.tier.stride > 1 &&
         end_offset - __ldg(table.anchor_offsets + key) >= table.tier.stride)) {
        return 0;
    }
    const trawl_cuda_keys &keys = table.endings.keys;
    const trawl_cuda_pass pass = reporter.output.pass;
    /* Only folded tiers have patterns that must be compared with the text. */
    bool chain =
        table.tier.folded != 0 && (__ldg(keys.outputs.verify + key) & TRAWL_VERIFY_CHAIN) != 0;
    if (!chain && REPORT && pass == TRAWL_CUDA_PASS_ENDS) {
        trawl_cuda_mark_end(reporter, end);
        return 0;
    }
    if (chain && REPORT && pass != TRAWL_CUDA_PASS_SIZES) {
        trawl_counter sum = 0; /* its address is taken, so it is in local memory */
        trawl_cuda_report_key(reporter, keys, end, key, &sum);
        return (uint32_t)sum;
    }
    uint32_t total =
        chain ? trawl_cuda_qgram_total(reporter, keys, end, key) : __ldg(keys.outputs.total + key);
    if (REPORT && pass == TRAWL_CUDA_PASS_SIZES) {
        if (total != 0) {
            note_hit(context, number, end, key, total);
        }
        return 0;
    }
    if (REPORT) {
        atomicAdd(&reporter.output.hits[keys.first_hit + key], (trawl_counter)1);
    }
    return total;
}

/* Adds what the threads of a block have counted to the total. */
template <bool REPORT>
static __device__ __forceinline__ void add_counted(const trawl_cuda_output &output,
                                                   trawl_counter counted, uint32_t *shared) {
    if (!REPORT || output.pass == TRAWL_CUDA_PASS_PATTERNS) {
        add_total(output, counted, shared);
    }
}

#endif
