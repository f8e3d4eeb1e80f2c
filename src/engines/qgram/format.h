/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The q-gram engine's tables.
 *
 * The set is divided by length into tiers. A tier looks at `window` bytes (m) of each of its
 * patterns: the last ones, which all of them have, and so finds matches in the order of their ends;
 * or, in hashed tiers with a `reach`, those up to so many bytes before (engines/qgram/anchor.h),
 * and puts the ends in order. Each tier has a filter that lets few positions of the text through,
 * and one way to verify what passes: the end of a match is looked up by its last `tail` bytes, then
 * among the keys that end so (database/endings.h). Tiers stand in order of falling lengths: of two
 * keys that end at one position, the one of the earlier tier is longer, which is the canonical
 * order.
 *
 * Kinds of filters:
 *   direct   patterns of one and two bytes: a table of all pairs of bytes says which key ends there
 *   hashed   q bytes of the text are looked at every `stride` bytes, stride = m - q + 1: every
 *            occurrence's window holds exactly one such sample, at one of `stride` alignments. All
 *            q-grams of all windows are bits in a table (Bloom 1970, with one hash function)
 *   shuffle  few patterns: sets of bytes by nibbles in vector registers (as in Teddy, by G.
 *            Langdale for Hyperscan), at every position
 *   resident hundreds of patterns: hashes of their last bytes in tables that vector registers hold,
 * at every position (engines/qgram/registers/format.h) packed   sets of at most four letters:
 * letters as 2 bits, whole windows as numbers
 */
#ifndef TRAWL_ENGINES_QGRAM_FORMAT_H
#define TRAWL_ENGINES_QGRAM_FORMAT_H

#include <string.h>

#include "database/endings.h"

typedef enum trawl_tier_kind {
    TRAWL_TIER_DIRECT = 0,
    TRAWL_TIER_BLOOM = 1,
    TRAWL_TIER_TEDDY = 2,
    TRAWL_TIER_PACKED = 3,
    TRAWL_TIER_REGISTERS = 4
} trawl_tier_kind;
#define TRAWL_TIER_KINDS 5

#define TRAWL_QGRAM_MAX_TIERS 8u
#define TRAWL_QGRAM_MAX_GRAM 16u
#define TRAWL_QGRAM_MAX_STRIDE 64u
#define TRAWL_QGRAM_MOST_ANCHOR_SLACK 16u
#define TRAWL_QGRAM_MOST_ENDS 64u /* stride + anchor_slack, where there is a anchor_slack */
#define TRAWL_QGRAM_MAX_ROW_BITS 26u
#define TRAWL_QGRAM_PAIRS 65536u /* of bytes */

typedef struct trawl_qgram_tier {
    uint32_t kind;                   /* trawl_tier_kind */
    uint32_t min_length, max_length; /* of its patterns */
    uint32_t window;                 /* m <= min_length */
    uint32_t gram;                   /* q: bytes of a sample; direct: 2, shuffle: 1 */
    uint32_t stride;                 /* hashed and packed: m - q + 1 or less; else 1 */
    uint32_t folded;                 /* 1: keys are lower-cased, case-sensitive ones are verified */
    uint32_t row_bits;               /* hashed: FILTER has 1 << row_bits rows of 32 bits */
    uint32_t suffix_filter_bits;     /* SECOND has 1 << suffix_filter_bits words of 32 bits */
    uint32_t tail;                   /* last bytes by which an end is looked up: min(m, 8) */
    uint32_t hash_bits;              /* HASH has (1 << hash_bits) + 1 heads */
    uint32_t letters;                /* packed: a letter is (byte >> letters) & 3 */
    uint32_t mark_bits;              /* hashed: MARKS has 1 << mark_bits words */
    uint32_t fields;                 /* hashed: see trawl_qgram_field; 0: rows by products */
    uint32_t anchor_slack;           /* hashed: windows end up to so many bytes before a pattern */
} trawl_qgram_tier;

typedef struct trawl_qgram_header {
    uint32_t tiers;
    uint32_t reserved;
    trawl_qgram_tier tier[TRAWL_QGRAM_MAX_TIERS];
} trawl_qgram_header;

/* Sections; part = tier
 * QGRAM_HEADER   trawl_qgram_header (part 0)
 * QGRAM_FILTER   direct: uint32_t[TRAWL_QGRAM_PAIRS]: 0 or 1 + the longest key that ends with these
 *                two bytes, the earlier one in the low half of the index; trawl_teddy
 *                hashed: uint32_t[1 << row_bits]
 *                shuffle: trawl_teddy (engines/qgram/teddy/format.h)
 *                packed: engines/qgram/packed/format.h
 *                resident: trawl_register_bloom (engines/qgram/registers/format.h)
 * QGRAM_SECOND   uint32_t[1 << suffix_filter_bits]
 * QGRAM_HASH     uint32_t[(1 << hash_bits) + 1]
 * QGRAM_RANGES   trawl_ending_range[]
 * QGRAM_RUNS     uint64_t[TRAWL_QGRAM_RUN_WORDS] (engines/qgram/verify/runs.h)
 * QGRAM_MARKS    uint32_t[1 << mark_bits], of hashed tiers only
 * QGRAM_LEADS    trawl_prefix_signature[1 << (hash_bits - TRAWL_QGRAM_SPARSE_BITS)], of shuffle and
 *                resident tiers only (engines/qgram/verify/prefix_signatures.h)
 * QGRAM_LONG_LEADS  trawl_long_prefix_signature, as many
 * and the outputs and endings of the part. `direct` has no SECOND, HASH, RANGES
 * and RUNS, `packed` no RUNS. */

/* Kinds whose filters are in vector registers and look at every position: of few keys. */
static inline bool trawl_qgram_has_prefix_signatures(const trawl_qgram_tier *tier) {
    return tier->kind == TRAWL_TIER_TEDDY || tier->kind == TRAWL_TIER_REGISTERS;
}

#define TRAWL_QGRAM_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/* In folded tiers letters of either case must hash alike. For FILTER a bit of every byte is set;
 * for the other tables (trawl_qgram_fold) only of bytes that may be letters, those with 0x40, which
 * keeps zeros and spaces apart. Other bytes that are confused cost a look-up, not a wrong match. */
TRAWL_BOTH uint64_t trawl_qgram_case_bits(bool folded) {
    return folded ? UINT64_C(0x2020202020202020) : 0;
}
TRAWL_BOTH uint64_t trawl_qgram_fold(uint64_t bytes, uint64_t case_bits) {
    return bytes | (bytes >> 1 & case_bits);
}

/* The number of a sample: `first` are its first eight bytes as a little-endian number (bytes past
 * the sample do not matter), `last` its last eight, which only samples of more than eight have. */
TRAWL_BOTH uint64_t trawl_qgram_mix(uint64_t first, uint64_t last) {
    return first * UINT64_C(0xd6e8feb86659fd93) ^ last;
}

/* What to multiply a sample's number with so that only its q bytes count. */
TRAWL_BOTH uint64_t trawl_qgram_multiplier(uint32_t gram) {
    return gram >= 8 ? TRAWL_QGRAM_MULTIPLIER : TRAWL_QGRAM_MULTIPLIER << ((64 - 8 * gram) & 63);
}

/* How many of the lowest bits of a sample's byte say its row, where no product does (see
 * engines/qgram/bloom/fields.h): four bits of `fields` for each byte, the first one in the lowest.
 * The first five bits of all say which bit of the row, the others are its number. */
#define TRAWL_QGRAM_FIELD_BYTES 8u /* that a sample has at most */
#define TRAWL_QGRAM_MOST_FIELD 7u
#define TRAWL_QGRAM_ROW_BIT 5u /* bits of the number of a row's bit */

TRAWL_BOTH uint32_t trawl_qgram_field(uint32_t fields, uint32_t byte) {
    return fields >> (4 * byte) & 15;
}

/* The bits of a number that are in the fields. */
TRAWL_BOTH uint64_t trawl_qgram_fields_mask(uint32_t fields) {
    uint64_t mask = 0;
    for (uint32_t byte = 0; byte < TRAWL_QGRAM_FIELD_BYTES; byte++) {
        mask |= ((UINT64_C(1) << trawl_qgram_field(fields, byte)) - 1) << (8 * byte);
    }
    return mask;
}

/* These bits, brought together. */
TRAWL_BOTH uint64_t trawl_qgram_extract(uint64_t number, uint32_t fields) {
    uint64_t extracted = 0;
    uint32_t width, at = 0;
    for (; (width = fields & 15) != 0; fields >>= 4, number >>= 8, at += width) {
        extracted |= (number & ((1u << width) - 1)) << at;
    }
    return extracted;
}

/* Row of FILTER; the bit in it is the number's lowest five bits, a shift that costs nothing. */
TRAWL_BOTH size_t trawl_qgram_row(uint64_t number, uint64_t multiplier, uint32_t row_bits) {
    return (size_t)((number * multiplier) >> (64 - row_bits));
}

/* A sample that passes FILTER may belong to a match at any of stride + reach ends, but most q-grams
 * occur in one place of one key only. MARKS has a word for q-grams of a hash: its low bits say how
 * far behind the sample the ends of their keys are, in steps of trawl_qgram_span bytes, its eight
 * highest how long the last suffixes are that SECOND has of these keys (trawl_qgram_suffixes, a bit
 * each). A q-gram that passed FILTER by chance finds a word without bits, as a rule. */
#define TRAWL_QGRAM_DISTANCES 24u
#define TRAWL_QGRAM_MOST_END_OFFSETS (UINT64_C(1) << 22)

TRAWL_BOTH uint32_t trawl_qgram_span(uint32_t ends) {
    return (ends + TRAWL_QGRAM_DISTANCES - 1) / TRAWL_QGRAM_DISTANCES;
}

/* Word of MARKS; `product` is the sample's number times its multiplier. */
TRAWL_BOTH size_t trawl_qgram_mark(uint64_t product, uint32_t mark_bits) {
    return (size_t)(((product ^ product >> 32) * UINT64_C(0xa0761d6478bd642f)) >> (64 - mark_bits));
}

/* SECOND holds suffixes: of every key its last bytes in each of these lengths that it has, so that
 * ends can be asked for what all keys with a q-gram have, and the longest of them once more, marked
 * as the last one. An end is worth a look-up when the text before it has such a last suffix: asking
 * for m bytes alone would let every end pass at which the last m bytes of a long key stand by
 * chance. */
#define TRAWL_QGRAM_SUFFIXES 8u
#define TRAWL_QGRAM_LONGEST_SUFFIX 16u

typedef struct trawl_qgram_suffixes {
    uint32_t count;
    uint32_t bytes[TRAWL_QGRAM_SUFFIXES]; /* ascending; the first is min(m, 16) */
} trawl_qgram_suffixes;

TRAWL_BOTH trawl_qgram_suffixes trawl_qgram_suffixes_of(const trawl_qgram_tier *tier) {
    trawl_qgram_suffixes suffixes = {0};
    suffixes.count = 1;
    suffixes.bytes[0] =
        tier->window < TRAWL_QGRAM_LONGEST_SUFFIX ? tier->window : TRAWL_QGRAM_LONGEST_SUFFIX;
    for (uint32_t bytes = 2; bytes <= TRAWL_QGRAM_LONGEST_SUFFIX;
         bytes += bytes < 6   ? 1
                  : bytes < 8 ? 2
                              : 4) { /* 2, 3, 4, 5, 6, 8, 12, 16 */
        if (bytes > suffixes.bytes[0] && bytes <= tier->max_length &&
            suffixes.count < TRAWL_QGRAM_SUFFIXES) {
            suffixes.bytes[suffixes.count++] = bytes;
        }
    }
    return suffixes;
}

/* The number of a suffix: `last` are the last eight bytes before the end and `first` the first
 * eight of a suffix of more than eight, both with their case bits. */
TRAWL_BOTH uint64_t trawl_qgram_suffix(uint32_t bytes, uint64_t first, uint64_t last) {
    return bytes > 8 ? trawl_qgram_mix(first, last)
                     : last & ~UINT64_C(0) << ((64 - 8 * bytes) & 63); /* bytes is never 0 */
}

/* A run of one byte at a key's end, from TRAWL_QGRAM_SHORT_RUN bytes on, with what stands before
 * it, is in SECOND too: four bytes of it, or, where the key has fewer, the last one. */
#define TRAWL_QGRAM_SHORT_RUN 8u
#define TRAWL_QGRAM_RUN_LEAD 4u

/* `lead` are the eight bytes before the run. */
TRAWL_BOTH uint64_t trawl_qgram_run_number(uint64_t lead, uint32_t bytes, uint64_t run) {
    return (lead >> (64 - 8 * bytes)) << 24 ^ run << 3 ^ bytes;
}

enum { TRAWL_SECOND_ANY = 0, TRAWL_SECOND_LAST = 1, TRAWL_SECOND_RUN = 2 }; /* kinds of numbers */

TRAWL_BOTH uint64_t trawl_suffix_filter(uint64_t number, uint32_t kind) {
    uint64_t hash = (number + kind) * UINT64_C(0xe7037ed1a0b428db);
    return hash ^ hash >> 32;
}
TRAWL_BOTH size_t trawl_suffix_filter_word(uint64_t hash, uint32_t suffix_filter_bits) {
    return (size_t)(hash >> (64 - suffix_filter_bits));
}
/* Two bits of the word: both are set for every end that matters, and for few others. */
TRAWL_BOTH uint32_t trawl_suffix_filter_mask(uint64_t hash) {
    return UINT32_C(1) << (hash & 31) | UINT32_C(1) << (hash >> 5 & 31);
}

#endif
