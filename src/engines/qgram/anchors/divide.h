/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The numbers of tiers of free anchors: q-gram, stride, size and rows of the filter. They are tried
 * with some of the patterns: anchors are chosen with every other piece of the sample of the text,
 * and candidates are counted in the pieces between.
 */
#ifndef TRAWL_ENGINES_QGRAM_ANCHORS_DIVIDE_H
#define TRAWL_ENGINES_QGRAM_ANCHORS_DIVIDE_H

#include "costs/effort.h"
#include "engines/qgram/anchors/choose.h"
#include "engines/qgram/cost.h"

/* Variant anchors: all patterns of three bytes and more in one tier, shorter ones in a table of
 * pairs. Patterns of `below` bytes and more are left out. */
void trawl_anchors_divide(const trawl_patterns *patterns, uint32_t below,
                          trawl_qgram_header *header);

/* Working memory of trials, for one planning. */
typedef struct trawl_anchors_trials {
    const trawl_costs *costs;
    const trawl_qgram_survey *survey;
    trawl_anchors_pairs *pairs[2]; /* of the text as it is, and folded; counted when needed */
    trawl_anchors_place *places;
    uint16_t *tags;
    /* Patterns that are runs of one byte but for some bytes; the first runs_beside[n] of them but
     * for n bytes. */
    uint32_t runs[TRAWL_ANCHORS_RUNS], run_count;
    uint32_t runs_beside[2 * TRAWL_ANCHORS_MAX_STRIDE - 1];
    trawl_effort *effort;
} trawl_anchors_trials;

/* Allocates the memory; close it also after a failure. TRAWL_ERROR_MEMORY. */
trawl_status trawl_anchors_trials_open(trawl_anchors_trials *trials, const trawl_costs *costs,
                                       const trawl_qgram_survey *survey, trawl_effort *effort,
                                       trawl_error *error);
void trawl_anchors_trials_close(trawl_anchors_trials *trials);

/* Finds the cheapest tier for all patterns from class `begin` on, of which the shortest has at
 * least three bytes. Sets all of the tier but its lengths. Returns what it is expected to be like;
 * `endings`: the share of positions before which last bytes of these patterns stand; `others`: the
 * price of the tiers for shorter patterns. INFINITY where no trial pays. */
trawl_tier_estimate trawl_anchors_try(trawl_anchors_trials *trials, uint32_t begin, bool folded,
                                      double endings, double others, uint64_t most_bytes,
                                      trawl_qgram_tier *tier);

#endif
