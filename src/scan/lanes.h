/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Walking one automaton through several places of the text in turn.
 *
 * An automaton's step is a load that depends on the load before; a core that waits for one can do
 * several others meanwhile. The owned text of a window is therefore walked in blocks of LANES
 * consecutive lanes of equal length, one step of each in turn. A lane begins max_length - 1 bytes
 * early, which brings it into the right state (the overlap rule of chunks; Zha & Sahni 2011, IV-A),
 * and the lanes' matches are reported lane after lane, so that the order is kept.
 */
#ifndef TRAWL_SCAN_LANES_H
#define TRAWL_SCAN_LANES_H

#include "scan/prepared_matches.h"

/* In front of a loop over all lanes: their states then stay in registers. */
#if defined(__clang__)
#define UNROLL_LANES _Pragma("clang loop unroll(full)")
#else
#define UNROLL_LANES _Pragma("GCC unroll 8")
#endif

/* Lanes of one block: where they read, what state they are in. */
typedef struct trawl_lane_set {
    const uint8_t *text[TRAWL_LANES];
    uint32_t state[TRAWL_LANES];
    /* Where recorded events go, with states for keys; room for one a step, and one more. */
    trawl_ending_event *events[TRAWL_LANES];
    size_t event_count[TRAWL_LANES];
} trawl_lane_set;

/* The loops of an automaton, each over `steps` bytes of every lane: [0] for TRAWL_LANES lanes, [1]
 * for lane 0 alone. All of them leave the states behind the last byte. */
typedef struct trawl_lane_loops {
    void (*advance[2])(const void *automaton, trawl_lane_set *lanes, size_t steps);
    uint64_t (*count[2])(const void *automaton, trawl_lane_set *lanes, size_t steps);
    void (*record[2])(const void *automaton, trawl_lane_set *lanes, size_t steps);
    /* The same as record[0], without a branch that is mispredicted where matches are frequent. */
    void (*record_dense)(const void *automaton, trawl_lane_set *lanes, size_t steps);
    /* Replaces the states of recorded events, matching ones, by their keys. */
    void (*name_keys)(const void *automaton, trawl_ending_event *events, size_t count);
} trawl_lane_loops;

/* How many steps meet a matching state: whether a branch on it is predicted. */
typedef enum trawl_lane_density {
    TRAWL_LANES_SPARSE, /* hardly any */
    TRAWL_LANES_MIXED,
    TRAWL_LANES_FULL /* nearly all: runs of one byte */
} trawl_lane_density;

/* An automaton's walker: begins every walker whose scan and count are the functions below. */
typedef struct trawl_lane_walker {
    trawl_walker base;
    const trawl_lane_loops *loops;
    const void *automaton;
    const trawl_outputs *outputs;
    const trawl_pattern_view *patterns;
    size_t overlap;             /* max_length - 1 */
    bool verify;                /* totals of states do not suffice to count */
    trawl_lane_density density; /* of the last block */
    trawl_ending_event *events; /* NULL until needed */
    size_t event_capacity;
    uint64_t *hits; /* one for each key; NULL until patterns are counted one by one */
    trawl_prepared_matches chains;
} trawl_lane_walker;

trawl_status trawl_lanes_scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                              trawl_error *error);
trawl_status trawl_lanes_count(trawl_walker *walker, const trawl_window *window,
                               trawl_counts *counts, trawl_error *error);
/* Distributes the chains that counting by pattern has collected. */
void trawl_lanes_settle(trawl_walker *walker, trawl_counts *counts);
void trawl_lanes_release(trawl_lane_walker *walker);

#endif
