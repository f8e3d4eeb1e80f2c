/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Nested patterns with conditions (run/case_pair.h): the oracle's matches with every engine, and a
 * time that does not grow with the number of patterns that end at a position without counting.
 */
#include "base/clock.h"
#include "combinations.h"
#include "effort.h"
#include "one_by_one.h"
#include "oracle.h"
#include "sanitizers.h"

#include "trawl/trawl_records.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;

/* ------------------------------------------------------------------ the same matches */

static uint8_t random_class(random_source *random) {
    static const uint8_t classes[] = {TRAWL_CLASS_NONE, TRAWL_CLASS_WORD, TRAWL_CLASS_LABEL,
                                      ORACLE_VOWELS,    ORACLE_NOTHING,   ORACLE_ONE_CASE};
    return classes[random_below(random, sizeof classes)];
}

static trawl_condition random_condition(random_source *random, size_t text) {
    trawl_condition condition = TRAWL_CONDITION;
    condition.left = random_class(random);
    condition.right = random_class(random);
    if (random_chance(random, 1, 4))
        condition.min_start = random_below(random, text);
    if (random_chance(random, 1, 4))
        condition.max_end = condition.min_start + random_between(random, 130, 130 + text);
    condition.at_start = random_chance(random, 1, 10) && condition.min_start == 0;
    condition.at_end = random_chance(random, 1, 10);
    return condition;
}

enum { MOST_CONDITIONS = 45 };

/* `count` patterns, each the end of one word, with conditions; some sets are of mixed letter case.
 */
static void make_set(test_case *test, size_t count, size_t text, random_source *random) {
    uint8_t word[120], bytes[120];
    size_t period = random_between(random, 1, 4);
    bool mixed = random_chance(random, 1, 2);
    trawl_condition conditions[MOST_CONDITIONS];
    size_t several = random_chance(random, 1, 4) ? MOST_CONDITIONS : 5;
    for (size_t i = 0; i < several; i++)
        conditions[i] = random_condition(random, text);
    conditions[0] = (trawl_condition)TRAWL_CONDITION;
    for (size_t i = 0; i < sizeof word; i++)
        word[i] = i < period ? (uint8_t) "ab-"[random_below(random, 3)] : word[i - period];
    for (size_t id = 0; id < count; id++) {
        size_t length = random_chance(random, 3, 4) ? id + 1 : random_between(random, 1, count);
        memcpy(bytes, word + sizeof word - length, length);
        if (mixed && bytes[length / 2] != '-' && random_chance(random, 1, 8))
            bytes[length / 2] ^= 0x20;
        test_case_add_pattern(test, bytes, length,
                              mixed && random_chance(random, 1, 2) ? TRAWL_PATTERN_CASE_INSENSITIVE
                                                                   : 0);
        test_case_set_condition(test, id, &conditions[random_below(random, several)]);
    }
}

/* Pieces of patterns, of which a byte is in another case or another one. */
static void make_text(test_case *test, size_t length, random_source *random) {
    while (test->length < length) {
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        test_case_append_text(test, pattern->bytes, pattern->length);
        uint8_t *changed = &test->text[random_below(random, test->length)];
        if (random_chance(random, 1, 3))
            *changed = (uint8_t) "abAB- "[random_below(random, 6)];
    }
}

static void the_same_matches(void **state) {
    (void)state;
    size_t rounds = TESTS_ARE_SLOW || effort_is_short() ? 1 : 3;
    for (size_t round = 0; round < rounds; round++) {
        random_source random = random_for_case(random_seed(), round);
        test_case test = {.name = strdup("nested conditions")};
        size_t length = random_between(&random, 100, 2000);
        make_set(&test, random_between(&random, 70, 115), length, &random);
        make_text(&test, length, &random);
        assert_true(combination_check_all(&test, 6, &random));
        test_case_free(&test);
    }
}

/* ------------------------------------------------------------------ time */

enum { NESTED = 1000, TEXT = 200000 };

/* A condition of all patterns but the shortest one, which has none if `but_one`. */
typedef struct trial {
    const char *name;
    trawl_condition condition;
    bool but_one;
    uint64_t total; /* matches in the text, of kind all or leftmost-first */
} trial;

static trawl_db *compile(const trial *one, const char *engine, trawl_match_kind kind) {
    static uint8_t bytes[NESTED];
    trawl_patterns *patterns;
    trawl_db *db;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.matches = kind;
    memset(bytes, 'a', sizeof bytes);
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t length = 1; length <= NESTED; length++) {
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, 0, &error), TRAWL_OK);
        if (length > 1 || !one->but_one)
            assert_int_equal(trawl_patterns_condition_last(patterns, &one->condition, &error),
                             TRAWL_OK);
    }
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    return db;
}

/* Equal patterns, each with one of the conditions, and nested ones after them. */
static trawl_db *compile_equal(size_t equal, size_t conditions, trawl_match_kind kind) {
    static uint8_t bytes[NESTED];
    trawl_patterns *patterns;
    trawl_db *db;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.matches = kind;
    memset(bytes, 'a', sizeof bytes);
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < equal + NESTED; i++) {
        trawl_condition condition = TRAWL_CONDITION;
        condition.left = TRAWL_CLASS_WORD;
        condition.max_end = TEXT + i % conditions;
        size_t length = i < equal ? 1 : i - equal + 1;
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, 0, &error), TRAWL_OK);
        assert_int_equal(trawl_patterns_condition_last(patterns, &condition, &error), TRAWL_OK);
    }
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    return db;
}

/* A count of matches in `text`, or in its records of `record` bytes each; with `any`, of the
 * records that have a match. */
typedef struct trial_count {
    const trawl_db *db;
    const uint8_t *text;
    uint32_t record; /* 0: the text is one */
    bool any;
} trial_count;

static double time_of_text(const trial_count *count, uint64_t *total) {
    double begin = trawl_process_seconds();
    assert_int_equal(trawl_count(count->db, count->text, TEXT, NULL, total, NULL, &error),
                     TRAWL_OK);
    return (trawl_process_seconds() - begin) / TEXT;
}

static double time_of_records(const trial_count *count, uint64_t *total) {
    static uint32_t offsets[TEXT + 1];
    trawl_records records = TRAWL_RECORDS;
    trawl_record_counts counts = TRAWL_RECORD_COUNTS;
    trawl_record_scanner *scanner;
    records.bytes = count->text;
    records.offsets = offsets;
    records.offset_bytes = sizeof *offsets;
    records.count = TEXT / count->record;
    for (uint32_t i = 0; i <= records.count; i++)
        offsets[i] = i * count->record;
    assert_int_equal(trawl_record_scanner_open(count->db, NULL, &scanner, &error), TRAWL_OK);
    double begin = trawl_process_seconds();
    trawl_status status = count->any
                              ? trawl_records_any(scanner, &records, NULL, NULL, total, &error)
                              : trawl_records_count(scanner, &records, &counts, &error);
    double end = trawl_process_seconds();
    assert_int_equal(status, TRAWL_OK);
    trawl_record_scanner_close(scanner);
    *total = count->any ? *total : counts.total;
    return (end - begin) / TEXT;
}

/* On a shared machine a count may take several times as long as alone: a count that takes more than
 * its limit is repeated, and the fastest one decides. */
enum { TRIES = 12 };

/* The most processor time that a count may take for a byte, as a share of the time in which 1,000
 * patterns are looked at one by one (one_by_one.h). On a Zen 3 the counts below take up to 0.33 of
 * it. Under a sanitizer the engines slow down more than that chain does. */
static double most(void) {
    return TESTS_ARE_SLOW ? 14 : 0.7;
}

/* That share of the first count that keeps the limit, or of the fastest one. */
static double share_of(const trial_count *count, uint64_t *total) {
    double least = INFINITY;
    for (int i = 0; i < TRIES && least > most(); i++) {
        double taken = count->record ? time_of_records(count, total) : time_of_text(count, total);
        least = fmin(least, taken / one_by_one_seconds());
    }
    return least;
}

/* Runs of 999 a's, so that up to 999 patterns end at each position, of which at most one or two
 * count. One by one they take 2,000 to 5,000 ns a byte, by links below 300. */
static void a_bounded_time(void **state) {
    (void)state;
    static const char *const engines[] = {"ac-dfa", "ac-nfa",     "ac-split",
                                          "qgram",  "rabin-karp", "wu-manber"};
    const uint64_t bytes_a = TEXT / NESTED * (NESTED - 1);
    const trial trials[] = {
        {"left", {.size = sizeof(trawl_condition), .left = TRAWL_CLASS_WORD}, false, bytes_a},
        {"right, but one",
         {.size = sizeof(trawl_condition), .right = TRAWL_CLASS_WORD},
         true,
         bytes_a + TEXT / NESTED * (NESTED - 2)},
        {"start", {.size = sizeof(trawl_condition), .min_start = TEXT - 2}, false, 1},
        {"end", {.size = sizeof(trawl_condition), .max_end = 2}, false, 3},
        {"at the start", {.size = sizeof(trawl_condition), .at_start = true}, false, NESTED - 1},
    };
    static uint8_t text[TEXT];
    for (size_t i = 0; i < TEXT; i++)
        text[i] = i % NESTED == NESTED - 1 ? ' ' : 'a';
    for (size_t t = 0; t < sizeof trials / sizeof trials[0]; t++)
        for (int kind = 0; kind < MATCH_KINDS; kind++)
            for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
                uint64_t total;
                trawl_db *db = compile(&trials[t], engines[e], (trawl_match_kind)kind);
                double share = share_of(&(trial_count){.db = db, .text = text}, &total);
                trawl_db_free(db);
                if (kind == TRAWL_MATCH_ALL)
                    assert_int_equal(total, trials[t].total);
                if (share > most())
                    fail_msg("%s, %s, %s: %.2f of one by one", engines[e], match_kind_names[kind],
                             trials[t].name, share);
            }
}

/* Runs of a's that are longer than the patterns, which all count: 1,000 matches for a position, of
 * which leftmost kinds need one for a start. All of them take 12,000 ns a byte. */
static void a_bounded_time_of_leftmost_kinds(void **state) {
    (void)state;
    static const char *const engines[] = {"ac-dfa", "ac-nfa",     "ac-split",
                                          "qgram",  "rabin-karp", "wu-manber"};
    const trial trials[] = {
        {"but the first", {.size = sizeof(trawl_condition), .min_start = 1}, false, TEXT - 1},
        {"all", {.size = sizeof(trawl_condition), .max_end = TEXT}, false, TEXT},
    };
    static uint8_t text[TEXT];
    memset(text, 'a', sizeof text);
    for (size_t t = 0; t < sizeof trials / sizeof trials[0]; t++)
        for (int kind = TRAWL_MATCH_ALL + 1; kind < MATCH_KINDS; kind++)
            for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
                uint64_t total;
                trawl_db *db = compile(&trials[t], engines[e], (trawl_match_kind)kind);
                double share = share_of(&(trial_count){.db = db, .text = text}, &total);
                trawl_db_free(db);
                bool first = kind == TRAWL_MATCH_LEFTMOST_FIRST;
                assert_int_equal(total, first ? trials[t].total : TEXT / NESTED);
                if (share > most())
                    fail_msg("%s, %s, %s: %.2f of one by one", engines[e], match_kind_names[kind],
                             trials[t].name, share);
            }
}

/* Patterns in any case with right boundaries of which letters of one case are no members: behind
 * some, behind all, or behind none of those that start at a position a boundary holds. One by one
 * they take 5,000 to 12,000 ns a byte. */
static void a_bounded_time_of_letter_cases(void **state) {
    (void)state;
    enum { CONDITIONS = 12 };
    static uint8_t bytes[NESTED], text[TEXT];
    trawl_patterns *patterns;
    uint8_t members[32] = {0};
    members['a' / 8] = 1u << 'a' % 8;
    memset(bytes, 'a', sizeof bytes);
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_class(patterns, ORACLE_ONE_CASE, members, &error), TRAWL_OK);
    for (size_t length = 1; length <= NESTED; length++) {
        trawl_condition condition = TRAWL_CONDITION;
        condition.right = ORACLE_ONE_CASE;
        condition.max_end = TEXT + length % CONDITIONS;
        assert_int_equal(
            trawl_patterns_add(patterns, bytes, length, TRAWL_PATTERN_CASE_INSENSITIVE, &error),
            TRAWL_OK);
        assert_int_equal(trawl_patterns_condition_last(patterns, &condition, &error), TRAWL_OK);
    }
    for (int kind = TRAWL_MATCH_ALL + 1; kind < MATCH_KINDS; kind++) {
        trawl_db *db;
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.matches = (trawl_match_kind)kind;
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        random_source random = random_for_case(random_seed(), 0);
        for (size_t upper = 0; upper < 5; upper++) { /* quarters of the text's letters */
            uint64_t total;
            for (size_t i = 0; i < TEXT; i++)
                text[i] = random_below(&random, 4) < upper ? 'A' : 'a';
            double share = share_of(&(trial_count){.db = db, .text = text}, &total);
            if (share > most())
                fail_msg("%s, %zu of 4 letters upper-case: %.2f of one by one",
                         match_kind_names[kind], upper, share);
        }
        trawl_db_free(db);
    }
    trawl_patterns_free(patterns);
}

/* Nothing counts but at the beginning, of 20,000 equal patterns, of 1,000 nested ones with 40
 * conditions, and of both. One by one they take 3,000 to 60,000 ns a byte. */
static void a_bounded_time_of_equal_patterns(void **state) {
    (void)state;
    static const size_t cases[][2] = {{20000, 1}, {1, 40}, {20000, 40}};
    static uint8_t text[TEXT];
    memset(text, 'a', sizeof text);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            uint64_t total;
            trawl_db *db = compile_equal(cases[c][0], cases[c][1], (trawl_match_kind)kind);
            double share = share_of(&(trial_count){.db = db, .text = text}, &total);
            trawl_db_free(db);
            assert_int_equal(total, kind == TRAWL_MATCH_ALL ? cases[c][0] + NESTED : 1);
            if (share > most())
                fail_msg("%zu equal, %zu conditions, %s: %.2f of one by one", cases[c][0],
                         cases[c][1], match_kind_names[kind], share);
        }
}

/* In each record all patterns count of leftmost kinds, and none but at its beginning of kind all.
 * As one text they take 2,000 to 60,000 ns a byte, since a match of any of them might lie in a
 * record.
 */
static void a_bounded_time_of_records(void **state) {
    (void)state;
    enum { RECORD = 2 * NESTED };
    static const char *const engines[] = {"ac-dfa", "qgram", "rabin-karp"};
    const trial trials[] = {
        {"left", {.size = sizeof(trawl_condition), .left = TRAWL_CLASS_WORD}, false, NESTED},
        {"all", {.size = sizeof(trawl_condition), .max_end = TEXT}, false, RECORD / NESTED},
    };
    static uint8_t text[TEXT];
    memset(text, 'a', sizeof text);
    for (size_t t = 0; t < sizeof trials / sizeof trials[0]; t++)
        for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
            trawl_match_kind kind = t == 0 ? TRAWL_MATCH_ALL : TRAWL_MATCH_LEFTMOST_LONGEST;
            uint64_t total;
            trawl_db *db = compile(&trials[t], engines[e], kind);
            double share =
                share_of(&(trial_count){.db = db, .text = text, .record = RECORD}, &total);
            trawl_db_free(db);
            assert_int_equal(total, TEXT / RECORD * trials[t].total);
            if (share > most())
                fail_msg("%s, %s: %.2f of one by one", engines[e], trials[t].name, share);
        }
}

/* 20,000 equal patterns in records of a's: matches are counted, or a first one is found, without
 * putting each of them, which takes 48,000 ns a byte. */
static void a_bounded_time_of_records_with_equal_patterns(void **state) {
    (void)state;
    enum { EQUAL = 20000, RECORD = 100 };
    static uint8_t text[TEXT];
    trawl_patterns *patterns;
    uint64_t total;
    memset(text, 'a', sizeof text);
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < EQUAL; i++)
        assert_int_equal(trawl_patterns_add(patterns, "a", 1, 0, &error), TRAWL_OK);
    for (int any = 0; any < 2; any++) {
        trawl_db *db;
        assert_int_equal(trawl_compile(patterns, NULL, &db, &error), TRAWL_OK);
        double share = share_of(
            &(trial_count){.db = db, .text = text, .record = RECORD, .any = any != 0}, &total);
        trawl_db_free(db);
        assert_int_equal(total, any ? TEXT / RECORD : (uint64_t)EQUAL * TEXT);
        if (share > most())
            fail_msg("%s: %.2f of one by one", any ? "any" : "count", share);
    }
    trawl_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_matches),
        cmocka_unit_test(a_bounded_time),
        cmocka_unit_test(a_bounded_time_of_leftmost_kinds),
        cmocka_unit_test(a_bounded_time_of_letter_cases),
        cmocka_unit_test(a_bounded_time_of_equal_patterns),
        cmocka_unit_test(a_bounded_time_of_records),
        cmocka_unit_test(a_bounded_time_of_records_with_equal_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
