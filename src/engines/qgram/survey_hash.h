/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hashes of q-grams for the survey (engines/qgram/survey.h). */
#ifndef TRAWL_ENGINES_QGRAM_SURVEY_HASH_H
#define TRAWL_ENGINES_QGRAM_SURVEY_HASH_H

#include "engines/qgram/format.h"

/* The hash of the q-gram before `end`; `begin` is the first byte that may be read. */
static inline uint64_t trawl_survey_hash(const uint8_t *begin, const uint8_t *end, uint32_t gram,
                                         uint64_t case_bits) {
    uint8_t copy[16] = {0};
    if (end - begin < 16) {
        size_t length = (size_t)(end - begin) < gram ? (size_t)(end - begin) : gram;
        memcpy(copy + 16 - length, end - length, length);
        end = copy + 16;
    }
    uint64_t last, first;
    memcpy(&last, end - 8, sizeof last);
    last |= case_bits;
    if (gram <= 8) {
        return (last >> (64 - 8 * gram)) * TRAWL_QGRAM_MULTIPLIER;
    }
    memcpy(&first, end - gram, sizeof first);
    return trawl_qgram_join_words(first | case_bits, last) * TRAWL_QGRAM_MULTIPLIER;
}

#endif
