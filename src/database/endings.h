/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Keys sorted by their ends, for engines that look at the last bytes of a pattern first.
 *
 * Bytes are compared from the last one to the first. Keys with the same last bytes are then
 * neighbours, a range; a key that is a suffix of others comes before them:
 *
 *     0  "e"        range of the last byte 'e': keys 0 .. 3
 *     1  "he"
 *     2  "she"
 *     3  "ape"
 *     4  "hers"     range of 's': key 4
 *
 * A hash table leads from the last `tail` bytes of a text to the range of the keys that end with
 * them. Within the range a binary search finds the longest key that ends at the position, and the
 * links of the outputs (database/outputs.h) lead to all others. Engines that compare the ends of
 * patterns also find matches in the order of their ends.
 */
#ifndef TRAWL_DATABASE_ENDINGS_H
#define TRAWL_DATABASE_ENDINGS_H

#include <string.h>

#include "base/compiler.h"
#include "database/outputs.h"

/* Makes a copy of the set with the bytes of each pattern reversed. trawl_keys_make then gives keys
 * in the order of their ends. Only reversed->bytes is new memory: free it with trawl_release. */
trawl_status trawl_endings_reverse(const trawl_patterns *patterns, trawl_patterns *reversed,
                                   trawl_error *error);

/* The effective number of letters of the patterns: 1 / p if p is the probability that two of their
 * bytes, chosen at random, are equal. */
double trawl_endings_alphabet(const trawl_patterns *patterns);

/* Keys first .. last - 1 have the same last bytes. `word` is computed from these by the engine. */
typedef struct trawl_ending_range {
    uint64_t word;
    uint32_t first, last;
} trawl_ending_range;

/* Number of ranges if the last `tail` bytes are compared; no key is shorter. */
uint32_t trawl_endings_count(const trawl_keys *keys, uint32_t tail);

/* Computes the word of a range from its `tail` shared bytes, the last one first. */
typedef uint64_t (*trawl_ending_word)(const uint8_t *reversed, uint32_t tail, const void *context);

/* The slot of a word in a table of 1 << bits slots (multiplicative hashing). The slot's ranges are
 * ranges[heads[slot]] .. ranges[heads[slot + 1]]. */
TRAWL_BOTH size_t trawl_ending_slot(uint64_t word, uint32_t bits) {
    return (size_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits));
}

/* The bits of a table for `ranges` ranges: at least two slots for each. */
uint32_t trawl_ending_bits(uint32_t ranges);

/* The greatest number of patterns that end at one position of a text. If `compared` is not NULL,
 * only those of its patterns are counted that are compared with the text (trawl_outputs_verifies).
 * 0: no memory. */
uint32_t trawl_endings_most(const trawl_keys *keys, const trawl_patterns *compared);

/* For engines that compare patterns with the text. Both write a warning into build->remark: no
 * constant bounds the time for a byte, since a text can be made for which patterns are compared at
 * each position. trawl_endings_remark is for engines with a guard (scan/guard.h), whose time has no
 * bound on GPUs alone; it adds a figure if many of the keys can end at one position. */
void trawl_unbounded_remark(trawl_build *build);
void trawl_endings_remark(trawl_build *build, const trawl_keys *keys);

/* Eight bytes that are stored last one first, as the number that loading them from a text gives:
 * the last byte is the most significant one. Bytes beyond a short key are those of the next keys.
 */
static inline uint64_t trawl_ending_eight(const uint8_t *reversed) {
    uint64_t number;
    memcpy(&number, reversed, sizeof number);
    return __builtin_bswap64(number);
}

/* The ending of a key: its last eight bytes as such a number, with 0 for the bytes that a shorter
 * key lacks. Endings ascend with the keys. `reversed`: the key's `length` bytes, the last one
 * first.
 *
 *     "hers"    bits 63 .. 0:   's' 'r' 'e' 'h'  0   0   0   0
 */
static inline uint64_t trawl_ending_number(const uint8_t *reversed, uint32_t length) {
    uint64_t number = trawl_ending_eight(reversed);
    return length < 8 ? number & ~(~UINT64_C(0) >> 8 * length) : number;
}

/* The longest shorter key that is a suffix of key `key`, or TRAWL_NO_KEY. Keys are in the order of
 * their ends. `links`: where the result for key 0 is, `stride` bytes before that for key 1, and so
 * on; those of all smaller keys are there.
 *
 * Written backwards, suffixes are prefixes, and the keys are sorted: all keys from a prefix to one
 * that begins with it begin with it too. So a suffix of this key is the key before or a suffix of
 * it, which its links lead to, the longest first. It has at most the bytes that the two have in
 * common, and what has no more of them is a suffix of both. */
static inline uint32_t trawl_endings_suffix(const trawl_keys *keys, uint32_t key, const void *links,
                                            size_t stride) {
    uint32_t shorter = key == 0 ? TRAWL_NO_KEY : key - 1;
    while (shorter != TRAWL_NO_KEY && trawl_key_length(keys, shorter) > keys->common[key]) {
        memcpy(&shorter, (const uint8_t *)links + shorter * stride, sizeof shorter);
    }
    return shorter;
}

/* Reserves and writes the outputs of a part, whose keys are in the order of their ends, and the
 * endings of the keys (TRAWL_SECTION_KEY_ENDING). */
trawl_status trawl_endings_reserve(trawl_build *build, uint32_t part, const trawl_keys *keys,
                                   const char *instead);
void trawl_endings_fill(trawl_build *build, uint32_t part, const trawl_keys *keys);

/* Writes the same into arrays that are not part of a database. */
void trawl_endings_write(trawl_outputs_writer *writer, uint64_t *endings);

/* Writes the hash table: (1 << bits) + 1 heads and trawl_endings_count(keys, tail) ranges. */
void trawl_endings_hash(const trawl_keys *keys, uint32_t tail, trawl_ending_word word,
                        const void *context, uint32_t bits, uint32_t *heads,
                        trawl_ending_range *ranges);

/* Whether every key has a pattern, through whose bytes it can be compared with text, and at least
 * `least` bytes. The outputs have been validated. */
bool trawl_endings_can_be_compared(const trawl_outputs *outputs, uint32_t least);

/* Checks the outputs of a part (every key can be compared, and has at least `tail` bytes) and its
 * hash table. The sizes are in bytes. */
trawl_status trawl_endings_validate(const trawl_db *db, uint32_t part, uint32_t tail, uint32_t bits,
                                    const uint32_t *heads, uint64_t heads_size,
                                    const trawl_ending_range *ranges, uint64_t ranges_size,
                                    trawl_error *error);

#endif
