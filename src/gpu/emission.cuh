/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * From "some key ends here" to the result of a pass (matches, counts or sizes), on the device: the
 * counterpart of scan/emission.h, for all passes. Following a key's links gives ascending starts,
 * and ids ascend within a key, which is the canonical order.
 */
#ifndef TRAWL_GPU_EMISSION_CUH
#define TRAWL_GPU_EMISSION_CUH

#include "automaton/trie.h"
#include "gpu/text_before.cuh"

static __device__ __forceinline__ uint8_t trawl_cuda_fold(uint8_t byte) {
    return byte >= 'A' && byte <= 'Z' ? (uint8_t)(byte + 32) : byte;
}

/* Whether two strings of `length` bytes are equal; with FOLD, the upper and lower case of a letter
 * are equal. One thread compares sixteen bytes at a time, so that their loads overlap. */
template <bool FOLD>
static __device__ __forceinline__ bool trawl_cuda_equal(const uint8_t *left, const uint8_t *right,
                                                        uint32_t length) {
    uint32_t i = 0;
    for (; i + 16 <= length; i += 16) {
        uint32_t difference = 0;
#pragma unroll
        for (uint32_t j = 0; j < 16; j++) {
            uint8_t a = left[i + j], b = right[i + j];
            difference |= FOLD ? trawl_cuda_fold(a) ^ trawl_cuda_fold(b) : a ^ b;
        }
        if (difference != 0) {
            return false;
        }
    }
    for (; i < length; i++) {
        uint8_t a = left[i], b = right[i];
        if (FOLD ? trawl_cuda_fold(a) != trawl_cuda_fold(b) : a != b) {
            return false;
        }
    }
    return true;
}

/* Whether the text begins with pattern `id`, compared as the pattern's letter-case flag says. */
static __device__ __noinline__ bool trawl_cuda_pattern_matches(const trawl_pattern_view &patterns,
                                                               uint32_t id, const uint8_t *text) {
    uint32_t begin = patterns.offsets[id];
    uint32_t length = patterns.offsets[id + 1] - begin;
    const uint8_t *bytes = patterns.bytes + begin;
    return (patterns.flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0
               ? trawl_cuda_equal<true>(bytes, text, length)
               : trawl_cuda_equal<false>(bytes, text, length);
}

/* Whether pattern `id` matches the text from `start` on, which is equal to it after folding.
 * `is_plain`: that text, of `length` bytes, has no capitals. */
static __device__ __forceinline__ bool trawl_cuda_case_matches(const trawl_pattern_view &patterns,
                                                               uint32_t id, const uint8_t *start,
                                                               uint32_t length, bool is_plain) {
    const uint8_t flags = __ldg(patterns.flags + id);
    if ((flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0) {
        return true;
    }
    const bool capitals = (flags & TRAWL_PATTERN_HAS_CAPITALS) != 0;
    if (is_plain || !capitals) {
        return is_plain && !capitals;
    }
    return trawl_cuda_equal<false>(patterns.bytes + __ldg(patterns.offsets + id), start, length);
}

/* How many of the key's own patterns match before text[end], where the text that the key covers, of
 * `length` bytes, has capitals. */
static __device__ __forceinline__ uint32_t trawl_cuda_case_own(const trawl_cuda_reporter &reporter,
                                                               const trawl_cuda_keys &keys,
                                                               uint32_t end, uint32_t key,
                                                               uint32_t link, uint32_t length) {
    const trawl_case_counts &counts = keys.case_counts;
    uint32_t total =
        __ldg(counts.any_case + key) - (link == TRAWL_NO_KEY ? 0 : __ldg(counts.any_case + link));
    const uint32_t past = __ldg(counts.first + key + 1);
    for (uint32_t i = __ldg(counts.first + key); i < past; i++) {
        const uint2 spelling = __ldg((const uint2 *)counts.spellings + i);
        total += trawl_cuda_equal<false>(reporter.patterns.bytes + spelling.x,
                                         reporter.slice.text + (end - length), length)
                     ? spelling.y
                     : 0;
    }
    return total;
}

/* The number of matches of a folded key that ends before text[end], and of its links. keys has
 * case_counts. */
static __device__ __forceinline__ uint32_t trawl_cuda_case_total(
    const trawl_cuda_reporter &reporter, const trawl_cuda_keys &keys, uint32_t end, uint32_t key) {
    uint32_t total = 0, length = __ldg(keys.outputs.length + key);
    if (length > end) {
        return 0; /* only a forged automaton (database/validate.h) claims such a key */
    }
    const uint32_t plain = trawl_cuda_plain_before(reporter.slice, end, length);
    while (plain < length) {
        const uint32_t link = __ldg(keys.outputs.link + key);
        total += trawl_cuda_case_own(reporter, keys, end, key, link, length);
        if (link == TRAWL_NO_KEY) {
            return total;
        }
        key = link;
        length = __ldg(keys.outputs.length + key);
    }
    return total + __ldg(keys.case_counts.plain + key);
}

/* The number of matches of a key that ends before text[end], and of its links. */
static __device__ __forceinline__ uint32_t trawl_cuda_total(const trawl_cuda_reporter &reporter,
                                                            const trawl_cuda_keys &keys,
                                                            uint32_t end, uint32_t key) {
    return (__ldg(keys.outputs.verify + key) & TRAWL_VERIFY_CHAIN) == 0
               ? __ldg(keys.outputs.total + key)
               : trawl_cuda_case_total(reporter, keys, end, key);
}

/* Marks the byte before text[end] as the last one of a match. */
static __device__ __forceinline__ void trawl_cuda_mark_end(const trawl_cuda_reporter &reporter,
                                                           uint32_t end) {
    uint64_t bit = reporter.slice.first + (end - 1 - reporter.slice.owned);
    atomicOr(&reporter.output.ends[bit / 32], 1u << (bit % 32));
}

/*
 * Reports one match of pattern `id`, which ends before text[end]. The meaning of the thread's
 * `cursor` depends on the pass:
 *
 *     COUNT, PATTERNS, SIZES    the matches that the thread has counted so far
 *     RECORDS                   the index of the next record; with shared_strips the strip's number
 */
static __device__ __forceinline__ void trawl_cuda_report(const trawl_cuda_reporter &reporter,
                                                         uint32_t id, uint32_t end, uint32_t length,
                                                         trawl_counter *cursor) {
    switch (reporter.output.pass) {
    case TRAWL_CUDA_PASS_RECORDS:
        if (reporter.output.shared_strips) { /* the cursor is the strip's number */
            trawl_counter place = atomicAdd(&reporter.output.sizes[*cursor], (trawl_counter)1);
            reporter.output.matches[place] = {reporter.slice.base + end, id, length};
            return;
        }
        reporter.output.matches[*cursor] = {reporter.slice.base + end, id, length};
        break;
    case TRAWL_CUDA_PASS_ENDS:
        trawl_cuda_mark_end(reporter, end);
        break;
    case TRAWL_CUDA_PASS_PATTERNS:
        atomicAdd(&reporter.output.per_pattern[id], (trawl_counter)1);
        break;
    default:
        break;
    }
    ++*cursor;
}

/* Reports key `key`, which ends before text[end], and, unless keys.longest is set, all keys that
 * are suffixes of it, in a pass of any kind. */
static __device__ __noinline__ void trawl_cuda_report_key(const trawl_cuda_reporter &reporter,
                                                          const trawl_cuda_keys &keys, uint32_t end,
                                                          uint32_t key, trawl_counter *cursor) {
    const trawl_outputs &outputs = keys.outputs;
    trawl_cuda_pass pass = reporter.output.pass;
    bool verified = (outputs.verify[key] & TRAWL_VERIFY_CHAIN) == 0;
    if (verified && pass != TRAWL_CUDA_PASS_RECORDS) {
        if (pass == TRAWL_CUDA_PASS_ENDS) {
            trawl_cuda_mark_end(reporter, end);
        } else if (pass == TRAWL_CUDA_PASS_PATTERNS) {
            atomicAdd(&reporter.output.hits[keys.first_hit + key], (trawl_counter)1);
        }
        *cursor += outputs.total[key];
        return;
    }
    if (!verified && keys.case_counts.plain != NULL &&
        (pass == TRAWL_CUDA_PASS_COUNT || pass == TRAWL_CUDA_PASS_SIZES)) {
        *cursor += trawl_cuda_case_total(reporter, keys, end, key);
        return;
    }
    const uint32_t most = outputs.length[key] > end ? 0 : outputs.length[key];
    const uint32_t plain = verified ? 0 : trawl_cuda_plain_before(reporter.slice, end, most);
    do {
        uint32_t length = outputs.length[key];
        if (length > end) {
            break; /* only a forged automaton (database/validate.h) claims such a key */
        }
        bool verify = (outputs.verify[key] & TRAWL_VERIFY_OWN) != 0;
        const uint8_t *start = reporter.slice.text + (end - length);
        uint32_t first = outputs.first[key];
        uint32_t past = keys.longest ? first + 1 : outputs.first[key + 1];
        for (uint32_t i = first; i < past; i++) {
            uint32_t id = outputs.ids[i];
            if (!verify ||
                trawl_cuda_case_matches(reporter.patterns, id, start, length, length <= plain)) {
                trawl_cuda_report(reporter, id, end, length, cursor);
            }
        }
        key = outputs.link[key];
    } while (key != TRAWL_NO_KEY && !keys.longest);
}

/* Whether this launch has to do anything: RECORDS are written only when they all fit. */
static __device__ __forceinline__ bool trawl_cuda_wanted(const trawl_cuda_output &output) {
    return output.pass != TRAWL_CUDA_PASS_RECORDS || *output.total <= output.capacity;
}

/* Where a thread's cursor begins. */
static __device__ __forceinline__ trawl_counter
trawl_cuda_cursor_begin(const trawl_cuda_output &output, uint32_t strip) {
    if (output.pass != TRAWL_CUDA_PASS_RECORDS) {
        return 0;
    }
    return output.shared_strips ? (trawl_counter)strip : output.sizes[strip];
}

/*
 * Adds the cursors of a block's threads to the results: totals are summed over each warp first, so
 * all threads of the block must call it. `valid` is false for threads without a strip.
 */
static __device__ __forceinline__ void trawl_cuda_cursor_end(const trawl_cuda_output &output,
                                                             bool valid, uint32_t strip,
                                                             trawl_counter cursor) {
    if (output.pass == TRAWL_CUDA_PASS_COUNT || output.pass == TRAWL_CUDA_PASS_PATTERNS) {
        trawl_counter sum = valid ? cursor : 0;
        for (int offset = 16; offset != 0; offset /= 2) {
            sum += __shfl_down_sync(0xffffffffu, sum, (unsigned)offset);
        }
        if (threadIdx.x % 32 == 0 && sum != 0) {
            atomicAdd(output.total, sum);
        }
    } else if (valid && output.shared_strips) {
        if (output.pass == TRAWL_CUDA_PASS_SIZES && cursor != 0) {
            atomicAdd(&output.sizes[strip], cursor);
        }
    } else if (valid && output.pass == TRAWL_CUDA_PASS_SIZES) {
        output.sizes[strip] += cursor;
    } else if (valid && output.pass == TRAWL_CUDA_PASS_RECORDS) {
        output.sizes[strip] = cursor;
    }
}

#endif
