/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The search for the longest key that ends at a position of the text (database/endings.h), for
 * walkers on CPUs and kernels alike. Only text[0 .. end) is read.
 */
#ifndef TRAWL_DATABASE_ENDINGS_SEARCH_H
#define TRAWL_DATABASE_ENDINGS_SEARCH_H

#include <string.h>

#include "base/fold.h"
#include "database/endings.h"

/* The keys of one part, in memory that the searching device can read. */
typedef struct trawl_endings_view {
    trawl_outputs outputs;
    const uint64_t *endings; /* one for each key */
    trawl_pattern_view patterns;
    bool folded;
} trawl_endings_view;

/* The ending (trawl_ending_number) of text[0 .. end), folded where the keys are. */
TRAWL_BOTH uint64_t trawl_ending_load(const uint8_t *text, size_t end, bool folded) {
    uint64_t word = 0;
    if (end >= sizeof word) {
        memcpy(&word, text + end - sizeof word, sizeof word);
    } else {
        for (size_t i = 0; i < end; i++) {
            word = word >> 8 | (uint64_t)text[i] << 56;
        }
    }
    return folded ? trawl_fold_word(word) : word;
}

TRAWL_BOTH uint64_t trawl_ending_word_at(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The number of equal bytes before `left` and `right`, counted backwards, at most `most`; the first
 * `known` of them are known to be equal. */
TRAWL_BOTH size_t trawl_ending_common(const uint8_t *left, const uint8_t *right, size_t known,
                                      size_t most, bool folded) {
    while (known + 8 <= most) {
        uint64_t left_word = trawl_ending_word_at(left - known - 8);
        uint64_t right_word = trawl_ending_word_at(right - known - 8);
        if (folded) {
            left_word = trawl_fold_word(left_word);
            right_word = trawl_fold_word(right_word);
        }
        uint64_t difference = left_word ^ right_word;
        if (difference != 0) {
            return known + trawl_leading_zeros(difference) / 8;
        }
        known += 8;
    }
    while (known < most) {
        uint8_t left_byte = *(left - known - 1);
        uint8_t right_byte = *(right - known - 1);
        if (folded ? trawl_fold(left_byte) != trawl_fold(right_byte) : left_byte != right_byte) {
            break;
        }
        known++;
    }
    return known;
}

/* The longest key among `key` and its suffixes that is no longer than `common`. Keys and the text
 * before `end` are compared from their last bytes backwards. If `key` is the greatest key that is
 * not greater than this text, and `common` the number of last bytes that the two share, then every
 * key that ends there is `key` or a suffix of it. */
TRAWL_BOTH uint32_t trawl_ending_suffix(const trawl_outputs *outputs, uint32_t key, size_t common) {
    while (key != TRAWL_NO_KEY && outputs->length[key] > common) {
        key = outputs->link[key];
    }
    return key;
}

/* The search by bytes, among keys whose last eight bytes are those of the text. Adds the number of
 * bytes that were compared to *compared. */
TRAWL_BOTH uint32_t trawl_endings_find_by_bytes(const trawl_endings_view *view, uint32_t first,
                                                uint32_t last, size_t known, const uint8_t *text,
                                                size_t end, uint64_t *compared) {
    const trawl_outputs *outputs = &view->outputs;
    const trawl_pattern_view *patterns = &view->patterns;
    const uint8_t *here = text + end;
    bool folded = view->folded;
    /* Keys before `low` are not greater than the text (compared from their last bytes backwards),
     * keys from `high` on are. low_common and high_common: the number of last bytes that keys
     * low - 1 and high share with the text. */
    uint32_t low = first, high = last;
    size_t low_common = known, high_common = known;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t id = outputs->ids[outputs->first[middle]];
        const uint8_t *key = trawl_view_end(patterns, id);
        size_t length = outputs->length[middle];
        size_t most = length < end ? length : end;
        const size_t shared = low_common < high_common ? low_common : high_common;
        const size_t common = trawl_ending_common(key, here, shared, most, folded);
        *compared += common - shared;
        bool not_greater = common >= length;
        if (!not_greater && common < end) {
            uint8_t key_byte = *(key - common - 1);
            uint8_t text_byte = *(here - common - 1);
            not_greater =
                folded ? trawl_fold(key_byte) < trawl_fold(text_byte) : key_byte < text_byte;
        }
        if (not_greater) {
            low = middle + 1;
            low_common = common;
        } else {
            high = middle;
            high_common = common;
        }
    }
    return low == first ? TRAWL_NO_KEY : trawl_ending_suffix(outputs, low - 1, low_common);
}

/* The longest of the keys first .. last - 1 that is a suffix of text[0 .. end), or TRAWL_NO_KEY.
 * All of them end with the same `known` bytes, and so does the text, whose ending is `ending`
 * (trawl_ending_load). Adds the number of bytes that were compared one by one to *compared. */
TRAWL_BOTH uint32_t trawl_endings_find_in(const trawl_endings_view *view, uint32_t first,
                                          uint32_t last, size_t known, const uint8_t *text,
                                          size_t end, uint64_t ending, uint64_t *compared) {
    const uint64_t *endings = view->endings;
    /* The last key whose ending is not greater than the text's. */
    uint32_t key = first;
    for (uint32_t count = last - first; count > 1;) {
        uint32_t half = count / 2;
        key += endings[key + half] <= ending ? half : 0;
        count -= half;
    }
    if (endings[key] >= ending) {
        return endings[key] > ending
                   ? TRAWL_NO_KEY
                   : trawl_endings_find_by_bytes(view, first, key + 1, known, text, end, compared);
    }
    /* The text's ending is greater. So at the first different byte the text has a byte above 0; it
     * is not one of the zeros that stand for bytes before the beginning of a short text. */
    size_t common = trawl_leading_zeros(endings[key] ^ ending) / 8;
    return trawl_ending_suffix(&view->outputs, key, common);
}

#endif
