/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A byte that every pattern contains: text without it has no match. */
#ifndef TRAWL_PATTERN_COMMON_BYTE_H
#define TRAWL_PATTERN_COMMON_BYTE_H

#include "pattern/patterns.h"

/* 1 + the byte; 0: there is none. Of several bytes the one that is rarest in the text; how often it
 * is there goes to *occurrences. A letter of a pattern that matches in either case does not count,
 * as the text may have the other case. */
uint16_t trawl_patterns_common_byte(const trawl_patterns *patterns, const uint8_t *text,
                                    size_t length, size_t *occurrences);

#endif
