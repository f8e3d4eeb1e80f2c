/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts in host memory that a CUDA device scans: every engine, match kind and way of transfer gives
 * what the oracle gives, and no match is lost or found twice at the borders of segments.
 */
#include "engines/registry.h"
#include "generate.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "gpu/module.h"
#include "shrink.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static test_case_list cases;
static trawl_error error;
static const char *const transfers[] = {"ring", "a", "b", "zero-copy"};
enum { TRANSFERS = 4, SHRINK_TRIES = 1000 };

/* ------------------------------------------------------------------ telling */

/* What runs now, so that it can be printed if a signal ends the process. */
static struct {
    const test_case *test;
    combination_failure failure;
} current;

static int tell_after_a_signal(void **state) {
    (void)state;
    if (current.test)
        combination_print_failure(stdout, current.test, &current.failure, NULL);
    current.test = NULL;
    device_shake(0);
    return 0;
}

static bool still_fails(const test_case *test, void *context) {
    combination_failure *original = context, failure;
    match_list expected = {0};
    trawl_db *db;
    random_source random = random_for_case(1, test->length);
    bool failed = false;
    if (combination_compile(original->which, test, original->kind, &db, &failure) ==
        COMBINATION_COMPILED) {
        test_case_search(test, original->kind, &expected);
        failed = !runner_check(&original->how, db, test->text, test->length, &expected, &random,
                               failure.what, sizeof(failure.what));
        if (failed) /* the message is finally about the smallest case */
            memcpy(original->what, failure.what, sizeof(failure.what));
        match_list_free(&expected);
        trawl_db_free(db);
    }
    return failed;
}

/* Runs one runner; when it fails, ends the test with the smallest case that fails too. */
static void check(const runner *how, const trawl_db *db, combination which, trawl_match_kind kind,
                  const test_case *test, const match_list *expected, random_source *random) {
    char what[sizeof(current.failure.what)];
    test_case smallest;
    current.failure = (combination_failure){
        .which = which, .kind = kind, .how = *how, .scanning = true, .what = "a crash"};
    current.test = test;
    bool good =
        runner_check(how, db, test->text, test->length, expected, random, what, sizeof(what));
    current.test = NULL;
    if (good)
        return;
    memcpy(current.failure.what, what, sizeof(what));
    test_case_copy(&smallest, test);
    if (still_fails(&smallest, &current.failure))
        shrink_case(&smallest, still_fails, &current.failure, SHRINK_TRIES);
    combination_print_failure(stdout, &smallest, &current.failure, NULL);
    test_case_free(&smallest);
    fail();
}

/* A database, or NULL where the combination refuses the set. */
static trawl_db *compiled(combination which, const test_case *test, trawl_match_kind kind) {
    combination_failure failure;
    trawl_db *db = NULL;
    if (combination_compile(which, test, kind, &db, &failure) == COMBINATION_FAILED) {
        combination_print_failure(stdout, test, &failure, NULL);
        fail();
    }
    return db;
}

static void search(const test_case *test, trawl_match_kind kind, match_list *expected) {
    test_case_search(test, kind, expected);
}

/* ------------------------------------------------------------------ cases */

/* Each combination is tested with a few of the listed runners, so that together they use all of
 * them. A third of the combinations is tested with the leftmost kinds, whose matches are selected
 * on the host. */
static void the_case_table(void **state) {
    (void)state;
    size_t each = device_is_emulated() ? 2 : 7, turn = 0;
    for (size_t i = 0; i < cases.count; i += device_case_step(cases.count))
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            const test_case *test = &cases.items[i];
            match_list expected = {0};
            random_source random = random_for_case(random_seed(), i);
            search(test, (trawl_match_kind)kind, &expected);
            for (size_t c = 0; c < combination_count(); c++) {
                if (kind && (c + i) % 3)
                    continue;
                trawl_db *db = compiled(combination_at(c), test, (trawl_match_kind)kind);
                for (size_t r = 0; db && r < each; r++) {
                    runner how = runner_device_at(turn++ % runner_device_count(), "cuda");
                    check(&how, db, combination_at(c), (trawl_match_kind)kind, test, &expected,
                          &random);
                }
                trawl_db_free(db);
            }
            match_list_free(&expected);
        }
}

static void random_cases(void **state) {
    (void)state;
    for (uint64_t index = 0; index < device_cases(40, 30); index++) {
        static test_case test; /* static: it must outlive the jump out of a crash */
        test.name = strdup("random");
        match_list expected = {0};
        trawl_match_kind kind = (trawl_match_kind)(index % MATCH_KINDS);
        random_source random = random_for_case(random_seed(), index + 1000000);
        generate_case(&random, device_is_emulated() ? 1000000 : 100, &test);
        search(&test, kind, &expected);
        device_shake((unsigned)random_below(&random, 6));
        for (size_t c = 0; c < combination_count(); c++) {
            trawl_db *db = compiled(combination_at(c), &test, kind);
            for (int r = 0; db && r < 2; r++) {
                runner how = runner_device_random(&random, test.length, "cuda");
                check(&how, db, combination_at(c), kind, &test, &expected, &random);
            }
            trawl_db_free(db);
        }
        device_shake(0);
        match_list_free(&expected);
        test_case_free(&test);
    }
}

/* ------------------------------------------------------------------ file signatures */

/* 33 patterns like the headers and footers by which files are found in disk images, in a text in
 * which they are rare, with every kernel. */
static void make_signatures(test_case *test, size_t length) {
    random_source random = random_for_case(33, 0);
    uint8_t bytes[24];
    for (int id = 0; id < 33; id++) {
        size_t size = random_between(&random, 2, sizeof(bytes));
        for (size_t i = 0; i < size; i++)
            bytes[i] = (uint8_t)random_bits(&random);
        test_case_add_pattern(test, bytes, size, 0);
    }
    while (test->length < length) {
        const trawl_pattern *some = &test->patterns[random_below(&random, 33)];
        test_case_append_text(test, some->bytes, random_between(&random, 1, some->length));
        for (size_t i = random_below(&random, 300); i; i--) {
            bytes[0] = (uint8_t)random_bits(&random);
            test_case_append_text(test, bytes, 1);
        }
    }
}

static void signatures_with_every_kernel(void **state) {
    (void)state;
    test_case test = {.name = strdup("signatures")};
    match_list expected = {0};
    random_source random = random_for_case(random_seed(), 33);
    make_signatures(&test, device_is_emulated() ? 6000 : 1000000);
    search(&test, TRAWL_MATCH_ALL, &expected);
    for (size_t c = 0; c < combination_count(); c++) {
        combination which = combination_at(c);
        trawl_db *db = compiled(which, &test, TRAWL_MATCH_ALL);
        trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
        for (uint32_t k = 0; db && trawl_kernel_describe(which.engine, k, &kernel); k++) {
            runner how = {.call = k % 2 ? RUNNER_COLLECT : RUNNER_COUNT_PATTERNS,
                          .device = "cuda",
                          .kernel = k,
                          .transfer = transfers[random_below(&random, TRANSFERS)],
                          .segment_bytes = test.length / random_between(&random, 1, 9)};
            check(&how, db, which, TRAWL_MATCH_ALL, &test, &expected, &random);
            how.call = RUNNER_COLLECT;
            how.segment_bytes = 0;
            check(&how, db, which, TRAWL_MATCH_ALL, &test, &expected, &random);
        }
        trawl_db_free(db);
    }
    match_list_free(&expected);
    test_case_free(&test);
}

/* ------------------------------------------------------------------ segments */

/* A match every 10 bytes, shifted through segments of a multiple of 32: each boundary lies once at
 * each place of a match. */
static void segment_boundaries(void **state) {
    (void)state;
    test_case test = {.name = strdup("boundaries")};
    match_list expected = {0};
    test_case_add_pattern(&test, "needles", 7, 0);
    test_case_add_pattern(&test, "eed", 3, 0);
    test_case_add_pattern(&test, "s", 1, 0);
    test_case_add_pattern(&test, "NEEDLE", 6, TRAWL_PATTERN_CASE_INSENSITIVE);
    for (size_t c = 0; c < combination_count(); c++)
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            trawl_db *db = compiled(combination_at(c), &test, (trawl_match_kind)kind);
            size_t step = device_is_emulated() || kind ? 3 : 1;
            for (size_t shift = c % step; db && shift < 10; shift += step)
                for (int t = 0; t < TRANSFERS; t++) {
                    runner how = {.call = t % 2 ? RUNNER_COUNT_PATTERNS : RUNNER_COLLECT,
                                  .device = "cuda",
                                  .transfer = transfers[t],
                                  .segment_bytes = 32 * (1 + shift % 3),
                                  .segments_in_flight = (uint32_t)(shift % 4)};
                    random_source random = random_for_case(1, shift);
                    test.length = 0;
                    test_case_append_text(&test, "..........", shift);
                    while (test.length < 7 * 32)
                        test_case_append_text(&test, "nEEDLEs...needles...", 20);
                    search(&test, (trawl_match_kind)kind, &expected);
                    check(&how, db, combination_at(c), (trawl_match_kind)kind, &test, &expected,
                          &random);
                    how.call = RUNNER_SCAN;
                    check(&how, db, combination_at(c), (trawl_match_kind)kind, &test, &expected,
                          &random);
                }
            trawl_db_free(db);
        }
    match_list_free(&expected);
    test_case_free(&test);
}

/* Segments with more matches than there is room for at first. */
static void dense_segments(void **state) {
    (void)state;
    test_case test = {.name = strdup("dense")};
    match_list expected = {0};
    random_source random = random_for_case(random_seed(), 5);
    size_t length = device_is_emulated() ? 30000 : 400000;
    for (size_t i = 1; i <= 4; i++)
        test_case_add_pattern(&test, "aaaa", i, 0);
    test_case_add_pattern(&test, "aa", 2, 0);
    while (test.length < length)
        test_case_append_text(&test, "aaaaaaaaaaaaaaaa", 16);
    search(&test, TRAWL_MATCH_ALL, &expected);
    for (size_t c = 0; c < combination_count(); c++) {
        trawl_db *db = compiled(combination_at(c), &test, TRAWL_MATCH_ALL);
        for (int t = 0; db && t < TRANSFERS; t++) {
            if (device_is_emulated() && (size_t)t != c % TRANSFERS)
                continue;
            runner how = {.call = RUNNER_COLLECT,
                          .device = "cuda",
                          .transfer = transfers[t],
                          .segment_bytes = t % 2 ? 0 : length / 3};
            check(&how, db, combination_at(c), TRAWL_MATCH_ALL, &test, &expected, &random);
            how.call = RUNNER_STOP;
            check(&how, db, combination_at(c), TRAWL_MATCH_ALL, &test, &expected, &random);
        }
        trawl_db_free(db);
    }
    match_list_free(&expected);
    test_case_free(&test);
}

/* ------------------------------------------------------------------ one database, many scans */

typedef struct scanning {
    const trawl_db *db;
    const test_case *test;
    const match_list *expected;
    unsigned number;
    bool good;
    char complaint[640];
} scanning;

static void *scan_again_and_again(void *argument) {
    scanning *work = argument;
    random_source random = random_for_case(random_seed(), work->number);
    work->good = true;
    unsigned scans = device_cases_are_limited() ? 8 : 25;
    for (unsigned i = 0; i < scans && work->good; i++) {
        runner how = runner_device_random(&random, work->test->length, "cuda");
        work->good =
            runner_check(&how, work->db, work->test->text, work->test->length, work->expected,
                         &random, work->complaint, sizeof(work->complaint));
    }
    return NULL;
}

/* Several host threads scan with one database, from the moment of its upload on. */
static void several_threads(void **state) {
    (void)state;
    enum { THREADS = 3 };
    test_case test = {.name = strdup("threads")};
    match_list expected = {0};
    combination which;
    make_signatures(&test, 3000);
    search(&test, TRAWL_MATCH_ALL, &expected);
    for (size_t c = 0; device_combination(c, &which); c++) {
        trawl_db *db = compiled(which, &test, TRAWL_MATCH_ALL);
        pthread_t threads[THREADS];
        scanning work[THREADS];
        for (unsigned i = 0; db && i < THREADS; i++) {
            work[i] = (scanning){.db = db, .test = &test, .expected = &expected, .number = i + 50};
            assert_int_equal(pthread_create(&threads[i], NULL, scan_again_and_again, &work[i]), 0);
        }
        for (unsigned i = 0; db && i < THREADS; i++)
            pthread_join(threads[i], NULL);
        for (unsigned i = 0; db && i < THREADS; i++)
            if (!work[i].good)
                fail_msg("%s/%s, thread %u: %s", which.engine, which.variant, i, work[i].complaint);
        trawl_db_free(db);
    }
    match_list_free(&expected);
    test_case_free(&test);
}

/* Threads that read one text where it is. */
static void *scan_without_copying(void *argument) {
    scanning *work = argument;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_error mine = {.message = ""};
    options.device = "cuda";
    options.transfer = "zero-copy";
    work->good = true;
    for (unsigned i = 0; i < 50 && work->good; i++) {
        uint64_t total = 0;
        trawl_status status = trawl_count(work->db, work->test->text, work->test->length, &options,
                                          &total, NULL, &mine);
        work->good = status == TRAWL_OK && total == work->expected->count;
        snprintf(work->complaint, sizeof(work->complaint), "%s, %llu matches, expected %zu: %s",
                 trawl_status_text(status), (unsigned long long)total, work->expected->count,
                 mine.message);
    }
    return NULL;
}

/* The text is page-locked by the caller, or by the scans, which then have to share that. */
static void one_text_without_copies(void **state) {
    (void)state;
    enum { THREADS = 3 };
    test_case test = {.name = strdup("one text")};
    match_list expected = {0};
    make_signatures(&test, device_is_emulated() ? 3000 : 50000);
    search(&test, TRAWL_MATCH_ALL, &expected);
    trawl_db *db = compiled((combination){.engine = "ac-dfa"}, &test, TRAWL_MATCH_ALL);
    for (int pinned = 0; pinned < 2; pinned++) {
        pthread_t threads[THREADS];
        scanning work[THREADS];
        if (pinned)
            assert_int_equal(trawl_cuda_pin(test.text, test.length, &error), TRAWL_OK);
        for (unsigned i = 0; i < THREADS; i++) {
            work[i] = (scanning){.db = db, .test = &test, .expected = &expected, .number = i};
            assert_int_equal(pthread_create(&threads[i], NULL, scan_without_copying, &work[i]), 0);
        }
        for (unsigned i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        if (pinned)
            trawl_cuda_unpin(test.text);
        for (unsigned i = 0; i < THREADS; i++)
            if (!work[i].good)
                fail_msg("%s, thread %u: %s", pinned ? "pinned" : "not pinned", i,
                         work[i].complaint);
    }
    trawl_db_free(db);
    match_list_free(&expected);
    test_case_free(&test);
}

/* Text that the caller has page-locked, all of it or one half. */
static void pinned_texts(void **state) {
    (void)state;
    test_case test = {.name = strdup("pinned")};
    make_signatures(&test, 40000);
    trawl_db *db = compiled((combination){.engine = "ac-dfa"}, &test, TRAWL_MATCH_ALL);
    uint64_t wanted = 0;
    uint8_t *text = aligned_alloc(4096, 40960);
    memcpy(text, test.text, 40000);
    assert_int_equal(trawl_count(db, text, 40000, NULL, &wanted, NULL, &error), TRAWL_OK);
    for (size_t pinned = 40960; pinned >= 20480; pinned -= 20480)
        for (int t = 0; t < TRANSFERS; t++) {
            trawl_scan_options options = TRAWL_SCAN_OPTIONS;
            trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
            uint64_t total = 0;
            options.device = "cuda";
            options.transfer = transfers[t];
            options.study = &study;
            study.segment_bytes = 9999;
            assert_int_equal(trawl_cuda_pin(text, pinned, &error), TRAWL_OK);
            trawl_status status = trawl_count(db, text, 40000, &options, &total, NULL, &error);
            trawl_cuda_unpin(text);
            /* Memory of which one half is page-locked cannot be page-locked as a whole. */
            if (pinned < 40000 && strcmp(transfers[t], "zero-copy") == 0 && status != TRAWL_OK) {
                assert_true(strlen(error.message) > 0);
                continue;
            }
            if (status != TRAWL_OK)
                fail_msg("%zu bytes pinned, transfer %s: %s", pinned, transfers[t], error.message);
            assert_int_equal(total, wanted);
        }
    free(text);
    trawl_db_free(db);
    test_case_free(&test);
}

/* ------------------------------------------------------------------ reports and errors */

static trawl_db *small_db(trawl_match_kind kind) {
    test_case test = {0};
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-dfa";
    options.matches = kind;
    test_case_add_pattern(&test, "abc", 3, 0);
    test_case_add_pattern(&test, "b", 1, 0);
    trawl_patterns *patterns = test_case_patterns(&test, &error);
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    test_case_free(&test);
    return db;
}

static void reports(void **state) {
    (void)state;
    trawl_db *db = small_db(TRAWL_MATCH_ALL);
    uint8_t text[1000];
    memset(text, 'b', sizeof(text));
    for (int t = 0; t < TRANSFERS; t++)
        for (int device = 0; device < 2; device++) {
            trawl_scan_report report = TRAWL_SCAN_REPORT;
            trawl_study_scan_report done = TRAWL_STUDY_SCAN_REPORT;
            trawl_scan_options options = TRAWL_SCAN_OPTIONS;
            trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
            uint64_t total = 0;
            options.device = device ? "auto" : "cuda:0";
            options.transfer = transfers[t];
            options.study = &study;
            study.segment_bytes = 128;
            options.report = &report;
            study.report = &done;
            memset(&report, 0xa5, sizeof(report));
            memset(&done, 0xa5, sizeof(done));
            report.size = sizeof(report);
            done.size = sizeof(done);
            assert_int_equal(trawl_count(db, text, sizeof(text), &options, &total, NULL, &error),
                             TRAWL_OK);
            assert_int_equal(total, sizeof(text));
            assert_string_equal(report.device, "cuda:0");
            assert_string_equal(report.transfer, transfers[t]);
            /* Zero-copy has another default: a kernel that reads the text together. */
            uint32_t kernel;
            assert_int_equal(trawl_kernel_find("ac-dfa", report.kernel, &kernel, &error), TRAWL_OK);
            assert_true(kernel == 0 || strcmp(transfers[t], "zero-copy") == 0);
            assert_int_equal(done.segments, 8);
            assert_int_equal(done.segment_bytes, 128);
            assert_true(done.in_flight >= 1);
            assert_true(done.block_threads >= 32 && done.thread_bytes >= 1);
            assert_true(done.overlap_overhead > 0);
            assert_true(done.scan_seconds > 0);
            bool is_copied = strcmp(transfers[t], "zero-copy") != 0;
            assert_int_equal(done.copy_in_seconds > 0, is_copied);
            assert_int_equal(report.reason[0] != '\0', device);
        }
    trawl_db_free(db);
}

static void wrong_options(void **state) {
    (void)state;
    const struct {
        const char *device, *kernel, *transfer;
        uint32_t block_threads, block_bytes, in_flight;
        trawl_status status;
        const char *words;
    } wrong[] = {
        {.device = "cuda:77", .status = TRAWL_ERROR_UNAVAILABLE, .words = "77"},
        {.device = "cuda:", .status = TRAWL_ERROR_ARGUMENT, .words = "cuda:"},
        {.device = "cuda:x", .status = TRAWL_ERROR_ARGUMENT, .words = "cuda:x"},
        {.device = "gpu", .status = TRAWL_ERROR_ARGUMENT, .words = "gpu"},
        {.device = "cuda", .kernel = "ac9", .status = TRAWL_ERROR_ARGUMENT, .words = "ac3"},
        {.device = "cuda", .transfer = "c", .status = TRAWL_ERROR_ARGUMENT, .words = "zero-copy"},
        {.device = "cuda", .block_threads = 33, .status = TRAWL_ERROR_ARGUMENT, .words = "33"},
        {.device = "cuda", .block_threads = 4096, .status = TRAWL_ERROR_ARGUMENT, .words = "4096"},
        {.device = "cuda", .block_bytes = 7, .status = TRAWL_ERROR_ARGUMENT, .words = "7"},
        {.device = "cuda", .in_flight = 1000, .status = TRAWL_ERROR_LIMIT, .words = "1000"},
    };
    trawl_db *db = small_db(TRAWL_MATCH_ALL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
        uint64_t total = 0;
        options.device = wrong[i].device;
        options.kernel = wrong[i].kernel;
        options.transfer = wrong[i].transfer;
        options.study = &study;
        study.block_threads = wrong[i].block_threads;
        study.block_bytes = wrong[i].block_bytes;
        study.segments_in_flight = wrong[i].in_flight;
        trawl_status status = trawl_count(db, "abcb", 4, &options, &total, NULL, &error);
        if (status != wrong[i].status || error.status != status ||
            !strstr(error.message, wrong[i].words))
            fail_msg("wrong option %zu: %s: %s", i, trawl_status_text(status), error.message);
        /* Nothing of it stays. */
        options = (trawl_scan_options)TRAWL_SCAN_OPTIONS;
        options.device = "cuda";
        assert_int_equal(trawl_count(db, "abcb", 4, &options, &total, NULL, &error), TRAWL_OK);
        assert_int_equal(total, 3);
    }
    trawl_db_free(db);
}

int main(void) {
    char message[512];
    if (!device_tests_begin("host_test"))
        return TEST_SKIPPED;
    if (!test_cases_read_all(&cases, message, sizeof(message))) {
        fprintf(stderr, "host_test: %s\n", message);
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test_teardown(the_case_table, tell_after_a_signal),
        cmocka_unit_test_teardown(random_cases, tell_after_a_signal),
        cmocka_unit_test_teardown(signatures_with_every_kernel, tell_after_a_signal),
        cmocka_unit_test_teardown(segment_boundaries, tell_after_a_signal),
        cmocka_unit_test_teardown(dense_segments, tell_after_a_signal),
        cmocka_unit_test(several_threads),
        cmocka_unit_test(one_text_without_copies),
        cmocka_unit_test(pinned_texts),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_cases_free(&cases);
    device_tests_end();
    return failed;
}
