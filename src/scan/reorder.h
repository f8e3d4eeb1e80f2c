/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Canonical order for engines that find matches by their starts, or part by part. The owned bytes
 * of the window are cut into blocks; the matches that end in a block are gathered, sorted, and put
 * into the sink. Memory is bounded: a block with too many matches is halved and searched again.
 */
#ifndef TRAWL_SCAN_REORDER_H
#define TRAWL_SCAN_REORDER_H

#include "scan/contract.h"

/* Matches of a block, at most; a block with more is halved. A block of one byte may have more: as
 * many as there are patterns. */
#define TRAWL_REORDER_MOST ((size_t)1 << 20)

/* Puts all matches of the window into `sink`, in any order. The sink may end the walk. */
typedef trawl_status (*trawl_find)(trawl_walker *walker, const trawl_window *window,
                                   trawl_sink *sink, trawl_error *error);

/* What trawl_reorder needs. All zeros: it allocates and frees in each call. */
typedef struct trawl_reorder_memory {
    trawl_match *matches, *scratch; /* `capacity` of each */
    uint32_t *starts;               /* one for each byte of a block, and one more */
    size_t capacity;                /* 0: not reserved */
} trawl_reorder_memory;

/* Allocates all that trawl_reorder may need for matches of `db`. Release it also after a failure.
 */
trawl_status trawl_reorder_reserve(trawl_reorder_memory *memory, const trawl_db *db,
                                   trawl_error *error);
void trawl_reorder_release(trawl_reorder_memory *memory);

/* Calls `find` on blocks of the window and puts their matches into `sink` in canonical order. */
trawl_status trawl_reorder(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                           trawl_find find, trawl_reorder_memory *memory, trawl_error *error);

#endif
