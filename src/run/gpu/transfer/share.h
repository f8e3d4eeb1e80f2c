/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The segments of one window, which several workers (GPUs, or threads of the CPU) take one by one:
 *
 *     delivered | turn | taken, scanned or waiting | not taken | (behind the end of the text)
 *                 ^ turn                             ^ next      ^ end
 *
 * A worker that takes a segment handles it, or gives it back. Matches are delivered in the order of
 * the segments: a worker waits for its segment's turn. Each worker takes segments in ascending
 * order, so the worker of the segment whose turn it is never waits for another worker. To keep
 * that, a worker that fails must not give back segments whose matches have to be delivered: it
 * scans them itself in another way. Segments whose matches are only counted need no order, and are
 * given back.
 */
#ifndef TRAWL_RUN_GPU_TRANSFER_SHARE_H
#define TRAWL_RUN_GPU_TRANSFER_SHARE_H

#include <pthread.h>

#include "base/status.h"
#include "run/gpu/transfer/segments.h"

typedef struct trawl_share {
    trawl_segments segments; /* of the whole window; not changed */
    bool ordered;            /* matches are delivered, segment by segment */
    pthread_mutex_t lock;    /* guards what follows */
    pthread_cond_t changed;
    uint64_t next; /* the first segment that nobody has taken */
    uint64_t turn; /* the first segment that is not delivered; with ordered */
    uint64_t end;  /* segments that the text has */
    uint64_t *returned;
    size_t returned_count, returned_room;
    trawl_status status; /* what ends all work: the first failure, or TRAWL_STOPPED */
    trawl_error error;
    trawl_status read_status; /* why the text ended before the window does */
    trawl_error read_error;
    uint64_t reached; /* the first byte of the window that could not be read */
} trawl_share;

void trawl_share_open(trawl_share *share, const trawl_segments *segments, bool ordered);
void trawl_share_close(trawl_share *share);

/* Takes a segment: the first one given back, else the next. False: there is none, or all work has
 * ended. */
bool trawl_share_take(trawl_share *share, uint64_t *segment);

/* Gives segments back, in ascending order. Not for an `ordered` share. If there is no memory to
 * store them, all work ends with that failure. */
void trawl_share_give_back(trawl_share *share, const uint64_t *segments, size_t count);

/* Whether there is something left to take. */
bool trawl_share_has_more(trawl_share *share);

typedef enum trawl_turn {
    TRAWL_TURN_HERE,
    TRAWL_TURN_LATER, /* not within the time */
    TRAWL_TURN_NEVER  /* all work has ended, or the text before this segment */
} trawl_turn;

/* Waits for the turn of a segment, at most `microseconds`; 0: without a limit. */
trawl_turn trawl_share_await(trawl_share *share, uint64_t segment, uint32_t microseconds);

/* Says that the segment whose turn it is has been delivered; the next one's turn comes. */
void trawl_share_delivered(trawl_share *share);

/* Ends all work. */
void trawl_share_fail(trawl_share *share, trawl_status status, const trawl_error *error);

/* The text of the window ends at index `reached`, in or before segment `segment`, because reading
 * failed there. */
void trawl_share_end(trawl_share *share, uint64_t segment, uint64_t reached, trawl_status status,
                     const trawl_error *error);

#endif
