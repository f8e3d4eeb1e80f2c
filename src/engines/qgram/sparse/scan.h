/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scanning with a sparse tier (engines/qgram/sparse/format.h). */
#ifndef TRAWL_ENGINES_QGRAM_SPARSE_SCAN_H
#define TRAWL_ENGINES_QGRAM_SPARSE_SCAN_H

#include "engines/qgram/bloom/scan.h"
#include "engines/qgram/sparse/format.h"

/* The tables of a tier. */
typedef struct trawl_sparse_view {
    const uint32_t *heads;
    const uint64_t *entries;
    uint64_t case_bits;
    uint32_t bucket_bits;
    uint32_t reach;
} trawl_sparse_view;

trawl_sparse_view trawl_sparse_view_of(const trawl_db *db, uint32_t part,
                                       const trawl_qgram_tier *tier);

/* As trawl_anchors_find_ends. *compared: keys that were compared with the text, and ends that are
 * to be looked up. */
size_t trawl_sparse_find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                              size_t end, const trawl_qgram_lists *lists, uint64_t *compared);

#endif
