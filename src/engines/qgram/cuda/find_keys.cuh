/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* From a candidate to the longest key that it leads to: the look-up of end offsets and of keys
 * (gpu/format.h). The kernels that include this count or report the matches. */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_FIND_KEYS_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_FIND_KEYS_CUH

#include "engines/qgram/cuda/sample_filter.cuh"
#include "engines/qgram/look_up_word.h"
#include "gpu/emission.cuh"

#define FULL 0xffffffffu

/* ------------------------------------------------------------------ the text */

/* Loads the 16 bytes at text[at], with zeros where there is no text. */
static __device__ __forceinline__ uint4 load_vector(const trawl_cuda_slice &slice, int32_t at) {
    if (at >= 0 && at + 16 <= (int32_t)slice.length) {
        return __ldg((const uint4 *)(slice.text + at));
    }
    uint32_t words[4] = {0, 0, 0, 0};
    for (int32_t i = 0; i < 16; i++) {
        if (at + i >= 0 && at + i < (int32_t)slice.length) {
            words[i / 4] |= (uint32_t)slice.text[at + i] << (8 * (i % 4));
        }
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

static __device__ __forceinline__ void load_batch(const trawl_cuda_slice &slice, int32_t batch,
                                                  uint4 *own) {
    int32_t at = batch + (int32_t)(threadIdx.x % 32 * 16);
    if (batch >= 0 && batch + (int32_t)TRAWL_QGRAM_BATCH <= (int32_t)slice.length) {
        const uint4 *vectors = (const uint4 *)(slice.text + at);
#pragma unroll
        for (uint32_t i = 0; i < trawl_qgram_tuned::vectors; i++) {
            own[i] = __ldg(vectors + i * (TRAWL_QGRAM_VECTOR_BYTES / 16));
        }
    } else {
#pragma unroll
        for (uint32_t i = 0; i < trawl_qgram_tuned::vectors; i++) {
            own[i] = load_vector(slice, at + (int32_t)(i * TRAWL_QGRAM_VECTOR_BYTES));
        }
    }
}

/* The last thread's vector: the 16 bytes before the next vector of the warp. */
static __device__ __forceinline__ uint4 vector_of_last_thread(const uint4 &own) {
    return make_uint4(__shfl_sync(FULL, own.x, 31), __shfl_sync(FULL, own.y, 31),
                      __shfl_sync(FULL, own.z, 31), __shfl_sync(FULL, own.w, 31));
}

/* Copies vectors of a filter image to shared memory. All threads of the block call this, and
 * synchronise afterwards. */
static __device__ __forceinline__ void copy_image(const uint4 *image, uint32_t vectors,
                                                  uint8_t *shared) {
    for (uint32_t i = threadIdx.x; i < vectors; i += blockDim.x) {
        ((uint4 *)shared)[i] = __ldg(image + i);
    }
}

/* ------------------------------------------------------------------ end offsets */

/* The `count` words of a sample that ends before text[end], the latest word first, with zeros where
 * there is no text. Uses as few loads of eight aligned bytes as possible: the 32 threads load from
 * different places, so that each load of a warp takes 32 cycles. */
static __device__ __forceinline__ void sample_words(const trawl_cuda_slice &slice, uint32_t count,
                                                    int32_t end, uint32_t (&words)[4]) {
    uint64_t near, far;
    if (end >= 24 && end + 8 <= (int32_t)slice.length) {
        uintptr_t last = (uintptr_t)(slice.text + end - 1);
        const unsigned long long *aligned = (const unsigned long long *)(last & ~(uintptr_t)7);
        uint32_t had = (uint32_t)(last & 7) + 1, behind = 64 - 8 * had;
        uint64_t first = __ldg(aligned);
        uint64_t second = 4 * count > had ? __ldg(aligned - 1) : 0;
        uint64_t third = 4 * count > had + 8 ? __ldg(aligned - 2) : 0;
        near = first << behind | (behind == 0 ? 0 : second >> (64 - behind));
        far = second << behind | (behind == 0 ? 0 : third >> (64 - behind));
    } else {
        near = trawl_cuda_eight_before(slice, end);
        far = trawl_cuda_eight_before(slice, end - 8);
    }
    words[0] = (uint32_t)(near >> 32);
    words[1] = (uint32_t)near;
    words[2] = (uint32_t)(far >> 32);
    words[3] = (uint32_t)far;
}

/* The end offsets of a sample that ends before text[end]. Bit a: keys may end a bytes behind the
 * sample. */
static __device__ __forceinline__ uint32_t end_offsets_of(const trawl_cuda_slice &slice,
                                                          const trawl_cuda_qgram_tables &table,
                                                          int32_t end) {
    const uint32_t count = trawl_cuda_qgram_words(&table.tier);
    uint32_t words[4] = {0, 0, 0, 0};
    sample_words(slice, count, end, words);
#pragma unroll
    for (uint32_t word = 0; word < 4; word++) {
        uint32_t mask = word + 1 < count ? UINT32_MAX : word + 1 == count ? table.mask : 0;
        words[word] = trawl_cuda_qgram_fold(words[word], table.case_bits) & mask;
    }
    uint64_t hash = trawl_cuda_qgram_hash(words);
    return __ldg(table.end_offsets +
                 trawl_cuda_qgram_end_offset_entry(hash, table.tier.end_offset_bits));
}

/* The possible ends of keys after a sample: before text[end + a] for each bit a of end_offsets. */
typedef struct ends {
    uint32_t number; /* of the tier */
    int32_t end;     /* of the sample */
    uint64_t end_offsets;
} ends;

/* Looks up the end offsets of a sample of tier `number` that ends before text[end]. There are none
 * if the sample ends before the first owned byte, since test_before() tests such samples. Ends
 * behind the slice are dropped: they are found in the next slice. */
static __device__ __forceinline__ ends find_end_offsets(const trawl_cuda_slice &slice,
                                                        const trawl_cuda_qgram_view &view,
                                                        uint32_t number, int32_t end) {
    const trawl_cuda_qgram_tables &table = view.table[number];
    ends result = {number, end, 0};
    int32_t most = (int32_t)slice.length - end;
    if (end > (int32_t)slice.owned && most >= 0) {
        result.end_offsets = table.tier.stride > 1 ? end_offsets_of(slice, table, end) : 1;
        result.end_offsets &= most < 31 ? (2u << most) - 1 : ~0u;
    }
    return result;
}

/* ------------------------------------------------------------------ keys */

/* The keys of a tier that have the same ending as the text before text[end]: first to last - 1;
 * none if first == last. `last` is TRAWL_NO_KEY if `first` alone comes into question: then `ending`
 * has the flags of its entry (free_anchors.cuh). */
typedef struct key_range {
    uint32_t first, last;
    uint64_t ending; /* of the text (trawl_ending_number) */
} key_range;

/* The word of the `look_up_bytes` bytes before text[end] (engines/qgram/look_up_word.h); `ending`
 * is that of the last eight. The text has so many bytes. */
static __device__ __forceinline__ uint64_t look_up_word(const trawl_cuda_slice &slice,
                                                        const trawl_cuda_qgram_tier &tier,
                                                        uint32_t end, uint64_t ending) {
    if (tier.look_up_bytes <= 8) {
        return ending & ~UINT64_C(0) << (64 - 8 * tier.look_up_bytes);
    }
    uint64_t word = ending;
#pragma unroll 1
    for (uint32_t at = 8; at < tier.look_up_bytes; at += 8) {
        const uint64_t before = trawl_cuda_eight_before(slice, (int32_t)(end - at));
        word = trawl_qgram_longer_word(word, tier.folded != 0 ? trawl_fold_word(before) : before);
    }
    return word;
}

/* Looks up the text's last bytes in the hash table. If their word is a hash, the keys of the range
 * may have other bytes. */
static __device__ __forceinline__ key_range keys_with_ending(const trawl_cuda_reporter &reporter,
                                                             const trawl_cuda_qgram_tables &table,
                                                             uint32_t end) {
    key_range result = {0, 0, 0};
    if (table.tier.place == TRAWL_CUDA_QGRAM_DIRECT) {
        const uint8_t *text = reporter.slice.text;
        uint32_t pair = (uint32_t)text[end - 1] << 8 | (end < 2 ? 0 : text[end - 2]);
        result.last = __ldg(table.direct + pair);
        result.first = result.last == 0 ? 0 : result.last - 1;
        return result;
    }
    result.ending = trawl_cuda_eight_before(reporter.slice, (int32_t)end);
    result.ending = table.tier.folded != 0 ? trawl_fold_word(result.ending) : result.ending;
    if (end < table.tier.look_up_bytes) {
        return result;
    }
    const uint64_t word = look_up_word(reporter.slice, table.tier, end, result.ending);
    const size_t slot = trawl_ending_slot(word, table.tier.hash_bits);
    const uint32_t past = __ldg(table.heads + slot + 1);
    for (uint32_t i = __ldg(table.heads + slot); i < past; i++) {
        uint4 range = __ldg(table.ranges + i); /* word, first, last */
        if (((uint64_t)range.y << 32 | range.x) == word) {
            result.first = range.z;
            result.last = range.w;
            break;
        }
    }
    return result;
}

/* The `count` bytes before bytes[end], up to eight, the last one most significant; lower bytes are
 * undefined. Loads only those aligned words that have some of these bytes. */
static __device__ __forceinline__ uint64_t few_before(const uint8_t *bytes, uint32_t end,
                                                      uint32_t count) {
    uintptr_t last = (uintptr_t)(bytes + end - 1);
    const unsigned long long *words = (const unsigned long long *)(last & ~(uintptr_t)7);
    uint32_t had = (uint32_t)(last & 7) + 1, behind = 64 - 8 * had;
    uint64_t below = count > had && had < 8 ? __ldg(words - 1) >> (64 - behind) : 0;
    return __ldg(words) << behind | below;
}

/* Returns how many bytes before text[end] and before byte `past` of the patterns are equal, at most
 * `most`. The first `known` of them are known to be equal. `folded`: letters of either case are
 * equal. *less: at the first difference the pattern's byte is less. */
static __device__ __forceinline__ uint32_t common_before(const trawl_cuda_reporter &reporter,
                                                         uint32_t end, uint32_t past,
                                                         uint32_t known, uint32_t most, bool folded,
                                                         bool *less) {
    *less = false;
    while (known < most) {
        uint64_t key = few_before(reporter.patterns.bytes, past - known, most - known);
        uint64_t text = trawl_cuda_eight_before(reporter.slice, (int32_t)(end - known));
        key = folded ? trawl_fold_word(key) : key;
        text = folded ? trawl_fold_word(text) : text;
        *less = key < text;
        if (key != text) {
            known += trawl_leading_zeros(key ^ text) / 8;
            break;
        }
        known += 8;
    }
    return known < most ? known : most;
}

/* The same as trawl_endings_find_by_bytes, with aligned loads. */
static __device__ __forceinline__ uint32_t find_by_bytes(const trawl_cuda_reporter &reporter,
                                                         const trawl_cuda_qgram_tables &table,
                                                         uint32_t first, uint32_t last,
                                                         uint32_t end) {
    const trawl_outputs &outputs = table.endings.keys.outputs;
    uint32_t low = first, high = last;
    uint32_t low_common = table.tier.look_up_bytes <= 8 ? table.tier.look_up_bytes : 0,
             high_common = low_common;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2, length = __ldg(outputs.length + middle);
        const uint32_t past = __ldg(table.pattern_end + middle), most = length < end ? length : end;
        bool less;
        uint32_t common = low_common < high_common ? low_common : high_common;
        common = common_before(reporter, end, past, common, most, table.tier.folded != 0, &less);
        if (common == length || (common < most && less)) {
            low = middle + 1;
            low_common = common;
        } else {
            high = middle;
            high_common = common;
        }
    }
    return low == first ? TRAWL_NO_KEY : trawl_ending_suffix(&outputs, low - 1, low_common);
}

/* Returns the longest key in a range that ends before text[end], or TRAWL_NO_KEY. Loads bytes of
 * patterns only if the ending is not enough. */
static __device__ __forceinline__ uint32_t longest_in_range(const trawl_cuda_reporter &reporter,
                                                            const trawl_cuda_qgram_tables &table,
                                                            const key_range &range, uint32_t end) {
    const trawl_outputs &outputs = table.endings.keys.outputs;
    if (table.tier.place == TRAWL_CUDA_QGRAM_DIRECT) {
        return trawl_ending_suffix(&outputs, range.first, end);
    }
    if (table.tier.max_length == table.tier.look_up_bytes && table.tier.look_up_bytes <= 8) {
        return range.first; /* keys are not longer, so there is just one */
    }
    const uint64_t *endings = table.endings.endings;
    uint32_t key = range.first;
    for (uint32_t count = range.last - key; count > 1;) {
        uint32_t half = count / 2;
        key += __ldg(endings + key + half) <= range.ending ? half : 0;
        count -= half;
    }
    uint64_t nearest = __ldg(endings + key);
    if (nearest > range.ending) {
        return TRAWL_NO_KEY;
    }
    if (nearest != range.ending) {
        uint32_t common = trawl_leading_zeros(nearest ^ range.ending) / 8;
        return trawl_ending_suffix(&outputs, key, common);
    }
    uint32_t length = __ldg(outputs.length + key);
    if (length <= 8) {
        return length <= end ? key : trawl_ending_suffix(&outputs, key, end);
    }
    return find_by_bytes(reporter, table, range.first, key + 1, end);
}

/* The longest key of a tier that ends before text[end], or TRAWL_NO_KEY. */
static __device__ __forceinline__ uint32_t longest_key_before(const trawl_cuda_reporter &reporter,
                                                              const trawl_cuda_qgram_tables &table,
                                                              uint32_t end) {
    key_range range = keys_with_ending(reporter, table, end);
    return range.first == range.last ? TRAWL_NO_KEY : longest_in_range(reporter, table, range, end);
}

/* ------------------------------------------------------------------ for all threads of a warp or
 * block */

static __device__ __forceinline__ uint32_t clamp(uint64_t value, uint32_t least, uint32_t most) {
    return value < least ? least : value < most ? (uint32_t)value : most;
}

/* Returns the sum of the values of the warp's threads before this one; *sum: of all its threads. */
template <typename Count>
static __device__ __forceinline__ Count sum_before(Count value, Count *sum) {
    Count inclusive = value;
#pragma unroll
    for (uint32_t distance = 1; distance < 32; distance *= 2) {
        Count other = __shfl_up_sync(FULL, inclusive, distance);
        inclusive += threadIdx.x % 32 < distance ? 0 : other;
    }
    *sum = __shfl_sync(FULL, inclusive, 31);
    return inclusive - value;
}

/* Adds up the counts of all threads of a block, and adds the sum to the total of the output. */
static __device__ __forceinline__ void add_total(const trawl_cuda_output &output,
                                                 trawl_counter counted, uint32_t *shared) {
    for (uint32_t offset = 16; offset != 0; offset /= 2) {
        counted += __shfl_down_sync(FULL, counted, offset);
    }
    trawl_counter *sums = (trawl_counter *)shared;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = counted;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        trawl_counter sum = 0;
        for (uint32_t i = 0; i < blockDim.x / 32; i++) {
            sum += sums[i];
        }
        if (sum != 0) {
            atomicAdd(output.total, sum);
        }
    }
}

#endif
