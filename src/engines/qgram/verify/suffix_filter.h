/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tests by the suffix filter (engines/qgram/format.h) outside the loops over candidates. */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_SUFFIX_FILTER_H
#define TRAWL_ENGINES_QGRAM_VERIFY_SUFFIX_FILTER_H

#include "engines/qgram/bloom/scan.h"

/* Whether both bits of the number are set; `kind` is TRAWL_SUFFIX_ANY, _LAST or _RUN. */
static inline bool trawl_suffix_filter_has(const trawl_qgram_filter *filter, uint64_t number,
                                           uint32_t kind) {
    uint64_t hash = trawl_suffix_filter_hash(number, kind);
    uint32_t both = trawl_suffix_filter_mask(hash);
    return (filter->suffix_filter[trawl_suffix_filter_word(hash, filter->suffix_filter_bits)] &
            both) == both;
}

/* Whether the filter has a last suffix that the text has before this end. `end` may be smaller than
 * a suffix is long: nothing before the text is read. */
bool trawl_suffix_filter_has_end(const trawl_qgram_filter *filter, const uint8_t *text, size_t end);

#endif
