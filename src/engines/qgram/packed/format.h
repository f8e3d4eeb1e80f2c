/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The packed filter: for sets of at most four letters (upper and lower case count as one letter in
 * folded tiers) that two adjacent bits of a byte distinguish, such as DNA.
 *
 *   letters  a=00 c=01 g=10 t=11                 codes rise with the letters' bytes
 *   text     a c g t | t g c a
 *   packed   11100100   00011011                 4 letters a byte, the earlier one in lower bits
 *
 * A string of up to 28 letters is a number that one load and one shift give. The numbers of equally
 * long strings are ordered as the strings are when compared from their last byte to the first,
 * which is the order of keys (database/endings.h).
 *
 * By pairs (row_bits = 0, stride = 1), exact, for windows of `gram` <= 10 letters:
 * 1. Pack the text.
 * 2. For two neighbouring positions, load one byte, indexed by the gram - 1 letters that both
 *    windows have:
 *
 *      x [ shared letters ] y        7 6 5 4   3 2 1 0
 *      '---- window 2k ---'          | for y | for x |   bit of a letter set: the window with that
 *        '--- window 2k + 1 --'      '-------'-------'   letter is one of a key
 *
 * 3. A position is a candidate if the bit of its window's other letter, x or y, is set.
 *
 * By samples: `gram` <= 16 letters every `stride` positions are hashed into bits, as in a sample
 * filter (engines/qgram/format.h). If the table has a bit for each number, there are no collisions.
 *
 * A tier of pairs whose patterns all have `gram` letters is exact: a candidate is a match. Its key
 * is the rank of its number among the keys' numbers. These are in the section of the suffix filter,
 * and there is no hash table. In other tiers candidates are tested by the suffix filter and looked
 * up. Bytes outside the alphabet never match. Measured: docs/notebook/2026-11-packed-filter.md.
 */
#ifndef TRAWL_ENGINES_QGRAM_PACKED_FORMAT_H
#define TRAWL_ENGINES_QGRAM_PACKED_FORMAT_H

#include "database/engine.h"
#include "engines/qgram/format.h"

#define TRAWL_PACKED_MAX_PAIR_GRAM 10u /* 4^9 bytes, 256 KiB: a second-level cache */

/* (64 - 6) / 2 = 29 letters are left of a load of 64 bits after a shift by up to three letters; the
 * number of 28 was chosen. */
#define TRAWL_PACKED_MAX_LOOK_UP_LETTERS 28u

/* The alphabet. A byte's index is (byte >> shift) & 3. A byte is a letter if (byte | fold[index])
 * == letter[index]. If no letter has an index, no byte fulfils this for it. */
typedef struct trawl_packed_letters {
    uint8_t letter[4];
    uint8_t fold[4]; /* 0x20 if both cases of the letter are equal */
    uint8_t code[4]; /* the letter's place in the order of all letters of the alphabet */
    uint32_t shift;  /* 0 to 6 */
    uint32_t count;  /* of letters */
} trawl_packed_letters;

/* Section QGRAM_SAMPLE_FILTER: this header, then by pairs uint8_t[4^(gram - 1)], by samples
 * uint32_t[1 << row_bits].
 *
 * Section QGRAM_SUFFIX_FILTER: a Bloom filter of 1 << suffix_filter_bits words of 32 bits, with one
 * bit for each number. In exact tiers instead uint64_t bits[words], uint32_t before[words], with
 * words = trawl_packed_words(gram): a bit for each key's number, and how many bits are set before
 * each word. */
typedef struct trawl_packed_header {
    trawl_packed_letters letters;
    uint32_t one_match; /* 1: the tier is exact, and each candidate is one match of one pattern that
                           needs no verification */
    uint32_t reserved[10];
} trawl_packed_header;

/* What a tier is expected to cost in random text of these letters. */
typedef struct trawl_packed_estimate {
    double nanoseconds; /* for a byte of text, matches not counted */
    double pass;        /* pass rate: of samples; by pairs, of positions */
    double look_ups;    /* for a byte of text */
    double bytes;       /* of the filter */
} trawl_packed_estimate;

/* Finds the alphabet of the patterns of min_length to max_length bytes; false if they have more
 * than four letters, or no two adjacent bits distinguish them. `folded`: letters of either case are
 * the same. */
bool trawl_packed_find_letters(const trawl_patterns *patterns, uint32_t min_length,
                               uint32_t max_length, bool folded, trawl_packed_letters *letters);

/* Sets the tier's gram, stride, window and row_bits to the cheapest ones for `count` different
 * patterns, of tier->min_length to max_length bytes, over `letters` letters. The filter has at most
 * `most_bytes`, or a few thousand if that is less. */
void trawl_packed_choose(uint64_t count, uint32_t letters, uint64_t most_bytes,
                         trawl_qgram_tier *tier, trawl_packed_estimate *estimate);

/* Divides the whole set into packed tiers, complete up to row_bits. TRAWL_ERROR_LIMIT: the patterns
 * have more or other letters than a packed filter allows. */
trawl_status trawl_packed_divide(const trawl_build *build, trawl_qgram_header *header);

/* The three steps of the engine (database/engine.h) for one tier, except its outputs and endings:
 * see trawl_endings_reserve and trawl_endings_fill. */
trawl_status trawl_packed_reserve(trawl_build *build, uint32_t part, trawl_qgram_tier *tier,
                                  const trawl_keys *keys, const char *instead);
void trawl_packed_fill(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                       const trawl_keys *keys);
trawl_status trawl_packed_validate(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                                   trawl_error *error);

/* ------------------------------------------------------------------ arithmetic of the tables */

/* Whether the tier is filtered by pairs, else by samples. */
static inline bool trawl_packed_is_pairs(const trawl_qgram_tier *tier) {
    return tier->row_bits == 0;
}

/* Whether candidates are matches. */
static inline bool trawl_packed_is_exact(const trawl_qgram_tier *tier) {
    return trawl_packed_is_pairs(tier) && tier->min_length == tier->gram &&
           tier->max_length == tier->gram;
}

/* A byte's code, or 4 for a byte outside the alphabet. */
static inline uint8_t trawl_packed_code(const trawl_packed_letters *letters, uint8_t byte) {
    unsigned index = byte >> letters->shift & 3;
    return (byte | letters->fold[index]) == letters->letter[index] ? letters->code[index] : 4;
}

/* A mask of the bits of a number of `letters` letters. */
static inline uint64_t trawl_packed_mask(uint32_t letters) {
    return letters == 0 ? 0 : ~UINT64_C(0) >> (64 - 2 * letters);
}

/* Words of 64 bits that have a bit for each number of `gram` letters. */
static inline uint32_t trawl_packed_words(uint32_t gram) {
    return gram < 3 ? 1 : UINT32_C(1) << (2 * gram - 6);
}

/* The row of a sample's number is (number * multiplier) >> (64 - row_bits), its bit in the row the
 * number's lowest five. Letters behind the sample are shifted out. */
static inline uint64_t trawl_packed_multiplier(uint32_t gram, uint32_t row_bits) {
    uint64_t factor = 2 * gram <= row_bits + 5 ? 1 : TRAWL_QGRAM_MULTIPLIER;
    return factor << ((64 - 2 * gram) & 63); /* a sample has 1 to 16 letters */
}

/* A number of which the last `letters` letters count has this bit of the suffix filter:
 *   (number * multiplier) >> (59 - suffix_filter_bits) */
static inline uint64_t trawl_packed_suffix_multiplier(uint32_t letters) {
    return UINT64_C(0xe7037ed1a0b428db) << (64 - 2 * letters);
}
static inline uint64_t trawl_packed_suffix_bit(uint64_t number, uint64_t multiplier,
                                               uint32_t suffix_filter_bits) {
    return (number * multiplier) >> (59 - suffix_filter_bits);
}

/* The key of an exact tier with this number: how many keys have lower numbers. */
static inline uint32_t trawl_packed_rank(const uint64_t *bits, const uint32_t *before,
                                         uint64_t number) {
    uint64_t below = bits[number >> 6] & ((UINT64_C(1) << (number & 63)) - 1);
    return before[number >> 6] + (uint32_t)__builtin_popcountll(below);
}

#endif
