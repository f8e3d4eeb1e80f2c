/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sets without repetitions, for the planner: equal patterns share their entries in all tables. */
#ifndef TRAWL_PATTERN_DISTINCT_H
#define TRAWL_PATTERN_DISTINCT_H

#include "pattern/patterns.h"

/* Whether two patterns repeat each other: their flags are equal, and so are their bytes; those of
 * case-insensitive patterns may differ in letter case. */
bool trawl_patterns_repeat(const trawl_patterns *patterns, size_t id, size_t other);

/* Makes a set of all patterns but those that repeat an earlier one, without names, conditions,
 * groups and values. *distinct is NULL if fewer than about an eighth of the patterns repeat another
 * one, or if their number was underestimated. The caller frees *distinct. Errors:
 * TRAWL_ERROR_MEMORY. */
trawl_status trawl_patterns_distinct(const trawl_patterns *patterns, trawl_patterns **distinct,
                                     trawl_error *error);

#endif
