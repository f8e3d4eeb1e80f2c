/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The last step of every scan: all occurrences come in, in canonical order, and go out to the
 * caller as the database's match kind asks. The leftmost kinds are selected here, after the engine,
 * so that every engine on every device has them.
 */
#ifndef TRAWL_RUN_DELIVERY_H
#define TRAWL_RUN_DELIVERY_H

#include "trawl/trawl.h"

/* The best match that begins at one offset, while it is not yet sure that it will be reported. */
typedef struct trawl_candidate {
    uint32_t length; /* 0: none */
    uint32_t pattern;
} trawl_candidate;

/* Who receives the matches: one of the two functions, or neither, when they are only counted. */
typedef struct trawl_receiver {
    trawl_on_match on_match;
    trawl_on_matches on_matches;
    void *context;
} trawl_receiver;

enum { TRAWL_SELECTED_MOST = 256 }; /* selected matches that are handed out together */

typedef struct trawl_delivery {
    trawl_match_kind kind;
    trawl_receiver receiver;
    uint64_t delivered;
    uint64_t *per_pattern; /* NULL, or counters to add to */
    /* leftmost kinds only */
    trawl_match *selected; /* TRAWL_SELECTED_MOST; empty between calls */
    size_t selected_count;
    trawl_candidate *candidates; /* ring by start offset */
    uint64_t mask;               /* its length - 1 */
    uint64_t max_length;
    uint64_t next;    /* the first offset at which a reported match may still begin */
    uint64_t pending; /* candidates in the ring */
} trawl_delivery;

/* Prepares a delivery for matches of at most `max_length` bytes. */
trawl_status trawl_delivery_open(trawl_delivery *delivery, trawl_match_kind kind, size_t max_length,
                                 const trawl_receiver *receiver, uint64_t *per_pattern,
                                 trawl_error *error);

/* Takes the next `count` occurrences, and hands out what follows from them. Returns TRAWL_STOPPED
 * when the caller asked to stop. */
trawl_status trawl_delivery_put(trawl_delivery *delivery, const trawl_match *matches, size_t count);

/* Tells that every occurrence has been put, and delivers what was held back. */
trawl_status trawl_delivery_finish(trawl_delivery *delivery);

void trawl_delivery_close(trawl_delivery *delivery);

#endif
