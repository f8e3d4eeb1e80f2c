#include "cuda/qgram_anchor.h"

#include <string.h>

/* Bytes of a key that samples may have. */
#define MOST_BYTES (TRAWL_CUDA_QGRAM_REACH + TRAWL_CUDA_QGRAM_MOST_GRAM)

/* The functions that are used much are made for each number of words, which is then known. */
static inline uint64_t hash_before(const uint8_t *end, uint32_t words_each, uint32_t mask,
                                   uint32_t case_bits) {
    uint32_t words[4] = {0, 0, 0, 0};
    for (uint32_t word = 0; word < words_each; word++) {
        memcpy(&words[word], end - 4 * word - 4, 4);
        words[word] |= case_bits;
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
        uint16_t *each = &counts->each[trawl_cuda_qgram_counted(hash)];
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

static inline uint32_t anchor_of(const trawl_cuda_qgram_tier *tier,
                                 const trawl_cuda_qgram_counts *counts, const uint8_t *reversed,
                                 uint32_t length, uint64_t *hashes, uint32_t words_each) {
    uint32_t bytes[MOST_BYTES]; /* bytes[i]: the four bytes that end i bytes before the key does */
    uint32_t many = length < MOST_BYTES ? length : MOST_BYTES, four = 0;
    uint32_t last = many - tier->gram; /* how far from the end the first sample ends */
    last = last < TRAWL_CUDA_QGRAM_REACH - 1 ? last : TRAWL_CUDA_QGRAM_REACH - 1;
    last = tier->stride == 1 ? 0 : last; /* there is no second question */
    for (uint32_t i = last + 4 * words_each; i-- > 0;) {
        four = four >> 8 | (i < many ? (uint32_t)reversed[i] << 24 : 0);
        bytes[i] = four;
    }
    const uint32_t mask = trawl_cuda_qgram_mask(tier), case_bits = trawl_cuda_qgram_case_bits(tier);
    uint32_t seen[TRAWL_CUDA_QGRAM_REACH]; /* in the text */
    uint32_t anchor = 0, sum = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i <= last; i++) {
        uint32_t words[4] = {0, 0, 0, 0};
        for (uint32_t word = 0; word < words_each; word++) {
            words[word] = bytes[i + 4 * word] | case_bits;
        }
        words[words_each - 1] &= mask;
        hashes[i] = trawl_cuda_qgram_hash(words);
        seen[i] = counts->each[trawl_cuda_qgram_counted(hashes[i])];
        sum += seen[i];
        if (i >= tier->stride) {
            sum -= seen[i - tier->stride];
        }
        if (i + 1 >= tier->stride && sum < least) {
            least = sum;
            anchor = i + 1 - tier->stride;
        }
    }
    return anchor;
}

uint32_t trawl_cuda_qgram_anchor(const trawl_cuda_qgram_tier *tier,
                                 const trawl_cuda_qgram_counts *counts, const uint8_t *reversed,
                                 uint32_t length, uint64_t hashes[TRAWL_CUDA_QGRAM_REACH]) {
    switch (trawl_cuda_qgram_words(tier)) {
    case 1:
        return anchor_of(tier, counts, reversed, length, hashes, 1);
    case 2:
        return anchor_of(tier, counts, reversed, length, hashes, 2);
    case 3:
        return anchor_of(tier, counts, reversed, length, hashes, 3);
    default:
        return anchor_of(tier, counts, reversed, length, hashes, 4);
    }
}
