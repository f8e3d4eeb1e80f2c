/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * When the engines with a guard (scan/guard.h) hand a text over to the automaton (run/fallback.h),
 * and how little they scan themselves: by clocks that say what a test wants. The linker replaces
 * clock_gettime and trawl_fallback_open (--wrap).
 */
#include "combinations.h"
#include "constants/fallback.h"
#include "database/engine.h"
#include "run/fallback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* ------------------------------------------------------------------ clocks */

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

static const long SECOND = 1000000000; /* in nanoseconds */

/* What a clock adds with each reading, in nanoseconds; 0: clocks are real. And what the step of
 * elapsed time grows by. */
static atomic_long elapsed_step, processor_step, elapsed_growth;
static atomic_long elapsed, processor;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    if (atomic_load(&elapsed_step) == 0)
        return __real_clock_gettime(clock, now);
    bool is_processor = clock == CLOCK_THREAD_CPUTIME_ID;
    long time = is_processor
                    ? atomic_fetch_add(&processor, atomic_load(&processor_step))
                    : atomic_fetch_add(
                          &elapsed, atomic_fetch_add(&elapsed_step, atomic_load(&elapsed_growth)));
    *now = (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
    return 0;
}

/* ------------------------------------------------------------------ automata */

trawl_status __real_trawl_fallback_open(const trawl_db *db, trawl_walker **walker,
                                        trawl_error *error);
trawl_status __wrap_trawl_fallback_open(const trawl_db *db, trawl_walker **walker,
                                        trawl_error *error);

static atomic_size_t opened; /* fallback automata that were requested */

trawl_status __wrap_trawl_fallback_open(const trawl_db *db, trawl_walker **walker,
                                        trawl_error *error) {
    atomic_fetch_add(&opened, 1);
    return __real_trawl_fallback_open(db, walker, error);
}

static trawl_error error;

/* NULL: this engine is not tested. */
static trawl_db *compile(combination which, const test_case *test) {
    combination_failure failure;
    trawl_db *db;
    if (combination_compile(which, test, TRAWL_MATCH_ALL, &db, &failure) == COMBINATION_FAILED) {
        combination_print_failure(stdout, test, &failure, NULL);
        fail();
    }
    return db;
}

/* ------------------------------------------------------------------ time lost, and time waited */

/* How many automata one scan of a text full of candidates opens with these clocks. */
static size_t count_opened(const trawl_db *db, const test_case *test, long step, long thread_step) {
    uint64_t total;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = 1;
    atomic_store(&opened, 0);
    atomic_store(&processor_step, thread_step);
    atomic_store(&elapsed_step, step);
    assert_int_equal(trawl_count(db, test->text, test->length, &options, &total, NULL, &error),
                     TRAWL_OK);
    atomic_store(&elapsed_step, 0);
    return atomic_load(&opened);
}

/* Runs of one letter, each of which ends in another one. */
static void waiting_is_no_loss(void **state) {
    (void)state;
    enum { RUN = 300, TEXT = 3000000 };
    test_case test = {.name = strdup("runs of one letter")};
    uint8_t run[RUN];
    memset(run, 'a', sizeof run);
    test_case_add_pattern(&test, run, 200, 0);
    test_case_add_pattern(&test, "ba", 2, 0);
    run[RUN - 1] = 'b';
    test_case_add_pattern(&test, run + RUN - 20, 20, 0);
    test_case_add_pattern(&test, run + RUN - 5, 5, 0);
    while (test.length < TEXT)
        test_case_append_text(&test, run, sizeof run);
    trawl_db *db = compile((combination){"qgram", NULL}, &test);
    assert_non_null(db);
    assert_int_equal(count_opened(db, &test, SECOND, 0), 0);
    assert_int_equal(count_opened(db, &test, SECOND, SECOND), 1);
    trawl_db_free(db);
    test_case_free(&test);
}

/* Nine patterns of `length` bytes that differ in the first one and repeat `unit` behind it. */
static trawl_db *compile_long(const char *engine, size_t length, const char *unit) {
    trawl_patterns *patterns;
    trawl_db *db;
    uint8_t *bytes = malloc(length);
    assert_non_null(bytes);
    for (size_t i = 1; i < length; i++)
        bytes[i] = (uint8_t)unit[i % strlen(unit)];
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (unsigned i = 1; i < 10; i++) {
        bytes[0] = (uint8_t)('d' + i);
        assert_int_equal(
            trawl_patterns_add(patterns, bytes, length, TRAWL_PATTERN_CASE_INSENSITIVE, &error),
            TRAWL_OK);
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    free(bytes);
    return db;
}

/* Counts in a text without matches, by clocks that each reading moves by `step`. Returns the bytes
 * that the engine itself scanned. */
static uint64_t count_filtered_by(const trawl_db *db, const uint8_t *text, size_t length,
                                  long step) {
    uint64_t total;
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
    scan.threads = 1;
    scan.study = &study;
    study.report = &report;
    atomic_store(&processor_step, step);
    atomic_store(&elapsed_step, step);
    assert_int_equal(trawl_count(db, text, length, &scan, &total, NULL, &error), TRAWL_OK);
    atomic_store(&elapsed_step, 0);
    assert_int_equal(total, 0);
    assert_int_equal(report.filtered_bytes + report.fallback_bytes, length);
    return report.filtered_bytes;
}

/* The same by a clock by which every stretch is slow. */
static uint64_t count_filtered(const trawl_db *db, const uint8_t *text, size_t length) {
    return count_filtered_by(db, text, length, SECOND);
}

/* The same for a text that repeats `unit`. */
static uint64_t count_filtered_of(const trawl_db *db, const char *unit, size_t length) {
    uint8_t *text = malloc(length);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = (uint8_t)unit[i % strlen(unit)];
    uint64_t filtered = count_filtered(db, text, length);
    free(text);
    return filtered;
}

static const char *const guarded[] = {"qgram", "wu-manber", "rabin-karp"};
enum { GUARDED = sizeof guarded / sizeof guarded[0] };

/* Each position is a candidate that has 40,000 bytes in common with each of 9 patterns. A block of
 * it takes as long as megabytes take the automaton: stretches end by the bytes that are compared.
 * By a clock by which every stretch is slow, the engine tries few of them. */
static void costly_stretches_are_short_and_few(void **state) {
    (void)state;
    enum { LENGTH = 40000, TEXT = 4 << 20, BLOCK = 16384 };
    for (size_t e = 0; e < GUARDED; e++) {
        trawl_db *db = compile_long(guarded[e], LENGTH, "a");
        /* wu-manber and rabin-karp have no window before the end of the shortest pattern. */
        const uint64_t most = BLOCK + (strcmp(guarded[e], "qgram") == 0 ? 0 : LENGTH);
        const uint64_t filtered = count_filtered_of(db, "a", TEXT);
        if (filtered > most)
            fail_msg("%s itself scanned %llu bytes", guarded[e], (unsigned long long)filtered);
        trawl_db_free(db);
    }
}

/* One position in 64 is a candidate, which has 6,000 bytes in common with each of 9 patterns: few
 * look-ups, much work. By a clock by which every stretch is slow, the text goes to the automaton.
 */
static void compared_bytes_are_work(void **state) {
    (void)state;
    enum { LENGTH = 6000, TEXT = 8000000 };
    static const char unit[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac";
    for (size_t e = 0; e < GUARDED; e++) {
        trawl_db *db = compile_long(guarded[e], LENGTH, unit);
        uint64_t filtered = count_filtered_of(db, unit, TEXT);
        if (filtered * 16 > TEXT)
            fail_msg("%s itself scanned %llu bytes", guarded[e], (unsigned long long)filtered);
        trawl_db_free(db);
    }
}

/* A text full of candidates of Teddy, none of which is looked up: the first and the second byte of
 * each word are those of two patterns. */
static void rejected_candidates_are_work(void **state) {
    (void)state;
    enum { PATTERNS = 64, TEXT = 8000000 };
    uint8_t first[PATTERNS], second[PATTERNS];
    uint8_t *text = malloc(TEXT);
    trawl_patterns *patterns;
    trawl_db *db;
    assert_non_null(text);
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (unsigned i = 0; i < PATTERNS; i++) {
        first[i] = (uint8_t)(0x40 + i);
        second[i] = (uint8_t)(0x40 + 37 * i % PATTERNS); /* 37: all values, in another order */
        const uint8_t bytes[] = {' ', first[i], second[i]};
        assert_int_equal(trawl_patterns_add(patterns, bytes, sizeof bytes, 0, &error), TRAWL_OK);
    }
    for (size_t i = 0; i < TEXT; i++) {
        size_t word = i / 3;
        text[i] = i % 3 == 0   ? ' '
                  : i % 3 == 1 ? first[word % PATTERNS]
                               : second[(word + 1 + word / PATTERNS % (PATTERNS - 1)) % PATTERNS];
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "qgram";
    options.variant = "teddy";
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    uint64_t filtered = count_filtered(db, text, TEXT);
    if (filtered * 16 > TEXT)
        fail_msg("the engine itself scanned %llu bytes", (unsigned long long)filtered);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    free(text);
}

/* A text whose first part alone is full of candidates, by a clock by which each stretch of it takes
 * a fraction of a millisecond more than it should. The automaton begins with one stretch, not with
 * the most that it may get: the engine has the rest of the text, where it is the faster one. */
static void the_automaton_begins_with_a_stretch(void **state) {
    (void)state;
    enum { DENSE = 2 * TRAWL_FALLBACK_STRETCH, TEXT = 4 << 20 };
    const long step = 300000;
    uint8_t *text = malloc(TEXT);
    assert_non_null(text);
    memset(text, '.', TEXT);
    for (size_t i = 0; i < DENSE; i++)
        text[i] = i % 15 == 0 ? 'e' : 'a'; /* samples from both ends of patterns */
    trawl_db *db = compile_long("qgram", 40, "a");
    const uint64_t filtered = count_filtered_by(db, text, TEXT, step);
    assert_true(filtered < TEXT); /* the automaton was built */
    const uint64_t automaton = TEXT - filtered, most = DENSE + 2 * TRAWL_FALLBACK_STRETCH;
    if (automaton > most)
        fail_msg("the automaton scanned %llu bytes", (unsigned long long)automaton);
    trawl_db_free(db);
    free(text);
}

/* ------------------------------------------------------------------ hostile texts */

/* Nested patterns in a text that is full of them: the longest one is compared at each position. By
 * a clock by which every stretch of an engine is slow, all but a sixteenth of the text goes to the
 * automaton. */
static void hostile_texts(void **state) {
    (void)state;
    enum { LONGEST = 300, LENGTH = 8000000 };
    static const combination engines[] = {
        {"wu-manber", "tuned"}, {"rabin-karp", "grouped"}, {"qgram", "mixed"}};
    static const size_t shortest[] = {1, 200}; /* several passes of rabin-karp, and one */
    uint8_t run[LONGEST];
    memset(run, 'a', sizeof run);
    for (size_t s = 0; s < sizeof shortest / sizeof shortest[0]; s++) {
        test_case test = {.name = strdup("nested")};
        uint64_t expected = 0;
        for (size_t length = shortest[s]; length <= LONGEST; length++) {
            test_case_add_pattern(&test, run, length, 0);
            expected += LENGTH - (length - 1);
        }
        uint8_t *text = malloc(LENGTH);
        assert_non_null(text);
        memset(text, 'a', LENGTH);
        for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
            trawl_db *db = compile(engines[e], &test);
            if (!db)
                continue;
            trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
            trawl_scan_options options = TRAWL_SCAN_OPTIONS;
            trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
            options.threads = 1;
            options.study = &study;
            study.report = &report;
            uint64_t total;
            atomic_store(&processor_step, SECOND);
            atomic_store(&elapsed_step, SECOND);
            assert_int_equal(trawl_count(db, text, LENGTH, &options, &total, NULL, &error),
                             TRAWL_OK);
            atomic_store(&elapsed_step, 0);
            assert_int_equal(total, expected);
            assert_int_equal(report.filtered_bytes + report.fallback_bytes, LENGTH);
            if (report.filtered_bytes * 16 > LENGTH)
                fail_msg("%s itself scanned %llu bytes", engines[e].engine,
                         (unsigned long long)report.filtered_bytes);
            trawl_db_free(db);
        }
        free(text);
        test_case_free(&test);
    }
}

/* Short texts that are scanned one by one, each a candidate at every position, by a clock by which
 * all take as long: the automaton gets one stretch of them, is as slow, and the engine goes on. */
static void short_texts_are_handed_over(void **state) {
    enum { LENGTH = 64, TEXTS = 6000 };
    (void)state;
    trawl_patterns *patterns;
    trawl_db *db;
    trawl_walker *walker;
    trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
    trawl_counts counts = {.total = 0};
    uint64_t expected = 0;
    uint8_t text[LENGTH];
    memset(text, 'a', sizeof text);
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t length = 4; length < 2 * LENGTH; length++) {
        uint8_t bytes[2 * LENGTH];
        memset(bytes, 'a', length);
        bytes[0] = length % 2 == 0 ? 'a' : 'b';
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, 0, &error), TRAWL_OK);
        expected += length % 2 == 0 && length <= LENGTH ? LENGTH + 1 - length : 0;
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    const trawl_scan_settings settings = {.threads = 1};
    options.engine = "qgram";
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    const trawl_walker_type *type = db->engine->walker;
    assert_int_equal(type->open(db, &settings, &walker, &error), TRAWL_OK);
    walker->threads = 1;
    walker->open_fallback = trawl_fallback_open;
    atomic_store(&elapsed_growth, 1000);
    atomic_store(&elapsed_step, 1000);
    for (size_t i = 0; i < TEXTS; i++) {
        const trawl_window window = {.text = text, .length = LENGTH, .one_text = true};
        assert_int_equal(type->count(walker, &window, &counts, &error), TRAWL_OK);
        assert_int_equal(counts.total, (i + 1) * expected);
    }
    atomic_store(&elapsed_step, 0);
    atomic_store(&elapsed_growth, 0);
    type->describe(walker, &report);
    assert_int_equal(report.filtered_bytes + report.fallback_bytes, TEXTS * LENGTH);
    assert_int_equal(report.fallback_bytes, TRAWL_FALLBACK_STRETCH);
    type->close(walker);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(waiting_is_no_loss),
                                       cmocka_unit_test(costly_stretches_are_short_and_few),
                                       cmocka_unit_test(compared_bytes_are_work),
                                       cmocka_unit_test(rejected_candidates_are_work),
                                       cmocka_unit_test(the_automaton_begins_with_a_stretch),
                                       cmocka_unit_test(short_texts_are_handed_over),
                                       cmocka_unit_test(hostile_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
