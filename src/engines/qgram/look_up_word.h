/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Words by which ends are looked up, on CPUs and GPUs: of the text's last bytes before an end a
 * word is made, and a hash table leads from it to the range of the keys that end with the same
 * bytes (database/endings.h). Of up to eight bytes the word is the ending itself
 * (trawl_ending_number), so that equal words are equal bytes. Of more, a multiple of eight, it is a
 * hash: bytes have to be compared.
 *
 * More bytes than eight are for passages and cuts of binaries. Many of these end alike, and would
 * have to be told apart by a binary search in the bytes of patterns.
 */
#ifndef TRAWL_ENGINES_QGRAM_LOOK_UP_WORD_H
#define TRAWL_ENGINES_QGRAM_LOOK_UP_WORD_H

#include "database/endings.h"
#include "engines/qgram/format.h"

/* The number of last bytes by which keys of at least `min_length` bytes are looked up. */
static inline uint32_t trawl_qgram_look_up_bytes(uint32_t min_length) {
    return min_length < 8                           ? min_length
           : min_length < TRAWL_QGRAM_LOOK_UP_BYTES ? min_length & ~7u
                                                    : TRAWL_QGRAM_LOOK_UP_BYTES;
}

/* The same of a tier. Prefix signatures go on from a word of eight bytes (verify/compare_keys.c).
 */
static inline uint32_t trawl_qgram_tier_look_up_bytes(const trawl_qgram_tier *tier) {
    bool is_limited = trawl_qgram_has_prefix_signatures(tier) && tier->min_length > 8;
    return is_limited ? 8 : trawl_qgram_look_up_bytes(tier->min_length);
}

/* The word of the bytes so far and of the eight bytes before them. */
TRAWL_BOTH uint64_t trawl_qgram_longer_word(uint64_t word, uint64_t before) {
    word *= TRAWL_QGRAM_MULTIPLIER;
    return (word ^ word >> 32) + before;
}

/* The word of a key, whose bytes are stored last one first (a trawl_ending_word). */
static inline uint64_t trawl_qgram_word_of_key(const uint8_t *reversed, uint32_t bytes,
                                               const void *context) {
    (void)context;
    uint64_t word = trawl_ending_number(reversed, bytes);
    for (uint32_t at = 8; at < bytes; at += 8) {
        word = trawl_qgram_longer_word(word, trawl_ending_eight(reversed + at));
    }
    return word;
}

#endif
