/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Writing match records where matches are frequent, for packed tiers in which each candidate is one
 * match of one pattern. With AVX-512, for 16 windows at a time:
 * 1. Make their numbers by one shuffle and one shift.
 * 2. Move those together that match (VPCOMPRESSD).
 * 3. Look up their patterns in a table with an entry for each number (gather).
 * 4. Write 16 records by six stores.
 * Windows have at most eight letters, so that the table has 65,536 entries. Each walker makes its
 * own table once its text has had more matches than there are patterns.
 * Measured: docs/notebook/2026-11-dense-records.md, "Zen 5 with AVX-512".
 */
#ifndef TRAWL_ENGINES_QGRAM_PACKED_DENSE_H
#define TRAWL_ENGINES_QGRAM_PACKED_DENSE_H

#include "engines/qgram/packed/scan.h"

/* Whether a tier can be reported by trawl_packed_report_dense with this instruction set. The result
 * is stored in walker->dense_packed.wanted. */
bool trawl_packed_may_be_dense(const trawl_packed_filter *filter, trawl_cpu_set set);

/* Whether trawl_packed_report_dense shall report the block's matches, `found` of them, because they
 * are frequent. Makes the table if it is still missing. */
bool trawl_packed_is_dense(trawl_tier_walker *walker, const trawl_packed_block *block,
                           size_t found);

/* Reports all hits of a block, whose letter 0 is at offset `base` of the whole text. Overwrites
 * lists->ends. */
trawl_status trawl_packed_report_dense(const trawl_tier_walker *walker,
                                       const trawl_packed_block *block, uint64_t base,
                                       const trawl_qgram_lists *lists, trawl_sink *sink);

/* Orders the stores that bypass the caches before later stores; to be called after each window. */
void trawl_packed_dense_flush(const trawl_sink *sink);

/* Makes the table now; without memory for it, never. trawl_packed_is_dense then allocates
 * nothing. */
void trawl_packed_dense_reserve(trawl_tier_walker *walker);

void trawl_packed_dense_release(trawl_packed_dense *dense);

#endif
