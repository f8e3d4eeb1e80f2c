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
 * and the bytes of its pattern, one after the other; side by side they wait together. Chosen, not
 * measured against other numbers. */
enum { TOGETHER = 16 };

/* The look-up of an end. */
typedef struct look_up {
    uint32_t index;       /* of the end in the lists */
    uint32_t first, past; /* ranges of the slot */
    uint64_t ending, word;
    size_t slot;
} look_up;

/* Finds out which slot a look-up is about, and prefetches it. False if so few bytes are before the
 * end that no key can end there. */
static inline bool find_slot(const trawl_tier_walker *walker, const uint8_t *text, size_t end,
                             look_up *to) {
    const trawl_qgram_tier *tier = walker->tier;
    const bool folded = walker->search.view.folded;
    to->ending = trawl_ending_load(text, end, folded);
    to->word = to->ending & walker->filter.look_up_mask;
    if (tier->look_up_bytes > 8) {
        if (end < tier->look_up_bytes) {
            return false;
        }
        to->word = long_word(text + end, tier->look_up_bytes, to->ending, folded);
    }
    to->slot = trawl_ending_slot(to->word, tier->hash_bits);
    __builtin_prefetch(&walker->heads[to->slot]);
    return true;
}

/* The key of a look-up. If the word is a hash, keys of two ranges may have it, and at most those of
 * one of them are in the text. */
static uint32_t find_key(trawl_tier_walker *walker, const uint8_t *text, size_t end,
                         const look_up *of) {
    const uint32_t bytes = walker->tier->look_up_bytes;
    const uint32_t known = bytes <= 8 ? bytes : 0;
    uint32_t key = TRAWL_NO_KEY, i = of->first;
    for (; i < of->past && key == TRAWL_NO_KEY; i++) {
        const trawl_ending_range *range = &walker->ranges[i];
        if (range->word == of->word) {
            key = trawl_endings_find(&walker->search, range->first, range->last, known, text, end,
                                     of->ending);
        }
    }
    trawl_endings_read(&walker->search, i - of->first);
    return key;
}

void trawl_qgram_look_up_keys(trawl_tier_walker *walker, const trawl_window *window,
                              const trawl_qgram_lists *lists, size_t count, bool some_known) {
    const uint8_t *text = window->text;
    for (size_t next = 0; next < count;) {
        look_up look_ups[TOGETHER];
        uint32_t found = 0;
        for (; next < count && found < TOGETHER; next++) {
            if (some_known && lists->keys[next] != TRAWL_NO_KEY) {
                continue;
            }
            lists->keys[next] = TRAWL_NO_KEY;
            look_ups[found].index = (uint32_t)next;
            found += find_slot(walker, text, lists->ends[next], &look_ups[found]);
        }
        for (uint32_t i = 0; i < found; i++) {
            look_ups[i].first = walker->heads[look_ups[i].slot];
            look_ups[i].past = walker->heads[look_ups[i].slot + 1];
            __builtin_prefetch(&walker->ranges[look_ups[i].first]);
        }
        for (uint32_t i = 0; i < found; i++) {
            const uint32_t index = look_ups[i].index;
            lists->keys[index] = find_key(walker, text, lists->ends[index], &look_ups[i]);
        }
    }
}
