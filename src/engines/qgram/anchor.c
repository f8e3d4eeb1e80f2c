/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/anchor.h"

#include "base/allocate.h"
#include "base/status.h"

/* The most bytes at a key's end that windows can cover; and the bytes of one load, which may go
 * that far beyond them. */
#define MAX_BYTES (TRAWL_QGRAM_MAX_GRAM + TRAWL_QGRAM_MAX_ENDS)
#define READ_BYTES 8u

/* The counter of the q-gram; eight bytes from its first one on can be read. */
static inline uint32_t counter_of(const uint8_t *first, uint32_t gram, uint64_t case_bits,
                                  uint64_t multiplier) {
    uint64_t number, last;
    memcpy(&number, first, sizeof number);
    number |= case_bits;
    if (gram > 8) {
        memcpy(&last, first + gram - 8, sizeof last);
        number = trawl_qgram_join_words(number, last | case_bits);
    }
    return (uint32_t)((number * multiplier) >> (64 - TRAWL_ANCHOR_COUNT_BITS));
}

static void count_part(trawl_anchor_counts *counts, const uint8_t *text, size_t begin, size_t end) {
    uint64_t case_bits = trawl_qgram_case_bits(counts->folded);
    uint64_t multiplier = trawl_qgram_multiplier(counts->gram);
    for (size_t i = begin; i + TRAWL_QGRAM_MAX_GRAM <= end; i++) {
        uint16_t *each = &counts->each[counter_of(text + i, counts->gram, case_bits, multiplier)];
        *each = (uint16_t)(*each + (*each != UINT16_MAX));
    }
}

void trawl_anchor_count(trawl_anchor_counts *counts, uint32_t gram, bool folded,
                        uint32_t validation_fold, const uint8_t *text, size_t length) {
    memset(counts, 0, sizeof *counts);
    counts->gram = gram;
    counts->folded = folded;
    if (length < TRAWL_ANCHOR_LEAST_SAMPLE) {
        return;
    }
    for (size_t begin = 0; begin < length; begin += TRAWL_ANCHOR_PIECE) {
        if (begin / TRAWL_ANCHOR_PIECE % TRAWL_ANCHOR_FOLDS != validation_fold) {
            size_t left = length - begin;
            count_part(counts, text, begin,
                       begin + (left < TRAWL_ANCHOR_PIECE ? left : TRAWL_ANCHOR_PIECE));
        }
    }
}

uint32_t trawl_anchor_choose(const trawl_anchor_counts *counts, const uint8_t *end, uint32_t length,
                             uint32_t stride, uint32_t anchor_slack) {
    uint32_t gram = counts->gram, most = gram + stride + anchor_slack - 1;
    uint32_t bytes = length < most ? length : most;
    uint8_t copy[MAX_BYTES + READ_BYTES] = {0};
    memcpy(copy, end - bytes, bytes);
    uint64_t case_bits = trawl_qgram_case_bits(counts->folded);
    uint64_t multiplier = trawl_qgram_multiplier(gram);
    uint32_t seen[MAX_BYTES]; /* [i]: count of the q-gram that ends i bytes before the key's end */
    uint32_t best = 0, sum = 0, least = UINT32_MAX;
    for (uint32_t i = 0; i + gram <= bytes; i++) {
        const uint8_t *first = copy + bytes - gram - i;
        seen[i] = counts->each[counter_of(first, gram, case_bits, multiplier)];
        sum += seen[i];
        sum -= i < stride ? 0 : seen[i - stride];
        if (i + 1 >= stride && sum < least) {
            least = sum;
            best = i + 1 - stride;
        }
    }
    return best;
}

trawl_status trawl_anchor_choose_all(const trawl_qgram_tier *tier, const trawl_keys *keys,
                                     const uint8_t *text, size_t length, uint8_t **offsets,
                                     trawl_error *error) {
    trawl_anchor_counts *counts = trawl_allocate(1, sizeof *counts);
    *offsets = trawl_allocate(keys->count, 1);
    if (counts == NULL || *offsets == NULL) {
        trawl_release(counts);
        return trawl_fail_memory(error, "planning qgram", sizeof *counts + keys->count);
    }
    trawl_anchor_count(counts, tier->gram, tier->folded != 0, TRAWL_ANCHOR_FOLDS, text, length);
    uint32_t most = tier->gram + tier->stride + tier->anchor_slack - 1;
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = keys->bytes + keys->offsets[key];
        uint32_t bytes = trawl_key_length(keys, key);
        uint8_t copy[MAX_BYTES];
        bytes = bytes < most ? bytes : most;
        for (uint32_t i = 0; i < bytes; i++) {
            copy[bytes - 1 - i] = reversed[i];
        }
        (*offsets)[key] = (uint8_t)trawl_anchor_choose(counts, copy + bytes, bytes, tier->stride,
                                                       tier->anchor_slack);
    }
    trawl_release(counts);
    return TRAWL_OK;
}
