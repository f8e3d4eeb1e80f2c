/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Keys: the distinct byte strings of a pattern set, sorted, with the patterns of each.
 *
 * If any pattern of the set is case-insensitive, all keys are lower-cased (folded). Engines then
 * match folded text, and a match of a case-sensitive pattern is verified with the text's own bytes.
 * So one automaton serves sets of both kinds of patterns. Patterns 0 "he", 1 "she", 2 "he", 3
 * "hers":
 *
 *     key       0 "he"   1 "hers"   2 "she"
 *     bytes     h e h e r s s h e
 *     offsets   0    2        6      9
 *     common    0        2          0          bytes in common with the key before
 *     ids       0 2      3          1
 *     first     0    2        3      4
 *
 * Keys of a set with bases (offsets.h) have bases too.
 */
#ifndef TRAWL_PATTERN_KEYS_H
#define TRAWL_PATTERN_KEYS_H

#include "pattern/patterns.h"

/* Readable bytes behind the last key, so that eight can be loaded from any byte of a key on. */
#define TRAWL_KEYS_PADDING 8u

typedef struct trawl_keys {
    bool folded;
    uint32_t count;         /* distinct keys */
    uint32_t pattern_count; /* patterns of all keys together */
    uint32_t max_length;
    uint8_t *bytes;    /* of key k: from the offset of k to that of k + 1; keys ascend */
    uint64_t *bases;   /* NULL, or of the offsets */
    uint32_t *offsets; /* count + 1; its allocation also holds the three arrays below */
    uint32_t *common;  /* length of the longest common prefix of keys k - 1 and k; 0 for k = 0 */
    uint32_t *ids;     /* patterns of key k: ids[first[k]] .. ids[first[k + 1]], ascending */
    uint32_t *first;   /* count + 1 */
} trawl_keys;

/* Makes the keys of the patterns whose ids are in `subset` (`subset_count` of them, ascending), or
 * of all patterns if subset is NULL. Free with trawl_keys_release, also after a failure. */
trawl_status trawl_keys_make(const trawl_patterns *patterns, const uint32_t *subset,
                             size_t subset_count, trawl_keys *keys, trawl_error *error);
void trawl_keys_release(trawl_keys *keys);

/* Frees ids and first, for callers that have written them elsewhere and still need the strings. */
void trawl_keys_release_ids(trawl_keys *keys);

static inline const uint8_t *trawl_key_bytes(const trawl_keys *keys, size_t key) {
    return keys->bytes + trawl_offset(keys->offsets, keys->bases, key);
}

/* Bytes of all keys. */
static inline uint64_t trawl_keys_bytes(const trawl_keys *keys) {
    return trawl_offset(keys->offsets, keys->bases, keys->count);
}

static inline uint32_t trawl_key_length(const trawl_keys *keys, uint32_t key) {
    return keys->offsets[key + 1] - keys->offsets[key];
}

/* The number of states of the keys' trie: the root, and one for each byte that a key does not share
 * with the key before it. */
uint64_t trawl_keys_states(const trawl_keys *keys);

#endif
