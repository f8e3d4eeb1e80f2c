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
/* A lane of a block that counts is at least this many times as long as its warm-up, which walks
 * `overlap` bytes a second time: at most 1/8 of the steps are for warm-ups. Usually its lanes have
 * 128 times the overlap, as they need no memory. A lane of a block that records has eight times
 * the overlap, if patterns are long. No measurement chose the two factors. */
#define OVERLAP_FACTOR 8
#define COUNT_OVERLAP_FACTOR 128
#define FEWEST_STEPS ((size_t)64)

/* The time that a block of several lanes takes to begin, and a step of one lane, in tenths of a
 * step of one lane (docs/notebook/2026-11-short-calls.md). */
#define ONE_STEP 10
#define SEVERAL_START 100

/* After a block whose lanes did not join in time, as in texts full of long patterns, so many blocks
 * have lanes that are long enough to join for certain. Chosen; other numbers were not measured. */
#define UNJOINED_BLOCKS 16

/* A text is sparse where at most one step in 24 matches, and full where at most one in 24 does not.
 * There a loop with a branch on matching is the fastest; between the two, the loop without the
 * branch is, since it loses about as much in 24 steps as one misprediction costs. */
#define SPARSE_STEPS 24
#define FULL_STEPS 24

/* Steps of each lane of the next block that counts; 0: the rest is too short for all lanes. `left`:
 * bytes of the window. */
static size_t counting_steps(const trawl_lane_walker *walker, size_t left) {
    size_t most = COUNT_OVERLAP_FACTOR * walker->overlap;
    most = most < COUNT_STEPS ? COUNT_STEPS : most;
    size_t steps = left / TRAWL_LANES;
    steps = steps < most ? steps : most;
    bool enough = steps >= FEWEST_STEPS && steps >= OVERLAP_FACTOR * walker->overlap;
    return enough && !walker->plain ? steps : 0;
}

/* A block of lanes that record: `bytes` of text, and as many lanes as are fastest. */
typedef struct recorded_block {
    size_t bytes, lanes, steps; /* no lanes: one lane is fastest */
    size_t most_joining;        /* steps of a lane in the text of the next one, at most */
} recorded_block;

/* The last lane begins so many bytes before the end of the lane before it. */
static size_t shared_bytes(const recorded_block *block) {
    return block->lanes * block->steps - block->bytes;
}

static size_t record_steps(const trawl_lane_walker *walker) {
    size_t most = OVERLAP_FACTOR * walker->overlap;
    return most < RECORD_STEPS ? RECORD_STEPS : most > RECORD_STEPS_MAX ? RECORD_STEPS_MAX : most;
}

/* The next block that records, of the `left` bytes of the window. */
static recorded_block plan_block(const trawl_lane_walker *walker, size_t left) {
    const size_t most = record_steps(walker);
    const struct {
        size_t lanes, step;
    } ways[] = {{TRAWL_FEW_LANES, walker->loops->few_cost}, {TRAWL_LANES, walker->loops->all_cost}};
    recorded_block best = {.bytes = left};
    /* After max_length bytes a walk from the root is in the state of any other walk. */
    const size_t certain = walker->overlap + 1;
    size_t least = ONE_STEP * left;
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !walker->plain && certain < most; i++) {
        recorded_block way = {.lanes = ways[i].lanes};
        size_t room = way.lanes * (most - certain);
        way.bytes = left < room ? left : room;
        way.steps = (way.bytes + way.lanes - 1) / way.lanes;
        if (way.steps <= way.lanes) {
            continue;
        }
        size_t own = way.steps - shared_bytes(&way);
        way.most_joining = own < certain ? own : certain;
        size_t time = SEVERAL_START + (way.steps + 2 * walker->join_steps) * ways[i].step;
        time += ONE_STEP * (left - way.bytes);
        if (time < least && (own >= certain || walker->unjoined == 0)) {
            least = time;
            best = way;
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
                             events, count, counts, &walker->cases);
        return TRAWL_OK;
    }
    for (size_t i = 0; i < count; i++) {
        trawl_emit_counts(walker->outputs, walker->patterns, window, begin + events[i].position,
                          events[i].key, counts, walker->hits, &walker->cases);
    }
    return TRAWL_OK;
}

/* Allocates room for the events of a block of a window with `owned` owned bytes. */
static trawl_status prepare_events(trawl_lane_walker *walker, size_t owned, trawl_error *error) {
    size_t most = record_steps(walker) * TRAWL_LANES;
    /* Lanes share bytes, and go on for at most max_length steps. */
    size_t repeated = TRAWL_LANES * ((walker->overlap < owned ? walker->overlap : owned) + 2);
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

/* Lets the lanes go on until each is in the state that a walk from the root, as the next lane
 * began, has at this place: from there on the next lane's states are the right ones. Returns how
 * many lanes have right states: all, or those before the first that went `most_joining` steps in
 * vain. */
static size_t join_lanes(trawl_lane_walker *walker, const recorded_block *block,
                         trawl_lane_set *lanes, size_t *joining) {
    const size_t last = block->lanes - 1, shared = shared_bytes(block);
    uint32_t from_root[TRAWL_LANES] = {0};
    if (shared != 0) {
        trawl_lane_set start = {.text = {lanes->text[last]}};
        walker->loops->advance[1](walker->automaton, &start, shared);
        from_root[last - 1] = start.state[0];
    }
    *joining = walker->loops->join[block->lanes == TRAWL_LANES](walker->automaton, lanes, from_root,
                                                                block->steps, block->most_joining);
    walker->join_steps = (3 * walker->join_steps + *joining + 2) / 4;
    size_t right = 0;
    while (right < last && lanes->state[right] == from_root[right]) {
        right++;
    }
    if (right < last) {
        walker->unjoined = UNJOINED_BLOCKS;
    }
    return right + 1;
}

/* Records and consumes a block of several lanes. They have the same number of steps, and all but
 * the first begin in the root. Then each goes on in the text of the next one, whose events there
 * are dropped, until both are in the same state (join_lanes).
 *
 *     lane 0  |-------->|-->
 *     lane 1            |. .---->|-->
 *     lane 2                     |. .---->|         . its events are dropped
 */
static trawl_status record_lanes(trawl_lane_walker *walker, const trawl_window *window,
                                 const recorded_block *block, lane_progress *at,
                                 const event_consumer *consumer) {
    const size_t count = block->lanes, steps = block->steps;
    trawl_lane_set lanes;
    memset(&lanes, 0, sizeof lanes);
    lanes.state[0] = at->state;
    for (size_t lane = 0; lane < count; lane++) {
        size_t from = lane + 1 < count ? lane * steps : block->bytes - steps;
        lanes.text[lane] = window->text + at->position + from;
        lanes.events[lane] = walker->events + lane * (steps + block->most_joining + 1);
    }
    bool dense = walker->density == TRAWL_LANES_MIXED;
    if (count == TRAWL_FEW_LANES) {
        walker->loops->record_few[dense](walker->automaton, &lanes, steps);
    } else if (dense) {
        walker->loops->record_dense(walker->automaton, &lanes, steps);
    } else {
        walker->loops->record[0](walker->automaton, &lanes, steps);
    }
    size_t joining, events = 0, done = at->position; /* events up to there are consumed */
    const size_t right = join_lanes(walker, block, &lanes, &joining);
    trawl_status status = TRAWL_OK;
    for (size_t lane = 0; lane < right && status == TRAWL_OK; lane++) {
        size_t begin = (size_t)(lanes.text[lane] - window->text);
        trawl_ending_event *own = lanes.events[lane], *past = own + lanes.event_count[lane];
        events += lanes.event_count[lane];
        while (own != past && begin + own->position <= done) {
            own++;
        }
        done = begin + steps + (lane + 1 < count ? joining : 0);
        if (own != past) {
            status = consume(walker, window, own, (size_t)(past - own), begin, consumer);
        }
    }
    walker->density = density(events, done - at->position);
    at->state = lanes.state[right - 1];
    at->position = done;
    return status;
}

/* Records and consumes one block. */
static trawl_status record_block(trawl_lane_walker *walker, const trawl_window *window,
                                 lane_progress *at, const event_consumer *consumer) {
    size_t left = window->length - at->position, most = record_steps(walker);
    recorded_block block = plan_block(walker, left);
    walker->unjoined -= walker->unjoined != 0;
    if (block.lanes != 0) {
        return record_lanes(walker, window, &block, at, consumer);
    }
    size_t steps = left < most ? left : most;
    trawl_lane_set lanes;
    memset(&lanes, 0, sizeof lanes);
    lanes.text[0] = window->text + at->position;
    lanes.state[0] = at->state;
    lanes.events[0] = walker->events;
    walker->loops->record[1](walker->automaton, &lanes, steps);
    at->state = lanes.state[0];
    at->position += steps;
    return consume(walker, window, walker->events, lanes.event_count[0], at->position - steps,
                   consumer);
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

/* Whether the next block is recorded also where matches are only counted: where they are frequent
 * but not in nearly all steps, since recording needs no branch that depends on the text; and if it
 * is too short for lanes that are warmed up. */
static bool records_to_count(const trawl_lane_walker *walker, size_t left) {
    return walker->density == TRAWL_LANES_MIXED ||
           (counting_steps(walker, left) == 0 && plan_block(walker, left).lanes != 0);
}

/* Counts one block by the totals of states, or the rest of the window if that is short. */
static void count_block(trawl_lane_walker *walker, const trawl_window *window, lane_progress *at,
                        trawl_counts *counts) {
    size_t left = window->length - at->position;
    size_t steps = counting_steps(walker, left);
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
    trawl_case_counter_reserve(&walker->cases, walker->outputs, walker->patterns);
    return prepare_events(walker, SIZE_MAX, error);
}

void trawl_lanes_release(trawl_lane_walker *walker) {
    trawl_release(walker->events);
    trawl_release(walker->hits);
    trawl_prepared_release(&walker->prepared);
    trawl_case_counter_release(&walker->cases);
}
