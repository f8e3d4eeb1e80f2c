/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "scan/case_counter.h"

#include <string.h>

#include "base/allocate.h"
#include "base/fold.h"

/* A scanner makes the counts when it opens if the patterns have at most so many bytes together, so
 * that opening stays short. Chosen, not measured. */
#define MOST_RESERVED (UINT32_C(1) << 20)

bool trawl_case_counter_make(trawl_case_counter *counter, const trawl_outputs *outputs,
                             const trawl_pattern_view *patterns) {
    counter->refused = true;
    if (patterns->bases != NULL) {
        return false; /* spellings have places of 32 bits */
    }
    uint8_t *flags = trawl_allocate(patterns->count, sizeof *flags);
    if (flags == NULL) {
        return false;
    }
    trawl_case_flags(patterns, flags);
    uint64_t count = trawl_case_words(outputs, flags);
    counter->words = trawl_allocate(count, sizeof *counter->words);
    if (counter->words != NULL) {
        trawl_case_write(outputs, patterns, flags, counter->words);
        counter->counts = trawl_case_view(counter->words, count, outputs->keys);
    }
    trawl_release(flags);
    return counter->words != NULL;
}

void trawl_case_counter_reserve(trawl_case_counter *counter, const trawl_outputs *outputs,
                                const trawl_pattern_view *patterns) {
    if (counter->words != NULL) {
        return;
    }
    counter->refused = true;
    if (patterns->bases == NULL && patterns->offsets[patterns->count] <= MOST_RESERVED &&
        trawl_case_is_mixed(patterns)) {
        (void)trawl_case_counter_make(counter, outputs, patterns);
    }
}

void trawl_case_counter_release(trawl_case_counter *counter) {
    trawl_release(counter->words);
    counter->words = NULL;
}

/* The number of bytes before text[end], at most `most`, without a letter from A to Z. */
static size_t bytes_without_capitals(const uint8_t *text, size_t end, size_t most) {
    size_t bytes = 0;
    uint64_t word;
    for (; bytes < most && end - bytes >= sizeof word; bytes += sizeof word) {
        memcpy(&word, text + end - bytes - sizeof word, sizeof word);
        uint64_t capitals = trawl_fold_word(word) ^ word;
        if (capitals != 0) { /* the last byte is the most significant one */
            return bytes + (size_t)__builtin_clzll(capitals) / 8;
        }
    }
    while (bytes < most && trawl_fold(text[end - bytes - 1]) == text[end - bytes - 1]) {
        bytes++;
    }
    return bytes;
}

uint64_t trawl_case_counter_matches(const trawl_case_counter *counter, const trawl_outputs *outputs,
                                    const trawl_pattern_view *patterns, const uint8_t *text,
                                    size_t end, uint32_t key) {
    const trawl_case_counts *counts = &counter->counts;
    if (outputs->length[key] > end) {
        return 0; /* only a forged automaton reports such a key */
    }
    const size_t plain = bytes_without_capitals(text, end, outputs->length[key]);
    uint64_t matches = counts->any_case[key];
    for (; key != TRAWL_NO_KEY; key = outputs->link[key]) {
        const size_t length = outputs->length[key];
        if (length <= plain) {
            return matches + counts->plain[key] - counts->any_case[key];
        }
        for (uint32_t i = counts->first[key]; i < counts->first[key + 1]; i++) {
            const trawl_spelling *spelling = &counts->spellings[i];
            if (memcmp(patterns->bytes + spelling->offset, text + end - length, length) == 0) {
                matches += spelling->patterns;
            }
        }
    }
    return matches;
}
