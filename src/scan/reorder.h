/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Canonical order for engines that find matches by start, or pattern by pattern: the window is cut
 * into blocks, the matches of a block are gathered, sorted and handed on. Memory stays bounded: a
 * block with too many matches is halved and searched again.
 */
#ifndef TRAWL_SCAN_REORDER_H
#define TRAWL_SCAN_REORDER_H

#include "scan/contract.h"

/* Matches that are held for a block of several bytes; with more, the block is halved. A block of
 * one byte is held whole: it ends no more matches than there are patterns. */
#define TRAWL_REORDER_MOST ((size_t)1 << 20)

/* Puts into `sink` all matches of the window, in any order. */
typedef trawl_status (*trawl_find)(trawl_walker *walker, const trawl_window *window,
                                   trawl_sink *sink, trawl_error *error);

/* Calls `find` on blocks of the window and puts their matches into `sink` in canonical order. */
trawl_status trawl_reorder(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                           trawl_find find, trawl_error *error);

#endif
