/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The states of automata: the states along a text, decoded, are the oracle's matches, for every
 * engine and variant that has an automaton.
 */
#include "combinations.h"
#include "generate.h"
#include "oracle.h"
#include "trawl/trawl_study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Adds the matches that end behind text[at], as `state` of automaton `part` gives them. Patterns of
 * folded databases are compared with the text, as the header asks. */
static void decode(const trawl_db *db, uint32_t part, const test_case *test, uint32_t state,
                   size_t at, match_list *found) {
    size_t count, again;
    trawl_error error;
    assert_int_equal(trawl_study_state_patterns(db, part, state, NULL, 0, &count, &error),
                     TRAWL_OK);
    uint32_t *ids = calloc(count + 1, sizeof(*ids));
    assert_non_null(ids);
    ids[count] = 12345;
    assert_int_equal(trawl_study_state_patterns(db, part, state, ids, count, &again, &error),
                     TRAWL_OK);
    assert_int_equal(again, count);
    assert_int_equal(ids[count], 12345);
    for (size_t i = 0; i < count; i++) {
        assert_true(ids[i] < test->count);
        const trawl_pattern *pattern = &test->patterns[ids[i]];
        assert_true(pattern->length <= at + 1);
        if (i != 0)
            assert_true(test->patterns[ids[i - 1]].length >= pattern->length);
        size_t start = at + 1 - pattern->length;
        if (oracle_matches_at(pattern, test->text, test->length, start))
            match_list_add(found, ids[i], start, at + 1);
    }
    free(ids);
}

/* True if the combination has automata. */
static bool check_states(combination which, const test_case *test, trawl_match_kind kind) {
    combination_failure failure;
    trawl_db *db;
    combination_outcome outcome = combination_compile(which, test, kind, &db, &failure);
    if (outcome == COMBINATION_FAILED)
        fail_msg("%s: %s", which.engine, failure.what);
    if (outcome != COMBINATION_COMPILED)
        return false;
    trawl_error error;
    trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
    trawl_status status = trawl_study_db_automaton(db, 0, &automaton, &error);
    if (status == TRAWL_ERROR_LIMIT) {
        assert_non_null(strstr(error.message, "ac-dfa"));
        trawl_db_free(db);
        return false;
    }
    assert_int_equal(status, TRAWL_OK);
    match_list expected = {0}, found = {0};
    oracle_search(test->patterns, test->count, test->text, test->length, TRAWL_MATCH_ALL,
                  &expected);
    uint32_t *states = calloc(test->length + 1, sizeof(*states));
    assert_non_null(states);
    for (uint32_t part = 0; part < automaton.automata; part++) {
        trawl_study_automaton own = TRAWL_STUDY_AUTOMATON;
        assert_int_equal(trawl_study_db_automaton(db, part, &own, &error), TRAWL_OK);
        assert_int_equal(own.state_bytes, own.states > 65536 ? 4 : 2);
        states[test->length] = 54321;
        assert_int_equal(
            trawl_study_walk_states(db, part, test->text, test->length, states, &error), TRAWL_OK);
        assert_int_equal(states[test->length], 54321);
        for (size_t at = 0; at < test->length; at++) {
            assert_true(states[at] < own.states);
            decode(db, part, test, states[at], at, &found);
        }
        size_t count;
        assert_int_equal(trawl_study_state_patterns(db, part, own.states, NULL, 0, &count, &error),
                         TRAWL_ERROR_ARGUMENT);
    }
    assert_int_equal(trawl_study_db_automaton(db, automaton.automata, &automaton, &error),
                     TRAWL_ERROR_ARGUMENT);
    match_list_sort(&found);
    if (!match_list_equal(&found, &expected))
        fail_msg("%s/%s: %zu matches from states, %zu expected", which.engine,
                 which.variant ? which.variant : "-", found.count, expected.count);
    free(states);
    match_list_free(&expected);
    match_list_free(&found);
    trawl_db_free(db);
    return true;
}

static void random_sets(void **state) {
    (void)state;
    size_t with_automata = 0;
    for (uint64_t i = 0; i < 60; i++) {
        random_source random = random_for_case(random_seed(), i);
        test_case test = {0};
        generate_case(&random, SIZE_MAX, &test);
        if (test.length > 5000)
            test.length = 5000;
        trawl_match_kind kind = (trawl_match_kind)random_below(&random, MATCH_KINDS);
        for (size_t c = 0; c < combination_count(); c++)
            if (strcmp(combination_at(c).engine, "auto") != 0)
                with_automata += check_states(combination_at(c), &test, kind);
        test_case_free(&test);
    }
    assert_true(with_automata >= 60);
}

/* Zha & Sahni 2011, Fig. 2: seven patterns make 34 states. */
static void automaton_of_the_paper(void **state) {
    (void)state;
    static const char *const words[] = {"abcaabb", "abcaabbcc", "acb",     "abccabb",
                                        "ccabb",   "bccabc",    "bbccabca"};
    test_case test = {0};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        test_case_add_pattern(&test, words[i], strlen(words[i]), 0);
    for (size_t c = 0; c < combination_count(); c++) {
        combination which = combination_at(c);
        combination_failure failure;
        trawl_db *db;
        if (strcmp(which.engine, "ac-dfa") != 0 && strcmp(which.engine, "ac-nfa") != 0)
            continue;
        assert_int_equal(combination_compile(which, &test, TRAWL_MATCH_ALL, &db, &failure),
                         COMBINATION_COMPILED);
        trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
        trawl_error error;
        assert_int_equal(trawl_study_db_automaton(db, 0, &automaton, &error), TRAWL_OK);
        assert_int_equal(automaton.states, 34);
        /* "abccabb" ends in a state that also ends "ccabb". */
        uint32_t states[7], ids[4];
        size_t count;
        assert_int_equal(trawl_study_walk_states(db, 0, "abccabb", 7, states, &error), TRAWL_OK);
        assert_int_equal(trawl_study_state_patterns(db, 0, states[6], ids, 4, &count, &error),
                         TRAWL_OK);
        assert_int_equal(count, 2);
        assert_int_equal(ids[0], 3);
        assert_int_equal(ids[1], 4);
        trawl_db_free(db);
    }
    test_case_free(&test);
}

static void errors_are_named(void **state) {
    (void)state;
    trawl_error error;
    trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
    size_t count;
    uint32_t number;
    assert_int_equal(trawl_study_db_automaton(NULL, 0, &automaton, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_walk_states(NULL, 0, "a", 1, &number, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_state_patterns(NULL, 0, 0, NULL, 0, &count, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_state_patterns(NULL, 0, 0, NULL, 0, NULL, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_db_automaton(NULL, 0, NULL, &error), TRAWL_ERROR_ARGUMENT);
    automaton.size = 0;
    assert_int_equal(trawl_study_db_automaton(NULL, 0, &automaton, &error), TRAWL_ERROR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automaton_of_the_paper),
        cmocka_unit_test(random_sets),
        cmocka_unit_test(errors_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
