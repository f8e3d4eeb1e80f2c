/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Idle scanners: what the calls over one short text (run/scan.c) share, so that a call neither
 * allocates nor reads the environment. A database has TRAWL_IDLE_SLOTS slots for them. A call takes
 * a slot with a scanner, or an empty slot, for which it opens one; if all slots are busy it opens
 * one for itself alone.
 *
 * Taking a slot is one atomic exchange, giving it back one store, and no lock is held in between.
 * So calls of any number of threads may overlap, a call may start others from its callback, and
 * after a fork the child uses its copies of the scanners that were idle; slots that other threads
 * were using are lost to it. The slots hold as many scanners as calls were under way at once, at
 * most.
 */
#ifndef TRAWL_RUN_IDLE_H
#define TRAWL_RUN_IDLE_H

#include "run/scanner.h"

/* Bytes of a text for which an idle scanner is used, at most: opening one takes as long as the scan
 * of 10 to 250 KB, so longer texts gain little (docs/notebook/2026-11-one-calls.md). */
#define TRAWL_IDLE_MOST_BYTES ((size_t)1 << 20)

/* Matches that a scanner counts by pattern one by one, at most: as many as take about the time of
 * preparing a run, and four for each byte, a few times as long as an automaton takes for it.
 * This time is lost where a text has more. Chosen, not measured. */
#define TRAWL_IDLE_COUNTED_MATCHES UINT64_C(16384)
#define TRAWL_IDLE_COUNTED_BY_BYTE 4u

/* Length of the longest pattern of a database that keeps scanners, at most: the memory of a scanner
 * grows with it, above this length beyond a megabyte. */
#define TRAWL_IDLE_MOST_LENGTH 4096u

/* Whether a database keeps scanners. */
static inline bool trawl_idle_is_for(const trawl_db *db) {
    return db->header->max_length <= TRAWL_IDLE_MOST_LENGTH;
}

/* Takes an idle scanner, or opens one (trawl_scanner_open_unreserved). Give it back or drop it. */
trawl_status trawl_idle_take(const trawl_db *db, trawl_scanner **scanner, trawl_error *error);

/* Closes a scanner whose scan has failed, or which has no slot. */
void trawl_idle_drop(trawl_scanner *scanner);

/* Gives a scanner back whose scan has not failed (TRAWL_STOPPED is no failure). */
static inline void trawl_idle_put(trawl_scanner *scanner) {
    if (scanner->slot != NULL) {
        __atomic_store_n(&scanner->slot->busy, 0, __ATOMIC_RELEASE);
    } else {
        trawl_idle_drop(scanner);
    }
}

#endif
