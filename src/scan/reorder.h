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

/* Calls `find` on blocks of the window and puts their matches into `sink` in canonical order. */
trawl_status trawl_reorder(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                           trawl_find find, trawl_error *error);

#endif
