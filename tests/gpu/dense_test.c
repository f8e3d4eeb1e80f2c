/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts with two and more matches for each byte, and too little room for them: the total is always
 * the number that is needed, nothing is written beyond the room, and with enough room the list is
 * complete.
 */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static size_t text_length(void) {
    return device_is_emulated() ? 1500 : device_cases_are_limited() ? 5000 : 60000;
}

/* For each kernel: the total without any room, with too little, and then all matches. */
static void scan_with_all_rooms(const test_case *test) {
    expectation expected;
    device_database database;
    combination which;
    const char *kernel;
    expectation_make(&expected, test);
    assert_true(expected.matches.count >= 2 * test->length - 64);
    for (size_t c = 0; device_combination(c, &which); c++) {
        if (!device_open(&database, which, test))
            continue;
        for (size_t k = 0; (kernel = device_kernel_at(which.engine, k)); k++) {
            device_scan scan = {.kernel = kernel, .alignment = (uint32_t)(c + k) % 32};
            for (int form = 0; form < FORMS; form++) {
                scan.form = (trawl_cuda_form)form;
                device_check(&database, &scan, test, test->length, &expected, NULL);
            }
            scan.form = TRAWL_CUDA_MATCHES;
            for (int room = 0; room < ROOMS; room++) {
                scan.room = (device_room)room;
                scan.owned = room == ROOM_AMPLE ? test->length / 3 : 0;
                device_check(&database, &scan, test, test->length, &expected, NULL);
            }
        }
        device_database_close(&database);
    }
    expectation_free(&expected);
}

static void add(test_case *test, const char *pattern, unsigned flags) {
    test_case_add_pattern(test, pattern, strlen(pattern), flags);
}

/* One letter, patterns that overlap themselves and one another. */
static void runs(void **state) {
    (void)state;
    static test_case test;
    test.name = strdup("runs");
    add(&test, "a", 0);
    add(&test, "aa", 0);
    add(&test, "aaaa", 0);
    add(&test, "aaaaaaaaaaaaaaaaa", 0);
    while (test.length < text_length())
        test_case_append_text(&test, "a", 1);
    scan_with_all_rooms(&test);
    test_case_free(&test);
}

/* Duplicates: many matches that differ in nothing but their id. */
static void duplicates(void **state) {
    (void)state;
    static test_case test;
    test.name = strdup("duplicates");
    for (int i = 0; i < 20; i++)
        add(&test, i % 3 ? "ab" : "AB", i % 2 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    add(&test, "b", 0);
    while (test.length < text_length())
        test_case_append_text(&test, "abaB", 4);
    scan_with_all_rooms(&test);
    test_case_free(&test);
}

/* Nothing but matches in one half, nothing at all in the other. */
static void one_half(void **state) {
    (void)state;
    static test_case test;
    test.name = strdup("one half");
    for (int i = 0; i < 8; i++)
        add(&test, &"xyxy"[i % 2], 0);
    add(&test, "y", 0);
    add(&test, "x", 0);
    while (test.length < text_length() / 2)
        test_case_append_text(&test, ".", 1);
    while (test.length < text_length())
        test_case_append_text(&test, "xy", 2);
    scan_with_all_rooms(&test);
    test_case_free(&test);
}

/* A thread of each kernel that walks alone has more matches than 32 bits can count. */
static void totals_beyond_32_bits(void **state) {
    (void)state;
    enum { LETTERS = 300000, BYTES = 1 << 14, THREADS = 32 };
    static test_case test;
    trawl_error error;
    trawl_cuda_upload_options upload = TRAWL_CUDA_UPLOAD_OPTIONS;
    trawl_cuda_db *uploaded = NULL;
    const combination which = {.engine = "ac-dfa"};
    const char *kernel;
    test.name = strdup("many matches");
    for (int i = 0; i < LETTERS; i++)
        add(&test, "a", 0);
    while (test.length < BYTES)
        test_case_append_text(&test, "aaaaaaaaaaaaaaaa", 16);
    trawl_db *db = device_compile(which, &test, TRAWL_MATCH_ALL);
    assert_non_null(db);
    assert_int_equal(trawl_cuda_upload(db, &upload, &uploaded, &error), TRAWL_OK);
    unsigned counted = 0;
    for (size_t k = 0; (kernel = device_kernel_at(which.engine, k)); k++) {
        trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
        trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
        double seconds;
        uint64_t total = 0;
        study.block_threads = THREADS;
        study.block_bytes = THREADS * BYTES;
        scan.study = &study;
        scan.kernel = kernel;
        if (trawl_study_cuda_measure(uploaded, &scan, test.text, test.length, 1, &seconds, &total,
                                     &error) != TRAWL_OK)
            continue; /* a kernel whose strips are shorter */
        if (total != (uint64_t)LETTERS * BYTES)
            fail_msg("kernel %s counts %llu", kernel, (unsigned long long)total);
        counted++;
    }
    assert_true(counted >= 3);
    trawl_cuda_db_free(uploaded);
    trawl_db_free(db);
    test_case_free(&test);
}

int main(void) {
    if (!device_tests_begin("dense_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(runs, device_tests_after_a_crash),
        cmocka_unit_test_teardown(duplicates, device_tests_after_a_crash),
        cmocka_unit_test_teardown(one_half, device_tests_after_a_crash),
        cmocka_unit_test_teardown(totals_beyond_32_bits, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
