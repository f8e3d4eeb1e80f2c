/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The q-gram engine's tables as a GPU uses them.
 *
 * As on the CPU (engines/qgram/format.h) the patterns are divided by length into tiers, each with a
 * sample filter. The costs differ: a table that is read for every byte of text must be in shared
 * memory, which has about 200 KB for all tiers together. Reading it is cheap, reading the L2 cache
 * is not. So the set is divided anew for the device (divide.h), from the patterns of the database,
 * when it is uploaded.
 *
 * A sample is the `gram` bytes before a position of the text whose address is a multiple of
 * `stride`. Every pattern of the tier has at least gram + stride - 1 bytes, and any gram + stride -
 * 1 neighbouring bytes of it have `stride` q-grams, of which exactly one is a sample in every
 * occurrence. Which bytes these are is chosen for each pattern (anchor_offsets.h); a sample ends
 * fewer than TRAWL_CUDA_QGRAM_ANCHOR_SLACK bytes before the match does.
 *
 *     text      . . . . . . k k k k k k k k k k k k k . . .     stride 4, gram 4
 *     samples           |-----> |-----> |-----> |----->
 *                               sample  |<--------->|           end offset: 5
 *
 * A sample is tested in three steps, each for fewer positions than the step before:
 *
 *     sample filter    one or two bits by a hash of the sample, or three bytes: may a match end
 *                      here or soon?
 *     end offsets      16 bits by another hash: how many bytes behind the sample? (stride > 1)
 *     key look-up      which is the longest key that ends there? (database/endings.h)
 *
 * Two samples may lead to the same end. Therefore a key counts only if the end offset is one of its
 * own samples' offsets.
 *
 * Tiers of free anchors (free_anchors.h) have, instead of neighbouring samples, one short sample
 * for each residue of the stride, each of them where it is rarest. Their candidates are compared
 * with one bucket of 32 bytes:
 *
 *     sample filter    as above; at a stride of 1 perhaps by cores, two samples for each look-up
 *     bucket           eight bytes of a key around the anchor, and where the key ends
 *     whole key        if it has more than eight bytes
 *
 * Patterns of one and two bytes are looked up in a table of all pairs of bytes instead.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_FORMAT_H
#define TRAWL_ENGINES_QGRAM_GPU_FORMAT_H

#include "base/compiler.h"
#include "constants/gpu.h"
#include "database/endings.h"
#include "engines/qgram/anchors/format.h"
#include "engines/qgram/pairs.h"

#define TRAWL_CUDA_QGRAM_TIERS 4u         /* TRAWL_GPU_MOST_TIERS, and one for byte pairs */
#define TRAWL_CUDA_QGRAM_MOST_STRIDE 16u  /* bytes that a thread loads at once */
#define TRAWL_CUDA_QGRAM_MOST_GRAM 16u    /* bytes: four words */
#define TRAWL_CUDA_QGRAM_ANCHOR_SLACK 16u /* bits of an entry of end offsets; stride 1: 1 */
#define TRAWL_CUDA_QGRAM_REACH 64u        /* bytes of a free anchor and behind it, at most */

/* Samples of a tier that end before the bytes of a strip and may lead to a match in the strip, at
 * most: at a stride of 2 one in every two bytes. */
#define TRAWL_CUDA_QGRAM_BEFORE (TRAWL_CUDA_QGRAM_ANCHOR_SLACK / 2)

/* Flags in `shift` of an entry of a bucket of free anchors (free_anchors.h), whose other bits are a
 * multiple of 8. */
#define TRAWL_CUDA_ANCHOR_EXTENDED 1u /* some other key of the tier ends with this one */
#define TRAWL_CUDA_ANCHOR_WHOLE 2u    /* an equal value does not decide: the key is compared */
#define TRAWL_CUDA_ANCHOR_SINGLE 4u   /* the key has one pattern, which need not be verified */
#define TRAWL_CUDA_ANCHOR_SHIFT 0x38u

/* Where the sample filter is. */
typedef enum trawl_cuda_qgram_place {
    TRAWL_CUDA_QGRAM_DIRECT = 0, /* no filter: a table of byte pairs in shared memory */
    TRAWL_CUDA_QGRAM_SHARED = 1,
    TRAWL_CUDA_QGRAM_GLOBAL = 2 /* in device memory, read through the L2 cache: a large filter */
} trawl_cuda_qgram_place;

typedef struct trawl_cuda_qgram_tier {
    uint32_t place;                  /* trawl_cuda_qgram_place */
    uint32_t min_length, max_length; /* of the patterns */
    uint32_t stride;                 /* 1, 2, 4, 8 or 16 */
    uint32_t gram;                   /* bytes of a sample: 2 .. 16 */
    uint32_t folded; /* 1: keys are lower-cased, and case-sensitive patterns are compared with the
                        text */
    uint32_t filter_words; /* 32-bit words of the sample filter: a multiple of 4 */
    uint32_t filter_bits;  /* bits that a sample sets in its word: 1 or 2; at strides above 1: 2 */
    uint32_t fuse_range;   /* nonzero: not a Bloom filter, but a fuse filter
                              (trawl_fuse_place_of) */
    uint32_t filter_at;    /* first 32-bit word of the filter in the image (SHARED, DIRECT) */
    uint32_t end_offset_bits; /* the table of end offsets has 1 << end_offset_bits entries of 16
                                 bits; 0 at a stride of 1 */
    uint32_t look_up_bytes;   /* last bytes by which keys are looked up (look_up_word.h); no
                                two ranges have the same word */
    uint32_t hash_bits;       /* the hash table of endings has (1 << hash_bits) + 1 heads */
    uint32_t anchors;         /* 1: free anchors (free_anchors.h) */
    uint32_t cores;           /* 1: the filter has words by cores (trawl_cuda_qgram_core_bit) */
    uint32_t buckets;         /* free anchors: number of buckets, without further entries */
    uint32_t crowded;         /* free anchors: 1: some buckets are crowded */
    uint32_t in_automaton;    /* 1: frequent patterns (trawl_cuda_qgram_automaton): the tier is used
                                 only to write records */
} trawl_cuda_qgram_tier;

/* The number of 32-bit words of a sample; and a mask of those bytes of its earliest word that
 * belong to the sample. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_words(const trawl_cuda_qgram_tier *tier) {
    return (tier->gram + 3) / 4;
}
TRAWL_BOTH uint32_t trawl_cuda_qgram_mask(const trawl_cuda_qgram_tier *tier) {
    uint32_t bytes = (tier->gram + 3) % 4 + 1;
    return bytes == 4 ? UINT32_MAX : ~(UINT32_MAX >> (8 * bytes));
}

/* In folded tiers both cases of a letter have the same hash: see trawl_qgram_case_bits. Only bytes
 * that may be letters are changed: zeros, of which programs have many, do not become spaces. */
#define TRAWL_CUDA_QGRAM_CASE_BITS UINT32_C(0x20202020)
TRAWL_BOTH uint32_t trawl_cuda_qgram_case_bits(const trawl_cuda_qgram_tier *tier) {
    return tier->folded != 0 ? TRAWL_CUDA_QGRAM_CASE_BITS : 0;
}
TRAWL_BOTH uint32_t trawl_cuda_qgram_fold(uint32_t bytes, uint32_t case_bits) {
    return bytes | (bytes >> 1 & case_bits);
}

/* Odd factors of the words of a sample, for the latest word first: primes of xxHash32. */
#define TRAWL_CUDA_QGRAM_FACTOR_0 UINT32_C(0xc2b2ae3d)
#define TRAWL_CUDA_QGRAM_FACTOR_1 UINT32_C(0x85ebca77)
#define TRAWL_CUDA_QGRAM_FACTOR_2 UINT32_C(0x9e3779b1)
#define TRAWL_CUDA_QGRAM_FACTOR_3 UINT32_C(0x27d4eb2f)

/*
 * The hash of a sample: the sum of the products of its masked words and the factors, the latest
 * word first.
 *
 *     63                      32 31                       0
 *     | bits of the word        | word of the filter      |
 *
 * The upper bits of the lower half depend on all bytes, its lowest bits on the earliest bytes
 * alone. So the word is (lower half * number of words) >> 32, which mainly uses the upper bits. The
 * lowest bits of the upper half depend on all bytes too: they select the bits in the word.
 */
TRAWL_BOTH uint64_t trawl_cuda_qgram_hash(const uint32_t *words) {
    return (uint64_t)words[0] * TRAWL_CUDA_QGRAM_FACTOR_0 +
           (uint64_t)words[1] * TRAWL_CUDA_QGRAM_FACTOR_1 +
           (uint64_t)words[2] * TRAWL_CUDA_QGRAM_FACTOR_2 +
           (uint64_t)words[3] * TRAWL_CUDA_QGRAM_FACTOR_3;
}

/* The word of the sample filter for a hash. A product instead of a shift, so that a filter may have
 * any number of words. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_word_index(uint64_t hash, uint32_t filter_words) {
#ifdef __CUDA_ARCH__
    return __umulhi((uint32_t)hash, filter_words); /* one instruction instead of two */
#else
    return (uint32_t)(((hash & UINT32_MAX) * filter_words) >> 32);
#endif
}
/* The indices of the two bits in that word, modulo 32: shifts on a GPU ignore higher bits. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_first_bit(uint64_t hash) {
    return (uint32_t)(hash >> 32);
}
TRAWL_BOTH uint32_t trawl_cuda_qgram_second_bit(uint64_t hash) {
    return (uint32_t)(hash >> 32) >> 5;
}
TRAWL_BOTH uint32_t trawl_cuda_qgram_bits(uint64_t hash, uint32_t filter_bits) {
    uint32_t first = UINT32_C(1) << trawl_cuda_qgram_first_bit(hash) % 32;
    uint32_t second = UINT32_C(1) << trawl_cuda_qgram_second_bit(hash) % 32;
    return filter_bits == 1 ? first : first | second;
}

/*
 * Filters by cores: free anchors of four bytes at a stride of 1. The word is that of a core, three
 * bytes of text at every second position; the bit is that of the byte before it or of the byte
 * behind it. So one word tests two samples, which end at neighbouring positions:
 *
 *     text        . a b c d e .        core b c d, at an even address
 *     samples       [a b c d]          bit of a in the word of b c d
 *                     [b c d e]        bit of e in the word of b c d
 *
 * An anchor may stand at an even or at an odd address, so it sets two bits: that of its first byte
 * in the word of the last three, and that of its last byte in the word of the first three. The
 * lowest five bits of a byte select the bit, from the highest one on: on a GPU the word is rotated
 * by the byte.
 */
TRAWL_BOTH uint32_t trawl_cuda_qgram_core_word(uint32_t core, uint32_t filter_words) {
    /* The highest of the four bytes of `core` does not count. */
    return trawl_cuda_qgram_word_index(core * (TRAWL_CUDA_QGRAM_FACTOR_2 << 8), filter_words);
}
TRAWL_BOTH uint32_t trawl_cuda_qgram_core_bit(uint32_t byte) {
    return 31 - byte % 32;
}

/* The entry of the table of end offsets. It is mixed again, so that it does not depend on the
 * filter's word: few false candidates of the filter then find an entry with bits. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_end_offset_entry(uint64_t hash, uint32_t end_offset_bits) {
    uint32_t mixed = (uint32_t)hash;
    mixed ^= mixed >> 15;
    mixed *= UINT32_C(0x2c1b3c6d);
    mixed ^= mixed >> 12;
    return (mixed * UINT32_C(0x297a2d39)) >> (32 - end_offset_bits);
}

/* The table of byte pairs has four bits for each pair: the number of patterns that end with it. 15
 * means 15 or more, or that letter case has to be verified. The index is earlier byte | later byte
 * << 8. */
#define TRAWL_CUDA_QGRAM_MANY_PAIRS 15u
#define TRAWL_CUDA_QGRAM_PAIR_WORDS (TRAWL_QGRAM_PAIRS / 8)

/* ------------------------------------------------------------------ on the host (tables.c) */

/* The arrays of one tier, in host memory. The structure owns them. */
typedef struct trawl_cuda_qgram_arrays {
    trawl_keys keys;  /* of the tier's patterns, reversed */
    uint32_t *filter; /* the sample filter or the table of byte pairs */
    uint16_t *end_offsets;
    uint8_t *anchor_offsets; /* of each key (anchor_offsets.h) */
    /* Free anchors (free_anchors.h): buckets, and behind them further entries, which are counted as
     * buckets too; and the anchors of each key, by the residue of their end offset. */
    trawl_anchors_bucket *buckets;
    uint64_t bucket_count;
    uint8_t *anchor_ends;
    uint32_t *pattern_end; /* of each key: where its first pattern ends among the bytes of all */
    uint32_t *heads;
    trawl_ending_range *ranges;
    uint32_t range_count;
    uint64_t *endings;
    uint32_t *direct; /* of each pair: 1 + the longest key that ends with it, or 0 */
    uint32_t *length, *link, *total, *first, *ids;
    uint8_t *verify;
    bool longest; /* set before the arrays are made: trawl_cuda_keys */
} trawl_cuda_qgram_arrays;

/* The automaton for frequent patterns: short patterns, runs of one byte, and patterns without rare
 * bytes. In a text with many of these nearly every sample is a candidate, and a step of an
 * automaton whose rows are in shared memory costs far less than verifying a candidate. The
 * automaton counts matches, also by pattern, and marks ends, in any order. Records must be in
 * order, so there are tiers for the frequent patterns too, which are used only to write records. */
typedef struct trawl_cuda_qgram_automaton {
    uint8_t *in_automaton;      /* 1 for each pattern that the automaton has; NULL: there is none */
    trawl_db *db;               /* engine ac-dfa; the ids are those of the whole set */
    uint32_t patterns;          /* number of patterns in the automaton */
    uint32_t shortest, longest; /* lengths of its patterns */
    uint32_t short_length;      /* the automaton has all patterns up to this length */
    uint32_t states, rows;      /* all states, and those whose rows are in shared memory */
    uint64_t shared_bytes;      /* of a block, for those rows */
    double elsewhere;           /* share of steps that read a row outside shared memory */
    double price;               /* of its walk, picoseconds of a whole device for a byte of text */
} trawl_cuda_qgram_automaton;

typedef struct trawl_cuda_qgram_layout {
    uint32_t tiers;
    uint32_t filter_tiers;      /* the first tiers: those whose patterns are not in the automaton */
    uint32_t filter_tier_words; /* 32-bit words of the image that belong to them */
    uint32_t image_words;       /* of all filters in shared memory, one after the other */
    trawl_cuda_qgram_tier tier[TRAWL_CUDA_QGRAM_TIERS]; /* by falling length; frequent last */
    trawl_cuda_qgram_arrays arrays[TRAWL_CUDA_QGRAM_TIERS];
    /* The text by which anchor offsets are chosen. */
    uint8_t anchor_text[TRAWL_GPU_ANCHOR_TEXT_BYTES];
    size_t anchor_text_length;
    trawl_cuda_qgram_automaton automaton;
    bool longest; /* of trawl_cuda_qgram_arrays */
    /* What is expected of this layout. */
    double price;      /* picoseconds of a whole device for a byte of text */
    double candidates; /* for a byte of text */
    double ends;       /* of keys, for a byte of text, which the price contains */
} trawl_cuda_qgram_layout;

/* Makes all arrays of the tiers. The caller has set the members of each tier up to end_offset_bits.
 * On failure everything is released. */
trawl_status trawl_cuda_qgram_layout_make(const trawl_patterns *patterns,
                                          trawl_cuda_qgram_layout *layout, trawl_error *error);
void trawl_cuda_qgram_layout_release(trawl_cuda_qgram_layout *layout);

/* Makes only keys, outputs and endings, of the patterns that have the tier's lengths and its value
 * of in_automaton (NULL: 0 for all patterns). `reversed`: see trawl_endings_reverse. After a
 * failure some arrays may be allocated: release them. */
trawl_status trawl_cuda_qgram_keys_make(const trawl_patterns *patterns,
                                        const trawl_patterns *reversed, const uint8_t *in_automaton,
                                        const trawl_cuda_qgram_tier *tier,
                                        trawl_cuda_qgram_arrays *arrays, trawl_error *error);
/* Makes the hash table of the keys by their last bytes, where a word leads to one range. Sets
 * tier->look_up_bytes and tier->hash_bits. */
trawl_status trawl_cuda_qgram_hash_make(trawl_cuda_qgram_tier *tier,
                                        trawl_cuda_qgram_arrays *arrays, trawl_error *error);
void trawl_cuda_qgram_arrays_release(trawl_cuda_qgram_arrays *arrays);

/* Makes the anchors of a tier of free anchors: buckets, anchor_ends, and the bits of the filter,
 * which is allocated (free_anchors.c). */
trawl_status trawl_cuda_qgram_anchors_make(const trawl_cuda_qgram_layout *layout,
                                           trawl_cuda_qgram_tier *tier,
                                           trawl_cuda_qgram_arrays *arrays, trawl_error *error);

/* The number of 32-bit words of a tier's sample filter, or table of byte pairs. */
uint64_t trawl_cuda_qgram_filter_words(const trawl_cuda_qgram_tier *tier);

#endif
