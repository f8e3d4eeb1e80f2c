/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_dfa/state_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "automaton/dfa.h"
#include "base/allocate.h"
#include "base/random.h"
#include "base/status.h"
#include "constants/gpu.h"
#include "database/outputs.h"

/* Places of a text that are walked in turn, since a step waits for the load of the one before.
 * Fewer than TRAWL_LANES, as the sample is short and each place needs a warm-up; no measurement
 * chose the number. */
#define LANES ((size_t)4)

/* ------------------------------------------------------------------ walking */

typedef struct dfa_walk {
    const trawl_dfa_header *header;
    const void *table;
    const uint8_t *class_of;
    size_t longest; /* bytes of the longest pattern: no state is deeper */
} dfa_walk;

static dfa_walk walk_of(const trawl_db *db) {
    dfa_walk walk = {
        .header = trawl_db_section(db, TRAWL_SECTION_DFA_HEADER, 0, NULL),
        .table = trawl_db_section(db, TRAWL_SECTION_DFA_TABLE, 0, NULL),
        .class_of = trawl_db_section(db, TRAWL_SECTION_CLASSES, 0, NULL),
        .longest = db->header->max_length,
    };
    return walk;
}

static uint32_t step(const dfa_walk *walk, uint32_t state, uint8_t byte) {
    size_t row = (size_t)state * walk->header->columns;
    switch (walk->header->layout) {
    case TRAWL_DFA_NARROW:
        return ((const uint16_t *)walk->table)[row + walk->class_of[byte]];
    case TRAWL_DFA_WIDE:
        return ((const uint32_t *)walk->table)[row + walk->class_of[byte]] / walk->header->columns;
    case TRAWL_DFA_STT16:
        return ((const uint16_t *)walk->table)[row + byte];
    default:
        return ((const uint32_t *)walk->table)[row + byte];
    }
}

static uint32_t walk_bytes(const dfa_walk *walk, uint32_t state, const uint8_t *text, size_t length,
                           uint32_t *visits) {
    for (size_t i = 0; i < length; i++) {
        state = step(walk, state, text[i]);
        visits[state]++;
    }
    return state;
}

/* Returns the state before text[place]: a walk over the longest pattern's length before it leads
 * there. */
static uint32_t state_at(const dfa_walk *walk, const uint8_t *text, size_t place) {
    uint32_t state = 0;
    for (size_t i = place < walk->longest ? 0 : place - walk->longest; i < place; i++) {
        state = step(walk, state, text[i]);
    }
    return state;
}

/* Counts the visits of states in a text, in LANES places in turn if the text is long enough. */
static void walk_text(const dfa_walk *walk, const uint8_t *text, size_t length, uint32_t *visits) {
    const size_t lane_bytes = length / LANES;
    uint32_t state[LANES] = {0};
    if (lane_bytes / LANES < walk->longest) { /* the walks before the lanes would be too long */
        (void)walk_bytes(walk, 0, text, length, visits);
        return;
    }
    for (size_t lane = 1; lane < LANES; lane++) {
        state[lane] = state_at(walk, text, lane * lane_bytes);
    }
    for (size_t i = 0; i < lane_bytes; i++) {
        for (size_t lane = 0; lane < LANES; lane++) {
            state[lane] = step(walk, state[lane], text[lane * lane_bytes + i]);
            visits[state[lane]]++;
        }
    }
    (void)walk_bytes(walk, state[LANES - 1], text + LANES * lane_bytes, length - LANES * lane_bytes,
                     visits);
}

static void walk_sample(const dfa_walk *walk, const uint8_t *sample, size_t length,
                        uint32_t *visits) {
    if (length <= TRAWL_GPU_HOT_RANKED_BYTES) {
        walk_text(walk, sample, length, visits);
        return;
    }
    size_t piece = TRAWL_GPU_HOT_RANKED_BYTES / TRAWL_GPU_HOT_RANKED_PIECES;
    size_t stride = (length - piece) / (TRAWL_GPU_HOT_RANKED_PIECES - 1);
    for (size_t i = 0; i < TRAWL_GPU_HOT_RANKED_PIECES; i++) {
        walk_text(walk, sample + i * stride, piece, visits);
    }
}

/* Walks a text that is made up of short pieces of the patterns. */
static void walk_made_up(const dfa_walk *walk, const trawl_pattern_view *patterns,
                         uint32_t *visits) {
    uint64_t bytes = trawl_offset(patterns->offsets, patterns->bases, patterns->count);
    uint64_t random = UINT64_C(0x9e3779b97f4a7c15);
    uint32_t state = 0;
    for (size_t i = 0; bytes != 0 && i < TRAWL_GPU_HOT_RANKED_BYTES; i += TRAWL_GPU_MADE_UP_BYTES) {
        uint64_t from = (trawl_random_next(&random) >> 16) % bytes;
        for (uint64_t j = from; j < from + TRAWL_GPU_MADE_UP_BYTES && j < bytes; j++) {
            state = step(walk, state, patterns->bytes[j]);
            visits[state]++;
        }
    }
}

/* ------------------------------------------------------------------ ranking */

typedef struct visited_state {
    uint32_t visits, state;
} visited_state;

/* Orders the root first, then states by descending visits, then by number. */
static int by_visits(const void *left, const void *right) {
    const visited_state *a = left, *b = right;
    if (a->state == 0 || b->state == 0) {
        return a->state == 0 ? b->state == 0 ? 0 : -1 : 1;
    }
    if (a->visits != b->visits) {
        return a->visits > b->visits ? -1 : 1;
    }
    return a->state < b->state ? -1 : a->state > b->state;
}

/* Orders the states, and replaces the visits by state with visits by rank. */
static trawl_status rank(trawl_state_ranks *ranks, trawl_error *error) {
    ranks->visits[0]++; /* so that the root is among the visited states */
    for (uint32_t state = 0; state < ranks->states; state++) {
        ranks->visited += ranks->visits[state] != 0;
        ranks->steps += ranks->visits[state];
    }
    visited_state *visited = trawl_allocate(ranks->visited, sizeof *visited);
    if (visited == NULL) {
        return trawl_fail_memory(error, "ranking states",
                                 (uint64_t)ranks->visited * sizeof *visited);
    }
    uint32_t used = 0, rest = ranks->visited;
    for (uint32_t state = 0; state < ranks->states; state++) {
        if (ranks->visits[state] != 0) {
            visited[used++] = (visited_state){ranks->visits[state], state};
        } else {
            ranks->order[rest++] = state; /* by number: states nearer to the root come first */
        }
    }
    qsort(visited, used, sizeof *visited, by_visits);
    memset(ranks->visits, 0, ranks->states * sizeof *ranks->visits);
    for (uint32_t i = 0; i < used; i++) {
        ranks->order[i] = visited[i].state;
        ranks->visits[i] = visited[i].visits;
    }
    trawl_release(visited);
    return TRAWL_OK;
}

trawl_status trawl_state_ranks_make(const trawl_db *db, const uint8_t *sample, size_t length,
                                    trawl_state_ranks *ranks, trawl_error *error) {
    dfa_walk walk = walk_of(db);
    memset(ranks, 0, sizeof *ranks);
    ranks->states = walk.header->states;
    ranks->order = trawl_allocate(ranks->states, sizeof *ranks->order);
    ranks->visits = trawl_allocate_zeroed(ranks->states, sizeof *ranks->visits);
    trawl_status status = TRAWL_OK;
    if (ranks->order == NULL || ranks->visits == NULL) {
        status = trawl_fail_memory(error, "ranking states",
                                   (uint64_t)ranks->states * 2 * sizeof *ranks->order);
    } else {
        if (sample != NULL && length != 0) {
            walk_sample(&walk, sample, length, ranks->visits);
        } else {
            walk_made_up(&walk, &db->patterns, ranks->visits);
        }
        status = rank(ranks, error);
    }
    if (status != TRAWL_OK) {
        trawl_state_ranks_release(ranks);
    }
    return status;
}

void trawl_state_ranks_release(trawl_state_ranks *ranks) {
    trawl_release(ranks->order);
    trawl_release(ranks->visits);
    memset(ranks, 0, sizeof *ranks);
}

/* ------------------------------------------------------------------ the shape of a table */

uint32_t trawl_state_total(const trawl_db *db, uint32_t state) {
    const trawl_dfa_header *header = trawl_db_section(db, TRAWL_SECTION_DFA_HEADER, 0, NULL);
    uint32_t key;
    if (header->layout == TRAWL_DFA_STT) {
        const uint32_t *table = trawl_db_section(db, TRAWL_SECTION_DFA_TABLE, 0, NULL);
        uint32_t match = table[(size_t)state * TRAWL_STT_COLUMNS + 256];
        if (match == 0) {
            return 0;
        }
        key = match - 1;
    } else {
        if (state < header->first_match) {
            return 0;
        }
        const uint32_t *output = trawl_db_section(db, TRAWL_SECTION_DFA_OUTPUT, 0, NULL);
        key = output[state - header->first_match];
    }
    trawl_outputs outputs;
    trawl_outputs_view(db, 0, &outputs);
    return (outputs.verify[key] & TRAWL_VERIFY_CHAIN) != 0 ? UINT32_MAX : outputs.total[key];
}

static uint32_t bits_for(uint32_t count) {
    uint32_t bits = 1;
    while (bits < TRAWL_GPU_HOT_MOST_RANK_BITS && (UINT32_C(1) << bits) < count) {
        bits++;
    }
    return bits;
}

trawl_hot_shape trawl_hot_shape_choose(const trawl_db *db, const trawl_state_ranks *ranks,
                                       uint32_t capacity) {
    if (ranks->states <= capacity && ranks->states <= UINT32_C(1) << TRAWL_GPU_HOT_MOST_RANK_BITS) {
        return (trawl_hot_shape){ranks->states, bits_for(ranks->states), true};
    }
    trawl_hot_shape best = {0, 0, false};
    uint64_t fewest = UINT64_MAX;
    for (uint32_t bits = 1; bits <= TRAWL_GPU_HOT_MOST_RANK_BITS; bits++) {
        uint32_t rows = (UINT32_C(1) << bits) < capacity ? UINT32_C(1) << bits : capacity;
        rows =
            (rows < ranks->states ? rows : ranks->states) - 1; /* one row stands for all others */
        uint32_t see_elsewhere = (UINT32_C(1) << (16 - bits)) - 1;
        uint64_t elsewhere = ranks->steps;
        for (uint32_t i = 0; i < rows && i < ranks->visited; i++) {
            if (trawl_state_total(db, ranks->order[i]) < see_elsewhere) {
                elsewhere -= ranks->visits[i];
            }
        }
        if (elsewhere <= fewest) { /* if the sample shows no difference, more rows are better */
            fewest = elsewhere;
            best = (trawl_hot_shape){rows, bits, false};
        }
        if (rows + 1 == capacity) {
            break; /* more bits for ranks would only leave fewer for totals */
        }
    }
    return best;
}
