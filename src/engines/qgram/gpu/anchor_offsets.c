/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/anchor_offsets.h"

#include <string.h>

/* The number of last bytes of a key from which its samples may be taken. */
#define MOST_BYTES (TRAWL_CUDA_QGRAM_ANCHOR_SLACK + TRAWL_CUDA_QGRAM_MOST_GRAM)

/* The number of bytes before the end of a key that may be read. */
#define READ_BEFORE MOST_BYTES

/* In the functions below, loops that run for every position or offset are compiled once for each
 * number of words, so that the compiler can unroll hash_before. */
static inline uint64_t hash_before(const uint8_t *end, uint32_t words_each, uint32_t mask,
                                   uint32_t case_bits) {
    uint32_t words[4] = {0, 0, 0, 0};
    for (uint32_t word = 0; word < words_each; word++) {
        memcpy(&words[word], end - 4 * word - 4, 4);
        words[word] = trawl_cuda_qgram_fold(words[word], case_bits);
    }
    words[words_each - 1] &= mask;
    return trawl_cuda_qgram_hash(words);
}

uint64_t trawl_cuda_qgram_hash_before(const trawl_cuda_qgram_tier *tier, const uint8_t *end) {
    uint32_t mask = trawl_cuda_qgram_mask(tier), case_bits = trawl_cuda_qgram_case_bits(tier);
    switch (trawl_cuda_qgram_words(tier)) {
    case 1:
        return hash_before(end, 1, mask, case_bits);
    case 2:
        return hash_before(end, 2, mask, case_bits);
    case 3:
        return hash_before(end, 3, mask, case_bits);
    default:
        return hash_before(end, 4, mask, case_bits);
    }
}

static inline void count(const trawl_cuda_qgram_tier *tier, const uint8_t *text, size_t length,
                         trawl_cuda_qgram_counts *counts, uint32_t words_each) {
    uint32_t mask = trawl_cuda_qgram_mask(tier), case_bits = trawl_cuda_qgram_case_bits(tier);
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= length; end++) {
        uint64_t hash = hash_before(text + end, words_each, mask, case_bits);
        uint16_t *each = &counts->each[trawl_cuda_qgram_count_slot(hash)];
        *each = (uint16_t)(*each + (*each != UINT16_MAX));
    }
}

void trawl_cuda_qgram_count(const trawl_cuda_qgram_tier *tier, const uint8_t *text, size_t length,
                            trawl_cuda_qgram_counts *counts) {
    memset(counts, 0, sizeof *counts);
    switch (trawl_cuda_qgram_words(tier)) {
    case 1:
        count(tier, text, length, counts, 1);
        break;
    case 2:
        count(tier, text, length, counts, 2);
        break;
    case 3:
        count(tier, text, length, counts, 3);
        break;
    default:
        count(tier, text, length, counts, 4);
        break;
    }
}

uint32_t trawl_cuda_qgram_offsets(const trawl_cuda_qgram_tier *tier, uint32_t length) {
    if (tier->stride == 1) { /* the sample ends where the key ends */
        return 1;
    }
    uint32_t last = (length < MOST_BYTES ? length : MOST_BYTES) - tier->gram;
    return last < TRAWL_CUDA_QGRAM_ANCHOR_SLACK ? last + 1 : TRAWL_CUDA_QGRAM_ANCHOR_SLACK;
}

static inline void hash_offsets(const trawl_cuda_qgram_tier *tier, const uint8_t *end,
                                uint32_t offsets, uint64_t *hashes, uint32_t words_each) {
    const uint32_t mask = trawl_cuda_qgram_mask(tier), case_bits = trawl_cuda_qgram_case_bits(tier);
    for (uint32_t i = 0; i < offsets; i++) {
        hashes[i] = hash_before(end - i, words_each, mask, case_bits);
    }
}

void trawl_cuda_qgram_hash_offsets(const trawl_cuda_qgram_tier *tier, const uint8_t *end,
                                   uint32_t offsets, uint64_t *hashes) {
    switch (trawl_cuda_qgram_words(tier)) {
    case 1:
        hash_offsets(tier, end, offsets, hashes, 1);
        break;
    case 2:
        hash_offsets(tier, end, offsets, hashes, 2);
        break;
    case 3:
        hash_offsets(tier, end, offsets, hashes, 3);
        break;
    default:
        hash_offsets(tier, end, offsets, hashes, 4);
        break;
    }
}

void trawl_cuda_qgram_hash_pattern(const trawl_cuda_qgram_tier *tier,
                                   const trawl_patterns *patterns, size_t id, uint32_t offsets,
                                   uint64_t *hashes) {
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    const uint32_t length = trawl_pattern_length(patterns, id);
    uint8_t padded[READ_BEFORE] = {0};
    const uint8_t *end = bytes + length;
    if ((size_t)patterns->offsets[id] + length < READ_BEFORE) { /* only the first patterns */
        memcpy(padded + READ_BEFORE - length, bytes, length);
        end = padded + READ_BEFORE;
    }
    trawl_cuda_qgram_hash_offsets(tier, end, offsets, hashes);
}

void trawl_cuda_qgram_sum(const trawl_cuda_qgram_counts *counts, const uint64_t *hashes,
                          uint32_t offsets, uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1]) {
    sums[0] = 0;
    for (uint32_t i = 0; i < offsets; i++) {
        sums[i + 1] = sums[i] + counts->each[trawl_cuda_qgram_count_slot(hashes[i])];
    }
}

uint32_t trawl_cuda_qgram_rarest(const uint32_t *sums, uint32_t offsets, uint32_t stride) {
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i + stride <= offsets; i++) {
        /* The offset is in the lowest digit: of equal sums the first one is the least. */
        uint32_t sum = (sums[i + stride] - sums[i]) * TRAWL_CUDA_QGRAM_ANCHOR_SLACK + i;
        least = sum < least ? sum : least;
    }
    return least % TRAWL_CUDA_QGRAM_ANCHOR_SLACK;
}

uint32_t trawl_cuda_qgram_anchor(const trawl_cuda_qgram_tier *tier,
                                 const trawl_cuda_qgram_counts *counts, const uint8_t *reversed,
                                 uint32_t length, uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK]) {
    /* Bytes before the key are zeros here; samples reach them only with bytes that are masked
     * out. */
    uint8_t padded[TRAWL_CUDA_QGRAM_MOST_GRAM + MOST_BYTES] = {0};
    uint8_t *end = padded + sizeof padded;
    for (uint32_t i = 0; i < length && i < MOST_BYTES; i++) {
        *(end - 1 - i) = reversed[i];
    }
    uint32_t offsets = trawl_cuda_qgram_offsets(tier, length);
    trawl_cuda_qgram_hash_offsets(tier, end, offsets, hashes);
    uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1];
    trawl_cuda_qgram_sum(counts, hashes, offsets, sums);
    return trawl_cuda_qgram_rarest(sums, offsets, tier->stride);
}
