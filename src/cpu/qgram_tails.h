/* SPDX-License-Identifier: MIT OR Apache-2.0 */
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

trawl_tier_tails trawl_tier_tails_for(trawl_cpu_set set);

#endif
