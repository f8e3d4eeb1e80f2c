/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records of packed tiers whose hits are matches (`unit`), where hits are frequent.
 *
 * With AVX-512 the numbers of 16 windows are made at once, those that hit are moved together, a
 * table says which patterns they are, and 16 records are written in six stores: a few instructions
 * for a match, wherever it stands in its word of hits. Tables have an entry for every number, so
 * that windows have eight letters at most, and each walker makes its own when its text turns out to
 * have more matches than there are patterns.
 */
#ifndef TRAWL_ENGINES_QGRAM_PACKED_DENSE_H
#define TRAWL_ENGINES_QGRAM_PACKED_DENSE_H

#include "engines/qgram/packed/scan.h"

/* Whether a tier may be reported so with a set of instructions (walker->dense_packed.wanted). */
bool trawl_packed_may_be_dense(const trawl_packed_filter *filter, trawl_cpu_set set);

/* Whether the block's matches, `found` of them, are to be reported by the function below. Makes the
 * table if that is still to be done. */
bool trawl_packed_is_dense(trawl_tier_walker *walker, const trawl_packed_block *block,
                           size_t found);

/* Reports all hits of a block, whose letter 0 stands at `base` of the whole text. */
trawl_status trawl_packed_report_dense(const trawl_tier_walker *walker,
                                       const trawl_packed_block *block, uint64_t base,
                                       const trawl_qgram_lists *lists, trawl_sink *sink);

/* Ends a window's reports: others that see anything done later see what was written. Stores past
 * the caches are in no order. */
void trawl_packed_dense_settle(const trawl_sink *sink);

void trawl_packed_dense_release(trawl_packed_dense *dense);

#endif
