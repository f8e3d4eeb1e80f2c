/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "scan/lanes.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

/* Steps of a lane in one block. Recording needs memory for an event for each step, so its blocks
 * are small. Counting needs no such memory: its blocks are large, so that lanes are rarely warmed
 * up. */
#define RECORD_STEPS ((size_t)4096)
#define RECORD_STEPS_MAX ((size_t)32768)
#define COUNT_STEPS ((size_t)1 << 16)
/* A lane is at least this many times as long as its warm-up, which walks `overlap` bytes a second
 * time: at most 1/8 of the steps are for warm-ups. Where lanes cannot be so long, fewer or
 * shorter ones walk a short block (plan_short_block). Blocks that count have lanes of 128 times the
 * overlap, as they need no memory. Fewer warm-ups stand against more windows that are too short for
 * lanes; no measurement chose the two factors. */
#define OVERLAP_FACTOR 8
#define COUNT_OVERLAP_FACTOR 128
#define FEWEST_STEPS ((size_t)64)

/* The time that a block of several lanes takes to begin, and a step of one lane, in tenths of a
 * step of one lane (docs/notebook/2026-11-short-calls.md). */
#define ONE_STEP 10
#define SEVERAL_START 100

/* A text is sparse where at most one step in 24 matches, and full where at most one in 24 does not.
 * There a loop with a branch on matching is the fastest; between the two, the loop without the
 * branch is, since it loses about as much in 24 steps as one misprediction costs. */
#define SPARSE_STEPS 24
#define FULL_STEPS 24

/* Steps of each lane of the next block; 0: the rest is too short for all lanes. `left`: bytes of
 * the window. */
static size_t lane_steps(const trawl_lane_walker *walker, size_t left, size_t most) {
    size_t steps = left / TRAWL_LANES;
    steps = steps < most ? steps : most;
    bool enough = steps >= FEWEST_STEPS && steps >= OVERLAP_FACTOR * walker->overlap;
    return enough && !walker->plain ? steps : 0;
}

/* A block of lanes that is too short for the ones above: `bytes` of text, and as many lanes as are
 * fastest. */
typedef struct short_block {
    size_t bytes, lanes, steps; /* no lanes: one lane is fastest */
} short_block;

/* A short block of `left` bytes in lanes of at most `most` steps, or none. */
static short_block plan_short_block(const trawl_lane_walker *walker, size_t left, size_t most) {
    const struct {
        size_t lanes, step;
    } ways[] = {{TRAWL_FEW_LANES, walker->loops->few_cost}, {TRAWL_LANES, walker->loops->all_cost}};
    short_block best = {.bytes = left};
    size_t overlap = walker->overlap, least = SIZE_MAX;
    if (walker->plain || left <= overlap || overlap >= most) {
        return best;
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        size_t lanes = ways[i].lanes, repeated = (lanes - 1) * overlap;
        size_t room = lanes * most - repeated, bytes = left < room ? left : room;
        size_t steps = (bytes + repeated + lanes - 1) / lanes;
        size_t time = SEVERAL_START + steps * ways[i].step;
        if (time < ONE_STEP * bytes && time < least) {
            least = time;
            best = (short_block){.bytes = bytes, .lanes = lanes, .steps = steps};
        }
    }
    return best;
}

/* The state of the walk before text[end] of the window. */
static uint32_t warm_up(const trawl_lane_walker *walker, const trawl_window *window, size_t end) {
    size_t steps = end < walker->overlap ? end : walker->overlap;
    trawl_lane_set lanes = {.text = {window->text + end - steps}};
    walker->loops->advance[1](walker->automaton, &lanes, steps);
    return lanes.state[0];
}

/* Sets up the lanes of the block that begins at `position`; lane 0 continues in `state`. */
static void start_lanes(const trawl_lane_walker *walker, const trawl_window *window,
                        size_t position, size_t steps, uint32_t state, trawl_lane_set *lanes) {
    for (size_t lane = 0; lane < TRAWL_LANES; lane++) {
        /* Lane 0 needs no warm-up. It repeats lane 1's, so that one loop serves all lanes. */
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

/* What becomes of recorded events: matches in a sink if there is one, else counts. */
typedef struct event_consumer {
    trawl_sink *sink;
    trawl_counts *counts;
} event_consumer;

/* Handles the events of a lane whose first byte is text[begin]. */
static trawl_status consume(trawl_lane_walker *walker, const trawl_window *window,
                            trawl_ending_event *events, size_t count, size_t begin,
                            const event_consumer *consumer) {
    walker->loops->name_keys(walker->automaton, events, count);
    if (walker->outputs->gates != NULL) {
        count = trawl_gates_keep(walker->outputs, window, begin, events, count);
    }
    if (consumer->sink != NULL) {
        return trawl_prepared_emit(&walker->prepared, walker->outputs, walker->patterns, window,
                                   begin, events, count, consumer->sink);
    }
    trawl_counts *counts = consumer->counts;
    if (counts->per_pattern == NULL && !walker->verify) {
        const uint32_t *total = walker->outputs->total;
        uint64_t sum = 0;
        for (size_t i = 0; i < count; i++) {
            sum += total[events[i].key];
        }
        counts->total += sum;
        return TRAWL_OK;
    }
    if (counts->per_pattern == NULL) {
        trawl_prepared_count(&walker->prepared, walker->outputs, walker->patterns, window, begin,
                             events, count, counts);
        return TRAWL_OK;
    }
    for (size_t i = 0; i < count; i++) {
        trawl_emit_counts(walker->outputs, walker->patterns, window, begin + events[i].position,
                          events[i].key, counts, walker->hits);
    }
    return TRAWL_OK;
}

static size_t record_steps(const trawl_lane_walker *walker) {
    size_t most = OVERLAP_FACTOR * walker->overlap;
    return most < RECORD_STEPS ? RECORD_STEPS : most > RECORD_STEPS_MAX ? RECORD_STEPS_MAX : most;
}

/* Allocates room for the events of a block of a window with `owned` owned bytes. */
static trawl_status prepare_events(trawl_lane_walker *walker, size_t owned, trawl_error *error) {
    size_t most = record_steps(walker) * TRAWL_LANES;
    /* A short block of several lanes repeats overlaps; it is longer than one of them. */
    size_t repeated = owned > walker->overlap ? TRAWL_LANES * (walker->overlap + 1) : 0;
    bool fewer = owned < most && owned + repeated < most; /* owned may be SIZE_MAX */
    size_t needed = (fewer ? owned + repeated : most) + TRAWL_LANES;
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

static trawl_lane_density density(uint64_t matching, uint64_t steps) {
    return matching <= steps / SPARSE_STEPS         ? TRAWL_LANES_SPARSE
           : matching >= steps - steps / FULL_STEPS ? TRAWL_LANES_FULL
                                                    : TRAWL_LANES_MIXED;
}

/* How far a walk over a window has come. */
typedef struct lane_progress {
    size_t position;
    uint32_t state; /* before text[position] */
} lane_progress;

/* Records and consumes a short block. Lanes have the same number of steps, and the first `overlap`
 * of each but the first bring it into its state: events there are dropped.
 *
 *     lane 0  |-------------->|
 *     lane 1          |. . . .------>|
 *     lane 2                 |. . . .------>|       . warm-up
 */
static trawl_status record_short_block(trawl_lane_walker *walker, const trawl_window *window,
                                       const short_block *block, lane_progress *at,
                                       const event_consumer *consumer) {
    const size_t count = block->lanes, steps = block->steps;
    trawl_lane_set lanes;
    memset(&lanes, 0, sizeof lanes);
    lanes.state[0] = at->state;
    for (size_t lane = 0; lane < count; lane++) {
        size_t from = lane * (steps - walker->overlap), last = block->bytes - steps;
        lanes.text[lane] = window->text + at->position + (from < last ? from : last);
        lanes.events[lane] = walker->events + lane * (steps + 1);
    }
    bool dense = walker->density == TRAWL_LANES_MIXED;
    if (count == TRAWL_FEW_LANES) {
        walker->loops->record_few[dense](walker->automaton, &lanes, steps);
    } else if (dense) {
        walker->loops->record_dense(walker->automaton, &lanes, steps);
    } else {
        walker->loops->record[0](walker->automaton, &lanes, steps);
    }
    at->state = lanes.state[count - 1];
    size_t events = 0, done = at->position; /* events up to there belong to the lanes before */
    trawl_status status = TRAWL_OK;
    for (size_t lane = 0; lane < count && status == TRAWL_OK; lane++) {
        size_t begin = (size_t)(lanes.text[lane] - window->text);
        trawl_ending_event *own = lanes.events[lane], *past = own + lanes.event_count[lane];
        events += lanes.event_count[lane];
        while (own != past && begin + own->position <= done) {
            own++;
        }
        done = begin + steps;
        if (own != past) {
            status = consume(walker, window, own, (size_t)(past - own), begin, consumer);
        }
    }
    walker->density = density(events, steps * count);
    at->position += block->bytes;
    return status;
}

/* Records and consumes one block of lanes: of all, of a few, or of one where the rest is too short
 * for several. */
static trawl_status record_block(trawl_lane_walker *walker, const trawl_window *window,
                                 lane_progress *at, const event_consumer *consumer) {
    size_t most = record_steps(walker);
    size_t left = window->length - at->position;
    size_t steps = lane_steps(walker, left, most);
    if (steps == 0) {
        short_block block = plan_short_block(walker, left, most);
        if (block.lanes != 0) {
            return record_short_block(walker, window, &block, at, consumer);
        }
    }
    trawl_lane_set lanes;
    memset(&lanes, 0, sizeof lanes);
    if (steps == 0) {
        steps = left < most ? left : most;
        lanes.text[0] = window->text + at->position;
        lanes.state[0] = at->state;
        lanes.events[0] = walker->events;
        walker->loops->record[1](walker->automaton, &lanes, steps);
        at->state = lanes.state[0];
        at->position += steps;
        return consume(walker, window, walker->events, lanes.event_count[0], at->position - steps,
                       consumer);
    }
    start_lanes(walker, window, at->position, steps, at->state, &lanes);
    for (size_t lane = 0; lane < TRAWL_LANES; lane++) {
        lanes.events[lane] = walker->events + lane * (steps + 1);
    }
    if (walker->density == TRAWL_LANES_MIXED) {
        walker->loops->record_dense(walker->automaton, &lanes, steps);
    } else {
        walker->loops->record[0](walker->automaton, &lanes, steps);
    }
    at->state = lanes.state[TRAWL_LANES - 1];
    size_t events = 0;
    trawl_status status = TRAWL_OK;
    for (size_t lane = 0; lane < TRAWL_LANES && status == TRAWL_OK; lane++) {
        events += lanes.event_count[lane];
        status = consume(walker, window, lanes.events[lane], lanes.event_count[lane],
                         at->position + lane * steps, consumer);
    }
    walker->density = density(events, steps * TRAWL_LANES);
    at->position += steps * TRAWL_LANES;
    return status;
}

static trawl_status record_window(trawl_lane_walker *walker, const trawl_window *window,
                                  const event_consumer *consumer, trawl_error *error) {
    trawl_status status = prepare_events(walker, window->length - window->owned, error);
    lane_progress at = {window->owned, warm_up(walker, window, window->owned)};
    while (status == TRAWL_OK && at.position < window->length) {
        status = record_block(walker, window, &at, consumer);
    }
    return status;
}

trawl_status trawl_lanes_scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                              trawl_error *error) {
    event_consumer consumer = {.sink = sink};
    return record_window((trawl_lane_walker *)walker, window, &consumer, error);
}

static size_t count_steps(const trawl_lane_walker *walker) {
    size_t most = COUNT_OVERLAP_FACTOR * walker->overlap;
    return most < COUNT_STEPS ? COUNT_STEPS : most;
}

/* Whether the next block is recorded also where matches are only counted: where they are frequent
 * but not in nearly all steps, since recording needs no branch that depends on the text; and if it
 * is a short one, whose lanes meet some matches twice. */
static bool records_to_count(const trawl_lane_walker *walker, size_t left) {
    return walker->density == TRAWL_LANES_MIXED ||
           (lane_steps(walker, left, count_steps(walker)) == 0 &&
            plan_short_block(walker, left, record_steps(walker)).lanes != 0);
}

/* Counts one block by the totals of states, or the rest of the window if that is short. */
static void count_block(trawl_lane_walker *walker, const trawl_window *window, lane_progress *at,
                        trawl_counts *counts) {
    size_t left = window->length - at->position;
    size_t steps = lane_steps(walker, left, count_steps(walker));
    trawl_lane_set lanes;
    memset(&lanes, 0, sizeof lanes);
    if (steps == 0) {
        lanes.text[0] = window->text + at->position;
        lanes.state[0] = at->state;
        counts->total += walker->loops->count[1](walker->automaton, &lanes, left);
        at->position = window->length;
        return;
    }
    start_lanes(walker, window, at->position, steps, at->state, &lanes);
    uint64_t found = walker->loops->count[0](walker->automaton, &lanes, steps);
    counts->total += found;
    /* `found` may be large because few steps found many matches each. So counting never changes the
     * density to FULL (nearly every step finds a match): only recording, which counts such steps,
     * does. */
    trawl_lane_density seen = density(found, steps * TRAWL_LANES);
    if (seen != TRAWL_LANES_FULL || walker->density != TRAWL_LANES_FULL) {
        walker->density = seen == TRAWL_LANES_SPARSE ? TRAWL_LANES_SPARSE : TRAWL_LANES_MIXED;
    }
    at->state = lanes.state[TRAWL_LANES - 1];
    at->position += steps * TRAWL_LANES;
}

/* Counts all matches. */
static trawl_status count_window(trawl_lane_walker *walker, const trawl_window *window,
                                 trawl_counts *counts, trawl_error *error) {
    event_consumer consumer = {.counts = counts};
    lane_progress at = {window->owned, warm_up(walker, window, window->owned)};
    trawl_status status = TRAWL_OK;
    while (status == TRAWL_OK && at.position < window->length) {
        if (records_to_count(walker, window->length - at.position)) {
            status = prepare_events(walker, window->length - window->owned, error);
            if (status == TRAWL_OK) {
                status = record_block(walker, window, &at, &consumer);
            }
        } else {
            count_block(walker, window, &at, counts);
        }
    }
    return status;
}

trawl_status trawl_lanes_count(trawl_walker *base, const trawl_window *window, trawl_counts *counts,
                               trawl_error *error) {
    trawl_lane_walker *walker = (trawl_lane_walker *)base;
    if (counts->per_pattern == NULL && !walker->verify) {
        return count_window(walker, window, counts, error);
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

trawl_lane_walker *trawl_lanes_automaton(trawl_walker *walker, uint32_t part) {
    (void)part;
    return (trawl_lane_walker *)walker;
}

trawl_status trawl_lanes_reserve(trawl_walker *base, trawl_error *error) {
    trawl_lane_walker *walker = (trawl_lane_walker *)base;
    trawl_prepared_reserve(&walker->prepared, walker->outputs, walker->patterns);
    return prepare_events(walker, SIZE_MAX, error);
}

void trawl_lanes_release(trawl_lane_walker *walker) {
    trawl_release(walker->events);
    trawl_release(walker->hits);
    trawl_prepared_release(&walker->prepared);
}
