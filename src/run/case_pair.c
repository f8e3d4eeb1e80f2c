/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/case_pair.h"

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "database/endings.h"
#include "database/outputs.h"
#include "database/selection.h"
#include "engines/engines.h"
#include "run/fallback.h"

/* Records of conditions; 0: the set has none. */
static uint32_t count_conditions(const trawl_db *db) {
    uint64_t size = 0;
    (void)trawl_db_section(db, TRAWL_SECTION_CONDITIONS, 0, &size);
    return (uint32_t)(size / sizeof(trawl_condition_record));
}

uint64_t trawl_case_pair_most(const trawl_db *db) {
    uint64_t sum = 0;
    trawl_outputs outputs = {.keys = 0};
    for (uint32_t part = 0; part < db->header->parts; part++) {
        trawl_outputs_view(db, part, &outputs);
        uint32_t most = 0;
        for (uint32_t key = 0; outputs.total != NULL && key < outputs.keys; key++) {
            most = outputs.total[key] > most ? outputs.total[key] : most;
        }
        sum += most;
    }
    return sum;
}

/* Whether more patterns can end at one position than are tested one by one. */
static bool is_long_chain(uint64_t most, uint32_t conditions) {
    return most > TRAWL_CASE_PAIR_CHAIN && most > UINT64_C(2) * conditions;
}

/* Whether the database needs a pair. Its own keys do not tell: engines may keep case-sensitive
 * patterns apart, and a fallback automaton may take their place. Without memory: no. */
static bool is_needed(const trawl_db *db) {
    uint32_t conditions = count_conditions(db);
    bool all = db->header->match_kind == TRAWL_MATCH_ALL && conditions == 0;
    if (trawl_selection_of(db).keys != NULL || conditions > TRAWL_CASE_PAIR_CONDITIONS ||
        !is_long_chain(db->patterns.count, conditions)) {
        return false;
    }
    /* Sorting the endings of 1,000,000 words takes 0.2 s, and most sets can do without. */
    uint64_t known = conditions != 0 ? trawl_case_pair_most(db) : 0;
    if (known != 0 && !is_long_chain(known, conditions)) {
        return false;
    }
    trawl_patterns *patterns = NULL;
    trawl_patterns reversed = {.bytes = NULL};
    trawl_keys keys = {.count = 0};
    trawl_status status = trawl_patterns_new(&patterns, NULL);
    if (status == TRAWL_OK) {
        status = trawl_patterns_add_database(patterns, db, NULL);
    }
    if (status == TRAWL_OK) {
        status = trawl_endings_reverse(patterns, &reversed, NULL);
    }
    if (status == TRAWL_OK) {
        status = trawl_keys_make(&reversed, NULL, 0, &keys, NULL);
    }
    /* Of all matches those that need no comparison are made anyway. */
    bool needed = status == TRAWL_OK &&
                  is_long_chain(trawl_endings_most(&keys, all ? &reversed : NULL), conditions);
    trawl_keys_release(&keys);
    trawl_release(reversed.bytes);
    trawl_patterns_free(patterns);
    return needed;
}

/* The automaton that a pattern belongs to: 1 if lower-casing changes what it matches, or nothing is
 * lower-cased. */
static unsigned automaton_of(const trawl_db *db, uint32_t id) {
    const trawl_pattern_view *patterns = &db->patterns;
    if ((patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0) {
        return 0;
    }
    if (db->header->folded == 0) {
        return 1;
    }
    for (uint32_t i = patterns->offsets[id]; i < patterns->offsets[id + 1]; i++) {
        if (trawl_is_letter(patterns->bytes[i])) {
            return 1;
        }
    }
    return 0;
}

/* Notes the key of each pattern of an automaton. */
static void note_keys(const trawl_db *db, unsigned number, trawl_case_pair *pair) {
    const trawl_db *automaton = pair->automaton[number];
    const uint32_t *ids = pair->ids[number];
    if (db->header->match_kind != TRAWL_MATCH_ALL && pair->conditions == 0) {
        const uint32_t *keys = trawl_selection_of(automaton).patterns;
        for (uint32_t i = 0; i < automaton->patterns.count; i++) {
            pair->keys[ids[i]] = keys[i] | (number == 1 ? TRAWL_CASE_PAIR_SECOND : 0);
        }
        return;
    }
    trawl_outputs outputs;
    trawl_outputs_view(automaton, 0, &outputs);
    for (uint32_t key = 0; key < outputs.keys; key++) {
        for (uint32_t i = outputs.first[key]; i < outputs.first[key + 1]; i++) {
            pair->keys[ids[outputs.ids[i]]] = key;
        }
    }
}

/* Adds a pattern, of which `reversed` gets the bytes in reversed order unless it is NULL. */
static trawl_status add_pattern(const trawl_db *db, uint32_t id, uint8_t *reversed,
                                trawl_patterns *patterns, trawl_error *error) {
    const trawl_pattern_view *all = &db->patterns;
    const uint8_t *bytes = all->bytes + all->offsets[id];
    uint32_t length = all->offsets[id + 1] - all->offsets[id];
    for (uint32_t i = 0; reversed != NULL && i < length; i++) {
        reversed[i] = bytes[length - 1 - i];
    }
    return trawl_patterns_add(patterns, reversed != NULL ? reversed : bytes, length, all->flags[id],
                              error);
}

/* Compiles one of the automata, and notes the ids of its patterns and their keys. `reversed`: as
 * for add_pattern. */
static trawl_status make_automaton(const trawl_db *db, unsigned number, uint8_t *reversed,
                                   trawl_case_pair *pair, trawl_error *error) {
    trawl_patterns *patterns = NULL;
    trawl_status status = trawl_patterns_new(&patterns, error);
    uint32_t count = 0;
    for (uint32_t id = 0; status == TRAWL_OK && id < db->patterns.count; id++) {
        if (automaton_of(db, id) == number) {
            pair->ids[number][count++] = id;
            status = add_pattern(db, id, reversed, patterns, error);
        }
    }
    bool missing = count == 0 && pair->conditions != 0;
    if (status == TRAWL_OK && !missing) {
        /* Also for kind all: walkers of leftmost kinds report the longest key alone. */
        trawl_match_kind kind = (trawl_match_kind)db->header->match_kind;
        bool longest = kind == TRAWL_MATCH_ALL || pair->conditions != 0;
        status = trawl_fallback_compile(patterns, longest ? TRAWL_MATCH_LEFTMOST_LONGEST : kind,
                                        &pair->automaton[number], error);
    }
    trawl_patterns_free(patterns);
    if (status == TRAWL_OK && !missing) {
        note_keys(db, number, pair);
    }
    return status;
}

static void release(trawl_case_pair *pair) {
    for (unsigned number = 0; number < 2; number++) {
        trawl_db_free(pair->automaton[number]);
        trawl_release(pair->ids[number]);
        trawl_release(pair->links[number]);
        trawl_release(pair->heads[number]);
        trawl_release(pair->same[number]);
    }
    if (pair->starts != NULL) {
        release(pair->starts);
    }
    for (uint32_t i = 0; pair->steps != NULL && i < pair->conditions; i++) {
        trawl_pair_steps_free(&pair->steps[i]);
    }
    trawl_release(pair->steps);
    trawl_release(pair->keys);
    trawl_release(pair);
}

/* NULL: there is no memory. `reversed`: as for add_pattern. */
static trawl_case_pair *make_pair(const trawl_db *db, uint8_t *reversed) {
    trawl_case_pair *pair = trawl_allocate_zeroed(1, sizeof *pair);
    if (pair == NULL) {
        return NULL;
    }
    size_t count = db->patterns.count;
    pair->is_reversed = reversed != NULL;
    pair->conditions = count_conditions(db);
    pair->keys = trawl_allocate(count, sizeof *pair->keys);
    trawl_status status = pair->keys == NULL ? TRAWL_ERROR_MEMORY : TRAWL_OK;
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        pair->ids[number] = trawl_allocate(count, sizeof *pair->ids[number]);
        status = pair->ids[number] == NULL ? TRAWL_ERROR_MEMORY
                                           : make_automaton(db, number, reversed, pair, NULL);
    }
    if (status == TRAWL_OK && pair->conditions != 0) {
        status = trawl_case_pair_link(db, pair);
    }
    if (status != TRAWL_OK) {
        release(pair);
        return NULL;
    }
    return pair;
}

/* A pair that finds matches by their starts. NULL: it is not needed, or there is no memory. */
static trawl_case_pair *make_starts(const trawl_db *db) {
    bool needed = db->header->match_kind != TRAWL_MATCH_ALL && count_conditions(db) != 0;
    uint8_t *reversed = needed ? trawl_allocate(db->header->max_length, sizeof *reversed) : NULL;
    trawl_case_pair *pair = reversed != NULL ? make_pair(db, reversed) : NULL;
    trawl_release(reversed);
    return pair;
}

static trawl_case_pair *make(const trawl_db *db) {
    trawl_case_pair *pair = make_pair(db, NULL);
    if (pair != NULL) {
        pair->starts = make_starts(db);
    }
    return pair;
}

const trawl_case_pair *trawl_case_pair_of(const trawl_db *db) {
    if ((db->header->folded == 0 && db->conditions.records == NULL) || db->patterns.bases != NULL) {
        return NULL;
    }
    trawl_fallback *fallback = db->fallback;
    if (!__atomic_load_n(&fallback->pair_decided, __ATOMIC_ACQUIRE)) {
        trawl_fork_lock_take(&fallback->lock);
        if (!fallback->pair_decided) {
            fallback->release_pair = release;
            fallback->pair = is_needed(db) ? make(db) : NULL;
            __atomic_store_n(&fallback->pair_decided, true, __ATOMIC_RELEASE);
        }
        trawl_fork_lock_give(&fallback->lock);
    }
    return fallback->pair;
}

trawl_status trawl_case_pair_open(const trawl_case_pair *pair, const trawl_scan_settings *settings,
                                  trawl_walker *of[2], trawl_outputs *outputs, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    for (unsigned number = 0; number < 2 && status == TRAWL_OK; number++) {
        const trawl_db *automaton = pair->automaton[number];
        if (automaton == NULL) {
            continue;
        }
        trawl_outputs_view(automaton, 0, &outputs[number]);
        status = automaton->engine->walker->open(automaton, settings, &of[number], error);
        if (status == TRAWL_OK) {
            of[number]->threads = 1; /* an automaton needs no fallback */
        }
    }
    return status;
}

void trawl_case_pair_close(trawl_walker *of[2]) {
    for (unsigned number = 0; number < 2; number++) {
        if (of[number] != NULL) {
            of[number]->type->close(of[number]);
        }
    }
}
