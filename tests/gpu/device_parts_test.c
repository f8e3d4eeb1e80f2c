/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A text whose parts are in the memory of several devices: the combined results are those of the
 * oracle for the whole text, whatever the engine and wherever the parts are cut.
 */
#include "generate.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "oracle.h"
#include "trawl/trawl_cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_PARTS = 5, MOST_DEVICES = 3 };

static trawl_error error;
static int devices;
static size_t scanned;

/* ------------------------------------------------------------------ parts */

/* The parts of a text, each in memory that its device owns. */
typedef struct division {
    trawl_cuda_text_part parts[MOST_PARTS];
    size_t count;
} division;

/* Cuts the text at random places; each part but the first also has the max_length - 1 bytes before
 * its own. */
static void divide(division *to, const test_case *test, trawl_cuda_db **uploaded, size_t max_length,
                   random_source *random) {
    uint64_t begin = 0;
    to->count = random_between(random, 1, MOST_PARTS);
    for (size_t i = 0; i < to->count; i++) {
        uint64_t end =
            i + 1 == to->count ? test->length : random_between(random, begin, test->length);
        uint64_t overlap = max_length - 1 < begin ? max_length - 1 : begin;
        trawl_cuda_text_part *part = &to->parts[i];
        part->uploaded = uploaded[i % (size_t)devices];
        part->owned = overlap;
        part->base = begin - overlap;
        part->length = end - part->base;
        assert_true(device_select((int)(i % (size_t)devices)));
        void *memory = device_allocate(part->length);
        assert_non_null(memory);
        assert_true(device_write(memory, test->text + part->base, part->length, NULL));
        assert_true(device_wait(NULL));
        part->text = memory;
        begin = end;
    }
    assert_true(device_select(0));
}

static void release(division *of) {
    for (size_t i = 0; i < of->count; i++) {
        assert_true(device_select((int)(i % (size_t)devices)));
        device_release((void *)of->parts[i].text);
    }
    assert_true(device_select(0));
}

/* ------------------------------------------------------------------ comparison */

static void compare(const division *of, const test_case *test, const match_list *expected,
                    combination which) {
    enum { UNTOUCHED = 0xA5 };
    trawl_cuda_combined combined = TRAWL_CUDA_COMBINED;
    trawl_cuda_match *matches = calloc(expected->count + 1, sizeof(*matches));
    uint64_t *counters = malloc(test->count * sizeof(*counters));
    assert_true(matches && counters);
    memset(counters, UNTOUCHED, test->count * sizeof(*counters));
    combined.per_pattern = counters;
    combined.matches = matches;
    combined.capacity = expected->count;
    trawl_status status = trawl_cuda_scan_parts(of->parts, of->count, NULL, &combined, &error);
    if (status != TRAWL_OK)
        fail_msg("%s: %s", which.engine, error.message);
    assert_int_equal(combined.total, expected->count);
    for (size_t i = 0; i < expected->count; i++) {
        const trawl_match *wanted = &expected->items[i];
        if (matches[i].end != wanted->end || matches[i].pattern != wanted->pattern ||
            matches[i].length != wanted->end - wanted->start)
            fail_msg("%s: match %zu of %zu ends at %llu, pattern %u; expected %llu, %u",
                     which.engine, i, expected->count, (unsigned long long)matches[i].end,
                     matches[i].pattern, (unsigned long long)wanted->end, wanted->pattern);
        counters[wanted->pattern]--;
    }
    for (size_t i = 0; i < test->count; i++)
        assert_int_equal(counters[i], 0);
    /* Too little room: the number, and nothing written. */
    if (expected->count != 0) {
        memset(matches, UNTOUCHED, expected->count * sizeof(*matches));
        combined.per_pattern = NULL;
        combined.capacity = expected->count - 1;
        assert_int_equal(trawl_cuda_scan_parts(of->parts, of->count, NULL, &combined, &error),
                         TRAWL_OK);
        assert_int_equal(combined.total, expected->count);
        for (size_t i = 0; i < expected->count * sizeof(*matches); i++)
            assert_int_equal(((const uint8_t *)matches)[i], UNTOUCHED);
    }
    free(matches);
    free(counters);
    scanned++;
}

static void check_case(combination which, const test_case *test, random_source *random) {
    trawl_cuda_db *uploaded[MOST_DEVICES] = {NULL};
    combination_failure failure;
    trawl_db *db;
    combination_outcome outcome = combination_compile(which, test, TRAWL_MATCH_ALL, &db, &failure);
    if (outcome == COMBINATION_FAILED)
        fail_msg("%s: %s", which.engine, failure.what);
    if (outcome != COMBINATION_COMPILED)
        return;
    trawl_db_information info = TRAWL_DB_INFORMATION;
    assert_int_equal(trawl_db_info(db, &info, &error), TRAWL_OK);
    for (int i = 0; i < devices; i++) {
        trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
        options.device = (uint32_t)i;
        assert_int_equal(trawl_cuda_upload(db, &options, &uploaded[i], &error), TRAWL_OK);
    }
    match_list expected = {0};
    oracle_search(test->patterns, test->count, test->text, test->length, TRAWL_MATCH_ALL,
                  &expected);
    division parts;
    divide(&parts, test, uploaded, info.max_length, random);
    if (test->conditioned) { /* the host tests conditions */
        trawl_cuda_combined combined = TRAWL_CUDA_COMBINED;
        assert_int_equal(trawl_cuda_scan_parts(parts.parts, parts.count, NULL, &combined, &error),
                         TRAWL_ERROR_LIMIT);
    } else {
        compare(&parts, test, &expected, which);
    }
    release(&parts);
    match_list_free(&expected);
    for (int i = 0; i < devices; i++)
        trawl_cuda_db_free(uploaded[i]);
    trawl_db_free(db);
}

static void every_engine(void **state) {
    (void)state;
    combination which;
    for (size_t index = 0; index < device_cases(40, 10); index++) {
        static test_case test;
        test.name = strdup("random");
        random_source random = random_for_case(random_seed(), index);
        generate_case(&random, 1000000, &test);
        for (size_t c = 0; device_combination(c, &which); c++) {
            device_shake((unsigned)random_below(&random, 6));
            check_case(which, &test, &random);
        }
        device_shake(0);
        test_case_free(&test);
    }
    print_message("%zu divided texts compared, on %d devices\n", scanned, devices);
    assert_true(scanned >= 10);
}

/* ------------------------------------------------------------------ wrong use, failures */

/* Two parts of "ushers" for the patterns he and she, and a copy of another database. */
typedef struct small_case {
    test_case test;
    trawl_db *db, *other_db;
    trawl_cuda_db *uploaded, *other;
    void *text;
    trawl_cuda_text_part parts[2];
} small_case;

static void small_begin(small_case *small) {
    combination dfa = {"ac-dfa", NULL};
    combination_failure failure;
    memset(small, 0, sizeof(*small));
    test_case_add_pattern(&small->test, "he", 2, 0);
    test_case_add_pattern(&small->test, "she", 3, 0);
    assert_int_equal(combination_compile(dfa, &small->test, TRAWL_MATCH_ALL, &small->db, &failure),
                     COMBINATION_COMPILED);
    assert_int_equal(
        combination_compile(dfa, &small->test, TRAWL_MATCH_ALL, &small->other_db, &failure),
        COMBINATION_COMPILED);
    assert_int_equal(trawl_cuda_upload(small->db, NULL, &small->uploaded, &error), TRAWL_OK);
    assert_int_equal(trawl_cuda_upload(small->other_db, NULL, &small->other, &error), TRAWL_OK);
    small->text = device_allocate(6);
    assert_non_null(small->text);
    assert_true(device_write(small->text, "ushers", 6, NULL) && device_wait(NULL));
    const uint8_t *text = small->text;
    small->parts[0] = (trawl_cuda_text_part){small->uploaded, text, 3, 0, 0};
    small->parts[1] = (trawl_cuda_text_part){small->uploaded, text + 1, 5, 2, 1};
}

static void small_end(small_case *small) {
    device_release(small->text);
    trawl_cuda_db_free(small->uploaded);
    trawl_cuda_db_free(small->other);
    trawl_db_free(small->db);
    trawl_db_free(small->other_db);
    test_case_free(&small->test);
}

static void wrong_arguments(void **state) {
    (void)state;
    small_case small;
    small_begin(&small);
    trawl_cuda_combined combined = TRAWL_CUDA_COMBINED;
    assert_int_equal(trawl_cuda_scan_parts(small.parts, 2, NULL, NULL, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_cuda_scan_parts(NULL, 2, NULL, &combined, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_cuda_scan_parts(small.parts, 2, "no-such", &combined, &error),
                     TRAWL_ERROR_ARGUMENT);
    small.parts[1].uploaded = small.other;
    assert_int_equal(trawl_cuda_scan_parts(small.parts, 2, NULL, &combined, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "part 1"));
    small.parts[1].uploaded = NULL;
    assert_int_equal(trawl_cuda_scan_parts(small.parts, 2, NULL, &combined, &error),
                     TRAWL_ERROR_ARGUMENT);
    combined.size = 4;
    assert_int_equal(trawl_cuda_scan_parts(small.parts, 1, NULL, &combined, &error),
                     TRAWL_ERROR_ARGUMENT);
    combined.size = sizeof(combined);
    combined.total = 99;
    assert_int_equal(trawl_cuda_scan_parts(NULL, 0, NULL, &combined, &error), TRAWL_OK);
    assert_int_equal(combined.total, 0);
    small_end(&small);
}

/* The results of both parts of the small case. */
typedef struct small_results {
    trawl_cuda_match matches[2];
    uint64_t counters[2], total;
} small_results;

static trawl_status scan_both(const small_case *small, small_results *results) {
    trawl_cuda_combined combined = TRAWL_CUDA_COMBINED;
    combined.per_pattern = results->counters;
    combined.matches = results->matches;
    combined.capacity = 2;
    trawl_status status = trawl_cuda_scan_parts(small->parts, 2, NULL, &combined, &error);
    results->total = combined.total;
    return status;
}

/* Scans both parts of the small case; its results must be right. */
static void scan_small(const small_case *small, const char *when) {
    small_results results;
    if (scan_both(small, &results) != TRAWL_OK)
        fail_msg("%s: %s", when, error.message);
    assert_int_equal(results.total, 2);
    assert_int_equal(results.matches[0].pattern, 1);
    assert_int_equal(results.matches[1].pattern, 0);
    assert_int_equal(results.matches[1].end, 4);
    assert_true(results.counters[0] == 1 && results.counters[1] == 1);
}

/* Call `call` to CUDA of a scan fails. Returns whether the scan failed. */
static bool scan_with_failure(const small_case *small, long call) {
    small_results results;
    (void)device_fail_call(call, false);
    trawl_status status = scan_both(small, &results);
    (void)device_fail_call(0, false);
    assert_true(status == TRAWL_OK || (results.total == 0 && error.message[0] != 0));
    return status != TRAWL_OK;
}

/* Each call to CUDA fails once, in the first scan with a copy of the database and in a later one:
 * the error is reported, no memory is leaked, and the next scan works. */
static void every_call_fails(void **state) {
    (void)state;
    if (!device_is_emulated())
        skip();
    for (int later = 0; later < 2; later++) {
        size_t live = device_live_objects(), failures = 0;
        long calls = 0;
        for (long call = 0; call <= calls; call++) {
            small_case small;
            small_begin(&small);
            if (later)
                scan_small(&small, "before a failure");
            (void)device_calls();
            if (call == 0) {
                scan_small(&small, "without a failure");
                calls = device_calls();
                assert_true(calls > 10);
            } else {
                failures += scan_with_failure(&small, call);
                scan_small(&small, "after a failure");
            }
            small_end(&small);
            assert_int_equal(device_live_objects(), live);
        }
        assert_true(failures > 10); /* a failure while cleaning up changes no result */
    }
}

/* The scratch that a copy of the database keeps for the next call does not grow from call to call,
 * and spares calls to CUDA. */
static void scratch_is_kept(void **state) {
    (void)state;
    if (!device_is_emulated())
        skip();
    small_case small;
    small_begin(&small);
    (void)device_calls();
    scan_small(&small, "first");
    long calls = device_calls();
    size_t live = device_live_objects();
    for (int i = 0; i < 3; i++) {
        scan_small(&small, "again");
        assert_true(device_calls() < calls);
        assert_int_equal(device_live_objects(), live);
    }
    small_end(&small);
}

int main(void) {
    if (!device_tests_begin("device_parts_test"))
        return TEST_SKIPPED;
    (void)device_set_count(MOST_DEVICES);
    devices = device_count() < MOST_DEVICES ? device_count() : MOST_DEVICES;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_engine),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(every_call_fails),
        cmocka_unit_test(scratch_is_kept),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)device_set_count(1);
    device_tests_end();
    return failed;
}
