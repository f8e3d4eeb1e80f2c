/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the filters in vector registers let through, compared with the keys (engines/qgram/tier.h).
 *
 * Tiers of kind shuffle and resident have few keys, whose ends are all in the first-level cache:
 * comparing these takes no longer than asking SECOND, which only knows hashes of them, and often
 * says at once which key it is.
 */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_LAST_BYTES_H
#define TRAWL_ENGINES_QGRAM_VERIFY_LAST_BYTES_H

#include "engines/qgram/tier.h"

trawl_tier_tails trawl_tier_tails_for(trawl_cpu_set set);

#endif
