/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/leftmost.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "database/selection_search.h"

/* Occurrences that a queue has room for at first, a power of two: 6 KB, enough for most texts. No
 * measurement chose it. */
enum { FIRST_QUEUE = 256 };

/* Gives a queue room for `capacity` occurrences, a power of two, and forgets what waits. */
static trawl_status allocate_queue(trawl_leftmost_queue *queue, size_t capacity,
                                   trawl_error *error) {
    trawl_release(queue->waiting);
    queue->mask = capacity - 1;
    queue->waiting = trawl_allocate(capacity, sizeof *queue->waiting);
    return queue->waiting != NULL
               ? TRAWL_OK
               : trawl_fail_memory(error, "selecting matches", capacity * sizeof *queue->waiting);
}

static trawl_status open_ring(trawl_leftmost *self, trawl_error *error) {
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

trawl_status trawl_leftmost_open(trawl_leftmost *self, const trawl_db *db, trawl_error *error) {
    memset(self, 0, sizeof *self);
    self->first = db->header->match_kind == TRAWL_MATCH_LEFTMOST_FIRST;
    self->max_length = db->header->max_length;
    self->offsets = db->patterns.offsets;
    self->queue[0].selection = trawl_selection_of(db);
    const trawl_case_pair *pair = db->conditions.records == NULL ? trawl_case_pair_of(db) : NULL;
    if (pair != NULL) {
        self->queues = 2;
        self->keys = pair->keys;
        for (unsigned i = 0; i < 2; i++) {
            self->queue[i].selection = trawl_selection_of(pair->automaton[i]);
            self->queue[i].ids = pair->ids[i];
        }
    } else if (self->queue[0].selection.keys != NULL) {
        self->queues = 1;
        self->keys = self->queue[0].selection.patterns;
    } else {
        return open_ring(self, error);
    }
    trawl_status status = TRAWL_OK;
    for (unsigned i = 0; i < self->queues && status == TRAWL_OK; i++) {
        status = allocate_queue(&self->queue[i], FIRST_QUEUE, error);
    }
    return status;
}

void trawl_leftmost_close(trawl_leftmost *self) {
    trawl_release(self->queue[0].waiting);
    trawl_release(self->queue[1].waiting);
    trawl_release(self->ring);
    memset(self, 0, sizeof *self);
}

trawl_status trawl_leftmost_reserve(trawl_leftmost *self, trawl_error *error) {
    /* Waiting occurrences end at different offsets, all among the last max_length bytes; one more
     * is put before the first is taken. The ring does not grow. */
    size_t capacity = FIRST_QUEUE;
    while (capacity < self->max_length + 2) {
        capacity *= 2;
    }
    trawl_status status = TRAWL_OK;
    for (unsigned i = 0; i < self->queues && status == TRAWL_OK; i++) {
        status = allocate_queue(&self->queue[i], capacity, error);
    }
    return status;
}

void trawl_leftmost_restart(trawl_leftmost *self, uint64_t start) {
    if (self->ring_count != 0) {
        memset(self->ring, 0, (self->ring_mask + 1) * sizeof *self->ring);
        self->ring_count = 0;
    }
    for (unsigned i = 0; i < self->queues; i++) {
        trawl_leftmost_queue *queue = &self->queue[i];
        queue->front = 0;
        queue->count = 0;
        queue->known = false;
        queue->last_end = 0;
    }
    self->next = start;
}

/* ------------------------------------------------------------------ the queues */

static trawl_waiting *waiting_at(const trawl_leftmost_queue *queue, size_t index) {
    return &queue->waiting[(queue->front + index) & queue->mask];
}

static bool grow_queue(trawl_leftmost_queue *queue) {
    size_t capacity = queue->mask + 1;
    trawl_waiting *larger = trawl_allocate(2 * capacity, sizeof *larger);
    if (larger == NULL) {
        return false;
    }
    for (size_t i = 0; i < queue->count; i++) {
        larger[i] = *waiting_at(queue, i);
    }
    trawl_release(queue->waiting);
    queue->waiting = larger;
    queue->front = 0;
    queue->mask = 2 * capacity - 1;
    return true;
}

static trawl_status put_into_queue(trawl_leftmost *self, const trawl_match *match) {
    uint32_t key = self->keys[match->pattern];
    trawl_leftmost_queue *queue = &self->queue[0];
    if (self->queues == 2) {
        queue = &self->queue[(key & TRAWL_CASE_PAIR_SECOND) != 0];
        key &= ~TRAWL_CASE_PAIR_SECOND;
    }
    if (match->end == queue->last_end) {
        return TRAWL_OK; /* inside the occurrence that was put before */
    }
    queue->last_end = match->end;
    while (queue->count != 0 && waiting_at(queue, queue->count - 1)->start >= match->start) {
        queue->count--;
    }
    if (queue->count > queue->mask && !grow_queue(queue)) {
        self->no_memory = true;
        return TRAWL_ERROR_MEMORY;
    }
    *waiting_at(queue, queue->count++) =
        (trawl_waiting){.start = match->start, .end = match->end, .key = key};
    queue->known = queue->known && match->start > queue->candidate.start;
    return TRAWL_OK;
}

static void drop_first(trawl_leftmost_queue *queue) {
    queue->front = (queue->front + 1) & queue->mask;
    queue->count--;
}

/* Sets queue->candidate to the best match at the first offset, from `next` on, at which a waiting
 * occurrence or a pattern inside of one begins. False: no occurrence waits. */
static bool find_candidate(const trawl_leftmost *self, trawl_leftmost_queue *queue) {
    const trawl_selection_view *selection = &queue->selection;
    for (; queue->count != 0; drop_first(queue)) {
        const trawl_waiting *waiting = waiting_at(queue, 0);
        uint64_t second = queue->count > 1 ? waiting_at(queue, 1)->start : UINT64_MAX;
        trawl_selection_inside found = {.offset = 0,
                                        .pattern = selection->keys[waiting->key].pattern};
        if (second <= self->next ||
            (waiting->start < self->next &&
             !trawl_selection_next(selection, waiting->key, self->next - waiting->start, &found))) {
            continue;
        }
        uint64_t start = waiting->start + found.offset;
        if (start < second) {
            uint32_t id = queue->ids != NULL ? queue->ids[found.pattern] : found.pattern;
            uint32_t length = self->offsets[id + 1] - self->offsets[id];
            queue->candidate = (trawl_match){.start = start, .end = start + length, .pattern = id};
            return true;
        }
    }
    return false;
}

/* Whether `left` is to be selected before `right`, if both may be selected. */
static bool is_better(const trawl_leftmost *self, const trawl_match *left,
                      const trawl_match *right) {
    return left->start != right->start               ? left->start < right->start
           : !self->first && left->end != right->end ? left->end > right->end
                                                     : left->pattern < right->pattern;
}

static bool take_from_queues(trawl_leftmost *self, uint64_t end, trawl_match *match) {
    const trawl_match *best = NULL;
    for (unsigned i = 0; i < self->queues; i++) {
        trawl_leftmost_queue *queue = &self->queue[i];
        queue->known = queue->known || find_candidate(self, queue);
        if (queue->known && (best == NULL || is_better(self, &queue->candidate, best))) {
            best = &queue->candidate;
        }
    }
    if (best == NULL || best->start + self->max_length > end) {
        return false;
    }
    *match = *best;
    self->next = match->end;
    for (unsigned i = 0; i < self->queues; i++) {
        trawl_leftmost_queue *queue = &self->queue[i];
        queue->known = queue->known && queue->candidate.start >= self->next;
    }
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
    if (self->queues != 0) {
        return put_into_queue(self, match);
    }
    put_into_ring(self, match);
    return TRAWL_OK;
}

bool trawl_leftmost_take(trawl_leftmost *self, uint64_t end, trawl_match *match) {
    return self->queues != 0 ? take_from_queues(self, end, match)
                             : take_from_ring(self, end, match);
}
