/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Tables of the q-gram engine. Overview: docs/internals/qgram.md.
 *
 *   text -> filter -> candidates -> verify -> ends -> key look-up -> matches
 *
 * The set is divided by length into tiers. A tier examines `window` bytes (m) of each of its
 * patterns: the last ones, so that ends are found in ascending order. Each tier has one filter.
 * Tiers stand in order of falling lengths: of two keys that end at one position, the key of the
 * earlier tier is longer, which is the canonical order.
 *
 * Kinds of tiers, by their filter:
 *   direct     patterns of one and two bytes: a table of all pairs of bytes
 *   bloom      any patterns: the sample filter, below
 *   teddy      few patterns: sets of bytes by nibbles (engines/qgram/teddy/format.h)
 *   registers  hundreds of patterns: a register Bloom filter (engines/qgram/registers/format.h)
 *   packed     at most four letters, as 2 bits each (engines/qgram/packed/format.h)
 *   anchors    any patterns of three bytes and more: one rare q-gram of each
 *              (engines/qgram/anchors/format.h)
 *   sparse     long patterns: samples so far apart that most lines of the text are never read
 *              (engines/qgram/sparse/format.h)
 *
 * The sample filter is a blocked Bloom filter (Bloom 1970; Putze, Sanders and Singler 2007) with
 * one bit for each string of q bytes (q-gram) of all windows. A window of m bytes has m - q + 1
 * q-grams, all of which are in the filter. So of m - q + 1 neighbouring positions of the text one
 * has to be tested:
 *   1. Read the q bytes at every `stride`-th position (stride = m - q + 1 or less): a sample.
 *   2. Hash them to a row of 32 bits, and take a bit of the row, by the lowest bits of up to eight
 *      bytes or by the hash of more.
 *   3. The sample is a candidate if the bit is set.
 *   4. The end offsets of its q-gram say at which of the next `stride` positions a key may end.
 *   5. The suffix filter and the run lengths exclude most of these ends.
 *   6. The ends that are left are looked up by their last bytes (database/endings.h).
 * False candidates: the planner takes the cheapest size of table; of the measured sets 0.1 to 2 %
 * of the samples are candidates.
 */
#ifndef TRAWL_ENGINES_QGRAM_FORMAT_H
#define TRAWL_ENGINES_QGRAM_FORMAT_H

#include <string.h>

#include "database/endings.h"
#include "engines/qgram/pairs.h"

typedef enum trawl_tier_kind {
    TRAWL_TIER_DIRECT = 0,
    TRAWL_TIER_BLOOM = 1,
    TRAWL_TIER_TEDDY = 2,
    TRAWL_TIER_PACKED = 3,
    TRAWL_TIER_REGISTERS = 4,
    TRAWL_TIER_ANCHORS = 5,
    TRAWL_TIER_SPARSE = 6
} trawl_tier_kind;
#define TRAWL_TIER_KINDS 7

/* Limits of the format. Where no reason is given they were chosen, not measured. */
#define TRAWL_QGRAM_MAX_TIERS 8u
#define TRAWL_QGRAM_MAX_GRAM 16u      /* bytes: two words of eight */
#define TRAWL_QGRAM_MAX_STRIDE 64u    /* bytes */
#define TRAWL_QGRAM_MAX_ROW_BITS 28u  /* 1 GiB of rows */
#define TRAWL_QGRAM_LOOK_UP_BYTES 32u /* a multiple of eight; see look_up_word.h */

/* Samples that the loops test without a branch between them. x86 addresses that many by small
 * multiples of the stride (bloom/template.h). */
#define TRAWL_QGRAM_GROUP 8u

typedef struct trawl_qgram_tier {
    uint32_t kind;                   /* trawl_tier_kind */
    uint32_t min_length, max_length; /* of its patterns */
    uint32_t window;                 /* m <= min_length */
    uint32_t gram;                   /* q: bytes of a sample; registers: bytes that are hashed;
                                        direct: 2; teddy: 1 */
    uint32_t stride;                 /* bloom, packed, anchors: m - q + 1 or less; sparse:
                                        m - q + 1; else 1 */
    uint32_t folded;                 /* 1: keys are lower-cased, case-sensitive ones are verified */
    uint32_t row_bits;               /* bloom, anchors, sparse: the filter has 1 << row_bits rows of
                                        32 bits */
    uint32_t suffix_filter_bits;     /* the suffix filter has 1 << suffix_filter_bits words;
                                        anchors: so many words have the tags; sparse: so many
                                        buckets */
    uint32_t look_up_bytes;          /* last bytes by which an end is looked up
                                        (look_up_word.h); teddy, registers: eight at most;
                                        packed: last letters instead */
    uint32_t hash_bits;              /* HASH has (1 << hash_bits) + 1 heads; anchors, sparse: 0
                                        without crowded buckets, and then there is no HASH */
    uint32_t letters;                /* packed: a letter is (byte >> letters) & 3 */
    uint32_t end_offsets_bits;       /* bloom: 1 << end_offsets_bits words of end offsets */
    uint32_t fields;   /* bloom, anchors: see trawl_qgram_field; 0: rows by products */
    uint32_t fold_all; /* bloom, anchors: 1: every byte of a sample is folded as if it were a
                          letter (trawl_qgram_sample_fold) */
} trawl_qgram_tier;

typedef struct trawl_qgram_header {
    uint32_t tiers;
    uint32_t reserved;
    trawl_qgram_tier tier[TRAWL_QGRAM_MAX_TIERS];
} trawl_qgram_header;

/* Sections; part = tier
 * QGRAM_HEADER         trawl_qgram_header (part 0)
 * QGRAM_SAMPLE_FILTER  the tier's filter:
 *     direct     uint32_t[TRAWL_QGRAM_PAIRS]: 0, or 1 + the longest key that ends with these two
 *                bytes, the earlier one in the low half of the index; then trawl_teddy
 *     bloom      uint32_t[1 << row_bits]; anchors and sparse the same
 *     teddy      trawl_teddy
 *     packed     trawl_packed_header and its table
 *     registers  trawl_register_bloom
 * QGRAM_SUFFIX_FILTER  uint32_t[1 << suffix_filter_bits]
 * QGRAM_HASH           uint32_t[(1 << hash_bits) + 1]
 * QGRAM_RANGES         trawl_ending_range[]
 * QGRAM_RUNS           uint64_t[TRAWL_QGRAM_RUN_WORDS] (engines/qgram/verify/runs.h)
 * QGRAM_END_OFFSETS    uint32_t[1 << end_offsets_bits]; bloom only
 * QGRAM_PREFIX_SIGNATURES, QGRAM_LONG_PREFIX_SIGNATURES
 *     trawl_prefix_signature, trawl_long_prefix_signature, [1 << (hash_bits -
 *     TRAWL_QGRAM_SPARSE_BITS)] each; teddy and registers only
 *     (engines/qgram/verify/prefix_signatures.h)
 * QGRAM_TAGS, QGRAM_BUCKETS  anchors only (engines/qgram/anchors/format.h)
 * QGRAM_BUCKETS        sparse, another layout (engines/qgram/sparse/format.h)
 * and the outputs and endings of the part. Tiers of anchors and sparse ones have neither a suffix
 * filter nor RUNS, direct tiers none of suffix filter, HASH, RANGES and RUNS, packed ones no RUNS.
 */

/* Whether candidates of the tier are verified by prefix signatures. These are for filters in vector
 * registers, which test every position and have few keys. */
static inline bool trawl_qgram_has_prefix_signatures(const trawl_qgram_tier *tier) {
    return tier->kind == TRAWL_TIER_TEDDY || tier->kind == TRAWL_TIER_REGISTERS;
}

/* 2^64 divided by the golden ratio: multiplicative hashing (Knuth, volume 3, 6.4). */
#define TRAWL_QGRAM_MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/* ------------------------------------------------------------------ samples
 *
 *   sample   t  r  a         number = its bytes, little-endian: 0x617274
 *            number * multiplier, its highest row_bits bits     ->  row    (rows by products)
 *            or the lowest bits of each byte, put side by side  ->  row    (rows by fields)
 *   row      [ 31 ............ b ....... 0 ]     b = lowest 5 bits of the number; of samples of
 *                                                    more than eight bytes, the product's 5 bits
 *                                                    below those of the row
 */

/* In folded tiers letters of either case have the same number: bit 0x20 is set in both. It is set
 * only in bytes with 0x40, which all letters have, so that zeros and spaces differ. Bytes that are
 * no letters and become equal so (`@` and a grave accent) cost a look-up, not a wrong match. */
TRAWL_BOTH uint64_t trawl_qgram_case_bits(bool folded) {
    return folded ? UINT64_C(0x2020202020202020) : 0;
}
TRAWL_BOTH uint64_t trawl_qgram_fold(uint64_t bytes, uint64_t case_bits) {
    return bytes | (bytes >> 1 & case_bits);
}

/* How the sample filter folds the bytes of a sample. Setting the bit in all of them takes one
 * instruction, in letters alone three. But then zeros are spaces, and in binary files three of four
 * candidates may be such. What is faster is priced with a sample of the text. Fields leave the bit
 * out, and samples of more than eight bytes, of which few pass, have it in all bytes. */
typedef struct trawl_qgram_sample_fold {
    uint64_t all, letters; /* bits to set in all bytes, and in those with 0x40 */
} trawl_qgram_sample_fold;

static inline trawl_qgram_sample_fold trawl_qgram_sample_fold_of(const trawl_qgram_tier *tier) {
    uint64_t bits = trawl_qgram_case_bits(tier->folded != 0);
    return tier->fold_all != 0 || tier->gram > 8 ? (trawl_qgram_sample_fold){bits, 0}
                                                 : (trawl_qgram_sample_fold){0, bits};
}
static inline uint64_t trawl_qgram_fold_sample(uint64_t bytes, trawl_qgram_sample_fold fold) {
    return bytes | fold.all | (bytes >> 1 & fold.letters);
}

/* The number of a sample of more than eight bytes. They are read as two words, which may overlap:
 *
 *   sample of 11 bytes   b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 b10
 *                        '------- first -------'
 *                                 '------- last --------'      both little-endian
 *
 * The number of a sample of at most eight bytes is `first` alone: trawl_qgram_multiplier shifts the
 * bytes behind the sample out of the product. */
TRAWL_BOTH uint64_t trawl_qgram_join_words(uint64_t first, uint64_t last) {
    return first * UINT64_C(0xd6e8feb86659fd93) ^ last;
}

/* What a sample's number is multiplied by: a shifted constant, so that only its q bytes count. */
TRAWL_BOTH uint64_t trawl_qgram_multiplier(uint32_t gram) {
    return gram >= 8 ? TRAWL_QGRAM_MULTIPLIER : TRAWL_QGRAM_MULTIPLIER << ((64 - 8 * gram) & 63);
}

/* Row of the sample filter by a product. */
TRAWL_BOTH size_t trawl_qgram_row(uint64_t number, uint64_t multiplier, uint32_t row_bits) {
    return (size_t)((number * multiplier) >> (64 - row_bits));
}

/* Rows by fields (engines/qgram/bloom/fields.h): a field is the lowest bits of one byte of the
 * sample. `fields` has the width of each in four bits, that of the first byte in the lowest:
 *
 *   fields 0x556     bytes   t = 01 110100    r = 011 10010    a = 011 00001
 *                                6 bits            5 bits           5 bits
 *   extracted        00001 10010 1 | 10100
 *                    row, 11 bits  | bit in the row: the first byte's lowest five bits
 */
#define TRAWL_QGRAM_FIELD_BYTES 8u /* the longest sample with fields: one word for PEXT */
/* Bits of the widest field. The loops with AVX-512 multiply fields as signed bytes (maddubs in
 * bloom/loops.c). */
#define TRAWL_QGRAM_MAX_FIELD 7u
#define TRAWL_QGRAM_ROW_BIT 5u /* log2(32): bits of the index of a bit in its row */

/* The width in bits of the field of that byte. */
TRAWL_BOTH uint32_t trawl_qgram_field(uint32_t fields, uint32_t byte) {
    return fields >> (4 * byte) & 15;
}

/* The bits of a sample's number that are in the fields. */
TRAWL_BOTH uint64_t trawl_qgram_fields_mask(uint32_t fields) {
    uint64_t mask = 0;
    for (uint32_t byte = 0; byte < TRAWL_QGRAM_FIELD_BYTES; byte++) {
        mask |= ((UINT64_C(1) << trawl_qgram_field(fields, byte)) - 1) << (8 * byte);
    }
    return mask;
}

/* The fields of a number, side by side. */
TRAWL_BOTH uint64_t trawl_qgram_extract(uint64_t number, uint32_t fields) {
    uint64_t extracted = 0;
    uint32_t width, at = 0;
    for (; (width = fields & 15) != 0; fields >>= 4, number >>= 8, at += width) {
        extracted |= (number & ((1u << width) - 1)) << at;
    }
    return extracted;
}

/* ------------------------------------------------------------------ end offsets
 *
 * A candidate may belong to a match at any of stride + anchor slack ends, but most q-grams occur in
 * one place of one key. The table of end offsets is indexed by a hash of the q-gram. A word of it
 * is the union over all q-grams with that hash:
 *
 *    31      24 23                     0
 *    | suffixes | steps                |   bit s of the steps: a key with such a q-gram ends in
 *                                          step s behind the sample
 *                                          bit i of the suffixes: the last suffix of such a key has
 *                                          the i-th length of trawl_qgram_suffixes
 *
 * A step is one byte where there are at most 24 possible ends, else several bytes. The word of a
 * false candidate has no bits as a rule.
 */
#define TRAWL_END_OFFSETS_STEPS 24u /* 32 - TRAWL_QGRAM_SUFFIXES */

/* Words of the table: twice as many as the keys have q-grams, between 1 << 8 and 1 << 26 (256 MiB).
 * In a full table nearly every sample that passed the filter has all of its ends: with 1 << 22
 * words, 10,000,000 patterns were searched four times as slowly
 * (docs/notebook/2026-11-fifty-million.md). */
#define TRAWL_END_OFFSETS_MIN_BITS 8u
#define TRAWL_END_OFFSETS_MAX_WORDS (UINT64_C(1) << 26)
#define TRAWL_END_OFFSETS_WORDS_PER_GRAM 2u

/* Bytes of a step, for samples that may lead to `ends` ends. */
TRAWL_BOTH uint32_t trawl_end_offsets_step_bytes(uint32_t ends) {
    return (ends + TRAWL_END_OFFSETS_STEPS - 1) / TRAWL_END_OFFSETS_STEPS;
}

/* Index of the word; `product` is the sample's number times its multiplier. */
TRAWL_BOTH size_t trawl_end_offsets_word(uint64_t product, uint32_t end_offsets_bits) {
    return (size_t)(((product ^ product >> 32) * UINT64_C(0xa0761d6478bd642f)) >>
                    (64 - end_offsets_bits));
}

/* ------------------------------------------------------------------ suffix filter
 *
 * A Bloom filter of the keys' suffixes, with two bits of one word for each suffix. It has all
 * suffixes of a key whose lengths are in trawl_qgram_suffixes, and the longest of these once more,
 * with another hash, as the key's last suffix:
 *
 *   key  n e t w o r k   m = 5:   lengths 5 and 6;  twork: any   etwork: any and last
 *
 * An end is tested with the shortest suffix that its word of end offsets names, which all keys of
 * the word have, and then with a last suffix. The test of the last m bytes alone would accept each
 * end at which the last m bytes of a long key stand by chance.
 */
#define TRAWL_QGRAM_SUFFIXES 8u        /* lengths of suffixes: bits in a word of end offsets */
#define TRAWL_QGRAM_LONGEST_SUFFIX 16u /* bytes: two words of eight */

/* Sizes of the filter, as powers of two of its words; at most 256 MiB. With 64 MiB one end in ten
 * would pass by chance with 50,000,000 keys of 16 bytes. Chosen, not measured. */
#define TRAWL_SUFFIX_FILTER_MIN_BITS 4u
#define TRAWL_SUFFIX_FILTER_MAX_BITS 26u

/* The lengths of a tier's suffixes, ascending: min(m, 16), and of 2, 3, 4, 5, 6, 8, 12 and 16 those
 * that are longer than m and not longer than the tier's longest key. */
typedef struct trawl_qgram_suffixes {
    uint32_t count;
    uint32_t bytes[TRAWL_QGRAM_SUFFIXES];
} trawl_qgram_suffixes;

TRAWL_BOTH trawl_qgram_suffixes trawl_qgram_suffixes_of(const trawl_qgram_tier *tier) {
    trawl_qgram_suffixes suffixes = {1, {0}};
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

/* The number of a suffix of `bytes` bytes. `last` are the eight bytes before the end. `first`, used
 * for more than eight bytes only, are the first eight of the suffix. Both have their case bits. */
TRAWL_BOTH uint64_t trawl_qgram_suffix(uint32_t bytes, uint64_t first, uint64_t last) {
    return bytes > 8 ? trawl_qgram_join_words(first, last)
                     : last & ~UINT64_C(0) << ((64 - 8 * bytes) & 63); /* bytes is never 0 */
}

/* If a key ends with a run of one byte, of SHORT_RUN bytes or more, the suffix filter also has the
 * run's length together with the four bytes before the run; or, if the key has fewer than four
 * there, with the last of them. SHORT_RUN is a word, so that one comparison finds a run; four bytes
 * were chosen, not measured. */
#define TRAWL_QGRAM_SHORT_RUN 8u
#define TRAWL_QGRAM_BYTES_BEFORE_RUN 4u

/* The number of a run of `run` bytes and of the `bytes` bytes before it, 1 or 4; `before` are the
 * eight bytes before the run. */
TRAWL_BOTH uint64_t trawl_qgram_run_number(uint64_t before, uint32_t bytes, uint64_t run) {
    return (before >> (64 - 8 * bytes)) << 24 ^ run << 3 ^ bytes;
}

/* What a number in the suffix filter is: any suffix, a last suffix, or a run. */
enum { TRAWL_SUFFIX_ANY = 0, TRAWL_SUFFIX_LAST = 1, TRAWL_SUFFIX_RUN = 2 };

TRAWL_BOTH uint64_t trawl_suffix_filter_hash(uint64_t number, uint32_t kind) {
    uint64_t hash = (number + kind) * UINT64_C(0xe7037ed1a0b428db);
    return hash ^ hash >> 32;
}
TRAWL_BOTH size_t trawl_suffix_filter_word(uint64_t hash, uint32_t suffix_filter_bits) {
    return (size_t)(hash >> (64 - suffix_filter_bits));
}
/* The two bits of the word (one, if they coincide). */
TRAWL_BOTH uint32_t trawl_suffix_filter_mask(uint64_t hash) {
    return UINT32_C(1) << (hash & 31) | UINT32_C(1) << (hash >> 5 & 31);
}

#endif
