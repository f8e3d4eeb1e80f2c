#include "cpu/lanes.h"

#include <string.h>

#include "common/allocate.h"
#include "common/status.h"

/* Steps of a lane in one block. Recording needs an event's memory for each step, so blocks are
 * small; counting needs none, so that starting lanes is rare. A block of lanes pays only when it is
 * several times longer than the overlap that every lane walks twice. */
#define RECORD_STEPS ((size_t)4096)
#define RECORD_STEPS_MAX ((size_t)32768)
#define COUNT_STEPS ((size_t)1 << 20)
#define OVERLAP_FACTOR 8
#define FEWEST_STEPS ((size_t)64)

static size_t lane_steps(const trawl_lane_walker *walker, size_t left, size_t most) {
    size_t steps = left / TRAWL_LANES;
    steps = steps < most ? steps : most;
    return steps >= FEWEST_STEPS && steps >= OVERLAP_FACTOR * walker->overlap ? steps : 0;
}

/* Brings the walk into its state at text[end] of the window; returns that state. */
static uint32_t warm_up(const trawl_lane_walker *walker, const trawl_window *window, size_t end) {
    size_t steps = end < walker->overlap ? end : walker->overlap;
    trawl_lane_set lanes = {.text = {window->text + end - steps}};
    walker->loops->advance[1](walker->automaton, &lanes, steps);
    return lanes.state[0];
}

/* Sets up the lanes of the block that begins at `position`; lane 0 goes on in `state`. */
static void start_lanes(const trawl_lane_walker *walker, const trawl_window *window,
                        size_t position, size_t steps, uint32_t state, trawl_lane_set *lanes) {
    for (size_t lane = 0; lane < TRAWL_LANES; lane++) {
        /* Lane 0 needs no warming up; it does lane 1's work again so that one loop serves all. */
        size_t begin = position + (lane == 0 ? 1 : lane) * steps;
        lanes->text[lane] = window->text + begin - walker->overlap;
        lanes->state[lane] = 0;
    }
    walker->loops->advance[0](walker->automaton, lanes, walker->overlap);
    lanes->state[0] = state;
    for (size_t lane = 0; lane < TRAWL_LANES; lane++) {
        lanes->text[lane] = window->text + position + lane * steps;
        lanes->event_count[lane] = 0;
    }
}

static trawl_status ensure_events(trawl_lane_walker *walker, size_t needed, trawl_error *error) {
    if (needed > walker->event_capacity) {
        trawl_release(walker->events);
        walker->event_capacity = 0;
        walker->events = trawl_allocate(needed, sizeof *walker->events);
        if (walker->events == NULL) {
            return trawl_fail_memory(error, "scanning", needed * sizeof *walker->events);
        }
        walker->event_capacity = needed;
    }
    return TRAWL_OK;
}

/* What becomes of recorded events: matches for a sink, or counts. */
typedef struct event_consumer {
    trawl_sink *sink;
    trawl_counts *counts;
} event_consumer;

static trawl_status consume(trawl_lane_walker *walker, const trawl_window *window,
                            const trawl_event *events, size_t count, size_t begin,
                            const event_consumer *consumer) {
    for (size_t i = 0; i < count; i++) {
        uint32_t key = walker->loops->key(walker->automaton, events[i].state);
        size_t end = begin + events[i].position;
        if (consumer->sink == NULL) {
            trawl_emit_counts(walker->outputs, walker->patterns, window, end, key, consumer->counts,
                              walker->hits);
            continue;
        }
        trawl_status status =
            trawl_emit_matches(walker->outputs, walker->patterns, window, end, key, consumer->sink);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

static trawl_status record_window(trawl_lane_walker *walker, const trawl_window *window,
                                  const event_consumer *consumer, trawl_error *error) {
    size_t most = OVERLAP_FACTOR * walker->overlap;
    most = most < RECORD_STEPS ? RECORD_STEPS : most > RECORD_STEPS_MAX ? RECORD_STEPS_MAX : most;
    size_t owned = window->length - window->owned;
    size_t capacity = owned < most * TRAWL_LANES ? owned : most * TRAWL_LANES;
    trawl_status status = ensure_events(walker, capacity, error);
    uint32_t state = warm_up(walker, window, window->owned);
    size_t position = window->owned;
    trawl_lane_set lanes;
    memset(&lanes, 0, sizeof lanes);
    while (status == TRAWL_OK && position < window->length) {
        size_t left = window->length - position;
        size_t steps = lane_steps(walker, left, most);
        if (steps == 0) {
            steps = left < capacity ? left : capacity;
            lanes.text[0] = window->text + position;
            lanes.state[0] = state;
            lanes.events[0] = walker->events;
            lanes.event_count[0] = 0;
            walker->loops->record[1](walker->automaton, &lanes, steps);
            state = lanes.state[0];
            status =
                consume(walker, window, walker->events, lanes.event_count[0], position, consumer);
            position += steps;
            continue;
        }
        start_lanes(walker, window, position, steps, state, &lanes);
        for (size_t lane = 0; lane < TRAWL_LANES; lane++) {
            lanes.events[lane] = walker->events + lane * steps;
        }
        walker->loops->record[0](walker->automaton, &lanes, steps);
        state = lanes.state[TRAWL_LANES - 1];
        for (size_t lane = 0; lane < TRAWL_LANES && status == TRAWL_OK; lane++) {
            status = consume(walker, window, lanes.events[lane], lanes.event_count[lane],
                             position + lane * steps, consumer);
        }
        position += steps * TRAWL_LANES;
    }
    return status;
}

trawl_status trawl_lanes_scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                              trawl_error *error) {
    event_consumer consumer = {.sink = sink};
    return record_window((trawl_lane_walker *)walker, window, &consumer, error);
}

static uint64_t count_window(const trawl_lane_walker *walker, const trawl_window *window) {
    uint64_t total = 0;
    uint32_t state = warm_up(walker, window, window->owned);
    size_t position = window->owned;
    trawl_lane_set lanes;
    memset(&lanes, 0, sizeof lanes);
    while (position < window->length) {
        size_t left = window->length - position;
        size_t steps = lane_steps(walker, left, COUNT_STEPS);
        if (steps == 0) {
            lanes.text[0] = window->text + position;
            lanes.state[0] = state;
            return total + walker->loops->count[1](walker->automaton, &lanes, left);
        }
        start_lanes(walker, window, position, steps, state, &lanes);
        total += walker->loops->count[0](walker->automaton, &lanes, steps);
        state = lanes.state[TRAWL_LANES - 1];
        position += steps * TRAWL_LANES;
    }
    return total;
}

trawl_status trawl_lanes_count(trawl_walker *base, const trawl_window *window, trawl_counts *counts,
                               trawl_error *error) {
    trawl_lane_walker *walker = (trawl_lane_walker *)base;
    if (counts->per_pattern == NULL && !walker->verify) {
        counts->total += count_window(walker, window);
        return TRAWL_OK;
    }
    if (counts->per_pattern != NULL && walker->hits == NULL) {
        walker->hits = trawl_allocate_zeroed(walker->outputs->keys, sizeof *walker->hits);
        if (walker->hits == NULL) {
            return trawl_fail_memory(error, "counting patterns",
                                     (uint64_t)walker->outputs->keys * sizeof *walker->hits);
        }
    }
    event_consumer consumer = {.counts = counts};
    return record_window(walker, window, &consumer, error);
}

void trawl_lanes_settle(trawl_walker *base, trawl_counts *counts) {
    trawl_lane_walker *walker = (trawl_lane_walker *)base;
    if (walker->hits != NULL) {
        trawl_emit_hits(walker->outputs, counts, walker->hits);
    }
}

void trawl_lanes_release(trawl_lane_walker *walker) {
    trawl_release(walker->events);
    trawl_release(walker->hits);
}
