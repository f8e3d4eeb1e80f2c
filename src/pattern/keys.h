/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Keys: the distinct byte strings of a pattern set, sorted, with the patterns of each.
 *
 * When some pattern of the set is case-insensitive, all keys are lower-cased ("folded"): engines
 * then match folded text, and a match of a case-sensitive pattern is verified against the bytes.
 * One automaton thus serves mixed sets, where the same bytes often occur with both flags.
 */
#ifndef TRAWL_PATTERN_KEYS_H
#define TRAWL_PATTERN_KEYS_H

#include "pattern/patterns.h"

/* Bytes that can be read behind the last key, so that eight can be loaded where any key has one. */
#define TRAWL_KEYS_PADDING 8u

typedef struct trawl_keys {
    bool folded;
    uint32_t count;         /* distinct keys */
    uint32_t pattern_count; /* patterns of all keys together */
    uint32_t max_length;
    uint8_t *bytes; /* key k is bytes[offsets[k]] .. bytes[offsets[k + 1]]; ascending byte order */
    uint32_t *offsets; /* count + 1; the block that this one begins holds those below, too */
    uint32_t
        *common; /* common[k]: length of the longest common prefix of keys k-1 and k; 0 for k = 0 */
    uint32_t *ids;   /* patterns of key k: ids[first[k]] .. ids[first[k + 1]], ascending */
    uint32_t *first; /* count + 1 */
} trawl_keys;

/* Makes the keys of the patterns whose ids are listed in `subset` (`subset_count` of them,
 * ascending), or of all when subset is NULL. Free with trawl_keys_release, also after a failure. */
trawl_status trawl_keys_make(const trawl_patterns *patterns, const uint32_t *subset,
                             size_t subset_count, trawl_keys *keys, trawl_error *error);
void trawl_keys_release(trawl_keys *keys);

/* Gives up ids and first, for who has written them elsewhere and does more with the strings. */
void trawl_keys_release_ids(trawl_keys *keys);

static inline uint32_t trawl_key_length(const trawl_keys *keys, uint32_t key) {
    return keys->offsets[key + 1] - keys->offsets[key];
}

/* Number of trie nodes with the root: 1 + the bytes that are not shared with the key before. */
uint64_t trawl_keys_states(const trawl_keys *keys);

#endif
