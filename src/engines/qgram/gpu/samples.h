/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What all divisions of a set into tiers have in common: a sample of the text, the patterns by
 * classes of lengths, and of each kind of sample those of the patterns and those of the text.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_SAMPLES_H
#define TRAWL_ENGINES_QGRAM_GPU_SAMPLES_H

#include "engines/qgram/gpu/anchor.h"

#define TRAWL_CUDA_QGRAM_CLASSES 13u

/* Samples of a set are held in a large FILTER while they are tried, with two bits each. */
#define TRAWL_CUDA_QGRAM_SEEN_WORDS (UINT32_C(1) << 19)

/* Where a sample belongs there: the word's number, and below it those of two of its bits, which may
 * be the same. */
static inline uint32_t trawl_cuda_qgram_mark(uint64_t hash) {
    return trawl_cuda_qgram_spot(hash, TRAWL_CUDA_QGRAM_SEEN_WORDS) << 10 |
           trawl_cuda_qgram_second_bit(hash) % 32 << 5 | trawl_cuda_qgram_first_bit(hash) % 32;
}
static inline size_t trawl_cuda_qgram_mark_word(uint32_t mark) {
    return mark >> 10;
}
static inline uint32_t trawl_cuda_qgram_mark_first(uint32_t mark) {
    return mark % 32;
}
static inline uint32_t trawl_cuda_qgram_mark_second(uint32_t mark) {
    return mark >> 5 & 31;
}

/* The same in another word. */
static inline uint32_t trawl_cuda_qgram_mark_in(uint32_t mark, uint32_t word) {
    return word << 10 | mark % 1024;
}

/* Samples of so many bytes at such a stride, of folded text or not. */
typedef struct trawl_cuda_qgram_kind {
    uint32_t *marks; /* of the patterns' samples, `stride` for each; NULL: they are not kept */
    uint32_t from;   /* the first place in `order` whose pattern has marks */
    uint32_t *asked; /* marks of the text's samples, without those that cannot be the set's */
    size_t asked_count;
    size_t asked_all;  /* with those */
    uint32_t words;    /* of the FILTER: above all marks' */
    size_t kept_bytes; /* of marks */
    bool lent;         /* there was no room to keep them */
} trawl_cuda_qgram_kind;

#define TRAWL_CUDA_QGRAM_KINDS (2 * TRAWL_CUDA_QGRAM_MOST_GRAM * 5)

typedef struct trawl_cuda_qgram_samples {
    const trawl_patterns *patterns;
    /* The text: by its first part samples of the set are picked, by the rest they are judged. */
    uint8_t *text;
    size_t picking_length, judging_length;
    /* Patterns of three bytes and more, by class, in the order of their ids. */
    uint32_t *order;
    uint32_t begin[TRAWL_CUDA_QGRAM_CLASSES + 1];
    uint32_t classes;
    trawl_cuda_qgram_kind kind[TRAWL_CUDA_QGRAM_KINDS];
    size_t kept_bytes; /* of all marks */
    /* Of the samples that were read last. */
    trawl_cuda_qgram_tier tier;
    trawl_cuda_qgram_counts *counts;
    uint32_t *ends; /* marks of the judging text's samples, at all positions */
    uint32_t *seen; /* zeros */
    /* For each word of the FILTER its number, if that is not one of other kinds. */
    uint32_t *number;
    uint32_t numbered; /* the last number */
} trawl_cuda_qgram_samples;

/* Takes a sample of the text (NULL or too short: makes text up of the patterns), and orders the
 * patterns, which must live on. Release it, also on failure. */
trawl_status trawl_cuda_qgram_samples_make(const trawl_patterns *patterns, const uint8_t *sample,
                                           size_t length, trawl_cuda_qgram_samples *samples,
                                           trawl_error *error);
void trawl_cuda_qgram_samples_release(trawl_cuda_qgram_samples *samples);

/* Of a tier place, min_length, ..., are not looked at here: only stride, gram and folded. */
const trawl_cuda_qgram_kind *trawl_cuda_qgram_kind_of(const trawl_cuda_qgram_samples *samples,
                                                      const trawl_cuda_qgram_tier *tier);

/*
 * Makes `count` kinds of samples available, which are alike but for their strides, until the next
 * call: kind i for the patterns of `order` from from[i] on, if they are long enough for it. What
 * there is room for is kept.
 */
trawl_status trawl_cuda_qgram_samples_read(trawl_cuda_qgram_samples *samples,
                                           const trawl_cuda_qgram_tier *tiers, const uint32_t *from,
                                           size_t count, trawl_error *error);

/* The same for one pattern, that of this place in `order`, of a kind whose marks are not kept. */
const uint32_t *trawl_cuda_qgram_end_offsets(const trawl_cuda_qgram_samples *samples,
                                             const trawl_cuda_qgram_tier *tier, uint32_t place,
                                             uint32_t room[TRAWL_CUDA_QGRAM_MOST_STRIDE]);

#endif
