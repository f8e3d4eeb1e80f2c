/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Trials of sparse tiers: how often samples of a text would meet anchors, measured with some of the
 * patterns and a sample of the text. */
#ifndef TRAWL_ENGINES_QGRAM_SPARSE_TRIAL_H
#define TRAWL_ENGINES_QGRAM_SPARSE_TRIAL_H

#include "engines/qgram/sparse/choose.h"
#include "engines/qgram/survey.h"

/* Anchors with one hash; of two hashes with one slot the later one stays. */
typedef struct trawl_sparse_slot {
    uint32_t hash; /* lowest bits, of which the last one is set; 0: the slot is free */
    uint32_t anchors;
} trawl_sparse_slot;

/* The anchors of some patterns. */
typedef struct trawl_sparse_trial {
    const trawl_qgram_survey *survey;
    trawl_sparse_counts counts;
    trawl_sparse_slot *slots; /* 1 << TRAWL_SPARSE_TRIAL_BITS */
    /* Patterns with runs of one byte, in which their anchors may have to be: texts have runs too.
     */
    uint32_t runs[TRAWL_ANCHORS_RUNS];
    uint32_t run_count, all_runs; /* listed, and in the set */
} trawl_sparse_trial;

/* For a position of the text: how often it is an anchor, of how many keys and distances, and how
 * many ends are looked up because the anchor's bucket is crowded. */
typedef struct trawl_sparse_rates {
    double hits, entries, marked;
} trawl_sparse_rates;

/* Prepares trials of a survey's patterns; close them also after a failure. TRAWL_ERROR_MEMORY. */
trawl_status trawl_sparse_trial_open(trawl_sparse_trial *trial, const trawl_qgram_survey *survey,
                                     trawl_error *error);
void trawl_sparse_trial_close(trawl_sparse_trial *trial);

/* Measures the rates at a stride, for so many patterns in the whole set. */
trawl_sparse_rates trawl_sparse_trial_measure(trawl_sparse_trial *trial, double patterns,
                                              uint32_t stride);

/* The share of other samples that pass a filter with so many anchors for each word. */
double trawl_sparse_pass_by_chance(double anchors_per_word);

/* The longest stride for patterns of at least so many bytes. */
uint32_t trawl_sparse_longest_stride(uint32_t shortest);

/* The words of a filter with at least so many bits for each anchor, as a power of two. */
uint32_t trawl_sparse_row_bits(double anchors, double bits_per_anchor);

#endif
