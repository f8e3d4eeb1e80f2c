/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Nested patterns in mixed letter case, of which some match in any case (run/case_pair.h): the
 * oracle's matches with every engine, and a time that does not grow with the number of patterns
 * that are compared at a position.
 */
#include "base/clock.h"
#include "combinations.h"
#include "effort.h"
#include "one_by_one.h"
#include "sanitizers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;

/* ------------------------------------------------------------------ the same matches */

static uint8_t in_some_case(random_source *random, uint8_t letter) {
    return random_chance(random, 1, 3) ? (uint8_t)(letter - 'a' + 'A') : letter;
}

/* `count` patterns, each the end of one word; some end in another letter, or have a digit. */
static void make_set(test_case *test, size_t count, random_source *random) {
    uint8_t word[120], bytes[120];
    size_t period = random_between(random, 1, 4);
    for (size_t i = 0; i < sizeof word; i++)
        word[i] = i < period ? (uint8_t) "ab1"[random_below(random, 3)] : word[i - period];
    for (size_t id = 0; id < count; id++) {
        size_t length = random_between(random, 1, id < count / 2 ? id + 1 : count);
        memcpy(bytes, word + sizeof word - length, length);
        for (size_t i = 0; i < length; i++)
            if (bytes[i] != '1')
                bytes[i] = in_some_case(random, bytes[i]);
        if (random_chance(random, 1, 20))
            bytes[length - 1] = 'c';
        test_case_add_pattern(test, bytes, length,
                              random_chance(random, 1, 2) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    /* The longest ones, and some of each kind, in any case. */
    test_case_add_pattern(test, word + sizeof word - count, count, TRAWL_PATTERN_CASE_INSENSITIVE);
    test_case_add_pattern(test, word + sizeof word - count, count, 0);
    test_case_add_pattern(test, "B", 1, 0);
}

/* Pieces of patterns, in the case that they have or in another one. */
static void make_text(test_case *test, size_t length, random_source *random) {
    while (test->length < length) {
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        size_t size = random_between(random, 1, pattern->length);
        size_t from = random_below(random, pattern->length - size + 1);
        bool changed = random_chance(random, 1, 3);
        for (size_t i = from; i < from + size; i++) {
            uint8_t byte = pattern->bytes[i];
            uint8_t folded = byte | 0x20;
            if (changed && folded >= 'a' && folded <= 'z')
                byte = in_some_case(random, folded);
            test_case_append_text(test, &byte, 1);
        }
    }
}

static void the_same_matches(void **state) {
    (void)state;
    size_t rounds = TESTS_ARE_SLOW ? 1 : effort_is_short() ? 2 : 12;
    for (size_t round = 0; round < rounds; round++) {
        random_source random = random_for_case(random_seed(), round);
        test_case test = {.name = strdup("letter cases")};
        make_set(&test, random_between(&random, 40, 110), &random);
        make_text(&test, random_between(&random, 100, 3000), &random);
        assert_true(combination_check_all(&test, 6, &random));
        test_case_free(&test);
    }
}

/* ------------------------------------------------------------------ time */

enum { NESTED = 1000, TEXT = 200000, LONG_TEXT = 2000000 };

/* Bytes of the text. Of kind all, qgram scans with its own filter until a second automaton is worth
 * its while: 0.2 to 0.4 s. */
static size_t text_length(const char *engine, trawl_match_kind kind) {
    return kind == TRAWL_MATCH_ALL && strcmp(engine, "qgram") == 0 ? LONG_TEXT : TEXT;
}

/* Processor time of a count in text[0, length), and how many matches there are. */
static double seconds_of(const test_case *test, const uint8_t *text, size_t length,
                         const char *engine, trawl_match_kind kind, uint64_t *total) {
    trawl_patterns *patterns;
    trawl_db *db;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.matches = kind;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t id = 0; id < test->count; id++)
        assert_int_equal(trawl_patterns_add(patterns, test->patterns[id].bytes,
                                            test->patterns[id].length, test->patterns[id].flags,
                                            &error),
                         TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    double begin = trawl_process_seconds();
    assert_int_equal(trawl_count(db, text, length, NULL, total, NULL, &error), TRAWL_OK);
    double taken = trawl_process_seconds() - begin;
    trawl_db_free(db);
    return taken;
}

/* Patterns that all end at each position of a text of a's, but for letter case. Without `mixed`,
 * each has an A, which the text does not have. With `mixed`, every sixth has one, and every second
 * matches in any case. */
static void make_nested(test_case *test, bool mixed) {
    uint8_t bytes[NESTED + 1];
    for (size_t length = 1; length <= NESTED; length++) {
        memset(bytes, 'a', sizeof bytes);
        if (!mixed)
            bytes[0] = 'A';
        else if (length % 6 == 0)
            bytes[length / 2] = 'A';
        test_case_add_pattern(test, bytes, mixed ? length : length + 1,
                              mixed && length % 2 != 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    test_case_add_pattern(test, "b", 1, TRAWL_PATTERN_CASE_INSENSITIVE);
}

/* The number of matches in a text of `text` a's. */
static uint64_t expected_total(size_t text, trawl_match_kind kind, bool mixed) {
    if (!mixed)
        return 0;
    if (kind != TRAWL_MATCH_ALL)
        return kind == TRAWL_MATCH_LEFTMOST_FIRST ? text : (text + NESTED - 1) / NESTED;
    uint64_t total = 0;
    for (size_t length = 1; length <= NESTED; length++)
        total += length % 6 == 0 ? 0 : text - length + 1;
    return total;
}

/* 1,000 patterns end at each position, in the case of the patterns or only in another one. A count
 * takes less than 0.7 of the time in which they are looked at one by one (one_by_one.h); one that
 * takes more is repeated, since other work may have shared the processor. On the machine on which
 * one by one they took 2,000 to 5,000 ns a byte, it took 100 with two automata. */
static void a_bounded_time(void **state) {
    (void)state;
    enum { TRIES = 4 };
    static const double most = TESTS_ARE_SLOW ? 14 : 0.7;
    static const char *const engines[] = {"ac-dfa", "ac-nfa", "ac-split", "qgram", "wu-manber"};
    static uint8_t text[LONG_TEXT];
    memset(text, 'a', sizeof text);
    for (int mixed = 0; mixed < 2; mixed++) {
        test_case test = {.name = strdup("nested")};
        make_nested(&test, mixed != 0);
        for (int kind = 0; kind < MATCH_KINDS; kind++)
            for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
                uint64_t total;
                size_t length = text_length(engines[e], (trawl_match_kind)kind);
                double share = INFINITY;
                for (int i = 0; i < TRIES && share > most; i++) {
                    double seconds =
                        seconds_of(&test, text, length, engines[e], (trawl_match_kind)kind, &total);
                    share = fmin(share, seconds / (double)length / one_by_one_seconds());
                }
                assert_int_equal(total, expected_total(length, (trawl_match_kind)kind, mixed != 0));
                if (share > most)
                    fail_msg("%s, %s, %s: %.2f of one by one", engines[e], match_kind_names[kind],
                             mixed ? "any case" : "another case", share);
            }
        test_case_free(&test);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_matches),
                                       cmocka_unit_test(a_bounded_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
