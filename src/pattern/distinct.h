/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* One of each of several equal patterns: what the planner sees of a set with many of them. */
#ifndef TRAWL_PATTERN_DISTINCT_H
#define TRAWL_PATTERN_DISTINCT_H

#include "pattern/patterns.h"

/* Whether two patterns have the same flags and the same bytes, or the same letters in any case if
 * they match in any case. */
bool trawl_patterns_repeat(const trawl_patterns *patterns, size_t id, size_t other);

/* Makes a set of the first one of patterns that repeat each other, without names, conditions,
 * groups and values. *distinct is NULL if fewer than an eighth of the patterns repeat another one.
 * The caller frees *distinct. Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_patterns_distinct(const trawl_patterns *patterns, trawl_patterns **distinct,
                                     trawl_error *error);

#endif
