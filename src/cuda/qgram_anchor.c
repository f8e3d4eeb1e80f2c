#include "cuda/qgram_anchor.h"

#include <string.h>

/* Bytes of a key that samples may have. */
#define MOST_BYTES (TRAWL_CUDA_QGRAM_REACH + TRAWL_CUDA_QGRAM_MOST_GRAM)

uint64_t trawl_cuda_qgram_hash_before(const trawl_cuda_qgram_tier *tier, const uint8_t *end) {
    uint32_t words[4] = {0, 0, 0, 0};
    uint32_t oldest = trawl_cuda_qgram_words(tier) - 1;
    for (uint32_t word = 0; word <= oldest; word++) {
        memcpy(&words[word], end - 4 * word - 4, 4);
        words[word] |= trawl_cuda_qgram_case_bits(tier);
    }
    words[oldest] &= trawl_cuda_qgram_mask(tier);
    return trawl_cuda_qgram_hash(words);
}

void trawl_cuda_qgram_count(const trawl_cuda_qgram_tier *tier, const uint8_t *text, size_t length,
                            trawl_cuda_qgram_counts *counts) {
    memset(counts, 0, sizeof *counts);
    for (size_t end = TRAWL_CUDA_QGRAM_MOST_GRAM; end <= length; end++) {
        uint64_t hash = trawl_cuda_qgram_hash_before(tier, text + end);
        uint16_t *count = &counts->each[trawl_cuda_qgram_counted(hash)];
        *count = (uint16_t)(*count + (*count != UINT16_MAX));
    }
}

uint32_t trawl_cuda_qgram_anchor(const trawl_cuda_qgram_tier *tier,
                                 const trawl_cuda_qgram_counts *counts, const uint8_t *reversed,
                                 uint32_t length, uint64_t hashes[TRAWL_CUDA_QGRAM_REACH]) {
    uint32_t bytes[MOST_BYTES]; /* bytes[i]: the four bytes that end i bytes before the key does */
    uint32_t many = length < MOST_BYTES ? length : MOST_BYTES, four = 0;
    for (uint32_t i = MOST_BYTES; i-- > 0;) {
        four = four >> 8 | (i < many ? (uint32_t)reversed[i] << 24 : 0);
        bytes[i] = four;
    }
    const uint32_t oldest = trawl_cuda_qgram_words(tier) - 1, mask = trawl_cuda_qgram_mask(tier);
    uint32_t last = many - tier->gram; /* how far from the end the first sample ends */
    last = last < TRAWL_CUDA_QGRAM_REACH - 1 ? last : TRAWL_CUDA_QGRAM_REACH - 1;
    last = tier->stride == 1 ? 0 : last; /* there is no second question */
    uint32_t anchor = 0, sum = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i <= last; i++) {
        uint32_t words[4] = {0, 0, 0, 0};
        for (uint32_t word = 0; word <= oldest; word++) {
            words[word] = bytes[i + 4 * word] | trawl_cuda_qgram_case_bits(tier);
        }
        words[oldest] &= mask;
        hashes[i] = trawl_cuda_qgram_hash(words);
        sum += counts->each[trawl_cuda_qgram_counted(hashes[i])];
        if (i >= tier->stride) {
            sum -= counts->each[trawl_cuda_qgram_counted(hashes[i - tier->stride])];
        }
        if (i + 1 >= tier->stride && sum < least) {
            least = sum;
            anchor = i + 1 - tier->stride;
        }
    }
    return anchor;
}
