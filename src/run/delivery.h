/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The last step of every scan. Input: all occurrences, in canonical order. Output, to the caller:
 * the matches that the database's match kind asks for. The leftmost kinds are selected here, after
 * the engine, so that every engine has them on every device (run/leftmost.h).
 */
#ifndef TRAWL_RUN_DELIVERY_H
#define TRAWL_RUN_DELIVERY_H

#include "run/leftmost.h"

/* Who receives the matches: one of the two functions, or neither if they are only counted. */
typedef struct trawl_receiver {
    trawl_on_match on_match;
    trawl_on_matches on_matches;
    void *context;
} trawl_receiver;

enum { TRAWL_SELECTED_MOST = 256 }; /* selected matches that are delivered in one call, at most */

typedef struct trawl_delivery {
    trawl_match_kind kind;
    trawl_receiver receiver;
    uint64_t delivered;
    uint64_t *per_pattern; /* NULL, or counters to add to */
    /* leftmost kinds only */
    trawl_match *selected; /* TRAWL_SELECTED_MOST; empty between calls */
    size_t selected_count;
    trawl_leftmost leftmost;
} trawl_delivery;

/* Prepares a delivery for matches of a database. */
trawl_status trawl_delivery_open(trawl_delivery *delivery, const trawl_db *db,
                                 const trawl_receiver *receiver, uint64_t *per_pattern,
                                 trawl_error *error);

/* Allocates all that deliveries may need. */
trawl_status trawl_delivery_reserve(trawl_delivery *delivery, trawl_error *error);

/* Begins a new text, or a part of one, at offset `start`. No match begins before `start`.
 * Occurrences that have not been delivered are dropped. */
void trawl_delivery_restart(trawl_delivery *delivery, uint64_t start);

/* Takes the next `count` matches and delivers those that are final. Returns TRAWL_STOPPED if the
 * caller asked to stop. */
trawl_status trawl_delivery_put(trawl_delivery *delivery, const trawl_match *matches, size_t count);

/* Delivers the matches that are final when every occurrence that ends at or before `end` has been
 * put. For leftmost kinds these are all matches that start at end - max_length or before. */
trawl_status trawl_delivery_settle(trawl_delivery *delivery, uint64_t end);

/* After the last match: delivers those that were held back. */
trawl_status trawl_delivery_finish(trawl_delivery *delivery);

void trawl_delivery_close(trawl_delivery *delivery);

#endif
