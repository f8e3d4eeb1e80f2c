/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Trials of free anchors: what tiers of some patterns would let pass. Anchors are chosen with the
 * first part of the sample of the text, and candidates are counted in the rest. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_ANCHOR_TRIALS_H
#define TRAWL_ENGINES_QGRAM_GPU_ANCHOR_TRIALS_H

#include "engines/qgram/gpu/free_anchors.h"

/* By what anchors are told from other samples with their place. */
typedef struct trawl_cuda_anchor_tag {
    uint16_t bits; /* one for each different anchor */
    uint16_t keys; /* keys that have chosen one of these anchors */
    /* One of these keys, each as likely as the others: */
    uint32_t pattern;
    uint32_t distance; /* from its anchor to its end; 0: there is none yet */
} trawl_cuda_anchor_tag;

/* Working memory, for one letter case. */
typedef struct trawl_cuda_anchor_trials {
    trawl_qgram_tier tier;
    trawl_anchors_filter filter;
    trawl_anchors_choice choice;
    const uint8_t *counted; /* the text whose samples `choice` has, of tier.gram bytes; or NULL */
    size_t counted_length;
    trawl_anchors_pairs *pairs;
    trawl_anchors_place *places;
    trawl_cuda_anchor_tag *tags; /* of the anchors, by another hash than their places */
    uint32_t anchors;            /* different ones that have been chosen */
    bool crowded;                /* more keys have chosen one anchor than a bucket has entries */
} trawl_cuda_anchor_trials;

/* Allocates the memory, and counts pairs of the text. `most_words`: of the filters of tiers. Close
 * it also after a failure. TRAWL_ERROR_MEMORY. */
trawl_status trawl_cuda_anchor_trials_open(trawl_cuda_anchor_trials *trials, uint32_t most_words,
                                           const uint8_t *text, size_t length, bool folded,
                                           trawl_error *error);
void trawl_cuda_anchor_trials_close(trawl_cuda_anchor_trials *trials);

/* Begins a trial of this gram and stride, whose anchors are chosen with the text. */
void trawl_cuda_anchor_trials_begin(trawl_cuda_anchor_trials *trials,
                                    const trawl_cuda_qgram_tier *tier, const uint8_t *text,
                                    size_t length);

/* Lets one pattern choose. Returns the samples of the text that have the most frequent one of its
 * anchors. */
uint32_t trawl_cuda_anchor_trials_choose(trawl_cuda_anchor_trials *trials,
                                         const trawl_patterns *patterns, uint32_t id);

/* What a tier is expected to be like. */
typedef struct trawl_cuda_anchor_rates {
    double anchors;  /* different ones */
    double rate;     /* share of the text's samples that are anchors */
    double further;  /* entries behind the first one of a bucket, for a sample of the text */
    double crowded;  /* share of the text's samples that lead to crowded buckets */
    double compared; /* share of the entries at an anchor whose keys are compared whole */
    double bytes;    /* of such a comparison, of which all threads of a warp wait for the longest */
    double chance;   /* by cores: how many times as many others pass as by random bits */
    bool general;    /* some bucket is crowded, so the general kernel (verify.cu) is used */
    bool partial;    /* extrapolated from some of the patterns */
} trawl_cuda_anchor_rates;

/* The patterns of a tier. */
typedef struct trawl_cuda_anchor_set {
    const trawl_patterns *patterns;
    const uint32_t *order; /* of the patterns: indices in `ids` */
    const uint32_t *ids;
    uint32_t count;
    const uint8_t *text; /* first the part that chooses, then the part that validates */
    size_t chooses, validates;
} trawl_cuda_anchor_set;

/* Tries a tier with patterns that choose `most` anchors, or with all patterns if they have fewer.
 */
trawl_cuda_anchor_rates trawl_cuda_anchor_trials_try(trawl_cuda_anchor_trials *trials,
                                                     const trawl_cuda_qgram_tier *tier,
                                                     const trawl_cuda_anchor_set *set,
                                                     uint64_t most);

#endif
