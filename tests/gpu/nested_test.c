/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Leftmost kinds on sets whose patterns lie inside each other: kernels report the longest key at a
 * position, not every pattern that ends there, and the matches selected from that are right.
 */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { NESTED = 64, MOST_FOR_A_POSITION = 8 };

static trawl_error error;

/* Kernels of these variants find each pattern by itself, as their papers do. */
static bool finds_patterns(combination which) {
    static const char *const engines[] = {"wu-manber", "rabin-karp"};
    static const char *const variants[] = {"paper", "single", "steps"};
    bool engine = false, variant = false;
    for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++)
        engine = engine || strcmp(which.engine, engines[i]) == 0;
    for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++)
        variant = variant || strcmp(which.variant, variants[i]) == 0;
    return engine && variant;
}

/* The number of matches that the kernel reports to the selection; UINT64_MAX: it refuses the
 * set. */
static uint64_t reported(const trawl_cuda_db *uploaded, const char *kernel, const test_case *test) {
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    double seconds;
    uint64_t total = 0;
    scan.form = TRAWL_CUDA_MATCHES;
    scan.kernel = kernel;
    trawl_status status = trawl_study_cuda_measure(uploaded, &scan, test->text, test->length, 1,
                                                   &seconds, &total, &error);
    if (status == TRAWL_ERROR_LIMIT)
        return UINT64_MAX;
    if (status != TRAWL_OK)
        fail_msg("kernel %s: %s", kernel, error.message);
    return total;
}

static void check_matches(combination which, const char *kernel, const trawl_db *db,
                          const test_case *test, const match_list *expected) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_matches found = {0};
    options.device = "cuda";
    options.kernel = kernel;
    if (trawl_collect(db, test->text, test->length, &options, &found, &error) != TRAWL_OK)
        fail_msg("%s/%s, kernel %s: %s", which.engine, which.variant, kernel, error.message);
    bool equal = found.count == expected->count;
    for (size_t i = 0; equal && i < found.count; i++)
        equal = found.items[i].start == expected->items[i].start &&
                found.items[i].end == expected->items[i].end &&
                found.items[i].pattern == expected->items[i].pattern;
    if (!equal)
        fail_msg("%s/%s, kernel %s: wrong among %zu matches of %zu", which.engine, which.variant,
                 kernel, found.count, expected->count);
    trawl_matches_free(&found);
}

/* All kernels of a combination. `most`: matches that may be reported for the text. */
static void check_kernels(combination which, const test_case *test, trawl_match_kind kind,
                          const match_list *expected, uint64_t most) {
    trawl_cuda_upload_options upload = TRAWL_CUDA_UPLOAD_OPTIONS;
    trawl_cuda_db *uploaded = NULL;
    const char *kernel;
    trawl_db *db = device_compile(which, test, kind);
    if (!db)
        return;
    upload.sample = test->text;
    upload.sample_length = test->length;
    if (trawl_cuda_upload(db, &upload, &uploaded, &error) != TRAWL_OK)
        fail_msg("%s/%s: %s", which.engine, which.variant, error.message);
    for (size_t k = 0; (kernel = device_kernel_at(which.engine, k)); k++) {
        uint64_t total = reported(uploaded, kernel, test);
        if (total == UINT64_MAX)
            continue;
        if (total > most && !finds_patterns(which))
            fail_msg("%s/%s, kernel %s reports %llu matches of %zu bytes", which.engine,
                     which.variant, kernel, (unsigned long long)total, test->length);
        check_matches(which, kernel, db, test, expected);
    }
    trawl_cuda_db_free(uploaded);
    trawl_db_free(db);
}

/* `engine`: NULL for all engines. */
static void check_case(const test_case *test, const char *engine, bool bounded) {
    combination which;
    for (int kind = TRAWL_MATCH_LEFTMOST_FIRST; kind <= TRAWL_MATCH_LEFTMOST_LONGEST; kind++) {
        match_list expected = {0};
        oracle_search(test->patterns, test->count, test->text, test->length, (trawl_match_kind)kind,
                      &expected);
        for (size_t c = 0; device_combination(c, &which); c++)
            if (!engine || strcmp(engine, which.engine) == 0)
                check_kernels(which, test, (trawl_match_kind)kind, &expected,
                              bounded ? MOST_FOR_A_POSITION * test->length : UINT64_MAX);
        match_list_free(&expected);
    }
}

static size_t text_length(void) {
    return device_is_emulated() ? 300 : 3000;
}

/* Runs of a letter, with patterns of all lengths up to NESTED, the shorter ones with lower ids. */
static void runs(void **state) {
    (void)state;
    static test_case test;
    uint8_t letters[NESTED];
    test.name = strdup("nested runs");
    memset(letters, 'a', sizeof(letters));
    for (size_t length = 1; length <= NESTED; length++)
        test_case_add_pattern(&test, letters, length, 0);
    test_case_add_pattern(&test, "aab", 3, 0);
    test_case_add_pattern(&test, letters, 3, 0); /* once more */
    random_source random = random_for_case(random_seed(), 1);
    while (test.length < text_length()) {
        test_case_append_text(&test, letters, random_between(&random, 1, NESTED));
        if (random_chance(&random, 1, 20))
            test_case_append_text(&test, "b", 1);
    }
    check_case(&test, NULL, true);
    test_case_free(&test);
}

/* Four letters and patterns of up to eight, for kernel packed. */
static void short_letters(void **state) {
    (void)state;
    static test_case test;
    uint8_t letters[8];
    test.name = strdup("nested letters");
    random_source random = random_for_case(random_seed(), 2);
    for (size_t i = 0; i < sizeof(letters); i++)
        letters[i] = (uint8_t) "ac"[random_below(&random, 2)];
    for (size_t first = 0; first < sizeof(letters); first++)
        for (size_t length = 1; first + length <= sizeof(letters); length++)
            test_case_add_pattern(&test, letters + first, length, 0);
    while (test.length < text_length()) {
        size_t first = random_below(&random, sizeof(letters));
        test_case_append_text(&test, letters + first,
                              random_between(&random, 1, sizeof(letters) - first));
        if (random_chance(&random, 1, 30))
            test_case_append_text(&test, "g", 1);
    }
    check_case(&test, NULL, true);
    test_case_free(&test);
}

/* Both letter cases: every pattern is reported, and the matches are right. */
static void mixed_case(void **state) {
    (void)state;
    static test_case test;
    uint8_t letters[16];
    test.name = strdup("nested, mixed case");
    random_source random = random_for_case(random_seed(), 3);
    for (size_t i = 0; i < sizeof(letters); i++)
        letters[i] = (uint8_t) "aA"[random_below(&random, 2)];
    for (size_t length = 1; length <= sizeof(letters); length++)
        for (unsigned flags = 0; flags < 2; flags++)
            test_case_add_pattern(&test, letters + sizeof(letters) - length, length,
                                  flags ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    while (test.length < text_length() / 4) {
        size_t first = random_below(&random, sizeof(letters));
        test_case_append_text(&test, letters + first, sizeof(letters) - first);
    }
    check_case(&test, NULL, false);
    test_case_free(&test);
}

/* Engine qgram gives keys of several of its tiers to an automaton, which counts the longest one of
 * an end, and strips have more matches than there is room for. */
static void several_tiers(void **state) {
    (void)state;
    for (uint64_t round = 0; round < device_cases(4, 2); round++) {
        static test_case test;
        uint8_t letters[17];
        test.name = strdup("nested tiers");
        random_source random = random_for_case(random_seed(), 10 + round);
        for (size_t id = 0; id < 24; id++) {
            size_t length = id < 2 ? 1 : random_between(&random, 1, sizeof(letters));
            for (size_t i = 0; i < length; i++)
                letters[i] = (uint8_t)(id < 2 ? "ab"[id] : "ab"[random_below(&random, 2)]);
            test_case_add_pattern(&test, letters, length, TRAWL_PATTERN_CASE_INSENSITIVE);
        }
        while (test.length < 20000)
            test_case_append_text(&test, random_below(&random, 2) ? "a" : "b", 1);
        check_case(&test, "qgram", false);
        test_case_free(&test);
    }
}

int main(void) {
    if (!device_tests_begin("nested_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),
        cmocka_unit_test(short_letters),
        cmocka_unit_test(mixed_case),
        cmocka_unit_test(several_tiers),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
