/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/verify/look_up.h"

#include "engines/qgram/look_up_word.h"

/* The word of the `bytes` bytes before `end`, more than eight; `ending` is that of the last eight.
 */
static inline uint64_t long_word(const uint8_t *end, uint32_t bytes, uint64_t ending, bool folded) {
    uint64_t word = ending;
    for (uint32_t at = 16; at <= bytes; at += 8) {
        uint64_t before = trawl_ending_word_at(end - at);
        word = trawl_qgram_longer_word(word, folded ? trawl_fold_word(before) : before);
    }
    return word;
}

/* Look-ups side by side. Each waits for a slot of the hash table, a range, the range's first key
 * and the bytes of its pattern, one after the other; side by side they wait together. */
enum { TOGETHER = 16 };

/* The look-up of an end. */
typedef struct look_up {
    uint32_t index;       /* of the end in the lists */
    uint32_t first, past; /* ranges of the slot */
    uint64_t ending, word;
    size_t slot;
} look_up;

/* Begins a look-up: which slot it is, and prefetches that. False if so few bytes are before the end
 * that no key can end there. */
static inline bool begin(const trawl_tier_walker *walker, const uint8_t *text, size_t end,
                         look_up *up) {
    const trawl_qgram_tier *tier = walker->tier;
    const bool folded = walker->search.view.folded;
    up->ending = trawl_ending_load(text, end, folded);
    up->word = up->ending & walker->filter.look_up_mask;
    if (tier->look_up_bytes > 8) {
        if (end < tier->look_up_bytes) {
            return false;
        }
        up->word = long_word(text + end, tier->look_up_bytes, up->ending, folded);
    }
    up->slot = trawl_ending_slot(up->word, tier->hash_bits);
    __builtin_prefetch(&walker->heads[up->slot]);
    return true;
}

/* The key of a look-up. If the word is a hash, keys of two ranges may have it, and at most those of
 * one of them are in the text. */
static uint32_t end(trawl_tier_walker *walker, const uint8_t *text, size_t end, const look_up *up) {
    const uint32_t bytes = walker->tier->look_up_bytes;
    const uint32_t known = bytes <= 8 ? bytes : 0;
    uint32_t key = TRAWL_NO_KEY;
    for (uint32_t i = up->first; i < up->past && key == TRAWL_NO_KEY; i++) {
        const trawl_ending_range *range = &walker->ranges[i];
        if (range->word == up->word) {
            key = trawl_endings_find(&walker->search, range->first, range->last, known, text, end,
                                     up->ending);
        }
    }
    return key;
}

void trawl_qgram_look_up_keys(trawl_tier_walker *walker, const trawl_window *window,
                              const trawl_qgram_lists *lists, size_t count, bool some_known) {
    const uint8_t *text = window->text;
    for (size_t next = 0; next < count;) {
        look_up ups[TOGETHER];
        uint32_t begun = 0;
        for (; next < count && begun < TOGETHER; next++) {
            if (some_known && lists->keys[next] != TRAWL_NO_KEY) {
                continue;
            }
            lists->keys[next] = TRAWL_NO_KEY;
            ups[begun].index = (uint32_t)next;
            begun += begin(walker, text, lists->ends[next], &ups[begun]);
        }
        for (uint32_t i = 0; i < begun; i++) {
            ups[i].first = walker->heads[ups[i].slot];
            ups[i].past = walker->heads[ups[i].slot + 1];
            __builtin_prefetch(&walker->ranges[ups[i].first]);
        }
        for (uint32_t i = 0; i < begun; i++) {
            const uint32_t index = ups[i].index;
            lists->keys[index] = end(walker, text, lists->ends[index], &ups[i]);
        }
    }
}
