/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What tiers cost in a scan, and how shared memory is divided among their filters. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_COST_H
#define TRAWL_ENGINES_QGRAM_GPU_COST_H

#include "engines/qgram/gpu/format.h"

/* A tier that may be chosen. Prices are picoseconds of a whole H200, for a byte of text. */
typedef struct trawl_cuda_qgram_option {
    trawl_cuda_qgram_tier tier; /* trawl_cuda_qgram_share_memory sets the size of its filter */
    double samples;             /* different samples of its patterns */
    double true_rate;           /* share of the text's samples that are among these */
    double keys;                /* its patterns; not set for free anchors */
    double search_steps;        /* of the search for a key among those that end alike; the same */
    double length;              /* of its patterns, the mean in bytes */
    double compared;    /* free anchors: share of the entries whose keys are compared whole */
    double bytes;       /* free anchors: of such a comparison */
    double bucket;      /* free anchors: a candidate (trawl_device_costs) */
    double further;     /* free anchors: entries behind the first one, for a sample */
    double crowded;     /* free anchors: share of the text's samples in crowded buckets */
    bool general;       /* free anchors: some bucket is crowded */
    double chance;      /* by cores: how many times as many others pass as by random bits */
    uint64_t tried;     /* free anchors: at most so many were chosen to find these shares; 0: all */
    double price_alone; /* the tier's price if its filter had all of the shared memory */
} trawl_cuda_qgram_option;

/* The false candidate rate: the share of samples that are not in a filter and that it does not
 * exclude. `ones`: bits that a sample sets, 1 or 2. `samples`: of the set. `words`: of the
 * filter. */
double trawl_cuda_qgram_false_rate(uint32_t ones, double samples, uint32_t words);

/* Sets option->price_alone and, for a filter in device memory, its size. */
void trawl_cuda_qgram_price_alone(trawl_cuda_qgram_option *option, uint32_t words);

/* Divides `words` of shared memory among the filters of at most three tiers, so that the price of a
 * scan is lowest, and returns that price. `direct`: there is a table of byte pairs as well, whose
 * memory is not part of `words`. INFINITY: there are too few words for these tiers. */
double trawl_cuda_qgram_share_memory(trawl_cuda_qgram_option *const *options, uint32_t count,
                                     bool direct, uint32_t words);

/* The expected candidates for a byte of text, of filters whose sizes have been set. */
double trawl_cuda_qgram_candidate_rate(trawl_cuda_qgram_option *const *options, uint32_t count);

/* The ends of keys, for a byte of text, whose verification the prices of these tiers include. */
double trawl_cuda_qgram_end_rate(trawl_cuda_qgram_option *const *options, uint32_t count);

#endif
