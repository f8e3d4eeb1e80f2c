/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The public calls about the states of automata, for research: their number, the states along a
 * text, and the patterns that end in a state. */
#include "base/sized.h"
#include "base/status.h"
#include "database/part_sizes.h"
#include "scan/lanes.h"
#include "trawl/trawl_study.h"

/* Opens a walker of the database, for one automaton of it. */
static trawl_status open_automaton(const trawl_db *db, uint32_t part, trawl_walker **walker,
                                   trawl_lane_walker **lanes, trawl_error *error) {
    if (db == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "the database is NULL");
    }
    if (db->patterns.count == 0) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "the database has no automaton, as it has 0 patterns");
    }
    const trawl_walker_type *type = db->engine->walker;
    if (type->automaton == NULL) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "engine %s has no automaton whose states could be read; engines ac-dfa, "
                          "ac-nfa and ac-split have",
                          db->header->engine);
    }
    if (part >= db->header->parts) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "automaton %u is asked for; the database has automata 0 to %u", part,
                          db->header->parts - 1);
    }
    const trawl_scan_settings settings = {.threads = 1, .plain_walk = true};
    trawl_status status = type->open(db, &settings, walker, error);
    if (status == TRAWL_OK) {
        *lanes = type->automaton(*walker, part);
    }
    return status;
}

trawl_status trawl_study_db_automaton(const trawl_db *db, uint32_t part,
                                      trawl_study_automaton *automaton, trawl_error *error) {
    trawl_clear(error);
    if (automaton == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "trawl_study_db_automaton: automaton is NULL");
    }
    trawl_status status = trawl_sized_check(automaton, "trawl_study_db_automaton: automaton",
                                            "TRAWL_STUDY_AUTOMATON", error);
    trawl_walker *walker;
    trawl_lane_walker *lanes;
    if (status == TRAWL_OK) {
        status = open_automaton(db, part, &walker, &lanes, error);
    }
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_part_sizes sizes;
    (void)trawl_db_part_sizes(db, part, &sizes);
    trawl_study_automaton known = {.automata = db->header->parts,
                                   .states = lanes->states,
                                   .state_bytes = lanes->states <= 65536 ? 2 : 4,
                                   .patterns = sizes.patterns,
                                   .pattern_bytes = sizes.pattern_bytes,
                                   .next_bytes = sizes.next_bytes};
    trawl_sized_write(automaton, &known, sizeof known);
    walker->type->close(walker);
    return TRAWL_OK;
}

trawl_status trawl_study_walk_states(const trawl_db *db, uint32_t part, const void *text,
                                     size_t length, uint32_t *states, trawl_error *error) {
    trawl_clear(error);
    if (length != 0 && (text == NULL || states == NULL)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_study_walk_states: %s is NULL",
                          text == NULL ? "text" : "states");
    }
    trawl_walker *walker;
    trawl_lane_walker *lanes;
    trawl_status status = open_automaton(db, part, &walker, &lanes, error);
    if (status == TRAWL_OK) {
        (void)lanes->loops->write_states(lanes->automaton, 0, text, length, states);
        walker->type->close(walker);
    }
    return status;
}

trawl_status trawl_study_state_patterns(const trawl_db *db, uint32_t part, uint32_t state,
                                        uint32_t *ids, size_t capacity, size_t *count,
                                        trawl_error *error) {
    trawl_clear(error);
    if (count == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_study_state_patterns: count is NULL");
    }
    *count = 0;
    trawl_walker *walker;
    trawl_lane_walker *lanes;
    trawl_status status = open_automaton(db, part, &walker, &lanes, error);
    if (status != TRAWL_OK) {
        return status;
    }
    if (state >= lanes->states) {
        status = trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                            "state %u is asked for; the automaton has states 0 to %u", state,
                            lanes->states - 1);
    } else {
        const trawl_outputs *outputs = lanes->outputs;
        uint32_t key = lanes->loops->key_of(lanes->automaton, state);
        for (; key != TRAWL_NO_KEY; key = outputs->link[key]) {
            for (uint32_t i = outputs->first[key]; i < outputs->first[key + 1]; i++) {
                if (ids != NULL && *count < capacity) {
                    ids[*count] = outputs->ids[i];
                }
                (*count)++;
            }
        }
    }
    walker->type->close(walker);
    return status;
}
