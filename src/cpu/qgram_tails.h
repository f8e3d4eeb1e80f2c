/*
 * What the filters in vector registers let through, compared with the keys (cpu/qgram_tier.h).
 *
 * Tiers of kind shuffle and resident have few keys, whose ends are all in the first-level cache:
 * comparing these takes no longer than asking SECOND, which only knows hashes of them, and often
 * says at once which key it is.
 */
#ifndef TRAWL_CPU_QGRAM_TAILS_H
#define TRAWL_CPU_QGRAM_TAILS_H

#include "cpu/qgram_tier.h"

/* Of the positions lists->samples[0 .. count - 1], which are ascending, notes the ends behind those
 * that may be the last byte of a key from lists->ends[from] on, and for each in lists->keys the
 * longest key that ends there, or TRAWL_NO_KEY where that is to be looked up. The first end is at
 * least TRAWL_SHUFFLE_REACH. Returns how many there are. */
size_t trawl_tier_tails(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                        const trawl_qgram_lists *lists, size_t from);

#endif
