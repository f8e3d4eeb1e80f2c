/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/distinct.h"

#include <string.h>
#include <xxhash.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"

/* A set without repetitions is made if one pattern in so many repeats another one. With fewer
 * repetitions, the planner's numbers of patterns are wrong by less than an eighth, and so are its
 * prices: less than their usual error (docs/notebook/2026-11-planner-accuracy.md). */
#define REPEATED_WORTH 8u

/* The number of repetitions in a large set is estimated from about so many of its patterns, those
 * whose hashes end with some zero bits: equal patterns have equal hashes, so a pattern is examined
 * together with all its repetitions. Their hash table fits into the second-level cache. */
#define EXAMINED ((size_t)32768)

/* Patterns by hash. */
typedef struct hash_slot {
    uint64_t hash; /* 0: free */
    size_t id;
} hash_slot;

typedef struct hash_table {
    hash_slot *slots;
    size_t mask;
} hash_table;

static bool hash_table_open(hash_table *table, size_t most) {
    size_t slots = 2;
    while (slots < 2 * most) {
        slots *= 2;
    }
    table->mask = slots - 1;
    table->slots = trawl_allocate_zeroed(slots, sizeof *table->slots);
    return table->slots != NULL;
}

/* Adds a pattern to the table, which has a free slot. Returns false, and adds nothing, if it
 * repeats one of the table. */
static bool hash_table_add(hash_table *table, const trawl_patterns *patterns, size_t id,
                           uint64_t hash) {
    size_t slot = (hash >> 20) & table->mask; /* lower bits choose what is examined */
    for (; table->slots[slot].hash != 0; slot = (slot + 1) & table->mask) {
        if (table->slots[slot].hash == hash &&
            trawl_patterns_repeat(patterns, id, table->slots[slot].id)) {
            return false;
        }
    }
    table->slots[slot] = (hash_slot){hash, id};
    return true;
}

static bool is_any_case(const trawl_patterns *patterns, size_t id) {
    return (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
}

bool trawl_patterns_repeat(const trawl_patterns *patterns, size_t id, size_t other) {
    const uint32_t length = trawl_pattern_length(patterns, id);
    if (length != trawl_pattern_length(patterns, other) ||
        patterns->flags[id] != patterns->flags[other]) {
        return false;
    }
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    const uint8_t *others = trawl_pattern_bytes(patterns, other);
    uint32_t same = 0;
    while (is_any_case(patterns, id) && same < length &&
           trawl_fold(bytes[same]) == trawl_fold(others[same])) {
        same++;
    }
    return same == length || (!is_any_case(patterns, id) && memcmp(bytes, others, length) == 0);
}

/* The hash of a pattern and its flags. `folded`: room for the longest pattern. */
static uint64_t hash_of(const trawl_patterns *patterns, size_t id, uint8_t *folded) {
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    const uint32_t length = trawl_pattern_length(patterns, id);
    const unsigned flags = patterns->flags[id];
    if (is_any_case(patterns, id)) {
        for (uint32_t i = 0; i < length; i++) {
            folded[i] = trawl_fold(bytes[i]);
        }
        bytes = folded;
    }
    const uint64_t hash = XXH3_64bits_withSeed(bytes, length, flags);
    return hash == 0 ? 1 : hash;
}

/* Sets *expected to about the number of patterns that do not repeat another one; 0: they are nearly
 * all. */
static trawl_status examine(const trawl_patterns *patterns, uint8_t *folded, size_t *expected,
                            trawl_error *error) {
    uint64_t chosen = 0; /* these bits of an examined pattern's hash are 0 */
    while (patterns->count >> __builtin_popcountll(chosen) > EXAMINED) {
        chosen = 2 * chosen + 1;
    }
    const size_t most = patterns->count < 2 * EXAMINED ? patterns->count : 2 * EXAMINED;
    hash_table table;
    if (!hash_table_open(&table, most)) {
        return trawl_fail_memory(error, "planning", sizeof *table.slots * 4 * most);
    }
    size_t different = 0;
    for (size_t id = 0; id < patterns->count && different < most; id++) {
        const uint64_t hash = hash_of(patterns, id, folded);
        different += (hash & chosen) == 0 && hash_table_add(&table, patterns, id, hash);
    }
    trawl_release(table.slots);
    *expected = different * (chosen + 1);
    if (*expected >= patterns->count - patterns->count / REPEATED_WORTH) {
        *expected = 0;
    } else if (*expected == 0) {
        *expected = 1; /* few different ones, none of them examined */
    }
    return TRAWL_OK;
}

/* Adds all patterns but those that repeat an earlier one, `most` at most. */
static trawl_status add_distinct(const trawl_patterns *patterns, uint8_t *folded, size_t most,
                                 trawl_patterns *distinct, trawl_error *error) {
    hash_table table;
    if (!hash_table_open(&table, most)) {
        return trawl_fail_memory(error, "planning", sizeof *table.slots * 4 * most);
    }
    trawl_status status = TRAWL_OK;
    for (size_t id = 0; status == TRAWL_OK && id < patterns->count && distinct->count < most;
         id++) {
        if (hash_table_add(&table, patterns, id, hash_of(patterns, id, folded))) {
            status =
                trawl_patterns_add(distinct, trawl_pattern_bytes(patterns, id),
                                   trawl_pattern_length(patterns, id), patterns->flags[id], error);
        }
    }
    trawl_release(table.slots);
    return status;
}

trawl_status trawl_patterns_distinct(const trawl_patterns *patterns, trawl_patterns **distinct,
                                     trawl_error *error) {
    size_t expected = 0;
    *distinct = NULL;
    uint8_t *folded = trawl_allocate(patterns->max_length, 1);
    if (folded == NULL) {
        return trawl_fail_memory(error, "planning", patterns->max_length);
    }
    trawl_status status = examine(patterns, folded, &expected, error);
    if (status == TRAWL_OK && expected != 0) {
        /* Where a few strings repeat often, the estimate is coarse: twice as many are allowed. */
        const size_t wanted = 2 * expected + 2 * EXAMINED;
        const size_t most = wanted < patterns->count ? wanted : patterns->count;
        status = trawl_patterns_new(distinct, error);
        status =
            status == TRAWL_OK ? add_distinct(patterns, folded, most, *distinct, error) : status;
        if (status != TRAWL_OK || (*distinct)->count == most) {
            trawl_patterns_free(*distinct);
            *distinct = NULL;
        }
    }
    trawl_release(folded);
    return status;
}
