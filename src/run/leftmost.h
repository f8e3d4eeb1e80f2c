/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Selection of leftmost matches. Matches do not overlap. The one that starts first is selected; of
 * several with the same start, the longest, or the one with the lowest id. Time is proportional to
 * the occurrences that are put and the matches that are selected, times the logarithm of
 * trawl_selection_next.
 *
 * Occurrences are put in the order of their ends. The match for a start is final when all
 * occurrences that end up to start + max_length have been put. Until then occurrences wait.
 *
 * If the database has keys for the selection (database/selection.h), only the longest occurrence
 * that ends at a position is used; others are ignored. What begins inside of an occurrence is read
 * from the database. So an occurrence that lies inside of another one need not wait, and the
 * waiting ones form a queue with ascending starts and ascending ends:
 *
 *     text      ....[selected)......................
 *     waiting      [======|=======)                   removed: from `next` on, inside the one below
 *                     [===|============)              <- the first
 *                         |   [============)
 *                         |          [===========)    <- the last
 *                         ^ next: starts before it are decided
 *
 * Matches that begin before the second occurrence of the queue are all inside of the first one.
 * Every occurrence enters and leaves the queue once.
 *
 * A database with a pair of automata (run/case_pair.h) has such keys for each of them. Then there
 * are two queues, each with a candidate, and the better candidate is selected.
 *
 * Without such keys all occurrences are used, and the best one of each start waits in a ring.
 */
#ifndef TRAWL_RUN_LEFTMOST_H
#define TRAWL_RUN_LEFTMOST_H

#include "database/database.h"
#include "database/selection.h"
#include "run/case_pair.h"

/* An occurrence that waits in the queue. */
typedef struct trawl_waiting {
    uint64_t start, end;
    uint32_t key; /* its key in the selection sections */
} trawl_waiting;

/* The best occurrence of a start. */
typedef struct trawl_best {
    uint64_t end; /* 0: there is none */
    uint32_t pattern;
} trawl_best;

/* The occurrences that wait, of the whole set or of one automaton of a pair. */
typedef struct trawl_leftmost_queue {
    trawl_selection_view selection;
    const uint32_t *ids;    /* ids of its patterns in the whole set; NULL: they are the same */
    trawl_waiting *waiting; /* mask + 1 of them, used as a ring */
    size_t mask, front, count;
    uint64_t last_end;     /* of the occurrence that was put last */
    bool known;            /* `candidate` is up to date: the best match in the first occurrence */
    trawl_match candidate; /* the match that is selected when it is final, unless the other queue's
                              is better */
} trawl_leftmost_queue;

typedef struct trawl_leftmost {
    bool first;              /* the lowest id of those that start first, instead of the longest */
    uint64_t max_length;     /* of a pattern */
    uint64_t next;           /* the first offset at which a selected match may still begin */
    const uint32_t *offsets; /* of the patterns, for their lengths */

    unsigned queues;      /* 0: the ring is used; 1, or 2 for a pair of automata */
    const uint32_t *keys; /* of each pattern, with TRAWL_CASE_PAIR_SECOND those of queue[1] */
    trawl_leftmost_queue queue[2];
    bool no_memory; /* trawl_leftmost_put has failed */

    trawl_best *ring; /* by start offset */
    uint64_t ring_mask;
    uint64_t ring_count; /* starts with an occurrence */
} trawl_leftmost;

/* Opens a selection for matches of `db`, which must outlive it. Close it also after a failure.
 * TRAWL_ERROR_MEMORY. */
trawl_status trawl_leftmost_open(trawl_leftmost *self, const trawl_db *db, trawl_error *error);
void trawl_leftmost_close(trawl_leftmost *self);

/* Allocates all that may be needed: trawl_leftmost_put then cannot fail. TRAWL_ERROR_MEMORY. */
trawl_status trawl_leftmost_reserve(trawl_leftmost *self, trawl_error *error);

/* Removes all occurrences, and begins anew at offset `start`. */
void trawl_leftmost_restart(trawl_leftmost *self, uint64_t start);

/* Takes an occurrence, in canonical order. TRAWL_ERROR_MEMORY. */
trawl_status trawl_leftmost_put(trawl_leftmost *self, const trawl_match *match);

/* Finds the next match that is final when all occurrences that end at or before `end` have been
 * put; false if there is none yet. */
bool trawl_leftmost_take(trawl_leftmost *self, uint64_t end, trawl_match *match);

#endif
