/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What all divisions of a set have in common: a sample of the text, the patterns by groups of
 * lengths, and the filter addresses of all samples of every kind, of the patterns and of the
 * text. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_SAMPLES_H
#define TRAWL_ENGINES_QGRAM_GPU_SAMPLES_H

#include "engines/qgram/gpu/anchor_offsets.h"

/* Bytes of the shortest sample of a text that is used: four pieces, of which three choose anchor
 * offsets and one validates them. Instead of a shorter one, a text is made up from the patterns. */
#define TRAWL_CUDA_QGRAM_LEAST_SAMPLE (4 * TRAWL_GPU_SAMPLE_PIECE_BYTES)

#define TRAWL_CUDA_QGRAM_LENGTH_GROUPS 13u /* see `starts` in samples.c */

/* While kinds of samples are compared, the samples of the set are in one large trial filter, with
 * two bits for each sample. 32-bit words: 2 MiB. Chosen, not measured. */
#define TRAWL_CUDA_QGRAM_TRIAL_WORDS (UINT32_C(1) << 19)

/*
 * The address of a sample in the trial filter. The two bits may be the same.
 *
 *     28             10 9          5 4         0
 *     | word           | second bit | first bit |
 */
static inline uint32_t trawl_cuda_qgram_address(uint64_t hash) {
    return trawl_cuda_qgram_word_index(hash, TRAWL_CUDA_QGRAM_TRIAL_WORDS) << 10 |
           trawl_cuda_qgram_second_bit(hash) % 32 << 5 | trawl_cuda_qgram_first_bit(hash) % 32;
}
static inline size_t trawl_cuda_qgram_address_word(uint32_t address) {
    return address >> 10;
}
static inline uint32_t trawl_cuda_qgram_address_first_bit(uint32_t address) {
    return address % 32;
}
static inline uint32_t trawl_cuda_qgram_address_second_bit(uint32_t address) {
    return address >> 5 & 31;
}

/* The same bits of another word. */
static inline uint32_t trawl_cuda_qgram_address_in(uint32_t address, uint32_t word) {
    return word << 10 | address % 1024;
}

/* A kind of samples: of one length in bytes, stride and letter case. */
typedef struct trawl_cuda_qgram_kind {
    uint32_t *addresses;      /* of the patterns' samples, `stride` for each; NULL: not kept */
    uint32_t from;            /* first position in `order` whose pattern has addresses */
    uint32_t *text_addresses; /* of the text's samples, without those that no pattern has */
    size_t text_count;        /* entries of text_addresses */
    size_t text_samples;      /* all samples of the text */
    uint32_t words;           /* of the trial filter that addresses use: 0 to words - 1 */
    size_t kept_bytes;        /* bytes of `addresses` */
    bool temporary;           /* there was no room to keep the addresses for later calls */
} trawl_cuda_qgram_kind;

#define TRAWL_CUDA_QGRAM_KINDS (2 * TRAWL_CUDA_QGRAM_MOST_GRAM * 5) /* case, length, stride */

typedef struct trawl_cuda_qgram_samples {
    const trawl_patterns *patterns;
    /* The first part of the text chooses anchor offsets, candidates are counted in the rest: a text
     * would underrate the candidates of samples that it chose itself. */
    uint8_t *text;
    size_t anchor_length, validation_length;
    /* Ids of the patterns of at least three bytes, by group of lengths; in a group in rising
     * order. */
    uint32_t *order;
    uint32_t begin[TRAWL_CUDA_QGRAM_LENGTH_GROUPS + 1];
    uint32_t groups;
    trawl_cuda_qgram_kind kind[TRAWL_CUDA_QGRAM_KINDS];
    size_t kept_bytes; /* of the addresses of all kinds */
    /* Of the kind of samples that was read last, at all positions of the text: */
    trawl_cuda_qgram_tier tier;
    trawl_cuda_qgram_counts *counts;
    uint32_t *validation_addresses; /* in the second part of the text */
    uint32_t *seen;                 /* bits of each word of the trial filter; zeros between calls */
    /* The number that each word of the trial filter was given last. It is valid for the current
     * kind if it is above those that earlier kinds have used. */
    uint32_t *number;
    uint32_t numbered; /* the last number that was given */
} trawl_cuda_qgram_samples;

/* Takes a sample of the text and orders the patterns, which must outlive `samples`. If the sample
 * is NULL or too short, a text is made up of the patterns. Release `samples` also after a
 * failure. */
trawl_status trawl_cuda_qgram_samples_make(const trawl_patterns *patterns, const uint8_t *sample,
                                           size_t length, trawl_cuda_qgram_samples *samples,
                                           trawl_error *error);
void trawl_cuda_qgram_samples_release(trawl_cuda_qgram_samples *samples);

/* The kind of a tier's samples: by its stride, gram and folded. */
const trawl_cuda_qgram_kind *trawl_cuda_qgram_kind_of(const trawl_cuda_qgram_samples *samples,
                                                      const trawl_cuda_qgram_tier *tier);

/* Makes `count` kinds of samples available until the next call. They differ only in their strides.
 * Kind i is for those patterns of `order` from position from[i] on that are long enough for it.
 * Addresses are kept for later calls as far as there is room. */
trawl_status trawl_cuda_qgram_samples_read(trawl_cuda_qgram_samples *samples,
                                           const trawl_cuda_qgram_tier *tiers, const uint32_t *from,
                                           size_t count, trawl_error *error);

/* Computes the addresses of one pattern's samples, for a kind whose addresses are not kept. The
 * pattern is given by its position in `order`. */
const uint32_t *trawl_cuda_qgram_sample_addresses(const trawl_cuda_qgram_samples *samples,
                                                  const trawl_cuda_qgram_tier *tier,
                                                  uint32_t position,
                                                  uint32_t room[TRAWL_CUDA_QGRAM_MOST_STRIDE]);

#endif
