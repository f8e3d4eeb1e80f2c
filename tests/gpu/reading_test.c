/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts that are read by offset while a CUDA device scans them: segments of several shares, which
 * several threads read; failures at any byte; wrong arguments.
 */
#include "base/clock.h"
#include "case.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "random.h"
#include "text_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;
static const char *const transfers[] = {"ring", "a", "b"};

static trawl_db *compile(trawl_match_kind kind) {
    static const char *const patterns[] = {"needle", "needles in hay", "eed", "STACK"};
    test_case test = {0};
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-dfa";
    options.matches = kind;
    for (size_t i = 0; i < 4; i++)
        test_case_add_pattern(&test, patterns[i], strlen(patterns[i]),
                              i == 3 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    trawl_patterns *set = test_case_patterns(&test, &error);
    assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(set);
    test_case_free(&test);
    return db;
}

/* A match every few hundred bytes, at distances that fit no segment. */
static uint8_t *make_text(size_t length) {
    static const char words[] = "needles in haystacks";
    uint8_t *text = malloc(length);
    memset(text, '.', length);
    for (size_t at = 0; at + sizeof words <= length; at += 331)
        memcpy(text + at, words, sizeof words - 1);
    return text;
}

static int count_batch(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    *(uint64_t *)context += count;
    return 0;
}

static void long_texts(void **state) {
    (void)state;
    size_t length = device_is_emulated() ? 12000000 : 400000000;
    uint8_t *text = make_text(length);
    trawl_db *db = compile(TRAWL_MATCH_ALL);
    uint64_t wanted = 0;
    assert_int_equal(trawl_count(db, text, length, NULL, &wanted, NULL, &error), TRAWL_OK);
    for (uint32_t threads = 1; threads <= 5; threads += 2)
        for (uint64_t segment = 0; segment <= 3000000; segment += 3000000) {
            uint64_t total = 0;
            text_source source;
            trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
            trawl_scan_options options = TRAWL_SCAN_OPTIONS;
            trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
            text_source_open(&source, text, length);
            options.device = "cuda";
            options.threads = threads;
            options.study = &study;
            study.segment_bytes = segment;
            study.report = &report;
            double begin = trawl_seconds();
            assert_int_equal(trawl_count_source(db, &source.source, &options, &total, NULL, &error),
                             TRAWL_OK);
            double taken = trawl_seconds() - begin;
            assert_int_equal(total, wanted);
            assert_true(report.segments >= 4 && report.in_flight >= 4);
            assert_true(report.read_wait_seconds < taken); /* 0: threads that read are ahead */
        }
    trawl_db_free(db);
    free(text);
}

/* Segments whose memory is page-locked once it has been filled: when that works, when it is
 * refused, and when one allocation after the other fails. */
static void large_segments(void **state) {
    (void)state;
    enum { LENGTH = 12000000, SEGMENT = 5000000 };
    uint8_t *text = make_text(LENGTH);
    trawl_db *db = compile(TRAWL_MATCH_ALL);
    uint64_t wanted = 0, total = 0, received = 0;
    text_source source;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    text_source_open(&source, text, LENGTH);
    assert_int_equal(trawl_count(db, text, LENGTH, NULL, &wanted, NULL, &error), TRAWL_OK);
    trawl_db_free(db);
    options.device = "cuda";
    options.threads = 3;
    options.study = &study;
    study.segment_bytes = SEGMENT;
    for (int refuse = 0; refuse < 2; refuse++) {
        db = compile(TRAWL_MATCH_ALL);
        (void)device_refuse_locking(refuse == 1);
        assert_int_equal(trawl_count_source(db, &source.source, &options, &total, NULL, &error),
                         TRAWL_OK);
        assert_int_equal(total, wanted);
        received = 0;
        assert_int_equal(
            trawl_scan_source(db, &source.source, &options, count_batch, &received, &error),
            TRAWL_OK);
        assert_int_equal(received, wanted);
        (void)device_refuse_locking(false);
        trawl_db_free(db);
    }
    trawl_status status = TRAWL_ERROR_MEMORY;
    for (long after = 0; status != TRAWL_OK && device_fail_allocations(after); after++) {
        size_t objects = device_live_objects();
        db = compile(TRAWL_MATCH_ALL);
        received = 0;
        status = trawl_scan_source(db, &source.source, &options, count_batch, &received, &error);
        (void)device_fail_allocations(-1);
        assert_true(status == TRAWL_ERROR_MEMORY || (status == TRAWL_OK && received == wanted));
        trawl_db_free(db);
        assert_int_equal(device_live_objects(), objects);
    }
    free(text);
}

/* All bytes before a failure are scanned, and then the failure is reported. */
static void failures_end_the_text(void **state) {
    (void)state;
    enum { LENGTH = 3500000 };
    uint8_t *text = make_text(LENGTH);
    for (int kind = 0; kind < 3; kind++) {
        trawl_db *db = compile((trawl_match_kind)kind);
        for (uint64_t number = 0; number < device_cases(60, 12); number++) {
            random_source random = random_for_case(random_seed(), number);
            uint64_t wanted = 0, total = 77, received = 0;
            text_source source;
            trawl_scan_options options = TRAWL_SCAN_OPTIONS;
            trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
            text_source_open(&source, text, LENGTH);
            source.most = random_between(&random, 10000, 2000000);
            uint64_t end = number == 0 ? 0 : random_below(&random, LENGTH);
            *(number % 2 ? &source.broken : &source.end) = end;
            const char *words = number % 2 ? "broken" : "became shorter";
            options.device = "cuda";
            options.threads = (uint32_t)random_between(&random, 1, 4);
            options.transfer = transfers[random_below(&random, 3)];
            options.study = &study;
            study.segments_in_flight = (uint32_t)random_below(&random, 7);
            if (random_chance(&random, 2, 3))
                study.segment_bytes = random_between(&random, LENGTH / 50, LENGTH);
            device_shake((unsigned)random_below(&random, 6));
            assert_int_equal(trawl_count(db, text, end, NULL, &wanted, NULL, &error), TRAWL_OK);
            assert_int_equal(trawl_count_source(db, &source.source, &options, &total, NULL, &error),
                             TRAWL_ERROR_IO);
            assert_non_null(strstr(error.message, words));
            assert_int_equal(total, wanted);
            if (number % 4 == 0) {
                assert_int_equal(
                    trawl_scan_source(db, &source.source, &options, count_batch, &received, &error),
                    TRAWL_ERROR_IO);
                assert_non_null(strstr(error.message, words));
                assert_int_equal(received, wanted);
            }
        }
        device_shake(0);
        trawl_db_free(db);
    }
    free(text);
}

static void zero_copy_is_refused(void **state) {
    (void)state;
    trawl_db *db = compile(TRAWL_MATCH_ALL);
    text_source source;
    uint64_t total;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    text_source_open(&source, (const uint8_t *)"a needle", 8);
    options.device = "cuda";
    options.transfer = "zero-copy";
    assert_int_equal(trawl_count_source(db, &source.source, &options, &total, NULL, &error),
                     TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "transfer ring reads a source"));
    options.transfer = NULL;
    assert_int_equal(trawl_count_source(db, &source.source, &options, &total, NULL, &error),
                     TRAWL_OK);
    assert_int_equal(total, 2);
    trawl_db_free(db);
}

int main(void) {
    if (!device_tests_begin("reading_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_texts),
        cmocka_unit_test(large_segments),
        cmocka_unit_test(failures_end_the_text),
        cmocka_unit_test(zero_copy_is_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
