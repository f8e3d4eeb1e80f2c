/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What scans of a case must give: its matches, and the state of the automaton after each byte, both
 * found by naive search that shares nothing with the library.
 *
 * A state stands for a string: the longest suffix of the text so far that begins a pattern. These
 * strings are numbered: prefix of length L of pattern `id`, the first pattern that begins so, has
 * the number (lengths of the patterns before id) + L; the empty string has 0. What an automaton
 * calls its states is its own affair, so that only one thing can be asked: that the same state
 * always stands for the same string and different states for different ones.
 */
#ifndef TRAWL_TESTS_EXPECTATION_H
#define TRAWL_TESTS_EXPECTATION_H

#include "case.h"

/* Matches and strings of a text's first bytes are the first ones of the text's. */
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

/* Whether `state` may stand for `string`, given all that was asked before. */
bool state_names_agree(state_names *names, uint32_t state, uint32_t string);

#endif
