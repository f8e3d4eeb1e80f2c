/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts of every length: walkers treat the first and the last bytes of a text, and texts that are
 * short, by loops of their own. All beginnings of a text are scanned, between bytes that cannot be
 * read.
 */
#include "combinations.h"
#include "cpu_set.h"
#include "guard.h"
#include "sanitizers.h"

#include "trawl/trawl_scanner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Every length up to there; above it, steps of STEP bytes. */
enum { EVERY = TESTS_ARE_SANITIZED ? 160 : 330, LONGEST = 1400, STEP = 37 };

static random_source source;
static trawl_error error;

/* `count` patterns of letters from `letters`, and a text of such letters that has many of them. */
static test_case make_case(size_t count, size_t shortest, size_t longest, const char *letters,
                           unsigned flags) {
    test_case made = {.name = strdup("text lengths")};
    for (size_t id = 0; id < count; id++) {
        uint8_t bytes[64];
        size_t length = random_between(&source, shortest, longest);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)letters[random_below(&source, strlen(letters))];
        test_case_add_pattern(&made, bytes, length, id % 3 == 0 ? flags : 0);
    }
    while (made.length < LONGEST) {
        const trawl_pattern *pattern = &made.patterns[random_below(&source, count)];
        uint8_t letter = (uint8_t)letters[random_below(&source, strlen(letters))];
        size_t gap = random_below(&source, 12);
        for (size_t i = 0; i < gap; i++)
            test_case_append_text(&made, &letter, 1);
        size_t left = LONGEST - made.length;
        test_case_append_text(&made, pattern->bytes,
                              pattern->length < left ? pattern->length : left);
    }
    return made;
}

/* Scans the first `length` bytes; all matches of the text that end there or before are theirs. */
static void check(const trawl_db *db, trawl_scanner *scanner, const uint8_t *text, size_t length,
                  const match_list *all, combination which) {
    size_t expected = 0;
    while (expected < all->count && all->items[expected].end <= length)
        expected++;
    trawl_matches found;
    uint64_t total;
    assert_int_equal(trawl_collect(db, text, length, NULL, &found, &error), TRAWL_OK);
    assert_int_equal(trawl_count(db, text, length, NULL, &total, NULL, &error), TRAWL_OK);
    bool equal =
        found.count == expected && total == expected &&
        (expected == 0 || memcmp(found.items, all->items, expected * sizeof *all->items) == 0) &&
        trawl_scanner_count(scanner, text, length, NULL) == expected &&
        trawl_scanner_any(scanner, text, length, NULL) == (expected != 0);
    if (!equal)
        fail_msg("%s/%s, %zu bytes: %zu matches are found and %llu counted, %zu are there",
                 which.engine, which.variant ? which.variant : "-", length, found.count,
                 (unsigned long long)total, expected);
    trawl_matches_free(&found);
}

static void check_lengths(combination which, const test_case *test, const match_list *all) {
    combination_failure failure;
    trawl_db *db;
    combination_outcome outcome = combination_compile(which, test, TRAWL_MATCH_ALL, &db, &failure);
    if (outcome == COMBINATION_REFUSED)
        return;
    assert_int_equal(outcome, COMBINATION_COMPILED);
    trawl_scanner *scanner;
    assert_int_equal(trawl_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
    guarded guard = {0};
    for (size_t length = 0; length <= LONGEST; length += length < EVERY ? 1 : STEP) {
        guarded_copy(&guard, test->text, length, length % 2 != 0);
        check(db, scanner, guard.bytes, length, all, which);
        guarded_pause(&guard);
    }
    guarded_free(&guard);
    trawl_scanner_close(scanner);
    trawl_db_free(db);
}

static void check_case(test_case test) {
    match_list all = {0};
    test_case_search(&test, TRAWL_MATCH_ALL, &all);
    for (size_t c = 0; c < combination_count(); c++)
        check_lengths(combination_at(c), &test, &all);
    match_list_free(&all);
    test_case_free(&test);
}

static const char words[] = "abcdefghijklmnopqrstuvwxyz ";

static void few_patterns(void **state) {
    (void)state;
    check_case(make_case(10, 8, 16, words, 0));
    check_case(make_case(6, 2, 5, "abc", TRAWL_PATTERN_CASE_INSENSITIVE));
}

static void one_length(void **state) {
    (void)state;
    check_case(make_case(50, 3, 3, "abcd", 0));
    check_case(make_case(40, 12, 12, "acgt", 0));
}

static void many_patterns(void **state) {
    (void)state;
    check_case(make_case(300, 4, 20, words, 0));
    check_case(make_case(1000, 8, 16, words, 0));
    check_case(make_case(2000, 6, 40, words, TRAWL_PATTERN_CASE_INSENSITIVE));
}

static void short_and_long_patterns(void **state) {
    (void)state;
    check_case(make_case(400, 1, 60, words, 0));
    check_case(make_case(30, 1, 60, "ab", 0));
}

int main(void) {
    cpu_set_apply();
    source = random_for_case(random_seed(), 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_patterns), cmocka_unit_test(one_length),
                                       cmocka_unit_test(many_patterns),
                                       cmocka_unit_test(short_and_long_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
