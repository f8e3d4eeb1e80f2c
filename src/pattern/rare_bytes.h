/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A set of rare bytes, one of which every pattern contains: text without any of them has no match.
 */
#ifndef TRAWL_PATTERN_RARE_BYTES_H
#define TRAWL_PATTERN_RARE_BYTES_H

#include "base/byte_set.h"
#include "pattern/patterns.h"

/* Chooses such a set by a sample of the text, text[0, length), and sets *occurrences to how often
 * its bytes are there. False: there is none.
 *
 * The first choice is a byte that all patterns have in common, of several the rarest; the second,
 * if there is none with at most `most` occurrences, the rarest bytes of each pattern, which have at
 * most so many together; the third, a common byte that is more frequent. Where the text may have a
 * letter in either case, both cases count. */
bool trawl_patterns_rare_bytes(const trawl_patterns *patterns, const uint8_t *text, size_t length,
                               size_t most, trawl_byte_set *set, size_t *occurrences);

#endif
