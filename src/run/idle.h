/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Idle scanners: what the calls over one short text (run/scan.c) share, so that a call neither
 * allocates nor reads the environment. A database keeps up to TRAWL_IDLE_SLOTS scanners. A call
 * takes one out of its slot, or opens one if all slots are empty, and puts it back afterwards, or
 * closes it if all slots are full.
 *
 * Taking and putting back are one atomic exchange each, and no lock is held in between. So calls of
 * any number of threads may overlap, a call may start others from its callback, and after a fork
 * the child uses its copies of the scanners that were idle; those that were in use by other threads
 * are lost to it. The slots hold as many scanners as calls were under way at once, at most.
 */
#ifndef TRAWL_RUN_IDLE_H
#define TRAWL_RUN_IDLE_H

#include "run/scanner.h"

/* Bytes of a text for which an idle scanner is used, at most: opening one takes as long as the scan
 * of 10 to 250 KB, so longer texts gain little (docs/notebook/2026-11-one-calls.md). */
#define TRAWL_IDLE_MOST_BYTES ((size_t)1 << 20)

/* Length of the longest pattern of a database that keeps scanners, at most: the memory of a scanner
 * grows with it, above this length beyond a megabyte. */
#define TRAWL_IDLE_MOST_LENGTH 4096u

/* Whether a database keeps scanners. */
static inline bool trawl_idle_is_for(const trawl_db *db) {
    return db->header->max_length <= TRAWL_IDLE_MOST_LENGTH;
}

/* Takes an idle scanner, or opens one (trawl_scanner_open_unreserved). Put it back, or close it. */
trawl_status trawl_idle_take(const trawl_db *db, trawl_scanner **scanner, trawl_error *error);

/* Puts a scanner back whose scan has not failed (TRAWL_STOPPED is no failure). */
void trawl_idle_put(trawl_scanner *scanner);

#endif
