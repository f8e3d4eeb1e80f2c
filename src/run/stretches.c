/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/stretches.h"

/* Positions without rare bytes that are passed over, at least, for each byte of the overlap, which
 * is walked again at the beginning of a stretch. No measurement chose the number. */
#define GAP_FOR_OVERLAP 8
/* Where such bytes are frequent, the next occurrence is looked for in longer and longer steps, up
 * to so many gaps: then a search of some bytes in 16 gaps is all that this file costs. */
#define MOST_GAPS_A_STEP 16

static size_t gap_of(const trawl_db *db) {
    return (size_t)db->header->rare_gap * TRAWL_RARE_GAP_UNIT +
           GAP_FOR_OVERLAP * (size_t)(db->header->max_length - 1) + 1;
}

bool trawl_stretches_divide(const trawl_db *db, const trawl_window *window) {
    return window->text != NULL && window->length - window->owned >= 2 * gap_of(db);
}

trawl_stretches trawl_stretches_of(const trawl_db *db, const trawl_byte_finder *finder,
                                   const trawl_window *window) {
    const size_t gap = gap_of(db);
    return (trawl_stretches){.text = window->text,
                             .length = window->length,
                             .at = window->owned,
                             .longest = db->header->max_length,
                             .gap = gap,
                             .step = gap,
                             .finder = finder};
}

/* The last occurrence among positions [from, to), or `otherwise`. */
static size_t last_between(const trawl_stretches *self, size_t from, size_t to, size_t otherwise) {
    const uint8_t *found =
        from < to ? self->finder->last(self->finder, self->text + from, to - from) : NULL;
    return found == NULL ? otherwise : (size_t)(found - self->text);
}

/* The last occurrence before the next gap, or of the window; `last`: an occurrence. */
static size_t find_last(trawl_stretches *self, size_t last) {
    while (self->length - last > self->step) {
        const size_t to = last + self->step, from = to - self->gap;
        const size_t next = last_between(self, from + 1, to + 1, last);
        if (next == last) {
            self->step = self->gap;
            return last_between(self, last + 1, from + 1, last);
        }
        last = next;
        self->step = self->step * 2 < MOST_GAPS_A_STEP * self->gap ? self->step * 2
                                                                   : MOST_GAPS_A_STEP * self->gap;
    }
    return last_between(self, last + 1, self->length, last);
}

bool trawl_stretches_next(trawl_stretches *self, size_t *begin, size_t *end) {
    const size_t from = self->at < self->longest ? 0 : self->at - (self->longest - 1);
    const uint8_t *found =
        self->at < self->length
            ? self->finder->first(self->finder, self->text + from, self->length - from)
            : NULL;
    if (found == NULL) {
        self->at = self->length;
        return false;
    }
    const size_t first = (size_t)(found - self->text);
    const size_t last = find_last(self, first);
    *begin = first < self->at ? self->at : first;
    *end = self->length - last < self->longest ? self->length : last + self->longest;
    self->at = *end;
    return true;
}
