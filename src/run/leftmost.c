/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/leftmost.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "database/outputs.h"

trawl_status trawl_leftmost_open(trawl_leftmost *self, const trawl_db *db, trawl_error *error) {
    memset(self, 0, sizeof *self);
    self->first = db->header->match_kind == TRAWL_MATCH_LEFTMOST_FIRST;
    self->max_length = db->header->max_length;
    size_t ring = 1;
    while (ring < self->max_length) {
        ring *= 2;
    }
    self->mask = ring - 1;
    self->lists = trawl_allocate_zeroed(ring, sizeof *self->lists);
    if (self->lists == NULL) {
        return trawl_fail_memory(error, "selecting matches", ring * sizeof *self->lists);
    }
    self->selection = trawl_selection_of(db);
    return TRAWL_OK;
}

void trawl_leftmost_close(trawl_leftmost *self) {
    trawl_release(self->lists);
    trawl_release(self->entries);
    memset(self, 0, sizeof *self);
}

/* ------------------------------------------------------------------ entries */

/* A free entry's index + 1, or 0 without memory. */
static uint32_t take_entry(trawl_leftmost *self) {
    uint32_t entry = self->free;
    if (entry != 0) {
        self->free = self->entries[entry - 1].next;
        return entry;
    }
    if (self->used == self->capacity) {
        uint32_t capacity = self->capacity == 0 ? 256 : 2 * self->capacity;
        trawl_waiting *larger = trawl_allocate(capacity, sizeof *larger);
        if (larger == NULL) {
            self->no_memory = true;
            return 0;
        }
        if (self->used != 0) {
            memcpy(larger, self->entries, self->used * sizeof *larger);
        }
        trawl_release(self->entries);
        self->entries = larger;
        self->capacity = capacity;
    }
    return ++self->used;
}

static void free_entry(trawl_leftmost *self, uint32_t entry) {
    self->entries[entry - 1].next = self->free;
    self->free = entry;
    self->count--;
}

/* Whether an occurrence is better than another one that starts at the same offset. */
static bool is_better(const trawl_leftmost *self, const trawl_waiting *one,
                      const trawl_waiting *other) {
    if (!self->first && one->end != other->end) {
        return one->end > other->end;
    }
    return one->pattern < other->pattern;
}

/* Puts an entry into the list of its start. Where no occurrence will be shortened, only the best of
 * a list can be selected. */
static void insert(trawl_leftmost *self, uint32_t entry, uint64_t start) {
    uint32_t *list = &self->lists[start & self->mask];
    trawl_waiting *waiting = &self->entries[entry - 1];
    if (self->selection.keys == NULL && *list != 0) {
        trawl_waiting *best = &self->entries[*list - 1];
        if (is_better(self, waiting, best)) {
            best->end = waiting->end;
            best->pattern = waiting->pattern;
        }
        free_entry(self, entry);
        return;
    }
    waiting->next = *list;
    *list = entry;
}

/* The start of the longest key of an occurrence that begins at or behind `next`; false: there is
 * none. Changes the occurrence's pattern. */
static bool shorten(const trawl_leftmost *self, trawl_waiting *waiting, uint64_t *start) {
    if (self->selection.keys == NULL || waiting->end <= self->next) {
        return false;
    }
    const trawl_selection_key *keys = self->selection.keys;
    uint32_t key = trawl_selection_shorten(keys, self->selection.patterns[waiting->pattern],
                                           waiting->end - self->next);
    if (key == TRAWL_NO_KEY) {
        return false;
    }
    waiting->pattern = keys[key].pattern;
    *start = waiting->end - keys[key].length;
    return true;
}

trawl_status trawl_leftmost_put(trawl_leftmost *self, const trawl_match *match) {
    trawl_waiting waiting = {.end = match->end, .pattern = match->pattern};
    uint64_t start = match->start;
    if (self->selection.keys != NULL && match->end == self->last_end) {
        return TRAWL_OK; /* shorter than the occurrence before */
    }
    self->last_end = match->end;
    if (start < self->next && !shorten(self, &waiting, &start)) {
        return TRAWL_OK;
    }
    uint32_t entry = take_entry(self);
    if (entry == 0) {
        return TRAWL_ERROR_MEMORY;
    }
    self->entries[entry - 1] = waiting;
    self->count++;
    insert(self, entry, start);
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ selecting */

/* Ends the lists of the starts from `begin` up to the new `next`. */
static void pass_over(trawl_leftmost *self, uint64_t begin) {
    for (uint64_t at = begin; at < self->next; at++) {
        uint32_t entry = self->lists[at & self->mask];
        self->lists[at & self->mask] = 0;
        while (entry != 0) {
            trawl_waiting *waiting = &self->entries[entry - 1];
            uint32_t following = waiting->next;
            uint64_t start;
            if (shorten(self, waiting, &start)) {
                insert(self, entry, start);
            } else {
                free_entry(self, entry);
            }
            entry = following;
        }
    }
}

/* Selects the best occurrence of a list that starts at `next`. */
static void select_best(trawl_leftmost *self, uint32_t entry, trawl_match *match) {
    const trawl_waiting *best = &self->entries[entry - 1];
    for (; entry != 0; entry = self->entries[entry - 1].next) {
        if (is_better(self, &self->entries[entry - 1], best)) {
            best = &self->entries[entry - 1];
        }
    }
    uint64_t begin = self->next;
    *match = (trawl_match){.start = begin, .end = best->end, .pattern = best->pattern};
    self->next = best->end;
    pass_over(self, begin);
}

bool trawl_leftmost_take(trawl_leftmost *self, uint64_t end, trawl_match *match) {
    for (; self->count != 0 && self->next + self->max_length <= end; self->next++) {
        uint32_t list = self->lists[self->next & self->mask];
        if (list != 0) {
            select_best(self, list, match);
            return true;
        }
    }
    if (self->count == 0 && self->next + self->max_length <= end) {
        self->next = end - self->max_length + 1;
    }
    return false;
}
