/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the planner sees of sets with equal patterns (src/pattern/distinct.h). */
#include "pattern/distinct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;

static void add(trawl_patterns *patterns, const char *bytes, unsigned flags) {
    assert_int_equal(trawl_patterns_add(patterns, bytes, strlen(bytes), flags, &error), TRAWL_OK);
}

static trawl_patterns *new_set(void) {
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    return patterns;
}

static trawl_patterns *distinct_of(const trawl_patterns *patterns) {
    trawl_patterns *distinct;
    assert_int_equal(trawl_patterns_distinct(patterns, &distinct, &error), TRAWL_OK);
    return distinct;
}

static void first_of_equal_ones(void **state) {
    (void)state;
    trawl_patterns *patterns = new_set();
    static const char *const words[] = {"he", "she", "he", "HE", "hers", "he"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        add(patterns, words[i], 0);
    add(patterns, "He", TRAWL_PATTERN_CASE_INSENSITIVE);
    add(patterns, "hE", TRAWL_PATTERN_CASE_INSENSITIVE);
    trawl_patterns *distinct = distinct_of(patterns);
    assert_non_null(distinct);
    static const char *const expected[] = {"he", "she", "HE", "hers", "He"};
    assert_int_equal(distinct->count, sizeof expected / sizeof *expected);
    for (size_t id = 0; id < distinct->count; id++) {
        assert_int_equal(trawl_pattern_length(distinct, id), strlen(expected[id]));
        assert_memory_equal(trawl_pattern_bytes(distinct, id), expected[id], strlen(expected[id]));
        assert_int_equal(distinct->flags[id], id == 4 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    trawl_patterns_free(distinct);
    trawl_patterns_free(patterns);
}

/* `different` strings, and of them `repeated` once more. */
static trawl_patterns *set_of(size_t different, size_t repeated) {
    trawl_patterns *patterns = new_set();
    for (size_t i = 0; i < different + repeated; i++) {
        char bytes[32];
        (void)snprintf(bytes, sizeof bytes, "%zu", 1000000 + (i % different) * 77);
        add(patterns, bytes, 0);
    }
    return patterns;
}

static void few_repetitions_are_not_worth_a_set(void **state) {
    (void)state;
    static const struct {
        size_t different, repeated;
        bool worth;
    } cases[] = {{1, 0, false},         {1, 1, true},         {1, 7, true},
                 {100, 0, false},       {100, 5, false},      {100, 30, true},
                 {1, 100000, true},     {200000, 0, false},   {200000, 10000, false},
                 {200000, 60000, true}, {20000, 200000, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        trawl_patterns *patterns = set_of(cases[i].different, cases[i].repeated);
        trawl_patterns *distinct = distinct_of(patterns);
        assert_int_equal(distinct != NULL, cases[i].worth);
        if (cases[i].worth)
            assert_int_equal(distinct->count, cases[i].different);
        trawl_patterns_free(distinct);
        trawl_patterns_free(patterns);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_of_equal_ones),
        cmocka_unit_test(few_repetitions_are_not_worth_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
