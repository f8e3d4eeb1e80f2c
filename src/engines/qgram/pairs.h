/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Tiers of patterns of one and two bytes: which key ends with which pair of bytes, on CPUs and
 * GPUs. */
#ifndef TRAWL_ENGINES_QGRAM_PAIRS_H
#define TRAWL_ENGINES_QGRAM_PAIRS_H

#include "pattern/keys.h"

#define TRAWL_QGRAM_PAIRS 65536u /* pairs of bytes: 1 << 16 */

/* Fills pairs[TRAWL_QGRAM_PAIRS]: 1 + the longest key that ends with the pair, or 0. The index is
 * earlier byte | later byte << 8. `keys` are those of reversed patterns of one and two bytes. */
void trawl_qgram_fill_pairs(const trawl_keys *keys, uint32_t *pairs);

#endif
