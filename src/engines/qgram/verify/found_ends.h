/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The ends of a block, for filters that know which key may end where (engines/qgram/anchors,
 * engines/qgram/sparse): possible keys are compared with the text some at a time, so that their
 * loads overlap; ends for which there are too many possible keys are marked, to be looked up by
 * their last bytes.
 */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_FOUND_ENDS_H
#define TRAWL_ENGINES_QGRAM_VERIFY_FOUND_ENDS_H

#include "engines/qgram/tier.h"

/* A key that may be in the text. */
typedef struct trawl_possible_key {
    uint32_t end, key;
    uint32_t length;
    uint32_t id;         /* of one of its patterns */
    const uint8_t *past; /* behind this pattern's bytes */
} trawl_possible_key;

/* Sets with more keys are not in the near caches: of each key a comparison reads a record, an
 * offset and bytes, 24 bytes and more. Chosen, not measured against others. */
#define TRAWL_FOUND_ENDS_NEAR_KEYS 4096u

/* Keys that are compared together, so that the loads of their tables and bytes overlap. Chosen, not
 * measured against others. */
#define TRAWL_FOUND_ENDS_AT_ONCE 64u

/* The ends of a block that have been found so far. */
typedef struct trawl_found_ends {
    trawl_tier_walker *walker;
    const trawl_window *window;
    size_t first, last; /* ends of the block */
    uint32_t *ends, *keys;
    size_t count;
    /* Ends to be looked up: bit i is the end first + i. Cleared at the first one. */
    uint64_t *marks;
    bool has_marks;
    bool is_near;      /* tables and patterns are in near caches: nothing is prefetched */
    uint64_t compared; /* bytes of keys */
    uint32_t possible_count;
    const trawl_key_record *records;
    /* One is written before it is known to stay. */
    trawl_possible_key possible[TRAWL_FOUND_ENDS_AT_ONCE + 1];
} trawl_found_ends;

/* Begins the block with the ends first .. last. Ends and keys are written to lists->ends and
 * lists->keys, marks to lists->words. */
void trawl_found_ends_begin(trawl_found_ends *found, trawl_tier_walker *walker,
                            const trawl_window *window, size_t first, size_t last,
                            const trawl_qgram_lists *lists);

/* Compares the keys that are waiting, and enters those that are in the text. */
void trawl_found_ends_compare(trawl_found_ends *found);

/* Makes room for so many possible keys, at most TRAWL_FOUND_ENDS_AT_ONCE. */
static inline void trawl_found_ends_make_room(trawl_found_ends *found, uint32_t keys) {
    if (found->possible_count + keys > TRAWL_FOUND_ENDS_AT_ONCE) {
        trawl_found_ends_compare(found);
    }
}

/* Notes a key, if it is possible and its end in the block. Whether it is cannot be predicted, so
 * there is no branch. There is room for it. */
static inline void trawl_found_ends_note(trawl_found_ends *found, size_t end, uint32_t key,
                                         bool is_possible) {
    trawl_possible_key *next = &found->possible[found->possible_count];
    next->end = (uint32_t)end;
    next->key = key;
    is_possible = is_possible & (end - found->first <= found->last - found->first);
    __builtin_prefetch(&found->records[key & (0 - (uint32_t)is_possible)]);
    found->possible_count += is_possible;
}

/* Marks ends behind a sample, to be looked up: bit i of `steps` stands for the ends sample + 1 +
 * i * step .. sample + (i + 1) * step. Returns how many of them are in the block. */
size_t trawl_found_ends_mark(trawl_found_ends *found, size_t sample, uint64_t steps, uint32_t step);

/* Completes the lists: ends ascend, and the longest key of each is known; TRAWL_NO_KEY where it is
 * to be looked up. Adds the bytes that were compared to those of the tier's search. Returns the
 * number of ends. */
size_t trawl_found_ends_finish(trawl_found_ends *found);

#endif
