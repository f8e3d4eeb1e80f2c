/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The number of visits of each state of a DFA, counted in several parts of a text at once. A state
 * is a prefix of a pattern; it is visited where that prefix is the longest one that ends there in
 * the text.
 */
#include "engines/ac_dfa/state_ranks.h"
#include "pattern/patterns.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_PATTERNS = 24, MOST_LENGTH = 12, MOST_STATES = MOST_PATTERNS * MOST_LENGTH + 1 };

static trawl_error error;

typedef struct beginnings {
    const uint8_t *bytes[MOST_STATES];
    size_t length[MOST_STATES];
    uint32_t visits[MOST_STATES];
    size_t count;
} beginnings;

static size_t find(const beginnings *self, const uint8_t *bytes, size_t length) {
    size_t i = 0;
    while (i < self->count &&
           (self->length[i] != length || memcmp(self->bytes[i], bytes, length) != 0))
        i++;
    return i;
}

static void add_beginnings(beginnings *self, const uint8_t *pattern, size_t length) {
    for (size_t i = 0; i <= length; i++)
        if (find(self, pattern, i) == self->count) {
            self->bytes[self->count] = pattern;
            self->length[self->count++] = i;
        }
}

static void walk(beginnings *self, const uint8_t *text, size_t length) {
    for (size_t end = 1; end <= length; end++) {
        size_t longest = end < MOST_LENGTH ? end : MOST_LENGTH;
        size_t state = find(self, text + end - longest, longest);
        while (state == self->count) {
            longest--;
            state = find(self, text + end - longest, longest);
        }
        self->visits[state]++;
    }
}

static int by_number(const void *left, const void *right) {
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* States have other numbers in a database, so the sorted numbers of visits are compared. */
static void check(size_t patterns, size_t letters, size_t length, random_source random) {
    beginnings *expected = calloc(1, sizeof *expected);
    uint8_t *text = malloc(length + 1);
    trawl_patterns *set = NULL;
    trawl_db *db = NULL;
    trawl_state_ranks ranks;
    assert_int_equal(trawl_patterns_new(&set, &error), TRAWL_OK);
    for (size_t id = 0; id < patterns; id++) {
        uint8_t bytes[MOST_LENGTH];
        size_t its = random_between(&random, 1, MOST_LENGTH);
        for (size_t i = 0; i < its; i++)
            bytes[i] = (uint8_t)('a' + random_below(&random, letters));
        assert_int_equal(trawl_patterns_add(set, bytes, its, 0, &error), TRAWL_OK);
    }
    for (size_t i = 0; i < length; i++)
        text[i] = (uint8_t)('a' + random_below(&random, letters + 1));
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-dfa";
    assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_OK);
    for (size_t id = 0; id < patterns; id++)
        add_beginnings(expected, trawl_pattern_bytes(set, id), trawl_pattern_length(set, id));
    walk(expected, text, length);
    expected->visits[0]++; /* the root is ranked in any case */

    assert_int_equal(trawl_state_ranks_make(db, text, length, &ranks, &error), TRAWL_OK);
    assert_int_equal(ranks.states, expected->count);
    assert_int_equal(ranks.order[0], 0);
    assert_int_equal(ranks.visits[0], expected->visits[0]);
    assert_int_equal(ranks.steps, length + 1);
    qsort(expected->visits, expected->count, sizeof *expected->visits, by_number);
    qsort(ranks.visits, ranks.states, sizeof *ranks.visits, by_number);
    assert_memory_equal(ranks.visits, expected->visits, ranks.states * sizeof *ranks.visits);
    trawl_state_ranks_release(&ranks);
    trawl_db_free(db);
    trawl_patterns_free(set);
    free(expected);
    free(text);
}

static void visits_are_those_of_a_walk(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 15, 100, 300, 1000, 1003, 20001};
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t letters = 1; letters <= 4; letters++)
            for (size_t patterns = 1; patterns <= MOST_PATTERNS; patterns *= 2)
                check(patterns, letters, lengths[i], random_for_case(random_seed(), number++));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_are_those_of_a_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
