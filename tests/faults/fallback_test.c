/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts full of candidates for the engines with a guard (scan/guard.h): an automaton scans a part
 * of the text instead, and then the engine goes on (run/fallback.h). The matches must be the same
 * with filters and automaton, and also without memory for the automaton. The linker replaces the
 * allocation functions and trawl_fallback_open (--wrap).
 */
#include "combinations.h"
#include "constants/cpu.h"
#include "database/engine.h"
#include "effort.h"
#include "failing_memory.h"
#include "run/fallback.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static void waiting_is_no_loss(void **state) {
    (void)state;
    random_source random;
    test_case test;
    make_set(0, &test, &random);
    append_stuff(&test, RUN, 3000000, &random);
    trawl_db *db = compile((combination){"qgram", NULL}, &test, TRAWL_MATCH_ALL);
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

/* Counts in a text without matches, by a clock by which every stretch is slow. Returns the bytes
 * that the engine itself scanned. */
static uint64_t count_filtered(const trawl_db *db, const uint8_t *text, size_t length) {
    uint64_t total;
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
    scan.threads = 1;
    scan.study = &study;
    study.report = &report;
    atomic_store(&processor_step, SECOND);
    atomic_store(&elapsed_step, SECOND);
    assert_int_equal(trawl_count(db, text, length, &scan, &total, NULL, &error), TRAWL_OK);
    atomic_store(&elapsed_step, 0);
    assert_int_equal(total, 0);
    assert_int_equal(report.filtered_bytes + report.fallback_bytes, length);
    return report.filtered_bytes;
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
    for (size_t s = 0; s < sizeof shortest / sizeof shortest[0]; s++) {
        test_case test = {.name = strdup("nested")};
        uint64_t expected = 0;
        for (size_t length = shortest[s]; length <= LONGEST; length++) {
            add_run(&test, "a", length, 0);
            expected += LENGTH - (length - 1);
        }
        uint8_t *text = malloc(LENGTH);
        assert_non_null(text);
        memset(text, 'a', LENGTH);
        for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
            trawl_db *db = compile(engines[e], &test, TRAWL_MATCH_ALL);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_matches),
                                       cmocka_unit_test(without_an_automaton),
                                       cmocka_unit_test(waiting_is_no_loss),
                                       cmocka_unit_test(costly_stretches_are_short_and_few),
                                       cmocka_unit_test(compared_bytes_are_work),
                                       cmocka_unit_test(rejected_candidates_are_work),
                                       cmocka_unit_test(short_texts_are_handed_over),
                                       cmocka_unit_test(hostile_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
