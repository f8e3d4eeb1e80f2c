/* Dividing a pattern set into tiers: which filter for which lengths, with which parameters. */
#ifndef TRAWL_ENGINE_QGRAM_TIERS_H
#define TRAWL_ENGINE_QGRAM_TIERS_H

#include "engine/qgram.h"

/* Whether pattern `id` belongs to the tier: by its length alone. */
static inline bool trawl_qgram_in_tier(const trawl_patterns *patterns, size_t id,
                                       const trawl_qgram_tier *tier) {
    uint32_t length = trawl_pattern_length(patterns, id);
    return length >= tier->min_length && length <= tier->max_length;
}

/* Fills in the header's tiers up to `row_bits`; every pattern is in exactly one of them, and every
 * tier has a pattern. Refuses (TRAWL_ERROR_LIMIT) when the variant's kind of filter cannot take the
 * set. */
trawl_status trawl_qgram_choose(const trawl_build *build, trawl_qgram_header *header);

#endif
