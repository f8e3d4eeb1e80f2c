/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* From a candidate of a tier of free anchors to the keys that its bucket has
 * (gpu/free_anchors.h). */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_FREE_ANCHORS_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_FREE_ANCHORS_CUH

#include "engines/qgram/cuda/find_keys.cuh"

/* A candidate: where its bucket is, and which entries have the value that the text has there. */
typedef struct anchor_candidate {
    uint64_t crowded;   /* end offsets in a crowded bucket; such a bucket has no entries */
    uint64_t matched;   /* bit i: entry i */
    const uint4 *first; /* entry 0 */
    const uint4 *rest;  /* entries 1, 2, ... */
} anchor_candidate;

static_assert(TRAWL_ANCHORS_MOST_ENTRIES <= 64, "a bit of `matched` for each entry");

/* The text around a sample, folded if keys are: eight bytes before its first one, and eight from it
 * on. */
typedef struct anchor_text {
    uint64_t before, from;
} anchor_text;

/* The fields of an entry's last word. */
static __device__ __forceinline__ uint32_t entry_end(const uint4 &entry) {
    return entry.w & 0xff;
}
static __device__ __forceinline__ int32_t entry_from(const uint4 &entry) {
    return (int32_t)(int8_t)(entry.w >> 8 & 0xff);
}
static __device__ __forceinline__ uint32_t entry_shift(const uint4 &entry) {
    return entry.w >> 16 & 0xff;
}
static __device__ __forceinline__ uint32_t entry_more(const uint4 &entry) {
    return entry.w >> 24;
}
static __device__ __forceinline__ uint64_t joined(uint32_t low, uint32_t high) {
    return (uint64_t)high << 32 | low;
}
static __device__ __forceinline__ uint64_t entry_value(const uint4 &entry) {
    return joined(entry.x, entry.y);
}

/* The text around the sample that begins at text[begin], with zeros where there is no text. Uses as
 * few loads as possible: threads load from different places, so that each load of a warp takes the
 * first-level cache 32 cycles. */
static __device__ __forceinline__ anchor_text text_around(const trawl_cuda_slice &slice,
                                                          int32_t begin, uint64_t case_bits) {
    anchor_text result;
    if (begin >= 24 && begin + 24 <= (int32_t)slice.length) {
        const uintptr_t first = (uintptr_t)(slice.text + begin - 8);
        const uint4 *vectors = (const uint4 *)(first & ~(uintptr_t)15);
        const uint4 lower = __ldg(vectors);
        const uint4 upper = (first & 15) == 0 ? make_uint4(0, 0, 0, 0) : __ldg(vectors + 1);
        const bool later = (first & 8) != 0;
        const uint64_t low = later ? joined(lower.z, lower.w) : joined(lower.x, lower.y);
        const uint64_t middle = later ? joined(upper.x, upper.y) : joined(lower.z, lower.w);
        const uint64_t high = later ? joined(upper.z, upper.w) : joined(upper.x, upper.y);
        const uint32_t behind = 8 * (uint32_t)(first & 7);
        result.before = low >> behind | middle << 1 << (63 - behind);
        result.from = middle >> behind | high << 1 << (63 - behind);
    } else {
        result.before = trawl_cuda_eight_before(slice, begin);
        result.from = trawl_cuda_eight_before(slice, begin + 8);
    }
    result.before = trawl_qgram_fold(result.before, case_bits);
    result.from = trawl_qgram_fold(result.from, case_bits);
    return result;
}

/* Whether the text around the sample has the value of the entry: all of the key, if the entry has
 * not TRAWL_CUDA_ANCHOR_WHOLE. */
static __device__ __forceinline__ bool has_value(const anchor_text &text, const uint4 &entry) {
    const uint32_t later = 8 * (uint32_t)(entry_from(entry) + 8);
    const uint64_t value = later == 64  ? text.from
                           : later == 0 ? text.before
                                        : text.before >> later | text.from << (64 - later);
    return entry.z != TRAWL_NO_KEY &&
           value << (entry_shift(entry) & TRAWL_CUDA_ANCHOR_SHIFT) == entry_value(entry);
}

/* The number of the bucket of a sample. */
static __device__ __forceinline__ uint32_t bucket_of(const trawl_cuda_qgram_tables &table,
                                                     const anchor_text &text) {
    const uint64_t hash = trawl_anchors_hash(text.from, trawl_qgram_multiplier(table.tier.gram));
    return (uint32_t)trawl_anchors_bucket_of(hash, table.tier.buckets);
}

/* The text around the sample that ends before text[end], as keys of the tier are compared with
 * it. */
static __device__ __forceinline__ anchor_text text_of_sample(const trawl_cuda_slice &slice,
                                                             const trawl_cuda_qgram_tables &table,
                                                             int32_t end) {
    return text_around(slice, end - (int32_t)table.tier.gram,
                       trawl_qgram_case_bits(table.tier.folded != 0));
}

/* Compares the entries of a bucket behind the first one, whose `more` says that there are some. */
static __device__ __forceinline__ void match_further(const trawl_cuda_qgram_tables &table,
                                                     const anchor_text &text,
                                                     anchor_candidate *self) {
    const uint4 second = __ldg(self->first + 1);
    const uint32_t further = entry_more(second);
    if (further == 0) {
        self->matched |= has_value(text, second) ? 2 : 0;
        return;
    }
    self->rest = table.buckets + 2 * (size_t)table.tier.buckets + second.z;
#pragma unroll 1
    for (uint32_t i = 0; i < further; i++) {
        self->matched |= has_value(text, __ldg(self->rest + i)) ? UINT64_C(2) << i : 0;
    }
}

/* Looks up the bucket of the sample that ends before text[end], and compares its entries. */
static __device__ __forceinline__ anchor_candidate find_bucket(const trawl_cuda_slice &slice,
                                                               const trawl_cuda_qgram_tables &table,
                                                               int32_t end) {
    const anchor_text text = text_of_sample(slice, table, end);
    const uint4 *bucket = table.buckets + 2 * (size_t)bucket_of(table, text);
    const uint4 first = __ldg(bucket);
    anchor_candidate self = {0, 0, bucket, bucket + 1};
    if (entry_more(first) == TRAWL_ANCHORS_CROWDED) {
        self.crowded = entry_value(first);
        return self;
    }
    self.matched = has_value(text, first) ? 1 : 0;
    if (entry_more(first) != 0) {
        match_further(table, text, &self);
    }
    return self;
}

/* Takes the first entry with the text's value. There is one. */
static __device__ __forceinline__ uint4 take_entry(anchor_candidate *self) {
    const uint32_t number = (uint32_t)__ffsll((long long)self->matched) - 1;
    self->matched &= self->matched - 1;
    return __ldg(number == 0 ? self->first : self->rest + (number - 1));
}

/* Whether the entry's key would be inside the text before text[end], and end there at an owned
 * byte. Keys without TRAWL_CUDA_ANCHOR_WHOLE have as many bytes as their value. */
static __device__ __forceinline__ bool may_end_at(const trawl_cuda_slice &slice, const uint4 &entry,
                                                  int32_t end) {
    const uint32_t length = 8 - (entry_shift(entry) & TRAWL_CUDA_ANCHOR_SHIFT) / 8;
    return end > (int32_t)slice.owned && end <= (int32_t)slice.length && end >= (int32_t)length;
}

/* The end offsets at which keys may end after the sample that ends before text[end]: bit e for
 * text[end + e]. For one thread alone. */
static __device__ __forceinline__ uint64_t possible_ends(const trawl_cuda_slice &slice,
                                                         const trawl_cuda_qgram_tables &table,
                                                         int32_t end) {
    anchor_candidate candidate = find_bucket(slice, table, end);
    uint64_t ends = candidate.crowded;
    while (candidate.matched != 0) {
        ends |= UINT64_C(1) << (entry_end(take_entry(&candidate)) - table.tier.gram);
    }
    return ends;
}

#endif
