/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The loops of one kind of automaton, for several lanes and for one. Before including this file,
 * define
 *   LOOPS             name of the trawl_lane_loops to define
 *   NAME(base)        a distinct name for each function
 *   AUTOMATON         type of the automaton
 *   PREPARE           declarations that the macros below may use; `a` is the automaton
 *   STEP(state, byte) the next state
 *   MATCHING(state)   whether outputs belong to it
 *   KEY(state)        the longest key that ends in a matching state
 *   TOTAL(state)      the number of matches that end in a matching state
 *   NUMBER(state)     the state's number in the database
 *   STATE(number)     the state with this number
 *   FEW_COST, ALL_COST  few_cost and all_cost of the loops; stay defined
 *   TARGET            the functions' target attribute, or nothing; stays defined
 */

TARGET static inline void NAME(advance_lanes)(const AUTOMATON *a, trawl_lane_set *lanes,
                                              size_t steps, size_t count) {
    PREPARE
    uint32_t state[TRAWL_LANES];
    memcpy(state, lanes->state, sizeof state);
    for (size_t i = 0; i < steps; i++) {
        UNROLL_LANES
        for (size_t lane = 0; lane < count; lane++) {
            state[lane] = STEP(state[lane], lanes->text[lane][i]);
        }
    }
    memcpy(lanes->state, state, sizeof state);
}

TARGET static inline uint64_t NAME(count_lanes)(const AUTOMATON *a, trawl_lane_set *lanes,
                                                size_t steps, size_t count) {
    PREPARE
    uint64_t total = 0;
    uint32_t state[TRAWL_LANES];
    const uint8_t *text[TRAWL_LANES];
    memcpy(state, lanes->state, sizeof state);
    memcpy(text, lanes->text, sizeof text);
    for (size_t i = 0; i < steps; i++) {
        UNROLL_LANES
        for (size_t lane = 0; lane < count; lane++) {
            state[lane] = STEP(state[lane], text[lane][i]);
            if (MATCHING(state[lane])) {
                total += TOTAL(state[lane]);
            }
        }
    }
    memcpy(lanes->state, state, sizeof state);
    return total;
}

/* Records events by a branch on matching. With `dense` there is no branch: every step writes an
 * event, which the next step overwrites unless the state matches. `count` and `dense` are constants
 * where this function is inlined. */
TARGET static inline void NAME(record_lanes)(const AUTOMATON *a, trawl_lane_set *lanes,
                                             size_t steps, size_t count, bool dense) {
    PREPARE
    uint32_t state[TRAWL_LANES];
    trawl_ending_event *events[TRAWL_LANES];
    memcpy(state, lanes->state, sizeof state);
    memcpy(events, lanes->events, sizeof events);
    for (size_t i = 0; i < steps; i++) {
        UNROLL_LANES
        for (size_t lane = 0; lane < count; lane++) {
            state[lane] = STEP(state[lane], lanes->text[lane][i]);
            if (dense) {
                *events[lane] = (trawl_ending_event){(uint32_t)i + 1, state[lane]};
                events[lane] += MATCHING(state[lane]) ? 1 : 0;
            } else if (MATCHING(state[lane])) {
                *events[lane]++ = (trawl_ending_event){(uint32_t)i + 1, state[lane]};
            }
        }
    }
    memcpy(lanes->state, state, sizeof state);
    for (size_t lane = 0; lane < count; lane++) {
        lanes->event_count[lane] = (size_t)(events[lane] - lanes->events[lane]);
    }
}

TARGET static void NAME(record_dense)(const void *automaton, trawl_lane_set *lanes, size_t steps) {
    NAME(record_lanes)(automaton, lanes, steps, TRAWL_LANES, true);
}

TARGET static void NAME(advance_many)(const void *automaton, trawl_lane_set *lanes, size_t steps) {
    NAME(advance_lanes)(automaton, lanes, steps, TRAWL_LANES);
}

TARGET static void NAME(advance_one)(const void *automaton, trawl_lane_set *lanes, size_t steps) {
    NAME(advance_lanes)(automaton, lanes, steps, 1);
}

TARGET static uint64_t NAME(count_many)(const void *automaton, trawl_lane_set *lanes,
                                        size_t steps) {
    return NAME(count_lanes)(automaton, lanes, steps, TRAWL_LANES);
}

TARGET static uint64_t NAME(count_one)(const void *automaton, trawl_lane_set *lanes, size_t steps) {
    return NAME(count_lanes)(automaton, lanes, steps, 1);
}

TARGET static void NAME(record_many)(const void *automaton, trawl_lane_set *lanes, size_t steps) {
    NAME(record_lanes)(automaton, lanes, steps, TRAWL_LANES, false);
}

TARGET static void NAME(record_one)(const void *automaton, trawl_lane_set *lanes, size_t steps) {
    NAME(record_lanes)(automaton, lanes, steps, 1, false);
}

/* The same for the lanes of a short block. */
TARGET static void NAME(record_few)(const void *automaton, trawl_lane_set *lanes, size_t steps) {
    NAME(record_lanes)(automaton, lanes, steps, TRAWL_FEW_LANES, false);
}

TARGET static void NAME(record_few_dense)(const void *automaton, trawl_lane_set *lanes,
                                          size_t steps) {
    NAME(record_lanes)(automaton, lanes, steps, TRAWL_FEW_LANES, true);
}

/* Goes on with `count` lanes, each beside a walk from the root at the same place. Writes an event
 * for every state, which the next one overwrites unless the state matches. Stops where all lanes
 * are in the states of the walks beside them, after `most` steps at the latest. */
TARGET static inline size_t NAME(join_lanes)(const AUTOMATON *a, trawl_lane_set *lanes,
                                             uint32_t *from_root, size_t done, size_t most,
                                             size_t count) {
    PREPARE
    uint32_t state[TRAWL_LANES], beside[TRAWL_LANES];
    trawl_ending_event *events[TRAWL_LANES];
    size_t i = 0;
    bool joined = false;
    memcpy(state, lanes->state, sizeof state);
    memcpy(beside, from_root, sizeof beside);
    for (size_t lane = 0; lane < count; lane++) {
        events[lane] = lanes->events[lane] + lanes->event_count[lane];
    }
    for (; i < most && !joined; i++) {
        uint32_t different = 0;
        UNROLL_LANES
        for (size_t lane = 0; lane < count; lane++) {
            const uint8_t byte = lanes->text[lane][done + i];
            state[lane] = STEP(state[lane], byte);
            beside[lane] = STEP(beside[lane], byte);
            different |= state[lane] ^ beside[lane];
            *events[lane] = (trawl_ending_event){(uint32_t)(done + i) + 1, state[lane]};
            events[lane] += MATCHING(state[lane]) ? 1 : 0;
        }
        joined = different == 0;
    }
    memcpy(lanes->state, state, sizeof state);
    memcpy(from_root, beside, sizeof beside);
    for (size_t lane = 0; lane < count; lane++) {
        lanes->event_count[lane] = (size_t)(events[lane] - lanes->events[lane]);
    }
    return i;
}

TARGET static size_t NAME(join_few)(const void *automaton, trawl_lane_set *lanes,
                                    uint32_t *from_root, size_t done, size_t most) {
    return NAME(join_lanes)(automaton, lanes, from_root, done, most, TRAWL_FEW_LANES - 1);
}

TARGET static size_t NAME(join_many)(const void *automaton, trawl_lane_set *lanes,
                                     uint32_t *from_root, size_t done, size_t most) {
    return NAME(join_lanes)(automaton, lanes, from_root, done, most, TRAWL_LANES - 1);
}

TARGET static void NAME(name_keys)(const void *automaton, trawl_ending_event *events,
                                   size_t count) {
    const AUTOMATON *a = automaton;
    PREPARE
    for (size_t i = 0; i < count; i++) {
        events[i].key = KEY(events[i].key);
    }
}

TARGET static uint32_t NAME(key_of)(const void *automaton, uint32_t number) {
    const AUTOMATON *a = automaton;
    PREPARE
    uint32_t state = STATE(number);
    return MATCHING(state) ? KEY(state) : TRAWL_NO_KEY;
}

/* The plain loop of one walk, which keeps every state. */
TARGET static uint32_t NAME(write_states)(const void *automaton, uint32_t state,
                                          const uint8_t *text, size_t steps, uint32_t *numbers) {
    const AUTOMATON *a = automaton;
    PREPARE
    for (size_t i = 0; i < steps; i++) {
        state = STEP(state, text[i]);
        numbers[i] = NUMBER(state);
    }
    return state;
}

static const trawl_lane_loops LOOPS = {
    .advance = {NAME(advance_many), NAME(advance_one)},
    .count = {NAME(count_many), NAME(count_one)},
    .record = {NAME(record_many), NAME(record_one)},
    .record_dense = NAME(record_dense),
    .record_few = {NAME(record_few), NAME(record_few_dense)},
    .join = {NAME(join_few), NAME(join_many)},
    .name_keys = NAME(name_keys),
    .key_of = NAME(key_of),
    .write_states = NAME(write_states),
    .few_cost = FEW_COST,
    .all_cost = ALL_COST,
};

#undef LOOPS
#undef NAME
#undef AUTOMATON
#undef PREPARE
#undef STEP
#undef MATCHING
#undef KEY
#undef TOTAL
#undef NUMBER
#undef STATE
