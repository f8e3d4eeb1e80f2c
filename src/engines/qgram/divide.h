/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The division of a pattern set into tiers: which filter for which lengths, with which parameters.
 */
#ifndef TRAWL_ENGINES_QGRAM_DIVIDE_H
#define TRAWL_ENGINES_QGRAM_DIVIDE_H

#include "costs/effort.h"
#include "database/engine.h"
#include "engines/qgram/cost.h"

/* Whether pattern `id` belongs to the tier: by its length alone. */
static inline bool trawl_qgram_in_tier(const trawl_patterns *patterns, size_t id,
                                       const trawl_qgram_tier *tier) {
    uint32_t length = trawl_pattern_length(patterns, id);
    return length >= tier->min_length && length <= tier->max_length;
}

/* A division. Tiers are complete up to `row_bits`: every pattern is in exactly one tier, and every
 * tier has a pattern. */
typedef struct trawl_qgram_choice {
    trawl_qgram_header header;
    trawl_tier_estimate estimate[TRAWL_QGRAM_MAX_TIERS];
    double nanoseconds; /* for a byte of text, matches not counted */
    bool exact;         /* candidates are matches, and counting them costs nothing more */
} trawl_qgram_choice;

/* Bytes of the tables that the tiers have besides those of key look-up. */
static inline double trawl_qgram_choice_bytes(const trawl_qgram_choice *choice) {
    double bytes = 0;
    for (uint32_t i = 0; i < choice->header.tiers; i++) {
        bytes += choice->estimate[i].bytes + choice->estimate[i].more_bytes;
    }
    return bytes;
}

/* Finds the division with the least expected cost. `options` are complete, with costs. Every set
 * has a division. `effort`: which trials pay; `building` there is that of a set's tables without
 * filters. TRAWL_ERROR_MEMORY. */
trawl_status trawl_qgram_divide(const trawl_qgram_survey *survey,
                                const trawl_compile_settings *options, trawl_effort *effort,
                                trawl_qgram_choice *choice, trawl_error *error);

/* Nanoseconds that a division is expected to take at least: each class has its ends measured. */
double trawl_qgram_divide_effort(const trawl_qgram_survey *survey);

#endif
