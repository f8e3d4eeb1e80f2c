/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The test of conditions (trawl_conditions.h) on matches that a walker has reported: the one place
 * for all engines and devices, between their sinks and whatever takes the matches. */
#ifndef TRAWL_SCAN_CONDITIONS_H
#define TRAWL_SCAN_CONDITIONS_H

#include "scan/contract.h"

/* Removes those of `count` matches of a window in memory that do not fulfil the condition of their
 * pattern, and returns how many are left. The database has conditions. */
size_t trawl_conditions_keep(const trawl_db *db, const trawl_window *window, trawl_match *matches,
                             size_t count);

/* Drops such matches from a sink, of those behind its first `kept` ones; does nothing for a
 * database without conditions. */
static inline void trawl_conditions_drop(const trawl_db *db, const trawl_window *window,
                                         trawl_sink *sink, size_t kept) {
    if (db->conditions.records != NULL && sink->count != kept) {
        sink->count =
            kept + trawl_conditions_keep(db, window, sink->matches + kept, sink->count - kept);
    }
}

#endif
