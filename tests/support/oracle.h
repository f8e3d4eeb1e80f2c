/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The oracle: naive search, written to be obviously right. It compares every pattern with every
 * position of the text and shares nothing with the library but the structures of trawl.h.
 */
#ifndef TRAWL_TESTS_ORACLE_H
#define TRAWL_TESTS_ORACLE_H

#include "trawl/trawl.h"
#include "trawl/trawl_conditions.h"

/* A growing list of matches, owned by the test. */
typedef struct match_list {
    trawl_match *items;
    size_t count;
    size_t capacity;
} match_list;

void match_list_add(match_list *list, uint32_t pattern, uint64_t start, uint64_t end);
void match_list_clear(match_list *list); /* keeps the memory */
void match_list_free(match_list *list);
bool match_list_equal(const match_list *a, const match_list *b);

/* Sorts into canonical order: end, then start, then pattern id. */
void match_list_sort(match_list *list);

/* True when the pattern stands at text[start]. */
bool oracle_matches_at(const trawl_pattern *pattern, const uint8_t *text, size_t length,
                       size_t start);

/* The oracle's own classes of bytes besides those of the library: vowels, letters of
 * which only one case is a member, and nothing. */
enum { ORACLE_VOWELS = TRAWL_CLASS_OWN, ORACLE_ONE_CASE, ORACLE_NOTHING = TRAWL_CLASS_OWN + 7 };

/* True when byte belongs to the class. */
bool oracle_is_member(uint8_t number, uint8_t byte);

/* True when an occurrence text[start .. end) fulfils the condition; NULL demands nothing. */
bool oracle_holds(const trawl_condition *condition, const uint8_t *text, size_t length,
                  size_t start, size_t end);

/* Sets `found` to the matches of the kind, in canonical order.
 *  - all: every pattern at every position.
 *  - leftmost kinds: from the end of the last match on, the first position where any pattern
 *    stands; of the patterns there, the lowest id (first), or the longest and of equally long
 *    ones the lowest id (longest). */
void oracle_search(const trawl_pattern *patterns, size_t count, const uint8_t *text, size_t length,
                   trawl_match_kind kind, match_list *found);

/* The same with conditions: NULL, or one for each pattern. Occurrences that do not fulfil the
 * condition of their pattern do not exist. */
void oracle_search_with(const trawl_pattern *patterns, const trawl_condition *conditions,
                        size_t count, const uint8_t *text, size_t length, trawl_match_kind kind,
                        match_list *found);

#endif
