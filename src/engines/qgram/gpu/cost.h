/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What tiers cost a scan, and how much shared memory each one's FILTER is worth. */
#ifndef TRAWL_ENGINES_QGRAM_GPU_COST_H
#define TRAWL_ENGINES_QGRAM_GPU_COST_H

#include "engines/qgram/gpu/format.h"

/* A tier that may be taken. Prices are picoseconds of a whole device for a byte of text. */
typedef struct trawl_cuda_qgram_offer {
    trawl_cuda_qgram_tier tier; /* its FILTER's size is given by trawl_cuda_qgram_share */
    double samples;             /* of the set, that are different */
    double rate;                /* of the text's samples that are among them */
    double least;               /* its price if it had all shared memory for itself */
} trawl_cuda_qgram_offer;

/* Of samples that are none of the set's, how many pass a FILTER. */
double trawl_cuda_qgram_chance(uint32_t ones, double samples, uint32_t words);

/* Sets offer->least, and where FILTER is not in shared memory, its size. */
void trawl_cuda_qgram_price_alone(trawl_cuda_qgram_offer *offer, uint32_t words);

/*
 * Gives the FILTERs of at most three tiers `words` of shared memory, as much as each one is worth,
 * and returns the price of a scan with these tiers and, where `direct`, one for pairs of bytes,
 * whose table is not among the words. INFINITY: there are too few words for these tiers.
 */
double trawl_cuda_qgram_share(trawl_cuda_qgram_offer *const *offers, uint32_t count, bool direct,
                              uint32_t words);

/* Samples that pass the FILTERs, which have their sizes, for a byte of text. */
double trawl_cuda_qgram_passing(trawl_cuda_qgram_offer *const *offers, uint32_t count);

#endif
