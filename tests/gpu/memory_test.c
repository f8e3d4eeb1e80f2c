/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Device memory of scans of host memory: a database is uploaded once, its memory is freed with it,
 * nothing is leaked, and scans go on on the CPU when the device has no memory. Runs alone, as it
 * measures the free memory of the device and takes all of it.
 */
#include "effort.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const char *const transfers[] = {"ring", "a", "b", "zero-copy"};
enum { TRANSFERS = 4 };

static trawl_error error;
static test_case set;
static uint8_t text[300]; /* a match ends with every byte */

static int setup(void **state) {
    (void)state;
    test_case_add_pattern(&set, "b", 1, 0);
    test_case_add_pattern(&set, "xxb", 3, 0);
    memset(text, 'b', sizeof(text));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    test_case_free(&set);
    return 0;
}

static trawl_db *compiled(combination which) {
    combination_failure failure;
    trawl_db *db = NULL;
    if (combination_compile(which, &set, TRAWL_MATCH_ALL, &db, &failure) != COMBINATION_COMPILED)
        fail_msg("%s: %s", which.engine, failure.what);
    return db;
}

/* The device's copy is made by the first scan, kept, and given back with the database. */
static void a_hundred_scans(void **state) {
    (void)state;
    combination which;
    for (size_t c = 0; device_combination(c, &which); c++) {
        uint64_t total = 0, first = 0;
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        options.device = "cuda";
        size_t objects = device_live_objects(), kept = 0, available = 0;
        trawl_db *db = compiled(which);
        for (int i = 0; db && i < 100; i++) {
            if (trawl_count(db, text, sizeof(text), &options, &total, NULL, &error) != TRAWL_OK)
                fail_msg("%s/%s: %s", which.engine, which.variant, error.message);
            if (i == 0) {
                first = total;
                kept = device_live_objects();
                available = device_free_bytes();
            }
            assert_int_equal(total, first);
            assert_int_equal(device_live_objects(), kept);
        }
        if (db && device_free_bytes() < available)
            fail_msg("%s/%s: %zu bytes of device memory are gone after 99 more scans", which.engine,
                     which.variant, available - device_free_bytes());
        trawl_db_free(db);
        assert_int_equal(device_live_objects(), objects);
    }
}

/* Counts, and states if the engine has them. */
static trawl_status scan_kept(const trawl_db *db, const char *transfer, bool kept) {
    static uint16_t states[sizeof(text)];
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    uint64_t total = 0;
    options.device = "cuda";
    options.transfer = transfer;
    options.study = &study;
    study.segment_bytes = 32;
    study.keep_segments = kept;
    trawl_status status = trawl_study_cuda_entries(db, text, sizeof(text), TRAWL_CUDA_STATES,
                                                   &options, states, sizeof(states), &error);
    if (status == TRAWL_OK)
        status = trawl_count(db, text, sizeof(text), &options, &total, NULL, &error);
    assert_true(status != TRAWL_OK || total == sizeof(text));
    return status;
}

/* The second scan finds the memory of all segments, until one without the option. */
static void segments_are_kept(void **state) {
    (void)state;
    for (int t = 0; t < TRANSFERS; t++) {
        /* Zero-copy page-locks a text that is not. */
        for (int pinned = strcmp(transfers[t], "zero-copy") == 0; pinned < 2; pinned++) {
            size_t objects = device_live_objects();
            trawl_db *db = compiled((combination){.engine = "ac-dfa"});
            if (pinned)
                assert_int_equal(trawl_cuda_pin(text, sizeof(text), &error), TRAWL_OK);
            assert_int_equal(scan_kept(db, transfers[t], false), TRAWL_OK);
            size_t few = device_live_objects();
            assert_int_equal(scan_kept(db, transfers[t], true), TRAWL_OK);
            size_t all = device_live_objects(), available = device_free_bytes();
            /* Only the emulation counts objects. */
            bool more = device_is_emulated() && strcmp(transfers[t], "a") == 0;
            assert_true(more ? all > few : all >= few);
            device_fail_allocations(0);
            if (scan_kept(db, transfers[t], true) != TRAWL_OK)
                fail_msg("transfer %s allocates again: %s", transfers[t], error.message);
            device_fail_allocations(-1);
            assert_int_equal(device_live_objects(), all);
            assert_true(device_free_bytes() >= available);
            assert_int_equal(scan_kept(db, transfers[t], false), TRAWL_OK);
            assert_true(device_live_objects() <= few);
            if (pinned)
                trawl_cuda_unpin(text);
            trawl_db_free(db);
            assert_int_equal(device_live_objects(), objects);
        }
    }
}

/* Scans in several ways; returns the first status that is not TRAWL_OK. */
static trawl_status scan_all_ways(const trawl_db *db, const char *device) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    trawl_status status = TRAWL_OK;
    options.device = device;
    options.study = &study;
    study.segment_bytes = 64;
    for (int t = 0; t < TRANSFERS && status == TRAWL_OK; t++) {
        uint64_t total = 0, each[2];
        trawl_matches matches = {.items = NULL};
        options.transfer = transfers[t];
        status = trawl_count(db, text, sizeof(text), &options, &total, each, &error);
        if (status == TRAWL_OK)
            status = trawl_collect(db, text, sizeof(text), &options, &matches, &error);
        if (status == TRAWL_OK && (total != sizeof(text) || matches.count != sizeof(text)))
            fail_msg("%s: %llu matches counted, %zu collected", device ? device : "cpu",
                     (unsigned long long)total, matches.count);
        trawl_matches_free(&matches);
    }
    return status;
}

/* The short form fails one allocation in five. */
static void every_allocation_fails(void **state) {
    (void)state;
    combination which;
    if (!device_fail_allocations(-1))
        skip();
    for (size_t c = 0; device_combination(c, &which); c++) {
        trawl_status status = TRAWL_ERROR_MEMORY;
        long step = effort_is_short() ? 5 : 1;
        for (long after = (long)c % step; status != TRAWL_OK; after += step) {
            size_t objects = device_live_objects();
            trawl_db *db = compiled(which);
            if (after > 500)
                fail_msg("%s/%s never stops allocating", which.engine, which.variant);
            device_fail_allocations(after);
            status = scan_all_ways(db, "cuda");
            device_fail_allocations(-1);
            if (status != TRAWL_OK && status != TRAWL_ERROR_MEMORY)
                fail_msg("%s/%s, allocation %ld: %s: %s", which.engine, which.variant, after,
                         trawl_status_text(status), error.message);
            if (status != TRAWL_OK)
                assert_true(strlen(error.message) > 0);
            assert_int_equal(scan_all_ways(db, NULL), TRAWL_OK);
            assert_int_equal(scan_all_ways(db, "cuda"), TRAWL_OK);
            trawl_db_free(db);
            if (device_live_objects() != objects)
                fail_msg("%s/%s, allocation %ld fails: %zu objects of the device are left",
                         which.engine, which.variant, after, device_live_objects() - objects);
        }
    }
}

/* A device whose memory others have taken. */
static void no_device_memory(void **state) {
    (void)state;
    enum { MOST = 64 };
    void *taken[MOST];
    size_t count = 0;
    if (device_is_emulated())
        skip();
    trawl_db *db = compiled((combination){.engine = "auto"});
    for (size_t bytes = device_free_bytes(); bytes > (size_t)1 << 20 && count < MOST; bytes /= 2)
        while (count < MOST && (taken[count] = device_allocate(bytes)) != NULL)
            count++;
    trawl_status status = scan_all_ways(db, "cuda");
    printf("without device memory: %s\n", status == TRAWL_OK ? "it was enough" : error.message);
    assert_int_equal(scan_all_ways(db, NULL), TRAWL_OK);
    assert_int_equal(scan_all_ways(db, "auto"), TRAWL_OK);
    while (count)
        device_release(taken[--count]);
    assert_true(status == TRAWL_OK || status == TRAWL_ERROR_UNAVAILABLE ||
                status == TRAWL_ERROR_MEMORY);
    assert_int_equal(scan_all_ways(db, "cuda"), TRAWL_OK);
    trawl_db_free(db);
}

int main(void) {
    if (!device_tests_begin("memory_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_scans),
        cmocka_unit_test(segments_are_kept),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(no_device_memory),
    };
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    device_tests_end();
    return failed;
}
