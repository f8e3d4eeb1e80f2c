/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Kernel `constant` of ac-nfa: how many states fit into 64 KB, and scans of several databases in
 * several streams, which take turns in constant memory.
 */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    LENGTH = 5000,
    /* A pattern of m bytes makes m + 1 states of 40 bytes; 256 bytes are classes. */
    LONGEST = (65536 - 256) / 40 - 1
};

static trawl_error error;
static uint8_t text[LENGTH];

static void make_text(void) {
    uint32_t number = 1;
    for (size_t i = 0; i < LENGTH; i++) {
        number = number * 1664525 + 1013904223;
        text[i] = (uint8_t)('a' + (number >> 24) % 3);
    }
}

/* A database of one pattern, the beginning of the text, and its upload. */
typedef struct subject {
    trawl_db *db;
    trawl_cuda_db *uploaded;
    uint64_t matches;
    uint64_t *total; /* in device memory */
    void *workspace;
    size_t workspace_bytes;
} subject;

static trawl_cuda_scan_options constant_scan(void) {
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    options.form = TRAWL_CUDA_COUNT;
    options.kernel = "constant";
    return options;
}

static void open_subject(subject *one, size_t pattern) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_patterns *patterns;
    options.engine = "ac-nfa";
    options.variant = "thesis-2";
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, text, pattern, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, &options, &one->db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    assert_int_equal(trawl_count(one->db, text, LENGTH, NULL, &one->matches, NULL, &error),
                     TRAWL_OK);
    assert_int_equal(trawl_cuda_upload(one->db, NULL, &one->uploaded, &error), TRAWL_OK);
    one->total = device_allocate(sizeof *one->total);
    one->workspace_bytes = 1 << 22;
    one->workspace = device_allocate(one->workspace_bytes);
    assert_true(one->total && one->workspace);
}

static void close_subject(subject *one) {
    trawl_cuda_db_free(one->uploaded);
    trawl_db_free(one->db);
    device_release(one->total);
    device_release(one->workspace);
}

static trawl_status launch(subject *one, const void *on_device, void *stream) {
    trawl_cuda_scan_options options = constant_scan();
    trawl_cuda_results results = {.total = one->total};
    return trawl_cuda_scan(one->uploaded, &options, on_device, LENGTH, &results, one->workspace,
                           one->workspace_bytes, stream, &error);
}

static void expect_total(const subject *one, void *stream) {
    uint64_t total = 0;
    assert_true(device_read(&total, one->total, sizeof total, stream));
    assert_int_equal(total, one->matches);
}

/* ------------------------------------------------------------------ tests */

static void all_of_64_kilobytes(void **state) {
    (void)state;
    void *on_device = device_allocate(LENGTH);
    assert_true(device_write(on_device, text, LENGTH, NULL));
    subject one;
    open_subject(&one, LONGEST);
    assert_int_equal(one.matches, 1);
    assert_int_equal(launch(&one, on_device, NULL), TRAWL_OK);
    expect_total(&one, NULL);
    close_subject(&one);
    open_subject(&one, LONGEST + 1);
    assert_int_equal(launch(&one, on_device, NULL), TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "constant memory of a device 65536"));
    close_subject(&one);
    device_release(on_device);
}

/* Streams whose work runs only when the test waits for it, and not in the order of the launches. */
static void turns(void **state) {
    (void)state;
    size_t objects = device_live_objects();
    void *on_device = device_allocate(LENGTH);
    assert_true(device_write(on_device, text, LENGTH, NULL));
    void *streams[3] = {device_stream_new(), device_stream_new(), device_stream_new()};
    subject all[4];
    static const size_t lengths[4] = {3, 3, 2, 5};
    for (size_t i = 0; i < 4; i++)
        open_subject(&all[i], lengths[i]);
    assert_int_not_equal(all[0].matches, all[2].matches);
    for (unsigned seed = 0; seed < 12; seed++) {
        device_shake(seed);
        /* The same database in two streams, and others. */
        subject again = all[0];
        again.total = device_allocate(sizeof *again.total);
        again.workspace = device_allocate(again.workspace_bytes);
        assert_int_equal(launch(&all[0], on_device, streams[0]), TRAWL_OK);
        assert_int_equal(launch(&again, on_device, streams[1]), TRAWL_OK);
        assert_int_equal(launch(&all[2], on_device, streams[2]), TRAWL_OK);
        assert_int_equal(launch(&all[1], on_device, streams[0]), TRAWL_OK);
        assert_int_equal(launch(&all[3], on_device, streams[1]), TRAWL_OK);
        expect_total(&again, streams[1]);
        expect_total(&all[3], streams[1]);
        expect_total(&all[2], streams[2]);
        expect_total(&all[0], streams[0]);
        expect_total(&all[1], streams[0]);
        device_release(again.total);
        device_release(again.workspace);
    }
    device_shake(0);
    for (size_t i = 0; i < 4; i++)
        close_subject(&all[i]);
    for (size_t i = 0; i < 3; i++)
        device_stream_release(streams[i]);
    device_release(on_device);
    assert_int_equal(device_live_objects(), objects);
}

int main(void) {
    if (!device_tests_begin("constant_test"))
        return TEST_SKIPPED;
    make_text();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_64_kilobytes),
        cmocka_unit_test(turns),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
