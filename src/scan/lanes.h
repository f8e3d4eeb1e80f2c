/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Walking one automaton through several places of the text in turn.
 *
 * A step of an automaton is a load whose address depends on the load before. While a core waits for
 * one, it can do several others. So the owned text of a window is walked in blocks of TRAWL_LANES
 * lanes of equal length, one step of each lane in turn:
 *
 *     block   | lane 0 ------> | lane 1 ------> | ...  | lane 7 ------> |  next block
 *
 * Lane 0 continues where the last block ended; which states the others begin in is not known yet.
 * - Blocks that count: a lane begins max_length - 1 bytes early, which brings it into the right
 *   state, as the overlap does for chunks (Zha & Sahni 2011, IV-A): its warm-up.
 * - Blocks that record: a lane begins in the root, so its first states may be wrong. The lane
 *   before it goes on until both are in the same state: mostly within a few bytes, at the latest
 *   after max_length. Events up to that place are taken from the lane before, later events from
 *   the lane itself.
 *
 * The matches of the lanes are reported lane after lane, so that the order is kept.
 */
#ifndef TRAWL_SCAN_LANES_H
#define TRAWL_SCAN_LANES_H

#include "scan/prepared_matches.h"

/* Before a loop over lanes: unrolled, it keeps their states in registers. */
#if defined(__clang__)
#define UNROLL_LANES _Pragma("clang loop unroll(full)")
#else
#define UNROLL_LANES _Pragma("GCC unroll 8")
#endif

/* Lanes of a block that is too short for TRAWL_LANES of them. */
enum { TRAWL_FEW_LANES = 4 };

/* The lanes of a block. */
typedef struct trawl_lane_set {
    const uint8_t *text[TRAWL_LANES]; /* a lane's first byte */
    uint32_t state[TRAWL_LANES];      /* before that byte; after a loop: behind the last byte */
    /* Recorded events, whose `key` is a state at first. Room for one event a step and one more. */
    trawl_ending_event *events[TRAWL_LANES];
    size_t event_count[TRAWL_LANES];
} trawl_lane_set;

/* The loops of an automaton, made by scan/lanes_template.h. Each takes `steps` bytes of every lane:
 * [0] of TRAWL_LANES lanes, [1] of lane 0 alone. */
typedef struct trawl_lane_loops {
    /* Only brings the lanes into their states. */
    void (*advance[2])(const void *automaton, trawl_lane_set *lanes, size_t steps);
    /* Returns the sum of the totals of matching states. */
    uint64_t (*count[2])(const void *automaton, trawl_lane_set *lanes, size_t steps);
    /* Records an event for each matching state. */
    void (*record[2])(const void *automaton, trawl_lane_set *lanes, size_t steps);
    /* As record[0], without a branch on matching: for texts where it is often mispredicted. */
    void (*record_dense)(const void *automaton, trawl_lane_set *lanes, size_t steps);
    /* The same of TRAWL_FEW_LANES lanes: with a branch, and without. */
    void (*record_few[2])(const void *automaton, trawl_lane_set *lanes, size_t steps);
    /* Goes on with all lanes but the last of TRAWL_FEW_LANES or TRAWL_LANES, which have made `done`
     * steps, each beside a walk whose state is in from_root, and records events. Returns the steps
     * after which all are in the states of the walks beside them, or `most`. */
    size_t (*join[2])(const void *automaton, trawl_lane_set *lanes, uint32_t *from_root,
                      size_t done, size_t most);
    /* Replaces the states of recorded events by their keys. */
    void (*name_keys)(const void *automaton, trawl_ending_event *events, size_t count);
    /* The longest key that ends in the state with this number, or TRAWL_NO_KEY. */
    uint32_t (*key_of)(const void *automaton, uint32_t number);
    /* Walks text[0 .. steps) from `state` and writes the number of the state after each byte.
     * Returns the last state. */
    uint32_t (*write_states)(const void *automaton, uint32_t state, const uint8_t *text,
                             size_t steps, uint32_t *numbers);
    /* The time of a step of TRAWL_FEW_LANES and of TRAWL_LANES lanes, in tenths of that of one. */
    size_t few_cost, all_cost;
} trawl_lane_loops;

/* How many steps lead to a matching state, which decides whether a branch on it is predicted. */
typedef enum trawl_lane_density {
    TRAWL_LANES_SPARSE, /* few: predicted */
    TRAWL_LANES_MIXED,  /* not predicted */
    TRAWL_LANES_FULL    /* nearly all, as in runs of one byte: predicted */
} trawl_lane_density;

/* The first member of every walker whose scan, count and settle are the functions below. */
typedef struct trawl_lane_walker {
    trawl_walker base;
    const trawl_lane_loops *loops;
    const void *automaton;
    const trawl_outputs *outputs;
    const trawl_pattern_view *patterns;
    uint32_t states;            /* of the automaton */
    size_t overlap;             /* max_length - 1 */
    bool verify;                /* some outputs need verification: totals do not suffice */
    bool plain;                 /* one lane walks alone always (trawl_study_scan_options) */
    trawl_lane_density density; /* of the last block */
    size_t join_steps;          /* how many steps lanes took of late to join, on average */
    unsigned unjoined; /* in so many blocks lanes must be long enough to join for certain */
    trawl_ending_event *events; /* of one block; NULL until needed */
    size_t event_capacity;
    uint64_t *hits; /* counts of keys; NULL unless patterns are counted one by one */
    trawl_prepared_matches prepared;
    trawl_case_counter cases;
} trawl_lane_walker;

trawl_status trawl_lanes_scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                              trawl_error *error);
trawl_status trawl_lanes_count(trawl_walker *walker, const trawl_window *window,
                               trawl_counts *counts, trawl_error *error);
/* Adds the collected counts of keys to those of their patterns. */
void trawl_lanes_settle(trawl_walker *walker, trawl_counts *counts);
/* The walker itself: it has one automaton. */
trawl_lane_walker *trawl_lanes_automaton(trawl_walker *walker, uint32_t part);
/* Allocates what scanning and counting may need (`reserve` in scan/contract.h). */
trawl_status trawl_lanes_reserve(trawl_walker *walker, trawl_error *error);
/* Frees what scanning and counting have allocated. */
void trawl_lanes_release(trawl_lane_walker *walker);

#endif
