/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/leftmost.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

enum { FIRST_QUEUE = 256 };

trawl_status trawl_leftmost_open(trawl_leftmost *self, const trawl_db *db, trawl_error *error) {
    memset(self, 0, sizeof *self);
    self->first = db->header->match_kind == TRAWL_MATCH_LEFTMOST_FIRST;
    self->max_length = db->header->max_length;
    self->offsets = db->patterns.offsets;
    self->selection = trawl_selection_of(db);
    if (self->selection.keys != NULL) {
        self->queue_mask = FIRST_QUEUE - 1;
        self->queue = trawl_allocate(FIRST_QUEUE, sizeof *self->queue);
        return self->queue != NULL ? TRAWL_OK
                                   : trawl_fail_memory(error, "selecting matches",
                                                       FIRST_QUEUE * sizeof *self->queue);
    }
    size_t ring = 1;
    while (ring < self->max_length) {
        ring *= 2;
    }
    self->ring_mask = ring - 1;
    self->ring = trawl_allocate_zeroed(ring, sizeof *self->ring);
    return self->ring != NULL
               ? TRAWL_OK
               : trawl_fail_memory(error, "selecting matches", ring * sizeof *self->ring);
}

void trawl_leftmost_close(trawl_leftmost *self) {
    trawl_release(self->queue);
    trawl_release(self->ring);
    memset(self, 0, sizeof *self);
}

trawl_status trawl_leftmost_reserve(trawl_leftmost *self, trawl_error *error) {
    if (self->selection.keys == NULL) {
        return TRAWL_OK; /* the ring does not grow */
    }
    /* Occurrences that wait end at different ones of the last max_length bytes; one more comes in.
     */
    size_t capacity = self->queue_mask + 1;
    while (capacity < self->max_length + 2) {
        capacity *= 2;
    }
    trawl_release(self->queue);
    self->queue_mask = capacity - 1;
    self->queue = trawl_allocate(capacity, sizeof *self->queue);
    return self->queue != NULL
               ? TRAWL_OK
               : trawl_fail_memory(error, "selecting matches", capacity * sizeof *self->queue);
}

void trawl_leftmost_restart(trawl_leftmost *self, uint64_t start) {
    if (self->ring_count != 0) {
        memset(self->ring, 0, (self->ring_mask + 1) * sizeof *self->ring);
        self->ring_count = 0;
    }
    self->queue_front = 0;
    self->queue_count = 0;
    self->known = false;
    self->next = start;
    self->last_end = 0;
}

/* ------------------------------------------------------------------ the queue */

static trawl_waiting *waiting_at(const trawl_leftmost *self, size_t index) {
    return &self->queue[(self->queue_front + index) & self->queue_mask];
}

static bool grow_queue(trawl_leftmost *self) {
    size_t capacity = self->queue_mask + 1;
    trawl_waiting *larger = trawl_allocate(2 * capacity, sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    for (size_t i = 0; i < self->queue_count; i++) {
        larger[i] = *waiting_at(self, i);
    }
    trawl_release(self->queue);
    self->queue = larger;
    self->queue_front = 0;
    self->queue_mask = 2 * capacity - 1;
    return true;
}

static trawl_status put_into_queue(trawl_leftmost *self, const trawl_match *match) {
    if (match->end == self->last_end) {
        return TRAWL_OK; /* inside the occurrence before */
    }
    self->last_end = match->end;
    while (self->queue_count != 0 &&
           waiting_at(self, self->queue_count - 1)->start >= match->start) {
        self->queue_count--;
    }
    if (self->queue_count > self->queue_mask && !grow_queue(self)) {
        self->no_memory = true;
        return TRAWL_ERROR_MEMORY;
    }
    *waiting_at(self, self->queue_count++) = (trawl_waiting){
        .start = match->start, .end = match->end, .key = self->selection.patterns[match->pattern]};
    self->known = self->known && match->start > self->candidate.start;
    return TRAWL_OK;
}

static void drop_first(trawl_leftmost *self) {
    self->queue_front = (self->queue_front + 1) & self->queue_mask;
    self->queue_count--;
}

/* Sets the candidate: the best match of the first offset from `next` on at which one begins. False:
 * none waits. */
static bool find_candidate(trawl_leftmost *self) {
    for (; self->queue_count != 0; drop_first(self)) {
        const trawl_waiting *waiting = waiting_at(self, 0);
        uint64_t second = self->queue_count > 1 ? waiting_at(self, 1)->start : UINT64_MAX;
        trawl_selection_inside found = {.offset = 0,
                                        .pattern = self->selection.keys[waiting->key].pattern};
        if (second <= self->next || (waiting->start < self->next &&
                                     !trawl_selection_next(&self->selection, waiting->key,
                                                           self->next - waiting->start, &found))) {
            continue;
        }
        uint64_t start = waiting->start + found.offset;
        if (start < second) {
            uint32_t length = self->offsets[found.pattern + 1] - self->offsets[found.pattern];
            self->candidate =
                (trawl_match){.start = start, .end = start + length, .pattern = found.pattern};
            return true;
        }
    }
    return false;
}

static bool take_from_queue(trawl_leftmost *self, uint64_t end, trawl_match *match) {
    self->known = self->known || find_candidate(self);
    if (!self->known || self->candidate.start + self->max_length > end) {
        return false;
    }
    *match = self->candidate;
    self->next = match->end;
    self->known = false;
    return true;
}

/* ------------------------------------------------------------------ the ring */

static void put_into_ring(trawl_leftmost *self, const trawl_match *match) {
    if (match->start < self->next) {
        return;
    }
    trawl_best *best = &self->ring[match->start & self->ring_mask];
    bool better = !self->first && best->end != match->end ? match->end > best->end
                                                          : match->pattern < best->pattern;
    if (best->end == 0 || better) {
        self->ring_count += best->end == 0;
        *best = (trawl_best){.end = match->end, .pattern = match->pattern};
    }
}

static bool take_from_ring(trawl_leftmost *self, uint64_t end, trawl_match *match) {
    for (; self->ring_count != 0 && self->next + self->max_length <= end; self->next++) {
        const trawl_best *best = &self->ring[self->next & self->ring_mask];
        if (best->end != 0) {
            *match = (trawl_match){.start = self->next, .end = best->end, .pattern = best->pattern};
            for (; self->next < match->end; self->next++) {
                trawl_best *passed = &self->ring[self->next & self->ring_mask];
                self->ring_count -= passed->end != 0;
                passed->end = 0;
            }
            return true;
        }
    }
    if (self->ring_count == 0 && self->next + self->max_length <= end) {
        self->next = end - self->max_length + 1;
    }
    return false;
}

/* ------------------------------------------------------------------ both */

trawl_status trawl_leftmost_put(trawl_leftmost *self, const trawl_match *match) {
    if (self->selection.keys != NULL) {
        return put_into_queue(self, match);
    }
    put_into_ring(self, match);
    return TRAWL_OK;
}

bool trawl_leftmost_take(trawl_leftmost *self, uint64_t end, trawl_match *match) {
    return self->selection.keys != NULL ? take_from_queue(self, end, match)
                                        : take_from_ring(self, end, match);
}
