/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The q-gram engine's tables as a GPU wants them.
 *
 * As on the CPU (engines/qgram/format.h) the set is divided by length into tiers, but for other
 * costs: what a multiprocessor's threads touch for every byte of text must be in its shared memory,
 * of which there are some 200 KB for all tiers together, while look-ups there are cheap and one in
 * the L2 cache is not. So tiers are chosen anew for the device (engines/qgram/gpu/divide.h), and
 * made from the database's patterns when it is uploaded.
 *
 * A sample is the last `gram` bytes before a position of the text that is a multiple of `stride`,
 * counted from an address that is a multiple of 16. Every pattern of the tier has at least
 * gram + stride - 1 bytes, so for any of its bytes that follow each other in such a number, one
 * sample of every occurrence lies inside them. Which bytes that are is chosen for each pattern
 * (engines/qgram/gpu/anchor.h), but samples end fewer than REACH bytes before the match does: that
 * is their alignment. Samples of other keys may point to the same end, so what is found there
 * counts for one of the key's own alignments alone. Three questions are asked, each of fewer
 * positions than the one before:
 *
 *     FILTER   a bit or two for each hash of a sample of the set: may a match end here or soon?
 *     ALIGN    REACH bits for each hash of another kind: how far behind here? (stride > 1)
 *     ENDINGS  which is the longest key that ends there? (database/endings.h)
 *
 * Patterns of one and two bytes have a table of all pairs of bytes instead.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_FORMAT_H
#define TRAWL_ENGINES_QGRAM_GPU_FORMAT_H

#include "base/compiler.h"
#include "database/endings.h"

#define TRAWL_CUDA_QGRAM_TIERS 4u
#define TRAWL_CUDA_QGRAM_MOST_STRIDE 16u
#define TRAWL_CUDA_QGRAM_MOST_GRAM 16u
#define TRAWL_CUDA_QGRAM_ANCHOR_SLACK 16u /* at a stride of 1: 1 */

/* Samples of a tier that end at most where a part of the text begins and reach into it. */
#define TRAWL_CUDA_QGRAM_BEFORE (TRAWL_CUDA_QGRAM_ANCHOR_SLACK / 2)
#define TRAWL_CUDA_QGRAM_COMMON_BYTES 98304u

/* Where FILTER is. */
typedef enum trawl_cuda_qgram_place {
    TRAWL_CUDA_QGRAM_DIRECT = 0, /* patterns of one and two bytes: pairs, in shared memory */
    TRAWL_CUDA_QGRAM_SHARED = 1,
    TRAWL_CUDA_QGRAM_GLOBAL = 2 /* too large for shared memory: behind the L2 cache */
} trawl_cuda_qgram_place;

typedef struct trawl_cuda_qgram_tier {
    uint32_t place;                  /* trawl_cuda_qgram_place */
    uint32_t min_length, max_length; /* of its patterns */
    uint32_t stride;                 /* 1, 2, 4, 8 or 16 */
    uint32_t gram;                   /* bytes of a sample: 2 .. 16 */
    uint32_t folded;                 /* 1: keys are lower-cased, case-sensitive ones are verified */
    uint32_t filter_words;           /* 32-bit words of FILTER: a multiple of 4 */
    uint32_t filter_ones;            /* bits that a sample has in it: 1 or 2; 2 at strides > 1 */
    uint32_t filter_at;              /* its first 32-bit word in the image (SHARED, DIRECT) */
    uint32_t align_bits;             /* ALIGN has 1 << align_bits entries of 16 bits; 0: stride 1 */
    uint32_t tail;                   /* last bytes by which an end is looked up: up to 8 */
    uint32_t hash_bits;              /* HASH has (1 << hash_bits) + 1 heads */
    uint32_t walked;                 /* 1: of the patterns that an automaton counts */
} trawl_cuda_qgram_tier;

/* 32-bit words of a sample that are hashed, and which bits of the oldest one belong to it. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_words(const trawl_cuda_qgram_tier *tier) {
    return (tier->gram + 3) / 4;
}
TRAWL_BOTH uint32_t trawl_cuda_qgram_mask(const trawl_cuda_qgram_tier *tier) {
    uint32_t bytes = (tier->gram + 3) % 4 + 1;
    return bytes == 4 ? UINT32_MAX : ~(UINT32_MAX >> (8 * bytes));
}

/* In folded tiers letters of either case must hash alike: see trawl_qgram_case_bits. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_case_bits(const trawl_cuda_qgram_tier *tier) {
    return tier->folded != 0 ? UINT32_C(0x20202020) : 0;
}

/* What each word of a sample is multiplied with, the youngest word first. */
#define TRAWL_CUDA_QGRAM_FACTOR_0 UINT32_C(0xc2b2ae3d)
#define TRAWL_CUDA_QGRAM_FACTOR_1 UINT32_C(0x85ebca77)
#define TRAWL_CUDA_QGRAM_FACTOR_2 UINT32_C(0x9e3779b1)
#define TRAWL_CUDA_QGRAM_FACTOR_3 UINT32_C(0x27d4eb2f)

/*
 * The hash of a sample whose words, the youngest first, have been masked: the sum of the products.
 * Its lower half says where the sample belongs. The upper bits of that half depend on all bytes,
 * the lower ones on the oldest bytes alone; so what is asked at that place is told by the lowest
 * bits of the upper half, which depend on all bytes as well.
 */
TRAWL_BOTH uint64_t trawl_cuda_qgram_hash(const uint32_t *words) {
    return (uint64_t)words[0] * TRAWL_CUDA_QGRAM_FACTOR_0 +
           (uint64_t)words[1] * TRAWL_CUDA_QGRAM_FACTOR_1 +
           (uint64_t)words[2] * TRAWL_CUDA_QGRAM_FACTOR_2 +
           (uint64_t)words[3] * TRAWL_CUDA_QGRAM_FACTOR_3;
}

/* FILTER: the word, by a product, which makes any number of words as good as a power of two. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_spot(uint64_t hash, uint32_t filter_words) {
#ifdef __CUDA_ARCH__
    return __umulhi((uint32_t)hash, filter_words); /* one instruction instead of two */
#else
    return (uint32_t)(((hash & UINT32_MAX) * filter_words) >> 32);
#endif
}
/* The bits of that word, modulo 32, which is what shifting does on a device. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_first_bit(uint64_t hash) {
    return (uint32_t)(hash >> 32);
}
TRAWL_BOTH uint32_t trawl_cuda_qgram_second_bit(uint64_t hash) {
    return (uint32_t)(hash >> 32) >> 5;
}
TRAWL_BOTH uint32_t trawl_cuda_qgram_ones(uint64_t hash, uint32_t filter_ones) {
    uint32_t first = UINT32_C(1) << trawl_cuda_qgram_first_bit(hash) % 32;
    uint32_t second = UINT32_C(1) << trawl_cuda_qgram_second_bit(hash) % 32;
    return filter_ones == 1 ? first : first | second;
}

/* Entry of ALIGN: independent of the word of FILTER, so that few of what the filter lets through by
 * chance passes here as well. */
TRAWL_BOTH uint32_t trawl_cuda_qgram_entry(uint64_t hash, uint32_t align_bits) {
    uint32_t mixed = (uint32_t)hash;
    mixed ^= mixed >> 15;
    mixed *= UINT32_C(0x2c1b3c6d);
    mixed ^= mixed >> 12;
    return (mixed * UINT32_C(0x297a2d39)) >> (32 - align_bits);
}

/* DIRECT: four bits for each pair of bytes, the earlier one in the low half of the index: how many
 * patterns end with it; this value means that many or more. */
#define TRAWL_CUDA_QGRAM_MANY_PAIRS 15u
#define TRAWL_CUDA_QGRAM_PAIR_WORDS 8192u

/* ------------------------------------------------------------------ on the host (qgram_layout.c)
 */

/* The arrays of one tier, in host memory, owned. */
typedef struct trawl_cuda_qgram_arrays {
    trawl_keys keys;  /* of the tier's patterns, reversed */
    uint32_t *filter; /* words: FILTER or the pairs */
    uint16_t *align;
    uint8_t *anchors; /* of each key: the alignment of its last sample (qgram_anchor.h) */
    uint32_t *past;   /* of each key: where the bytes of its first pattern end */
    uint32_t *heads;
    trawl_ending_range *ranges;
    uint32_t range_count;
    uint64_t *endings;
    uint32_t *direct; /* DIRECT: 65,536 times 0 or 1 + the longest key that ends with the pair */
    uint32_t *length, *link, *total, *first, *ids;
    uint8_t *verify;
} trawl_cuda_qgram_arrays;

/*
 * An automaton beside the filters, for patterns that are short, and runs of one byte: where there
 * are many of them in a text, nearly every sample passes, and a step of an automaton whose rows are
 * all in shared memory costs far less than a verification. It counts, also by pattern, and marks
 * ends; for records these patterns have tiers of their own, as they must come in order.
 */
typedef struct trawl_cuda_qgram_mix {
    uint8_t *walked;     /* 1 for each pattern that is; NULL: none are, there is no automaton */
    trawl_db *automaton; /* ac-dfa, of these patterns; ids are those of the whole set */
    uint32_t patterns;   /* that are walked */
    uint32_t shortest, longest; /* of them */
    uint32_t short_length;      /* all patterns up to this length are */
    uint32_t states, rows;      /* of the automaton, and those of them in shared memory */
    uint64_t shared_bytes;      /* of a block: those rows */
    double elsewhere;           /* share of steps that need others */
    double price; /* of walking, in picoseconds of a whole device for a byte of text */
} trawl_cuda_qgram_mix;

typedef struct trawl_cuda_qgram_layout {
    uint32_t tiers;
    uint32_t filtered; /* the first ones, which are asked where the automaton counts the others */
    uint32_t filtered_words; /* of the image, theirs */
    uint32_t image_words;    /* of shared memory: all FILTERs that are there */
    trawl_cuda_qgram_tier tier[TRAWL_CUDA_QGRAM_TIERS]; /* of falling lengths, those walked last */
    trawl_cuda_qgram_arrays arrays[TRAWL_CUDA_QGRAM_TIERS];
    /* A piece of text: keys' samples are taken where they are rare in it. */
    uint8_t common[TRAWL_CUDA_QGRAM_COMMON_BYTES];
    size_t common_length;
    trawl_cuda_qgram_mix mix;
    /* What was expected of all this. */
    double price;      /* picoseconds of a whole device for a byte of text */
    double candidates; /* samples that pass, for a byte of text */
} trawl_cuda_qgram_layout;

/* Makes all arrays of the tiers, which have been chosen: everything in `tier` up to align_bits is
 * set. On failure everything is released. */
trawl_status trawl_cuda_qgram_layout_make(const trawl_patterns *patterns,
                                          trawl_cuda_qgram_layout *layout, trawl_error *error);
void trawl_cuda_qgram_layout_release(trawl_cuda_qgram_layout *layout);

/* Makes keys, outputs and endings alone, of the patterns of the tier's lengths that are `walked` as
 * it is (NULL: none are); `reversed`: see trawl_endings_reverse. On failure some of them are there.
 */
trawl_status trawl_cuda_qgram_keys_make(const trawl_patterns *patterns,
                                        const trawl_patterns *reversed, const uint8_t *walked,
                                        const trawl_cuda_qgram_tier *tier,
                                        trawl_cuda_qgram_arrays *arrays, trawl_error *error);
void trawl_cuda_qgram_arrays_release(trawl_cuda_qgram_arrays *arrays);

/* The words of the FILTER (or the pairs) of a tier. */
uint64_t trawl_cuda_qgram_filter_words(const trawl_cuda_qgram_tier *tier);

#endif
