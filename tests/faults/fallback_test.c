/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts full of candidates for the engines with a guard (scan/guard.h): an automaton scans a part
 * of the text instead, and then the engine goes on (run/fallback.h). The matches must be the same
 * with filters and automaton, and also without memory for the automaton. The linker replaces the
 * allocation functions and trawl_fallback_open (--wrap).
 */
#include "combinations.h"
#include "effort.h"
#include "failing_memory.h"
#include "run/fallback.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ memory that ends */

trawl_status __real_trawl_fallback_open(const trawl_db *db, trawl_walker **walker,
                                        trawl_error *error);
trawl_status __wrap_trawl_fallback_open(const trawl_db *db, trawl_walker **walker,
                                        trawl_error *error);

static atomic_size_t opened; /* fallback automata that were requested */
static long failing = -1;    /* the allocation that fails while one is opened; -1: none */

trawl_status __wrap_trawl_fallback_open(const trawl_db *db, trawl_walker **walker,
                                        trawl_error *error) {
    atomic_fetch_add(&opened, 1);
    countdown_here = failing;
    trawl_status status = __real_trawl_fallback_open(db, walker, error);
    countdown_here = -1;
    return status;
}

/* ------------------------------------------------------------------ texts and sets */

static trawl_error error;

static void add_run(test_case *test, const char *unit, size_t length, unsigned flags) {
    uint8_t bytes[400];
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)unit[i % strlen(unit)];
    test_case_add_pattern(test, bytes, length, flags);
}

static void runs_of_one_letter(test_case *test, random_source *random) {
    (void)random;
    add_run(test, "a", 200, 0);
    add_run(test, "ba", 2, 0);
    test_case_add_pattern(test, "aaaaaaaaaaaaaaaaaaab", 20, 0);
    test_case_add_pattern(test, "aaaab", 5, 0);
}

static void runs_in_both_cases(test_case *test, random_source *random) {
    (void)random;
    add_run(test, "a", 9, TRAWL_PATTERN_CASE_INSENSITIVE);
    add_run(test, "aA", 7, 0);
    add_run(test, "A", 70, 0);
    add_run(test, "bA", 12, TRAWL_PATTERN_CASE_INSENSITIVE);
}

static void overlapping_themselves(test_case *test, random_source *random) {
    (void)random;
    add_run(test, "ab", 40, 0);
    add_run(test, "ab", 39, 0);
    add_run(test, "abab", 3, 0);
    add_run(test, "aab", 24, 0);
    add_run(test, "aab", 25, 0);
}

static void every_short_word(test_case *test, random_source *random) {
    (void)random;
    for (unsigned word = 0; word < 16; word++) {
        char bytes[4];
        for (unsigned i = 0; i < 4; i++)
            bytes[i] = word >> i & 1 ? 'b' : 'a';
        test_case_add_pattern(test, bytes, 4, 0);
        if (word < 8)
            test_case_add_pattern(test, bytes, 3, 0);
    }
}

static void words(test_case *test, random_source *random) {
    for (size_t i = 0; i < 300; i++) {
        uint8_t bytes[24];
        size_t length = random_between(random, 5, sizeof bytes);
        for (size_t k = 0; k < length; k++)
            bytes[k] = (uint8_t)('a' + random_below(random, 26));
        test_case_add_pattern(test, bytes, length, i % 9 == 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
}

static void letters_of_dna(test_case *test, random_source *random) {
    for (size_t i = 0; i < 200; i++) {
        uint8_t bytes[40];
        size_t length = random_between(random, 8, sizeof bytes);
        for (size_t k = 0; k < length; k++)
            bytes[k] = (uint8_t) "acgt"[i < 20 ? 0 : random_below(random, 4)];
        test_case_add_pattern(test, bytes, length, 0);
    }
}

/* What the parts of a text that are full of candidates are made of. */
typedef enum stuff { RUN, PAIRS, WHOLE, DAMAGED, STUFFS } stuff;

static void append_stuff(test_case *test, stuff of, size_t length, random_source *random) {
    size_t past = test->length + length;
    while (test->length < past) {
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        uint8_t bytes[400];
        size_t size = pattern->length;
        memcpy(bytes, pattern->bytes, size);
        if (of == RUN || of == PAIRS) {
            size = 300;
            for (size_t i = 0; i < size; i++)
                bytes[i] = (uint8_t) "ab"[of == PAIRS && i % 2 != 0];
            bytes[random_below(random, size)] = 'b';
        } else if (of == DAMAGED) {
            bytes[random_chance(random, 1, 2) ? size - 1 : random_below(random, size)] ^= 3;
        }
        test_case_append_text(test, bytes, size);
    }
}

static void append_quiet(test_case *test, size_t length, random_source *random) {
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = (uint8_t)(0x80 + random_below(random, 100));
        test_case_append_text(test, &byte, 1);
    }
}

/* Each stretch is long enough for a walker to change to the automaton or back, and the text is
 * longer than 1 MiB. */
enum { STRETCH = TESTS_ARE_SLOW ? 130000 : 250000, QUIET = 150000 };

static void make_text(test_case *test, random_source *random) {
    for (int of = 0; of < STUFFS; of++) {
        append_stuff(test, (stuff)of, STRETCH, random);
        append_quiet(test, QUIET, random);
    }
    append_stuff(test, RUN, STRETCH, random);
}

static const struct {
    const char *name;
    void (*make)(test_case *test, random_source *random);
} sets[] = {{"runs of one letter", runs_of_one_letter},
            {"runs in both cases", runs_in_both_cases},
            {"overlapping themselves", overlapping_themselves},
            {"every short word", every_short_word},
            {"words", words},
            {"letters of DNA", letters_of_dna}};
enum { SETS = sizeof sets / sizeof sets[0] };

static void make_set(size_t index, test_case *test, random_source *random) {
    *random = random_for_case(random_seed(), index);
    *test = (test_case){.name = strdup(sets[index].name)};
    sets[index].make(test, random);
}

/* ------------------------------------------------------------------ the same matches */

static trawl_db *compile(combination which, const test_case *test, trawl_match_kind kind) {
    combination_failure failure;
    trawl_db *db;
    if (combination_compile(which, test, kind, &db, &failure) == COMBINATION_FAILED) {
        combination_print_failure(stdout, test, &failure, NULL);
        fail();
    }
    return db;
}

/* The matches of another engine; the oracle confirms the first ones. */
static void search(const test_case *test, trawl_match_kind kind, match_list *expected) {
    enum { CONFIRMED = 20000 };
    trawl_db *db = compile((combination){"ac-nfa", "bitmap"}, test, kind);
    trawl_matches found;
    assert_non_null(db);
    assert_int_equal(trawl_collect(db, test->text, test->length, NULL, &found, &error), TRAWL_OK);
    trawl_db_free(db);
    match_list_clear(expected);
    for (size_t i = 0; i < found.count; i++)
        match_list_add(expected, found.items[i].pattern, found.items[i].start, found.items[i].end);
    trawl_matches_free(&found);
    if (kind != TRAWL_MATCH_ALL)
        return;
    match_list first = {0};
    oracle_search(test->patterns, test->count, test->text, CONFIRMED, kind, &first);
    assert_true(first.count <= expected->count);
    for (size_t i = 0; i < first.count; i++)
        assert_memory_equal(&first.items[i], &expected->items[i], sizeof(trawl_match));
    assert_true(first.count == expected->count || expected->items[first.count].end > CONFIRMED);
    match_list_free(&first);
}

static const runner runners[] = {
    {.call = RUNNER_COLLECT},
    {.call = RUNNER_SCAN},
    {.call = RUNNER_STOP},
    {.call = RUNNER_BATCHES_STOP},
    {.call = RUNNER_COLLECT_AGAIN, .threads = 2},
    {.call = RUNNER_COUNT},
    {.call = RUNNER_COUNT_PATTERNS},
    {.call = RUNNER_COUNT_PATTERNS, .threads = 3, .chunk_bytes = 100000},
    {.call = RUNNER_COLLECT, .threads = 4, .chunk_bytes = 70001, .copy_tables = true},
    {.call = RUNNER_STOP, .threads = 2, .chunk_bytes = 50000},
    {.call = RUNNER_STREAM, .piece_bytes = 5003},
    {.call = RUNNER_STREAM, .piece_bytes = 40000, .flush = true, .threads = 2},
    {.call = RUNNER_STREAM_COUNT, .piece_bytes = 16384},
    {.call = RUNNER_STREAM_COUNT_TOTAL, .piece_bytes = RUNNER_PIECE_RANDOM},
    {.call = RUNNER_STREAM_BATCHES, .piece_bytes = 0},
};

/* In the short form of the test, each database is scanned by every third runner, beginning with
 * another one. */
static void check(const trawl_db *db, combination which, const test_case *test,
                  trawl_match_kind kind, const match_list *expected, random_source *random) {
    static size_t turn;
    size_t step = effort_is_short() ? 3 : 1;
    for (size_t i = turn++ % step; i < sizeof runners / sizeof runners[0]; i += step) {
        if (TESTS_THREAD_SANITIZER && runners[i].threads < 2)
            continue;
        combination_failure failure = {
            .which = which, .kind = kind, .how = runners[i], .scanning = true};
        if (runner_check(&runners[i], db, test->text, test->length, expected, random, failure.what,
                         sizeof failure.what))
            continue;
        char how[200];
        runner_describe(&runners[i], how, sizeof how);
        fail_msg("%s, %s, %s: %s", test->name, which.variant, how, failure.what);
    }
}

static bool has_guard(combination which) {
    return which.variant &&
           (strcmp(which.engine, "qgram") == 0 || strcmp(which.variant, "tuned") == 0 ||
            strcmp(which.variant, "grouped") == 0);
}

static void the_same_matches(void **state) {
    (void)state;
    uint64_t filtered = 0, handed_over = 0;
    for (size_t s = 0; s < SETS; s++) {
        random_source random;
        test_case test;
        match_list expected = {0};
        make_set(s, &test, &random);
        make_text(&test, &random);
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            if (kind != (int)TRAWL_MATCH_ALL && (s % 2 == 0 || TESTS_ARE_SLOW))
                continue;
            search(&test, (trawl_match_kind)kind, &expected);
            for (size_t c = 0; c < combination_count(); c++) {
                combination which = combination_at(c);
                if (!has_guard(which))
                    continue;
                trawl_db *db = compile(which, &test, (trawl_match_kind)kind);
                if (!db)
                    continue;
                trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
                trawl_scan_options options = TRAWL_SCAN_OPTIONS;
                trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
                options.study = &study;
                study.report = &report;
                uint64_t total;
                assert_int_equal(
                    trawl_count(db, test.text, test.length, &options, &total, NULL, &error),
                    TRAWL_OK);
                assert_int_equal(total, expected.count);
                if (kind == (int)TRAWL_MATCH_ALL) {
                    assert_int_equal(report.filtered_bytes + report.fallback_bytes, test.length);
                    filtered += report.filtered_bytes;
                    handed_over += report.fallback_bytes;
                }
                check(db, which, &test, (trawl_match_kind)kind, &expected, &random);
                trawl_db_free(db);
            }
        }
        match_list_free(&expected);
        test_case_free(&test);
    }
    printf("%.1f MB were filtered, %.1f MB handed over\n", (double)filtered / 1e6,
           (double)handed_over / 1e6);
    assert_true(filtered != 0);
    assert_true(handed_over != 0 || combination_count() == 0);
}

/* ------------------------------------------------------------------ no memory */

static int take(const trawl_match *matches, size_t count, void *context) {
    match_list *found = context;
    for (size_t i = 0; i < count; i++)
        match_list_add(found, matches[i].pattern, matches[i].start, matches[i].end);
    return 0;
}

static void without_an_automaton(void **state) {
    (void)state;
    random_source random;
    test_case test;
    match_list expected = {0}, found = {0};
    make_set(0, &test, &random);
    append_stuff(&test, RUN, 400000, &random);
    search(&test, TRAWL_MATCH_ALL, &expected);
    size_t asked = 0, failures = 0;
    for (failing = 0; failing < 1000; failing++) {
        long before = atomic_load(&live);
        atomic_store(&failed, false);
        atomic_store(&opened, 0);
        long found_none = failing;
        failing = -1;
        trawl_db *db = compile((combination){"qgram", "mixed"}, &test, TRAWL_MATCH_ALL);
        failing = found_none;
        /* Both the thread that builds the automaton and the ones that only open it. */
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
        options.threads = failing % 3 == 2 ? 2 : 1;
        options.study = &study;
        study.chunk_bytes = 200000;
        match_list_clear(&found);
        trawl_status status =
            trawl_scan_batches(db, test.text, test.length, &options, take, &found, &error);
        if (status != TRAWL_OK)
            fail_msg("allocation %ld failed: %s", failing, error.message);
        assert_true(match_list_equal(&found, &expected));
        uint64_t total, each[8] = {0}, sum = 0;
        assert_int_equal(trawl_count(db, test.text, test.length, NULL, &total, each, &error),
                         TRAWL_OK);
        for (size_t id = 0; id < test.count; id++)
            sum += each[id];
        assert_int_equal(total, expected.count);
        assert_int_equal(sum, expected.count);
        trawl_db_free(db);
        match_list_free(&found);
        found = (match_list){0};
        if (atomic_load(&live) != before)
            fail_msg("%ld allocations leaked when allocation %ld failed",
                     atomic_load(&live) - before, failing);
        asked += atomic_load(&opened);
        failures += atomic_load(&failed);
        if (!atomic_load(&failed) || (TESTS_ARE_SLOW && failing >= 40))
            break;
    }
    failing = -1;
    printf("%zu automata asked for, %zu allocations failed\n", asked, failures);
    assert_true(asked != 0);
    assert_true(failures != 0);
    match_list_free(&expected);
    test_case_free(&test);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_matches),
                                       cmocka_unit_test(without_an_automaton)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
