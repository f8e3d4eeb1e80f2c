/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The expected results of scans of a case: its matches, and the state of the automaton after each
 * byte, both found by naive search that shares no code with the library.
 *
 * A state is a string: the longest suffix of the text so far that begins a pattern. These strings
 * are numbered: the prefix of length L of pattern `id`, the first pattern that begins with it, has
 * the number (lengths of the patterns before id) + L; the empty string has 0. An automaton may
 * number its states in any way. So the test only checks that the same state always belongs to the
 * same string, and different states to different strings.
 */
#ifndef TRAWL_TESTS_EXPECTATION_H
#define TRAWL_TESTS_EXPECTATION_H

#include "case.h"

/* For the first bytes of a text, the expected matches and strings are the first ones of these. */
typedef struct expectation {
    match_list matches; /* all of the text, in canonical order */
    uint32_t *strings;  /* for each byte of the text the number of the string after it */
    uint32_t numbers;   /* strings are numbered below this */
} expectation;

void expectation_make(expectation *expected, const test_case *test);
void expectation_free(expectation *expected);

/* The matches that end in text[begin .. end): expected->matches.items[*first .. *last). */
void expectation_range(const expectation *expected, uint64_t begin, uint64_t end, size_t *first,
                       size_t *last);

/* The names that one automaton gives to strings, learned from its states one by one. */
typedef struct state_names {
    uint32_t *state_of;  /* by string */
    uint32_t *string_of; /* by state */
    uint32_t strings;
    uint64_t states;
} state_names;

void state_names_make(state_names *names, const test_case *test, uint64_t states);
void state_names_free(state_names *names);

/* Whether `state` may belong to `string`, given all earlier calls. */
bool state_names_agree(state_names *names, uint32_t state, uint32_t string);

#endif
