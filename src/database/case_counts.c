/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/case_counts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fold.h"

bool trawl_case_is_mixed(const trawl_pattern_view *patterns) {
    bool any_case = false, one_case = false;
    for (uint32_t id = 0; id < patterns->count && !(any_case && one_case); id++) {
        const bool is_any_case = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        any_case |= is_any_case;
        one_case |= !is_any_case;
    }
    return any_case && one_case;
}

void trawl_case_flags(const trawl_pattern_view *patterns, uint8_t *flags) {
    for (uint32_t id = 0; id < patterns->count; id++) {
        bool capitals = false;
        for (uint32_t at = patterns->offsets[id]; at < patterns->offsets[id + 1]; at++) {
            capitals |= trawl_fold(patterns->bytes[at]) != patterns->bytes[at];
        }
        flags[id] = patterns->flags[id] | (capitals ? TRAWL_PATTERN_HAS_CAPITALS : 0);
    }
}

/* Whether a pattern matches only where the text has capitals. */
static bool needs_capitals(uint8_t flags) {
    return (flags & TRAWL_PATTERN_CASE_INSENSITIVE) == 0 &&
           (flags & TRAWL_PATTERN_HAS_CAPITALS) != 0;
}

uint64_t trawl_case_words(const trawl_outputs *outputs, const uint8_t *flags) {
    uint64_t capitals = 0;
    for (uint32_t i = 0; i < outputs->first[outputs->keys]; i++) {
        capitals += needs_capitals(flags[outputs->ids[i]]);
    }
    return 2 * capitals + 3 * (uint64_t)outputs->keys + 1;
}

/* The order of spellings of one length: by their bytes. */
typedef struct order {
    const uint8_t *bytes;
    uint32_t length;
} order;

static int compare(const void *left, const void *right, void *context) {
    const order *by = context;
    const uint8_t *bytes = by->bytes;
    return memcmp(bytes + ((const trawl_spelling *)left)->offset,
                  bytes + ((const trawl_spelling *)right)->offset, by->length);
}

/* Sorts spellings of `length` bytes, and leaves each once, with the number of its patterns. Returns
 * how many are left. */
static uint32_t unite(const trawl_pattern_view *patterns, uint32_t length,
                      trawl_spelling *spellings, uint32_t count) {
    order by = {patterns->bytes, length};
    uint32_t left = 0;
    qsort_r(spellings, count, sizeof *spellings, compare, &by);
    for (uint32_t i = 0; i < count; i++) {
        if (left != 0 && compare(&spellings[left - 1], &spellings[i], &by) == 0) {
            spellings[left - 1].patterns++;
        } else {
            spellings[left++] = spellings[i];
        }
    }
    return left;
}

void trawl_case_write(const trawl_outputs *outputs, const trawl_pattern_view *patterns,
                      const uint8_t *flags, uint32_t *words) {
    const uint32_t keys = outputs->keys;
    uint32_t *const plain = words + (trawl_case_words(outputs, flags) - 3 * (uint64_t)keys - 1);
    uint32_t *const any_case = plain + keys, *const first = any_case + keys;
    trawl_spelling *const spellings = (trawl_spelling *)words;
    uint32_t used = 0;
    for (uint32_t key = 0; key < keys; key++) {
        const uint32_t link = outputs->link[key];
        uint32_t length = 0, count = 0;
        plain[key] = link == TRAWL_NO_KEY ? 0 : plain[link];
        any_case[key] = link == TRAWL_NO_KEY ? 0 : any_case[link];
        for (uint32_t i = outputs->first[key]; i < outputs->first[key + 1]; i++) {
            const uint32_t id = outputs->ids[i];
            if (needs_capitals(flags[id])) {
                spellings[used + count++] = (trawl_spelling){patterns->offsets[id], 1};
                length = patterns->offsets[id + 1] - patterns->offsets[id];
            } else {
                plain[key]++;
                any_case[key] += (flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
            }
        }
        first[key] = used;
        used += unite(patterns, length, spellings + used, count);
    }
    first[keys] = used;
}

trawl_case_counts trawl_case_view(const uint32_t *words, uint64_t count, uint32_t keys) {
    const uint32_t *plain = words + (count - 3 * (uint64_t)keys - 1);
    return (trawl_case_counts){plain, plain + keys, plain + 2 * (uint64_t)keys,
                               (const trawl_spelling *)words};
}
