/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts that are read by offset, on the CPU: failures, texts that become shorter, wrong arguments.
 * All tests with runners check that the matches equal those of a text in memory; for a device see
 * gpu/reading_test.c.
 */
#include "case.h"
#include "random.h"
#include "text_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;

static trawl_db *compile(trawl_match_kind kind) {
    test_case test = {0};
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.matches = kind;
    test_case_add_pattern(&test, "abcabc", 6, 0);
    test_case_add_pattern(&test, "ca", 2, 0);
    trawl_patterns *patterns = test_case_patterns(&test, &error);
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    test_case_free(&test);
    return db;
}

static int count_batch(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    *(uint64_t *)context += count;
    return 0;
}

/* Larger than what is read at once. */
enum { LENGTH = 9000000 };

static uint8_t *make_text(void) {
    uint8_t *text = malloc(LENGTH);
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (uint8_t)("abc"[i % 3]);
    return text;
}

/* The bytes before the failure are scanned as if the text ended there. */
static void failures_end_the_text(void **state) {
    (void)state;
    uint8_t *text = make_text();
    for (int kind = 0; kind < 3; kind++) {
        trawl_db *db = compile((trawl_match_kind)kind);
        for (uint64_t number = 0; number < 6; number++) {
            random_source random = random_for_case(random_seed(), number);
            text_source source;
            uint64_t wanted = 0, total = 77, received = 0, counts[2];
            trawl_scan_options options = TRAWL_SCAN_OPTIONS;
            options.threads = (uint32_t)random_between(&random, 1, 3);
            text_source_open(&source, text, LENGTH);
            source.most = random_between(&random, 1000, LENGTH);
            uint64_t end = number == 0 ? 0 : random_below(&random, LENGTH);
            *(number % 2 ? &source.broken : &source.end) = end;
            const char *words = number % 2 ? "broken" : "became shorter";
            assert_int_equal(trawl_count(db, text, end, NULL, &wanted, NULL, &error), TRAWL_OK);
            assert_int_equal(
                trawl_count_source(db, &source.source, &options, &total, counts, &error),
                TRAWL_ERROR_IO);
            assert_int_equal(error.status, TRAWL_ERROR_IO);
            assert_non_null(strstr(error.message, words));
            assert_int_equal(total, wanted);
            assert_int_equal(counts[0] + counts[1], wanted);
            assert_int_equal(
                trawl_scan_source(db, &source.source, &options, count_batch, &received, &error),
                TRAWL_ERROR_IO);
            assert_non_null(strstr(error.message, words));
            assert_int_equal(received, wanted);
        }
        trawl_db_free(db);
    }
    free(text);
}

static trawl_status fail_silently(void *context, uint64_t offset, void *buffer, size_t capacity,
                                  size_t *length, trawl_error *why) {
    (void)context;
    (void)offset;
    (void)buffer;
    (void)capacity;
    (void)length;
    (void)why;
    return TRAWL_ERROR_FORMAT;
}

static void a_failure_without_a_sentence(void **state) {
    (void)state;
    trawl_db *db = compile(TRAWL_MATCH_ALL);
    trawl_source source = TRAWL_SOURCE;
    uint64_t total = 0;
    source.length = 5;
    source.read = fail_silently;
    assert_int_equal(trawl_count_source(db, &source, NULL, &total, NULL, &error),
                     TRAWL_ERROR_FORMAT);
    assert_int_equal(error.status, TRAWL_ERROR_FORMAT);
    assert_non_null(strstr(error.message, "failed, without a reason"));
    assert_int_equal(trawl_count_source(db, &source, NULL, &total, NULL, NULL), TRAWL_ERROR_FORMAT);
    trawl_db_free(db);
}

static void wrong_arguments(void **state) {
    (void)state;
    trawl_db *db = compile(TRAWL_MATCH_ALL);
    text_source source;
    uint64_t total = 0;
    text_source_open(&source, NULL, 0);
    trawl_source small = source.source, empty = source.source;
    small.size = 3;
    empty.read = NULL;
    const struct {
        const trawl_db *db;
        const trawl_source *source;
        trawl_on_matches on_matches;
        uint64_t *total;
        const char *words;
    } wrong[] = {
        {NULL, &source.source, count_batch, &total, "db is NULL"},
        {db, NULL, count_batch, &total, "source is NULL"},
        {db, &small, count_batch, &total, "TRAWL_SOURCE"},
        {db, &empty, count_batch, &total, "function to read"},
        {db, &source.source, NULL, NULL, "NULL"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(trawl_scan_source(wrong[i].db, wrong[i].source, NULL, wrong[i].on_matches,
                                           &total, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, wrong[i].words));
        assert_int_equal(
            trawl_count_source(wrong[i].db, wrong[i].source, NULL, wrong[i].total, NULL, &error),
            TRAWL_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, wrong[i].words));
    }
    assert_int_equal(trawl_count_source(db, &source.source, NULL, &total, NULL, &error), TRAWL_OK);
    assert_int_equal(total, 0);
    trawl_db_free(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_end_the_text),
        cmocka_unit_test(a_failure_without_a_sentence),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
