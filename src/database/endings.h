/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Keys by their ends: for engines that look at the last bytes of a pattern first.
 *
 * The keys are sorted by their bytes from last to first. Keys that end alike are then neighbours
 * (a range), a key that is a suffix of others stands in front of them, and the longest key that
 * ends at a position of the text is found by binary search, however many keys end alike; from it
 * the links of the outputs lead to all others. Windows that are compared at the end of patterns
 * have one more virtue: matches are found in the order of their ends.
 */
#ifndef TRAWL_DATABASE_ENDINGS_H
#define TRAWL_DATABASE_ENDINGS_H

#include <string.h>

#include "base/compiler.h"
#include "database/outputs.h"

/* Makes a view of the set with every pattern's bytes reversed, whose keys (trawl_keys_make) are in
 * the order wanted here. It owns only its bytes: free them with trawl_release. */
trawl_status trawl_endings_reverse(const trawl_patterns *patterns, trawl_patterns *reversed,
                                   trawl_error *error);

/* How many letters the patterns would have if all letters were equally frequent: two bytes of a
 * text that resembles them are equal by chance as often as two of so many letters. */
double trawl_endings_alphabet(const trawl_patterns *patterns);

/* Keys first .. last - 1 have the same last bytes; `word` is what the engine computes from them. */
typedef struct trawl_ending_range {
    uint64_t word;
    uint32_t first, last;
} trawl_ending_range;

/* Number of ranges when the last `tail` bytes count; no key is shorter. */
uint32_t trawl_endings_count(const trawl_keys *keys, uint32_t tail);

/* The word of a range: `reversed` are its `tail` shared bytes, the last one first. */
typedef uint64_t (*trawl_ending_word)(const uint8_t *reversed, uint32_t tail, const void *context);

/* Where the ranges of a word are listed: ranges[heads[slot]] .. ranges[heads[slot + 1]]. */
TRAWL_BOTH size_t trawl_ending_slot(uint64_t word, uint32_t bits) {
    return (size_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
}

/* Bits of a slot for so many ranges: at least two slots for each. */
uint32_t trawl_ending_bits(uint32_t ranges);

/* Eight bytes of a key (or of the next ones, trawl_keys) that are stored the last one first, as the
 * number that loading them from a text gives: the last one most significant. */
static inline uint64_t trawl_ending_eight(const uint8_t *reversed) {
    uint64_t number;
    memcpy(&number, reversed, sizeof number);
    return __builtin_bswap64(number);
}

/* The last eight bytes as such a number, the missing ones of shorter keys 0: numbers are in the
 * order of the keys. `reversed` are `length` bytes of a key, the last one first. */
static inline uint64_t trawl_ending_number(const uint8_t *reversed, uint32_t length) {
    uint64_t number = trawl_ending_eight(reversed);
    return length < 8 ? number & ~(~UINT64_C(0) >> 8 * length) : number;
}

/* Reserves and writes the outputs of a part, which number the keys in this order, and the keys'
 * endings (TRAWL_SECTION_KEY_ENDING). */
trawl_status trawl_endings_reserve(trawl_build *build, uint32_t part, const trawl_keys *keys,
                                   const char *instead);
void trawl_endings_fill(trawl_build *build, uint32_t part, const trawl_keys *keys);

/* The same into arrays that are not part of a database. */
void trawl_endings_write(trawl_outputs_writer *writer, uint64_t *endings);

/* Writes the hash table: (1 << bits) + 1 heads and trawl_endings_count(keys, tail) ranges. */
void trawl_endings_hash(const trawl_keys *keys, uint32_t tail, trawl_ending_word word,
                        const void *context, uint32_t bits, uint32_t *heads,
                        trawl_ending_range *ranges);

/* Checks the outputs of a part (every key has a pattern, of `tail` bytes at least) and its table,
 * whose arrays have the sizes given in bytes. */
trawl_status trawl_endings_validate(const trawl_db *db, uint32_t part, uint32_t tail, uint32_t bits,
                                    const uint32_t *heads, uint64_t heads_size,
                                    const trawl_ending_range *ranges, uint64_t ranges_size,
                                    trawl_error *error);

#endif
