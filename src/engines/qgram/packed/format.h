/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The q-gram engine's filter for sets of at most four letters (TRAWL_TIER_PACKED).
 *
 * The text's letters become codes of two bits, four of them in a byte, the earlier letter in the
 * lower bits: a string of up to 28 letters is a number that one load and one shift give. Codes rise
 * with the letters' bytes, so the numbers of equally long strings rise with their bytes from last
 * to first, which is the order of keys (database/endings.h).
 *
 * There are two ways to filter:
 *   pairs    row_bits = 0, stride = 1: at every position the last `gram` letters (at most 10), as
 *            exact numbers. One byte of FILTER answers for two positions: its index are the letters
 *            that both windows share, its low half has a bit for each letter that may stand before
 *            them, its high half one for each letter that may follow.
 *   samples  `gram` letters (at most 16) every `stride` positions are hashed into bits, as in
 *            hashed tiers. Where all numbers have a bit of their own there are no collisions.
 *
 * A tier of pairs whose patterns all have `gram` letters is exact: what passes is a match. Its key
 * is the rank of its number among the keys' numbers, which SECOND tells: no hash table.
 */
#ifndef TRAWL_ENGINES_QGRAM_PACKED_FORMAT_H
#define TRAWL_ENGINES_QGRAM_PACKED_FORMAT_H

#include "database/engine.h"
#include "engines/qgram/format.h"

#define TRAWL_PACKED_MAX_PAIR_GRAM 10u
#define TRAWL_PACKED_MAX_TAIL 28u /* letters of which one load and shift always give all */

/* Which bytes are letters. A byte's index is (byte >> shift) & 3; it is a letter when
 * (byte | fold[index]) == letter[index]. No byte passes that test for an index without a letter. */
typedef struct trawl_packed_letters {
    uint8_t letter[4];
    uint8_t fold[4]; /* 0x20 where both cases of a letter are the same */
    uint8_t code[4]; /* the letter's place in the order of all letters */
    uint32_t shift;  /* 0 to 6 */
    uint32_t count;  /* of letters */
} trawl_packed_letters;

/* QGRAM_FILTER: this, then pairs: uint8_t[4^(gram - 1)]; samples: uint32_t[1 << row_bits].
 * QGRAM_SECOND of exact tiers: uint64_t bits[words], uint32_t before[words], words =
 * trawl_packed_words(gram): a bit for each key's number, and how many bits stand before a word. */
typedef struct trawl_packed_header {
    trawl_packed_letters letters;
    uint32_t unit; /* exact, every key has one pattern, and none is to be verified */
    uint32_t reserved[10];
} trawl_packed_header;

/* What a tier is expected to cost in random text of these letters. */
typedef struct trawl_packed_estimate {
    double nanoseconds; /* for a byte of text, matches not counted */
    double pass;        /* share of samples that pass FILTER; pairs: of positions */
    double look_ups;    /* for a byte of text */
    double bytes;       /* of FILTER */
} trawl_packed_estimate;

/* Finds out how patterns of min_length to max_length bytes are packed: false when they have more
 * than four letters, or no two adjacent bits tell these apart. `folded`: letters of either case are
 * the same. */
bool trawl_packed_find_letters(const trawl_patterns *patterns, uint32_t min_length,
                               uint32_t max_length, bool folded, trawl_packed_letters *letters);

/* Fills in gram, stride, window and row_bits, the cheapest ones for `count` different patterns of
 * tier->min_length to max_length letters, of so many different ones. FILTER has at most
 * `most_bytes` (but at least a few thousand). */
void trawl_packed_choose(uint64_t count, uint32_t letters, uint64_t most_bytes,
                         trawl_qgram_tier *tier, trawl_packed_estimate *estimate);

/* Divides the whole set into packed tiers, complete up to row_bits, or refuses
 * (TRAWL_ERROR_LIMIT). */
trawl_status trawl_packed_divide(const trawl_build *build, trawl_qgram_header *header);

/* The three steps of the engine (database/engine.h) for one tier, but for its outputs and endings
 * (trawl_endings_reserve, trawl_endings_fill). */
trawl_status trawl_packed_reserve(trawl_build *build, uint32_t part, trawl_qgram_tier *tier,
                                  const trawl_keys *keys, const char *instead);
void trawl_packed_fill(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                       const trawl_keys *keys);
trawl_status trawl_packed_validate(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                                   trawl_error *error);

/* ------------------------------------------------------------------ arithmetic of the tables */

static inline bool trawl_packed_pairs(const trawl_qgram_tier *tier) {
    return tier->row_bits == 0;
}

static inline bool trawl_packed_exact(const trawl_qgram_tier *tier) {
    return trawl_packed_pairs(tier) && tier->min_length == tier->gram &&
           tier->max_length == tier->gram;
}

/* A byte's code, or 4 for a byte that is no letter. */
static inline uint8_t trawl_packed_code(const trawl_packed_letters *letters, uint8_t byte) {
    unsigned index = byte >> letters->shift & 3;
    return (byte | letters->fold[index]) == letters->letter[index] ? letters->code[index] : 4;
}

static inline uint64_t trawl_packed_mask(uint32_t letters) {
    return letters == 0 ? 0 : ~UINT64_C(0) >> (64 - 2 * letters);
}

/* Words of 64 bits that numbers of `gram` letters take. */
static inline uint32_t trawl_packed_words(uint32_t gram) {
    return gram < 3 ? 1 : UINT32_C(1) << (2 * gram - 6);
}

/* The row of a sample's number is (number * multiplier) >> (64 - row_bits), its bit in the row the
 * number's lowest five. Letters behind the sample drop out. */
static inline uint64_t trawl_packed_multiplier(uint32_t gram, uint32_t row_bits) {
    uint64_t factor = 2 * gram <= row_bits + 5 ? 1 : TRAWL_QGRAM_MULTIPLIER;
    return factor << ((64 - 2 * gram) & 63); /* a sample has 1 to 16 letters */
}

/* The bit of SECOND for a number whose last `tail` letters count. */
static inline uint64_t trawl_packed_second_multiplier(uint32_t tail) {
    return UINT64_C(0xe7037ed1a0b428db) << (64 - 2 * tail);
}
static inline uint64_t trawl_packed_second_bit(uint64_t number, uint64_t multiplier,
                                               uint32_t suffix_filter_bits) {
    return (number * multiplier) >> (59 - suffix_filter_bits);
}

/* How many keys of an exact tier stand before the one with this number. */
static inline uint32_t trawl_packed_rank(const uint64_t *bits, const uint32_t *before,
                                         uint64_t number) {
    uint64_t below = bits[number >> 6] & ((UINT64_C(1) << (number & 63)) - 1);
    return before[number >> 6] + (uint32_t)__builtin_popcountll(below);
}

#endif
