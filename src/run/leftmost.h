/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Selecting leftmost matches: non-overlapping ones, of those that start first the longest, or the
 * one with the lowest id.
 *
 * Occurrences come in by their ends. Where the database has keys for the selection
 * (database/selection.h), only the longest occurrence that ends at a position is taken: others that
 * come in are passed over. An occurrence waits at its start:
 *
 *     text      ....[=========selected)......
 *     starts        ^ next: starts before it are decided
 *     waiting       a list for each start from `next` on, in a ring of max_length or more lists
 *
 * When all occurrences up to `end` have come in, the list of `next` is final if next + max_length
 * <= end. The best occurrence in it is selected. The others that overlap the selected one go: one
 * that ends behind it waits on as the longest shorter key that begins behind it.
 */
#ifndef TRAWL_RUN_LEFTMOST_H
#define TRAWL_RUN_LEFTMOST_H

#include "database/database.h"
#include "database/selection.h"

/* One occurrence that waits at its start. */
typedef struct trawl_waiting {
    uint64_t end;
    uint32_t pattern; /* the lowest id of its key */
    uint32_t next;    /* in the list, or in the list of free entries: index + 1; 0: the last one */
} trawl_waiting;

typedef struct trawl_leftmost {
    bool first;          /* the lowest id of those that start first, instead of the longest */
    uint64_t max_length; /* of a pattern */
    uint64_t next;       /* the first offset at which a selected match may still begin */
    uint64_t count;      /* occurrences that wait */
    bool no_memory;      /* trawl_leftmost_put has failed */
    uint32_t *lists;     /* ring by start offset: index + 1 of the first entry, 0: none */
    uint64_t mask;       /* its length - 1 */
    trawl_waiting *entries;
    uint32_t capacity, used;        /* of entries */
    uint32_t free;                  /* index + 1 of the first one in the list of free entries */
    trawl_selection_view selection; /* none: all occurrences come in, and none is shortened */
    uint64_t last_end;              /* of the occurrence that was put last */
} trawl_leftmost;

/* TRAWL_ERROR_MEMORY. Close it also after a failure. `db` must outlive it. */
trawl_status trawl_leftmost_open(trawl_leftmost *self, const trawl_db *db, trawl_error *error);
void trawl_leftmost_close(trawl_leftmost *self);

/* Takes an occurrence, in canonical order. TRAWL_ERROR_MEMORY. */
trawl_status trawl_leftmost_put(trawl_leftmost *self, const trawl_match *match);

/* Finds the next match that is final when all occurrences that end at or before `end` have been
 * put; false if there is none yet. */
bool trawl_leftmost_take(trawl_leftmost *self, uint64_t end, trawl_match *match);

#endif
