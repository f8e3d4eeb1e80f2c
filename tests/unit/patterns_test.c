/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Pattern sets: ids, limits, names, and statistics against what can be counted by hand.
 */
#include "random.h"

#include "trawl/trawl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;

static trawl_patterns *new_set(void) {
    trawl_patterns *set = NULL;
    assert_int_equal(trawl_patterns_new(&set, &error), TRAWL_OK);
    assert_non_null(set);
    return set;
}

static void add(trawl_patterns *set, const char *text, unsigned flags) {
    assert_int_equal(trawl_patterns_add(set, text, strlen(text), flags, &error), TRAWL_OK);
}

static void ids_follow_the_order_of_addition(void **state) {
    (void)state;
    trawl_patterns *set = new_set();
    static const char *const words[] = {"zebra", "ant", "zebra", "a"};
    for (uint32_t i = 0; i < 4; i++)
        add(set, words[i], i == 2);
    assert_int_equal(trawl_patterns_count(set), 4);
    trawl_pattern pattern = TRAWL_PATTERN;
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(trawl_patterns_get(set, i, &pattern));
        assert_int_equal(pattern.length, strlen(words[i]));
        assert_memory_equal(pattern.bytes, words[i], pattern.length);
        assert_int_equal(pattern.flags, i == 2 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
        assert_null(pattern.name);
        assert_int_equal(pattern.name_length, 0);
    }
    assert_false(trawl_patterns_get(set, 4, &pattern));
    assert_false(trawl_patterns_get(set, UINT32_MAX, &pattern));
    trawl_patterns_free(set);
}

static void refused_patterns_leave_the_set_as_it_was(void **state) {
    (void)state;
    trawl_patterns *set = new_set();
    add(set, "first", 0);
    uint8_t *bytes = calloc(TRAWL_PATTERN_MAX_LENGTH + 1, 1);
    const struct {
        const void *bytes;
        size_t length;
        unsigned flags;
    } refused[] = {
        {"x", 0, 0},                              /* empty */
        {bytes, TRAWL_PATTERN_MAX_LENGTH + 1, 0}, /* too long */
        {bytes, SIZE_MAX, 0},                     /* absurd */
        {"x", 1, 2},                              /* an unknown flag */
        {"x", 1, ~0u},
        {NULL, 1, 0},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        memset(&error, 0, sizeof(error));
        trawl_status status =
            trawl_patterns_add(set, refused[i].bytes, refused[i].length, refused[i].flags, &error);
        assert_true(status == TRAWL_ERROR_ARGUMENT || status == TRAWL_ERROR_LIMIT);
        assert_int_equal(error.status, status);
        assert_true(strlen(error.message) > 0);
        assert_null(strchr(error.message, '\n'));
        assert_int_equal(trawl_patterns_count(set), 1);
    }
    assert_int_equal(trawl_patterns_add(set, bytes, TRAWL_PATTERN_MAX_LENGTH, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_count(set), 2);
    trawl_pattern pattern = TRAWL_PATTERN;
    assert_true(trawl_patterns_get(set, 1, &pattern));
    assert_int_equal(pattern.length, TRAWL_PATTERN_MAX_LENGTH);
    free(bytes);
    trawl_patterns_free(set);
}

static void expect_name(const trawl_patterns *set, uint32_t id, const char *name) {
    trawl_pattern pattern = TRAWL_PATTERN;
    assert_true(trawl_patterns_get(set, id, &pattern));
    if (!name) {
        assert_null(pattern.name);
        return;
    }
    assert_int_equal(pattern.name_length, strlen(name));
    assert_memory_equal(pattern.name, name, pattern.name_length);
}

static void names_belong_to_the_last_pattern(void **state) {
    (void)state;
    trawl_patterns *set = new_set();
    assert_int_equal(trawl_patterns_name_last(set, "n", 1, &error), TRAWL_ERROR_ARGUMENT);
    add(set, "zero", 0);
    add(set, "one", 0);
    assert_int_equal(trawl_patterns_name_last(set, "first name", 10, &error), TRAWL_OK);
    add(set, "two", 0);
    add(set, "three", 0);
    assert_int_equal(trawl_patterns_name_last(set, "wrong", 5, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_name_last(set, "a longer name", 13, &error), TRAWL_OK);
    for (int i = 0; i < 200; i++) /* grow past every first capacity */
        add(set, "more", 0);
    assert_int_equal(trawl_patterns_name_last(set, "last", 4, &error), TRAWL_OK);
    expect_name(set, 0, NULL);
    expect_name(set, 1, "first name");
    expect_name(set, 2, NULL);
    expect_name(set, 3, "a longer name");
    expect_name(set, 100, NULL);
    expect_name(set, 203, "last");

    trawl_db *db;
    assert_int_equal(trawl_compile(set, NULL, &db, &error), TRAWL_OK);
    trawl_patterns_free(set);
    trawl_pattern pattern = TRAWL_PATTERN;
    assert_true(trawl_db_pattern(db, 3, &pattern));
    assert_int_equal(pattern.length, 5);
    assert_memory_equal(pattern.bytes, "three", 5);
    assert_int_equal(pattern.name_length, 13);
    assert_memory_equal(pattern.name, "a longer name", 13);
    assert_true(trawl_db_pattern(db, 2, &pattern));
    assert_null(pattern.name);
    assert_false(trawl_db_pattern(db, 204, &pattern));
    trawl_db_free(db);
}

/* ------------------------------------------------------------------ statistics */

static void statistics_of_a_known_set(void **state) {
    (void)state;
    trawl_patterns *set = new_set();
    add(set, "he", 0);
    add(set, "she", 0);
    add(set, "his", 0);
    add(set, "hers", 0);
    trawl_statistics s = TRAWL_STATISTICS;
    assert_int_equal(trawl_patterns_statistics(set, &s, &error), TRAWL_OK);
    assert_int_equal(s.count, 4);
    assert_int_equal(s.distinct, 4);
    assert_int_equal(s.case_insensitive, 0);
    assert_int_equal(s.total_bytes, 12);
    assert_int_equal(s.min_length, 2);
    assert_int_equal(s.max_length, 4);
    assert_true(s.mean_length == 3.0);
    assert_int_equal(s.median_length, 3);
    assert_int_equal(s.alphabet, 5); /* e h i r s */
    assert_int_equal(s.states, 10);  /* root; h he her hers hi his; s sh she */
    assert_int_equal(s.levels, 4);
    assert_true(s.prefix_sharing == 0.25); /* 9 of 12 bytes have a node */
    trawl_patterns_free(set);
}

static void statistics_of_duplicates(void **state) {
    (void)state;
    trawl_patterns *set = new_set();
    trawl_statistics s = TRAWL_STATISTICS;
    assert_int_equal(trawl_patterns_statistics(set, &s, &error), TRAWL_OK);
    assert_int_equal(s.count, 0);
    assert_int_equal(s.min_length, 0);
    assert_int_equal(s.max_length, 0);
    add(set, "abc", 0);
    add(set, "abc", 0);
    assert_int_equal(trawl_patterns_statistics(set, &s, &error), TRAWL_OK);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.distinct, 1);
    assert_int_equal(s.states, 4);
    assert_true(s.prefix_sharing == 0.0);
    add(set, "abc", TRAWL_PATTERN_CASE_INSENSITIVE);
    assert_int_equal(trawl_patterns_statistics(set, &s, &error), TRAWL_OK);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.distinct, 2);
    assert_int_equal(s.case_insensitive, 1);
    trawl_patterns_free(set);
}

static int compare_sizes(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Lengths and alphabet of random sets, counted again; states against the number of distinct
 * prefixes. */
static void statistics_of_random_sets(void **state) {
    (void)state;
    enum { MOST = 40, LONGEST = 12 };
    for (uint64_t round = 0; round < 300; round++) {
        random_source random = random_for_case(random_seed(), round);
        uint8_t bytes[MOST][LONGEST];
        size_t lengths[MOST], total = 0, count = random_between(&random, 1, MOST);
        bool seen[256] = {false};
        trawl_patterns *set = new_set();
        for (size_t i = 0; i < count; i++) {
            lengths[i] = random_between(&random, 1, LONGEST);
            for (size_t k = 0; k < lengths[i]; k++) {
                bytes[i][k] = (uint8_t)('a' + random_below(&random, 3));
                seen[bytes[i][k]] = true;
            }
            total += lengths[i];
            assert_int_equal(trawl_patterns_add(set, bytes[i], lengths[i], 0, &error), TRAWL_OK);
        }
        size_t prefixes = 0, alphabet = 0;
        for (size_t i = 0; i < count; i++)
            for (size_t length = 1; length <= lengths[i]; length++) {
                bool known = false;
                for (size_t j = 0; j < i && !known; j++)
                    known = lengths[j] >= length && memcmp(bytes[i], bytes[j], length) == 0;
                prefixes += !known;
            }
        for (size_t byte = 0; byte < 256; byte++)
            alphabet += seen[byte];
        qsort(lengths, count, sizeof(lengths[0]), compare_sizes);
        trawl_statistics s = TRAWL_STATISTICS;
        assert_int_equal(trawl_patterns_statistics(set, &s, &error), TRAWL_OK);
        assert_int_equal(s.count, count);
        assert_int_equal(s.total_bytes, total);
        assert_int_equal(s.states, prefixes + 1);
        assert_int_equal(s.alphabet, alphabet);
        assert_int_equal(s.min_length, lengths[0]);
        assert_int_equal(s.max_length, lengths[count - 1]);
        assert_int_equal(s.levels, s.max_length);
        /* Of an even number of lengths either middle one is right. */
        assert_true(s.median_length == lengths[count / 2] ||
                    s.median_length == lengths[(count - 1) / 2]);
        trawl_patterns_free(set);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_follow_the_order_of_addition),
        cmocka_unit_test(refused_patterns_leave_the_set_as_it_was),
        cmocka_unit_test(names_belong_to_the_last_pattern),
        cmocka_unit_test(statistics_of_a_known_set),
        cmocka_unit_test(statistics_of_duplicates),
        cmocka_unit_test(statistics_of_random_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
