/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/gpu/transfer/share.h"

#include "base/allocate.h"
#include "base/clock.h"

void trawl_share_open(trawl_share *share, const trawl_segments *segments, bool ordered) {
    *share = (trawl_share){.segments = *segments, .ordered = ordered, .end = segments->count};
    pthread_condattr_t attributes;
    (void)pthread_mutex_init(&share->lock, NULL);
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&share->changed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

void trawl_share_close(trawl_share *share) {
    (void)pthread_mutex_destroy(&share->lock);
    (void)pthread_cond_destroy(&share->changed);
    trawl_release(share->returned);
    share->returned = NULL;
}

/* Caller holds the lock. */
static bool has_more(const trawl_share *share) {
    return share->status == TRAWL_OK && (share->returned_count != 0 || share->next < share->end);
}

/* Removes segments that are behind the end of the text. Caller holds the lock. */
static void drop_behind_end(trawl_share *share) {
    size_t kept = 0;
    for (size_t i = 0; i < share->returned_count; i++) {
        if (share->returned[i] < share->end) {
            share->returned[kept++] = share->returned[i];
        }
    }
    share->returned_count = kept;
}

bool trawl_share_take(trawl_share *share, uint64_t *segment) {
    (void)pthread_mutex_lock(&share->lock);
    bool more = has_more(share);
    if (more && share->returned_count != 0) {
        size_t first = 0;
        for (size_t i = 1; i < share->returned_count; i++) {
            first = share->returned[i] < share->returned[first] ? i : first;
        }
        *segment = share->returned[first];
        share->returned[first] = share->returned[--share->returned_count];
    } else if (more) {
        *segment = share->next++;
    }
    (void)pthread_mutex_unlock(&share->lock);
    return more;
}

bool trawl_share_has_more(trawl_share *share) {
    (void)pthread_mutex_lock(&share->lock);
    bool more = has_more(share);
    (void)pthread_mutex_unlock(&share->lock);
    return more;
}

/* Caller holds the lock. */
static void fail(trawl_share *share, trawl_status status, const trawl_error *error) {
    if (share->status == TRAWL_OK) {
        share->status = status;
        share->error = *error;
    }
    (void)pthread_cond_broadcast(&share->changed);
}

void trawl_share_fail(trawl_share *share, trawl_status status, const trawl_error *error) {
    (void)pthread_mutex_lock(&share->lock);
    fail(share, status, error);
    (void)pthread_mutex_unlock(&share->lock);
}

void trawl_share_give_back(trawl_share *share, const uint64_t *segments, size_t count) {
    (void)pthread_mutex_lock(&share->lock);
    size_t needed = share->returned_count + count;
    if (needed > share->returned_room) {
        uint64_t *moved = trawl_reallocate(share->returned, needed, sizeof *moved);
        if (moved == NULL) {
            trawl_error error;
            fail(share, trawl_fail_memory(&error, "segments", needed * sizeof *moved), &error);
            (void)pthread_mutex_unlock(&share->lock);
            return;
        }
        share->returned = moved;
        share->returned_room = needed;
    }
    for (size_t i = 0; i < count; i++) {
        share->returned[share->returned_count++] = segments[i];
    }
    drop_behind_end(share);
    (void)pthread_mutex_unlock(&share->lock);
}

trawl_turn trawl_share_await(trawl_share *share, uint64_t segment, uint32_t microseconds) {
    struct timespec until = {0};
    if (microseconds != 0) {
        until = trawl_clock_after((uint64_t)microseconds * 1000);
    }
    (void)pthread_mutex_lock(&share->lock);
    bool late = false;
    while (share->status == TRAWL_OK && segment < share->end && share->turn != segment && !late) {
        if (microseconds == 0) {
            (void)pthread_cond_wait(&share->changed, &share->lock);
        } else {
            late = pthread_cond_timedwait(&share->changed, &share->lock, &until) != 0;
        }
    }
    trawl_turn turn = share->status != TRAWL_OK || segment >= share->end ? TRAWL_TURN_NEVER
                      : share->turn == segment                           ? TRAWL_TURN_HERE
                                                                         : TRAWL_TURN_LATER;
    (void)pthread_mutex_unlock(&share->lock);
    return turn;
}

void trawl_share_delivered(trawl_share *share) {
    (void)pthread_mutex_lock(&share->lock);
    share->turn++;
    (void)pthread_cond_broadcast(&share->changed);
    (void)pthread_mutex_unlock(&share->lock);
}

void trawl_share_end(trawl_share *share, uint64_t segment, uint64_t reached, trawl_status status,
                     const trawl_error *error) {
    (void)pthread_mutex_lock(&share->lock);
    if (share->read_status == TRAWL_OK || reached < share->reached) {
        bool some = reached > trawl_segments_at(&share->segments, segment).owned;
        share->read_status = status;
        share->read_error = *error;
        share->reached = reached;
        share->end = some ? segment + 1 : segment;
        drop_behind_end(share);
    }
    (void)pthread_cond_broadcast(&share->changed);
    (void)pthread_mutex_unlock(&share->lock);
}
