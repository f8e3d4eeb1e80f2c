/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The leftmost match kinds on sets whose patterns lie inside each other: the right matches, and
 * work that does not grow with the number of nested occurrences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "case.h"
#include "counting_sink.h"
#include "database/database.h"
#include "database/engine.h"
#include "oracle.h"
#include "random.h"
#include "run/case_pair.h"
#include "scan/contract.h"
#include "trawl/trawl_groups.h"
#include "trawl/trawl_scanner.h"

enum { MOST_PATTERNS = 64, TEXT_BYTES = 400 };

static const trawl_match_kind kinds[] = {TRAWL_MATCH_LEFTMOST_FIRST, TRAWL_MATCH_LEFTMOST_LONGEST};

static trawl_db *compile(const trawl_pattern *patterns, size_t count, const char *engine,
                         trawl_match_kind kind) {
    trawl_patterns *set = NULL;
    trawl_db *db = NULL;
    trawl_error error;
    assert_int_equal(trawl_patterns_new(&set, &error), TRAWL_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(trawl_patterns_add(set, patterns[i].bytes, patterns[i].length,
                                            patterns[i].flags, &error),
                         TRAWL_OK);
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.matches = kind;
    if (trawl_compile(set, &options, &db, &error) != TRAWL_OK) {
        fail_msg("%s: %s", engine, error.message);
    }
    trawl_patterns_free(set);
    return db;
}

/* Patterns that are random pieces of the text, and ends of these, so that many keys end at the same
 * positions. */
static size_t nested_patterns(random_source *random, const uint8_t *text, bool mixed,
                              trawl_pattern *patterns) {
    size_t count = 0;
    while (count < MOST_PATTERNS) {
        size_t length = 1 + random_below(random, 24);
        size_t start = random_below(random, TEXT_BYTES - length);
        for (size_t skipped = 0; skipped < length && count < MOST_PATTERNS;
             skipped += 1 + random_below(random, 4)) {
            unsigned flags =
                mixed && random_below(random, 2) == 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
            patterns[count++] = (trawl_pattern){
                .bytes = text + start + skipped, .length = length - skipped, .flags = flags};
        }
    }
    /* In any order, since leftmost-first prefers low ids. */
    for (size_t i = count - 1; i > 0; i--) {
        size_t other = random_below(random, i + 1);
        trawl_pattern swapped = patterns[i];
        patterns[i] = patterns[other];
        patterns[other] = swapped;
    }
    return count;
}

static void check_case(random_source *random, const char *engine) {
    uint8_t text[TEXT_BYTES];
    static const char letters[] = "abAB";
    bool mixed = random_below(random, 4) == 0;
    for (size_t i = 0; i < sizeof text; i++) {
        text[i] = (uint8_t)letters[random_below(random, mixed ? 4 : 1 + random_below(random, 2))];
    }
    trawl_pattern patterns[MOST_PATTERNS];
    size_t count = nested_patterns(random, text, mixed, patterns);
    for (size_t kind = 0; kind < 2; kind++) {
        match_list expected = {0};
        oracle_search(patterns, count, text, sizeof text, kinds[kind], &expected);
        trawl_db *db = compile(patterns, count, engine, kinds[kind]);
        trawl_matches found = {0};
        trawl_error error;
        assert_int_equal(trawl_collect(db, text, sizeof text, NULL, &found, &error), TRAWL_OK);
        assert_int_equal(found.count, expected.count);
        for (size_t i = 0; i < found.count; i++) {
            assert_int_equal(found.items[i].start, expected.items[i].start);
            assert_int_equal(found.items[i].end, expected.items[i].end);
            assert_int_equal(found.items[i].pattern, expected.items[i].pattern);
        }
        trawl_matches_free(&found);
        match_list_free(&expected);
        trawl_db_free(db);
    }
}

static void nested_patterns_are_selected_as_by_naive_search(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 0);
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        for (size_t round = 0; round < 100; round++) {
            check_case(&random, engine.name);
        }
    }
}

/* Words of 8 letters whose hashes have the same slot in the table of endings
 * (database/selection_inside.c): more than its search probes. Each word is also inside a longer
 * one. */
static void crowded_keys_are_inside_others(void **state) {
    (void)state;
    enum { WORDS = 80, LENGTH = 8, PLACES = 64 };
    static uint8_t words[WORDS][LENGTH], longer[WORDS][LENGTH + 2];
    trawl_pattern patterns[2 * WORDS];
    random_source random = random_for_case(random_seed(), 4);
    for (size_t count = 0; count < WORDS;) {
        uint64_t hash = 0;
        for (size_t i = 0; i < LENGTH; i++) {
            words[count][i] = (uint8_t)('a' + random_below(&random, 26));
        }
        for (size_t i = LENGTH; i-- > 0;) { /* from the last byte to the first */
            hash = hash * UINT64_C(0x9e3779b97f4a7c15) + words[count][i] + 1;
        }
        count += ((hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15)) / (UINT64_MAX / PLACES) == 5;
    }
    for (size_t i = 0; i < WORDS; i++) {
        longer[i][0] = '-';
        memcpy(longer[i] + 1, words[i], LENGTH);
        longer[i][LENGTH + 1] = '-';
        patterns[2 * i] = (trawl_pattern){.bytes = longer[i], .length = LENGTH + 2};
        patterns[2 * i + 1] = (trawl_pattern){.bytes = words[i], .length = LENGTH};
    }
    /* '-' and the first longer word begin the text; a match that ends there comes first. */
    trawl_pattern first = {.bytes = (const uint8_t *)"+-", .length = 2};
    patterns[0] = first;
    for (size_t i = 1; i < WORDS; i++) {
        uint8_t text[LENGTH + 3] = {'+'};
        memcpy(text + 1, longer[i], LENGTH + 2);
        trawl_db *db = compile(patterns, 2 * WORDS, "ac-nfa", TRAWL_MATCH_LEFTMOST_LONGEST);
        trawl_matches found;
        trawl_error error;
        assert_int_equal(trawl_collect(db, text, sizeof text, NULL, &found, &error), TRAWL_OK);
        assert_int_equal(found.count, 2);
        assert_int_equal(found.items[1].pattern, 2 * i + 1);
        trawl_matches_free(&found);
        trawl_db_free(db);
    }
}

/* The patterns a, aa, ... in a text of a's: 300 keys end at each position, of which one is reported
 * for each part of the set. */
static void walkers_report_one_match_for_each_position(void **state) {
    (void)state;
    enum { PATTERNS = 300, LENGTH = 5000, MOST_PARTS = 8 };
    uint8_t text[LENGTH];
    trawl_pattern patterns[PATTERNS];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < PATTERNS; i++) {
        patterns[i] = (trawl_pattern){.bytes = text, .length = i + 1};
    }
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        trawl_db *db = compile(patterns, PATTERNS, engine.name, TRAWL_MATCH_LEFTMOST_LONGEST);
        const trawl_walker_type *type = db->engine->walker;
        trawl_scan_settings options = {.threads = 1};
        trawl_walker *walker = NULL;
        trawl_error error;
        assert_int_equal(type->open(db, &options, &walker, &error), TRAWL_OK);
        counting_sink counted = {.sink = {.capacity = 64, .flush = count_reported}};
        counted.sink.matches = counted.room;
        trawl_window window = {.text = text, .length = LENGTH};
        assert_int_equal(type->scan(walker, &window, &counted.sink, &error), TRAWL_OK);
        assert_int_equal(count_reported(&counted.sink), TRAWL_OK);
        assert_in_range(counted.reported, LENGTH, (size_t)MOST_PARTS * LENGTH);
        type->close(walker);
        trawl_db_free(db);
    }
}

/* ------------------------------------------------------------------ conditions */

enum { NESTED = 90 };

/* Ends of one word in any order, mostly in any case, with a few conditions; many of their classes
 * have letters of one case alone. */
static void make_nested_conditions(test_case *test, random_source *random) {
    static const uint8_t classes[] = {TRAWL_CLASS_NONE, TRAWL_CLASS_WORD, ORACLE_ONE_CASE,
                                      ORACLE_ONE_CASE,  ORACLE_VOWELS,    ORACLE_ONE_CASE};
    uint8_t word[NESTED];
    size_t period = random_between(random, 1, 4), conditions = random_between(random, 1, 6);
    for (size_t i = 0; i < NESTED; i++) {
        word[i] = i < period ? (uint8_t) "abcd-"[random_below(random, 5)] : word[i - period];
    }
    size_t order = random_below(random, 3), step = 1 + 2 * random_below(random, 4);
    for (size_t id = 0; id < NESTED; id++) {
        size_t length = order == 0 ? id + 1 : order == 1 ? NESTED - id : id * step * 7 % NESTED + 1;
        unsigned flags = random_chance(random, 1, 8) ? 0 : TRAWL_PATTERN_CASE_INSENSITIVE;
        test_case_add_pattern(test, word + NESTED - length, length, flags);
    }
    for (size_t i = 0; i < conditions; i++) {
        trawl_condition condition = TRAWL_CONDITION;
        condition.left = classes[random_below(random, sizeof classes)];
        condition.right = classes[random_below(random, sizeof classes)];
        condition.max_end = random_chance(random, 1, 6) ? random_between(random, 50, 500) : 0;
        for (size_t id = i; id < NESTED; id += conditions) {
            test_case_set_condition(test, id, &condition);
        }
    }
    for (size_t left = 500, often = random_between(random, 1, 40); left-- > 0;) {
        uint8_t byte = word[NESTED - 1 - left % period];
        bool other = byte != '-' && random_chance(random, 1, often);
        byte = random_chance(random, 1, 150) ? ' ' : other ? byte ^ 0x20 : byte;
        test_case_append_text(test, &byte, 1);
    }
}

/* Boundaries that depend on the letter case of the text (run/case_pair_steps.h). */
static void conditions_of_one_letter_case(void **state) {
    (void)state;
    for (size_t round = 0; round < 300; round++) {
        random_source random = random_for_case(random_seed(), 1000 + round);
        test_case test = {.name = strdup("conditions of one letter case")};
        trawl_error error;
        make_nested_conditions(&test, &random);
        trawl_patterns *patterns = test_case_patterns(&test, &error);
        assert_non_null(patterns);
        for (size_t kind = 0; kind < 2; kind++) {
            trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
            options.engine = "ac-nfa";
            options.matches = kinds[kind];
            trawl_db *db;
            trawl_matches found;
            match_list expected = {0};
            assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
            assert_int_equal(trawl_collect(db, test.text, test.length, NULL, &found, &error),
                             TRAWL_OK);
            test_case_search(&test, kinds[kind], &expected);
            bool same = found.count == expected.count;
            for (size_t i = 0; same && i < found.count; i++) {
                same = found.items[i].start == expected.items[i].start &&
                       found.items[i].end == expected.items[i].end &&
                       found.items[i].pattern == expected.items[i].pattern;
            }
            if (!same) {
                test_case_print(stderr, &test);
                fail_msg("round %zu: other matches than by naive search", round);
            }
            trawl_matches_free(&found);
            match_list_free(&expected);
            trawl_db_free(db);
        }
        trawl_patterns_free(patterns);
        test_case_free(&test);
    }
}

/* The patterns a, aa, ... in any case, of which nearly all count at each position of the text, with
 * right boundaries that depend on its letter case: one is reported for each start. */
static void conditions_report_one_match_for_each_start(void **state) {
    (void)state;
    enum { LENGTH = 5000, CONDITIONS = 12 };
    test_case test = {.name = strdup("one match for each start")};
    uint8_t text[LENGTH];
    memset(text, 'a', sizeof text);
    for (size_t id = 0; id < NESTED; id++) {
        trawl_condition condition = TRAWL_CONDITION;
        condition.right = ORACLE_ONE_CASE;
        condition.max_end = LENGTH + id % CONDITIONS;
        test_case_add_pattern(&test, text, id + 1, TRAWL_PATTERN_CASE_INSENSITIVE);
        test_case_set_condition(&test, id, &condition);
    }
    memset(text, 'A', sizeof text);
    trawl_error error;
    trawl_patterns *patterns = test_case_patterns(&test, &error);
    assert_non_null(patterns);
    for (size_t kind = 0; kind < 2; kind++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.matches = kinds[kind];
        trawl_db *db;
        trawl_walker *walker = NULL;
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        const trawl_walker_type *type = trawl_case_pair_walker_of(db);
        trawl_scan_settings settings = {.threads = 1};
        assert_int_equal(type->open(db, &settings, &walker, &error), TRAWL_OK);
        counting_sink counted = {.sink = {.capacity = 64, .flush = count_reported}};
        counted.sink.matches = counted.room;
        trawl_window window = {.text = text, .length = LENGTH, .one_text = true};
        assert_int_equal(type->scan(walker, &window, &counted.sink, &error), TRAWL_OK);
        assert_int_equal(count_reported(&counted.sink), TRAWL_OK);
        assert_in_range(counted.reported, LENGTH, 2 * LENGTH);
        type->close(walker);
        trawl_db_free(db);
    }
    trawl_patterns_free(patterns);
    test_case_free(&test);
}

/* ------------------------------------------------------------------ time */

/* The CPU seconds of the fastest of three scans. */
static double scan_seconds(const trawl_db *db, const uint8_t *text, size_t length,
                           size_t expected) {
    double best = 0;
    for (int round = 0; round < 3; round++) {
        trawl_matches found = {0};
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        options.threads = 1;
        trawl_error error;
        double begin = trawl_thread_seconds();
        assert_int_equal(trawl_collect(db, text, length, &options, &found, &error), TRAWL_OK);
        double seconds = trawl_thread_seconds() - begin;
        assert_int_equal(found.count, expected);
        trawl_matches_free(&found);
        best = round == 0 || seconds < best ? seconds : best;
    }
    return best;
}

/* The patterns ab, b, bab, babab, ... in (ab)^n. Each match contains or overlaps as many
 * occurrences as there are patterns; the time must not grow with that number. */
static void time_grows_with_text_and_results_alone(void **state) {
    (void)state;
    enum { MOST = 1500, LENGTH = 120000 };
    uint8_t *text = malloc(LENGTH);
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++) {
        text[i] = i % 2 == 0 ? 'a' : 'b';
    }
    trawl_pattern patterns[MOST];
    patterns[0] = (trawl_pattern){.bytes = text, .length = 2};
    for (size_t i = 1; i < MOST; i++) {
        patterns[i] = (trawl_pattern){.bytes = text + 1, .length = 2 * i - 1};
    }
    for (size_t kind = 0; kind < 2; kind++) {
        double seconds[2];
        for (size_t many = 0; many < 2; many++) {
            trawl_db *db = compile(patterns, many == 0 ? 15 : MOST, "ac-dfa", kinds[kind]);
            seconds[many] = scan_seconds(db, text, LENGTH, LENGTH / 2);
            trawl_db_free(db);
        }
        assert_true(seconds[1] < 10 * seconds[0] + 0.01); /* it was 50 to 100 times */
    }
    free(text);
}

/* ------------------------------------------------------------------ flows */

static int count_batch(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    *(size_t *)context += count;
    return 0;
}

static int stop_batch(const trawl_match *matches, size_t count, void *context) {
    (void)count_batch(matches, count, context);
    return 1;
}

/* A call that stops in a piece, or that has found all groups, leaves matches unreported. They cover
 * the text all the same: "ab" before "c", so that "bcd" is no match. */
static void flows_go_on_behind_matches_that_were_not_reported(void **state) {
    (void)state;
    trawl_error error;
    trawl_patterns *patterns = NULL;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            trawl_patterns_add(patterns, i == 0 ? "ab" : "bcd", i == 0 ? 2 : 3, 0, &error),
            TRAWL_OK);
        assert_int_equal(trawl_patterns_group_last(patterns, 7, &error), TRAWL_OK);
    }
    for (size_t kind = 0; kind < 2; kind++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        trawl_db *db = NULL;
        trawl_scanner *scanner = NULL;
        options.matches = kinds[kind];
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        assert_int_equal(trawl_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
        void *flow = malloc(trawl_flow_bytes(db));
        for (int first = 0; first < 2; first++)
            for (int second = 0; second < 2; second++) {
                uint32_t ids[2];
                size_t found = 0;
                trawl_flow_start(flow);
                if (first == 0)
                    assert_int_equal(trawl_flow_which(scanner, flow, "abxabc", 6, ids, 2), 1);
                else
                    assert_int_equal(
                        trawl_flow_scan(scanner, flow, "abxabc", 6, stop_batch, &found),
                        TRAWL_STOPPED);
                found = 0;
                if (second == 0)
                    assert_int_equal(trawl_flow_which(scanner, flow, "d", 1, ids, 2), 0);
                else
                    assert_int_equal(trawl_flow_scan(scanner, flow, "d", 1, count_batch, &found),
                                     TRAWL_OK);
                assert_int_equal(trawl_flow_finish(scanner, flow, count_batch, &found), TRAWL_OK);
                assert_int_equal(found, 0);
            }
        free(flow);
        trawl_scanner_close(scanner);
        trawl_db_free(db);
    }
    trawl_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_patterns_are_selected_as_by_naive_search),
        cmocka_unit_test(crowded_keys_are_inside_others),
        cmocka_unit_test(walkers_report_one_match_for_each_position),
        cmocka_unit_test(conditions_of_one_letter_case),
        cmocka_unit_test(conditions_report_one_match_for_each_start),
        cmocka_unit_test(time_grows_with_text_and_results_alone),
        cmocka_unit_test(flows_go_on_behind_matches_that_were_not_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
