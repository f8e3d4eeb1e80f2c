/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The division of a set while it is chosen (divide.h): what divide.c and anchor_options.c share. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_DIVISION_H
#define TRAWL_ENGINES_QGRAM_GPU_DIVISION_H

#include "constants/gpu.h"
#include "engines/qgram/gpu/cost.h"
#include "engines/qgram/gpu/divide.h"

#define TRAWL_CUDA_DIVISION_TRIAL_BITS 2u /* bits that a sample sets in the trial filter */

/* Kinds of samples (stride and bytes) that are tried: for tiers whose samples stand side by side in
 * a pattern, with up to three kinds of filter; and for tiers of free anchors, with up to two. */
#define TRAWL_CUDA_DIVISION_SHAPES 10u
#define TRAWL_CUDA_DIVISION_ANCHOR_SHAPES 14u
#define TRAWL_CUDA_DIVISION_MOST_OPTIONS                                                           \
    (3 * TRAWL_CUDA_DIVISION_SHAPES + 2 * TRAWL_CUDA_DIVISION_ANCHOR_SHAPES)

/* Strides from this one on may have a fuse filter: with shorter ones three look-ups for each sample
 * would take longer than candidates do. By arithmetic; no other value was tried. */
#define TRAWL_CUDA_DIVISION_FUSE_STRIDE 8u

/* All options for a tier of some range of groups, the cheapest one first. */
typedef struct trawl_cuda_options {
    trawl_cuda_qgram_option each[TRAWL_CUDA_DIVISION_MOST_OPTIONS];
    uint32_t count;
} trawl_cuda_options;

typedef struct trawl_cuda_division {
    trawl_cuda_qgram_samples *samples;
    const uint8_t *in_automaton; /* of each pattern: 1: it is not divided here; or NULL */
    uint32_t *order; /* positions in samples->order of the patterns to be divided, by group */
    uint32_t
        begin[TRAWL_CUDA_QGRAM_LENGTH_GROUPS + 1]; /* of each group in `order`; no group is empty */
    uint32_t least_length[TRAWL_CUDA_QGRAM_LENGTH_GROUPS]; /* of each group */
    uint32_t most_length[TRAWL_CUDA_QGRAM_LENGTH_GROUPS];  /* of each group */
    uint64_t bytes[TRAWL_CUDA_QGRAM_LENGTH_GROUPS + 1];    /* of the patterns before each group */
    bool folded[TRAWL_CUDA_QGRAM_LENGTH_GROUPS]; /* the group has a case-insensitive pattern */
    double search_steps[TRAWL_CUDA_QGRAM_LENGTH_GROUPS]; /* see trawl_cuda_division_count_alike */
    size_t groups;
    uint32_t most_tiers;
    bool direct;    /* there are patterns of one and two bytes */
    uint8_t *last;  /* for each bit of the trial filter: see first_of; all zeros between calls */
    uint32_t words; /* of shared memory, for filters */
    double bucket;  /* the price of a candidate of free anchors */
    trawl_cuda_options (*options_of)[TRAWL_CUDA_QGRAM_LENGTH_GROUPS +
                                     1]; /* [from][past]: a tier for the groups [from, past) */
    double least_price[TRAWL_CUDA_QGRAM_LENGTH_GROUPS +
                       1]; /* lower bound for the groups from this one on */
    trawl_cuda_qgram_option *trial[TRAWL_GPU_MOST_TIERS]; /* the division that is tried */
    trawl_cuda_qgram_tier best[TRAWL_GPU_MOST_TIERS]; /* the best one so far, by rising length */
    size_t best_from[TRAWL_GPU_MOST_TIERS + 1];       /* the groups where its tiers begin */
    uint32_t best_count;
    double best_price, best_candidates, best_ends;
} trawl_cuda_division;

/* Adds an option to those of its range. They are ordered by price; of equal ones the option with
 * the shorter stride is first. */
void trawl_cuda_division_add(const trawl_cuda_division *self, trawl_cuda_options *kept,
                             trawl_cuda_qgram_option option);

/* The mean length of the patterns of the groups [from, past). */
double trawl_cuda_division_length(const trawl_cuda_division *self, size_t from, size_t past);

/* Sets search_steps[g] to the mean number of steps of the binary search for a key among those with
 * the same last bytes, in a tier that begins with group g. TRAWL_ERROR_MEMORY. */
trawl_status trawl_cuda_division_count_alike(trawl_cuda_division *self, trawl_error *error);

/* Adds the options that are tiers of free anchors. TRAWL_ERROR_MEMORY. */
trawl_status trawl_cuda_division_try_anchors(trawl_cuda_division *self, trawl_error *error);

/* If tier i of the best division has free anchors that were tried with a part of the patterns,
 * tries them with more, prices their options again and sets *again. TRAWL_ERROR_MEMORY. */
trawl_status trawl_cuda_division_try_more_anchors(trawl_cuda_division *self, uint32_t i,
                                                  bool *again, trawl_error *error);

#endif
