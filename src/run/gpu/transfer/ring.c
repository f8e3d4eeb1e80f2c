/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/gpu/transfer/ring.h"

#include <string.h>

#include "base/allocate.h"

static const char *const names[] = {"ring", "a", "b", "zero-copy"};

trawl_status trawl_strategy_find(const char *name, trawl_strategy *strategy, trawl_error *error) {
    *strategy = TRAWL_STRATEGY_RING;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (name == NULL || strcmp(names[i], name) == 0) {
            *strategy = (trawl_strategy)i;
            return TRAWL_OK;
        }
    }
    return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                      "unknown transfer '%.40s'; there are ring, a, b, zero-copy", name);
}

const char *trawl_strategy_name(trawl_strategy strategy) {
    return names[strategy];
}

uint64_t trawl_ring_slots(trawl_strategy strategy, uint64_t segments, uint32_t wished, bool fill) {
    if (strategy == TRAWL_STRATEGY_A) {
        return segments;
    }
    uint64_t slots = strategy == TRAWL_STRATEGY_B ? TRAWL_RING_SLOTS_B
                     : wished != 0                ? wished
                     : fill                       ? TRAWL_RING_FILLED_SLOTS
                                                  : TRAWL_RING_DEFAULT_SLOTS;
    return slots < segments ? slots : segments;
}

trawl_status trawl_ring_open(trawl_ring *ring, trawl_strategy strategy, uint64_t segments,
                             uint64_t slots, bool fill, trawl_error *error) {
    *ring = (trawl_ring){.strategy = strategy,
                         .fill = fill && strategy != TRAWL_STRATEGY_ZERO_COPY,
                         .copy_in = strategy != TRAWL_STRATEGY_ZERO_COPY,
                         .segments = segments,
                         .slots = slots};
    ring->slot = trawl_allocate_zeroed(slots, sizeof *ring->slot);
    if (ring->slot == NULL) {
        return trawl_fail_memory(error, "segments", slots * sizeof *ring->slot);
    }
    return TRAWL_OK;
}

void trawl_ring_close(trawl_ring *ring) {
    trawl_release(ring->slot);
    ring->slot = NULL;
}

/* ------------------------------------------------------------------ what slots can do */

typedef bool (*slot_test)(const trawl_ring_slot *slot, uint64_t segment);

static bool scannable(const trawl_ring_slot *slot, uint64_t segment) {
    return slot->input == TRAWL_INPUT_LOADED && slot->input_segment == segment &&
           slot->output == TRAWL_OUTPUT_FREE;
}

static bool scanning(const trawl_ring_slot *slot, uint64_t segment) {
    return slot->input == TRAWL_INPUT_SCANNING && slot->input_segment == segment;
}

static bool scanned(const trawl_ring_slot *slot, uint64_t segment) {
    return slot->output == TRAWL_OUTPUT_SCANNED && slot->output_segment == segment;
}

static bool scanned_or_scanning(const trawl_ring_slot *slot, uint64_t segment) {
    return scanned(slot, segment) || scanning(slot, segment);
}

static bool copying(const trawl_ring_slot *slot, uint64_t segment) {
    return slot->output == TRAWL_OUTPUT_COPYING && slot->output_segment == segment;
}

static bool ready(const trawl_ring_slot *slot, uint64_t segment) {
    return slot->output == TRAWL_OUTPUT_READY && slot->output_segment == segment;
}

/* The first segment under way whose slot passes the test. */
static bool find(const trawl_ring *ring, slot_test test, uint64_t *segment) {
    for (uint64_t at = ring->turn; at < ring->next; at++) {
        if (test(&ring->slot[at % ring->slots], at)) {
            *segment = at;
            return true;
        }
    }
    return false;
}

static trawl_ring_action act(const trawl_ring *ring, trawl_ring_step step, uint64_t segment) {
    return (trawl_ring_action){.step = step, .slot = segment % ring->slots, .segment = segment};
}

static const trawl_ring_slot *next_slot(const trawl_ring *ring) {
    return &ring->slot[ring->next % ring->slots];
}

/* Whether the next segment may start on its way to the device. */
static bool can_load(const trawl_ring *ring) {
    return ring->next < ring->segments &&
           next_slot(ring)->input == (ring->fill ? TRAWL_INPUT_FILLED : TRAWL_INPUT_EMPTY);
}

static trawl_ring_action load(trawl_ring *ring) {
    uint64_t segment = ring->next++;
    trawl_ring_slot *slot = &ring->slot[segment % ring->slots];
    slot->input = TRAWL_INPUT_LOADED;
    slot->input_segment = segment;
    slot->copying_in = true;
    return act(ring, TRAWL_RING_COPY_IN, segment);
}

static bool can_fill(const trawl_ring *ring) {
    return ring->fill && ring->fills < ring->segments &&
           ring->slot[ring->fills % ring->slots].input == TRAWL_INPUT_EMPTY;
}

static trawl_ring_action fill(trawl_ring *ring) {
    uint64_t segment = ring->fills++;
    trawl_ring_slot *slot = &ring->slot[segment % ring->slots];
    slot->input = TRAWL_INPUT_FILLING;
    slot->input_segment = segment;
    return act(ring, TRAWL_RING_FILL, segment);
}

static bool is_filling(const trawl_ring *ring) {
    return ring->next < ring->segments && next_slot(ring)->input == TRAWL_INPUT_FILLING;
}

/* Strategies A and B, which take one step after the other: brings the next segment one step nearer
 * to the device, if its slot is free. */
static bool approach(trawl_ring *ring, trawl_ring_action *action) {
    if (is_filling(ring)) {
        *action = act(ring, TRAWL_RING_AWAIT_FILL, ring->next);
    } else if (can_load(ring)) {
        *action = load(ring);
    } else if (ring->fills == ring->next && can_fill(ring)) {
        *action = fill(ring);
    } else {
        return false;
    }
    return true;
}

/* Zero-copy: a text that the device reads in host memory needs no step to be loaded. */
static void load_all_in_place(trawl_ring *ring) {
    while (!ring->copy_in && can_load(ring)) {
        (void)load(ring);
        ring->slot[(ring->next - 1) % ring->slots].copying_in = false;
    }
}

static trawl_ring_action scan(trawl_ring *ring, uint64_t segment) {
    trawl_ring_slot *slot = &ring->slot[segment % ring->slots];
    slot->input = TRAWL_INPUT_SCANNING;
    slot->output = TRAWL_OUTPUT_SCANNING;
    slot->output_segment = segment;
    return act(ring, TRAWL_RING_SCAN, segment);
}

static trawl_ring_action copy_out(trawl_ring *ring, uint64_t segment) {
    ring->slot[segment % ring->slots].output = TRAWL_OUTPUT_COPYING;
    return act(ring, TRAWL_RING_COPY_OUT, segment);
}

static trawl_ring_action deliver(trawl_ring *ring) {
    ring->slot[ring->turn % ring->slots].output = TRAWL_OUTPUT_DELIVERING;
    return act(ring, TRAWL_RING_DELIVER, ring->turn);
}

static bool turn_is_ready(const trawl_ring *ring) {
    return ring->turn < ring->next && ready(&ring->slot[ring->turn % ring->slots], ring->turn);
}

/* ------------------------------------------------------------------ strategies */

/* Steps that give the device work come first, then steps that give the filling threads work. */
static bool start_something(trawl_ring *ring, trawl_ring_action *action) {
    uint64_t segment = 0;
    load_all_in_place(ring);
    if (find(ring, scanned, &segment)) {
        *action = copy_out(ring, segment);
    } else if (find(ring, scannable, &segment)) {
        *action = scan(ring, segment);
    } else if (can_load(ring)) {
        *action = load(ring);
    } else if (can_fill(ring)) {
        *action = fill(ring);
    } else {
        return false;
    }
    return true;
}

/* The host delivers if there is nothing to start, and waits if there is nothing to deliver. It
 * waits for text while the device has fewer than two segments to work on, so that a scan can be
 * started as soon as its text is there; else for the device. */
static trawl_ring_action next_of_ring(trawl_ring *ring) {
    trawl_ring_action action;
    if (start_something(ring, &action)) {
        return action;
    }
    if (turn_is_ready(ring)) {
        return deliver(ring);
    }
    if (is_filling(ring) && ring->next - ring->turn < 2) {
        return act(ring, TRAWL_RING_AWAIT_FILL, ring->next);
    }
    bool goes_out = copying(&ring->slot[ring->turn % ring->slots], ring->turn);
    return act(ring, goes_out ? TRAWL_RING_AWAIT_COPY_OUT : TRAWL_RING_AWAIT_SCAN, ring->turn);
}

/* Strategy A (Zha & Sahni, Fig. 6): all copies in, then all scans, then all copies out as their
 * turn comes. */
static trawl_ring_action next_of_a(trawl_ring *ring) {
    uint64_t segment = 0;
    trawl_ring_action action;
    if (approach(ring, &action)) {
        return action;
    }
    if (find(ring, scannable, &segment)) {
        return scan(ring, segment);
    }
    if (find(ring, scanned_or_scanning, &segment)) {
        return scanned(&ring->slot[segment % ring->slots], segment)
                   ? copy_out(ring, segment)
                   : act(ring, TRAWL_RING_AWAIT_SCAN, segment);
    }
    return turn_is_ready(ring) ? deliver(ring) : act(ring, TRAWL_RING_AWAIT_COPY_OUT, ring->turn);
}

enum { B_LOAD, B_SCAN, B_BARRIER, B_READ };

/* Finds a step that waits for work of the device; false if the device is idle. */
static bool barrier(const trawl_ring *ring, trawl_ring_action *action) {
    for (uint64_t i = 0; i < ring->slots; i++) {
        const trawl_ring_slot *slot = &ring->slot[i];
        if (slot->output == TRAWL_OUTPUT_COPYING) {
            *action = act(ring, TRAWL_RING_AWAIT_COPY_OUT, slot->output_segment);
            return true;
        }
        if (slot->input == TRAWL_INPUT_SCANNING) {
            *action = act(ring, TRAWL_RING_AWAIT_SCAN, slot->input_segment);
            return true;
        }
        if (slot->copying_in) {
            *action = act(ring, TRAWL_RING_AWAIT_COPY_IN, slot->input_segment);
            return true;
        }
    }
    return false;
}

/*
 * Strategy B (Zha & Sahni, Fig. 7): step i copies segment i in and scans segment i - 1, while the
 * matches of segment i - 2 are still being copied out. When all of that is done, the copy of the
 * matches of segment i - 1 begins. A segment whose matches do not fit is scanned range by range,
 * with a barrier after each, before step i ends.
 */
static trawl_ring_action next_of_b(trawl_ring *ring) {
    uint64_t segment = 0;
    trawl_ring_action action;
    for (;;) {
        switch (ring->phase) {
        case B_LOAD:
            if (ring->next == ring->step && approach(ring, &action)) {
                return action;
            }
            ring->phase = B_SCAN;
            break;
        case B_SCAN:
            ring->phase = B_BARRIER;
            if (ring->step != 0 &&
                scannable(&ring->slot[(ring->step - 1) % ring->slots], ring->step - 1)) {
                return scan(ring, ring->step - 1);
            }
            break;
        case B_BARRIER:
            if (barrier(ring, &action)) {
                return action;
            }
            ring->phase = B_READ;
            break;
        default:
            if (turn_is_ready(ring)) {
                return deliver(ring);
            }
            ring->phase = B_BARRIER;
            if (find(ring, scanned, &segment)) {
                const trawl_ring_slot *slot = &ring->slot[segment % ring->slots];
                ring->step += slot->last ? 1 : 0;
                ring->phase = slot->last ? B_LOAD : B_BARRIER;
                return copy_out(ring, segment);
            }
            if (ring->step != 0 &&
                scannable(&ring->slot[(ring->step - 1) % ring->slots], ring->step - 1)) {
                return scan(ring, ring->step - 1);
            }
            ring->step++;
            ring->phase = B_LOAD;
            break;
        }
    }
}

trawl_ring_action trawl_ring_next(trawl_ring *ring) {
    if (ring->turn == ring->segments) {
        return (trawl_ring_action){.step = TRAWL_RING_FINISHED};
    }
    switch (ring->strategy) {
    case TRAWL_STRATEGY_A:
        return next_of_a(ring);
    case TRAWL_STRATEGY_B:
        return next_of_b(ring);
    default:
        return next_of_ring(ring);
    }
}

/* ------------------------------------------------------------------ what is complete */

bool trawl_ring_scanning(const trawl_ring *ring, uint64_t *slot) {
    uint64_t segment = 0;
    bool found = find(ring, scanning, &segment);
    *slot = found ? segment % ring->slots : 0;
    return found;
}

bool trawl_ring_ahead(trawl_ring *ring, trawl_ring_action *action) {
    bool is_ring =
        ring->strategy == TRAWL_STRATEGY_RING || ring->strategy == TRAWL_STRATEGY_ZERO_COPY;
    return is_ring && start_something(ring, action);
}

bool trawl_ring_filling(const trawl_ring *ring, uint64_t *slot) {
    bool found = is_filling(ring);
    *slot = found ? ring->next % ring->slots : 0;
    return found;
}

bool trawl_ring_hungry(const trawl_ring *ring) {
    uint64_t begun = ring->fill ? ring->fills : ring->next;
    return begun == ring->segments && ring->slot[begun % ring->slots].input == TRAWL_INPUT_EMPTY;
}

void trawl_ring_grow(trawl_ring *ring) {
    ring->segments++;
}

void trawl_ring_filled(trawl_ring *ring, uint64_t slot) {
    ring->slot[slot].input = TRAWL_INPUT_FILLED;
}

void trawl_ring_end(trawl_ring *ring, uint64_t segments) {
    ring->segments = segments;
}

void trawl_ring_copied_in(trawl_ring *ring, uint64_t slot) {
    ring->slot[slot].copying_in = false;
}

void trawl_ring_scanned(trawl_ring *ring, uint64_t slot, trawl_ring_scanned_as as, bool matches) {
    trawl_ring_slot *at = &ring->slot[slot];
    at->copying_in = false; /* the scan was behind it */
    at->input = as == TRAWL_RING_LAST_RANGE ? TRAWL_INPUT_EMPTY : TRAWL_INPUT_LOADED;
    at->last = as == TRAWL_RING_LAST_RANGE;
    at->output = as == TRAWL_RING_AGAIN ? TRAWL_OUTPUT_FREE
                 : matches              ? TRAWL_OUTPUT_SCANNED
                                        : TRAWL_OUTPUT_READY;
}

void trawl_ring_copied_out(trawl_ring *ring, uint64_t slot) {
    ring->slot[slot].output = TRAWL_OUTPUT_READY;
}

void trawl_ring_delivered(trawl_ring *ring, uint64_t slot) {
    trawl_ring_slot *at = &ring->slot[slot];
    at->output = TRAWL_OUTPUT_FREE;
    ring->turn += at->last ? 1 : 0;
}
