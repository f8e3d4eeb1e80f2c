/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The edges of the interface: NULL, wrong names and values, options of older and newer programs,
 * and error messages.
 */
#include "trawl/trawl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;
static trawl_patterns *patterns;
static trawl_db *db;

static int setup(void **state) {
    (void)state;
    if (trawl_patterns_new(&patterns, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, "abc", 3, 0, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, "b", 1, 0, &error) != TRAWL_OK ||
        trawl_compile(patterns, NULL, &db, &error) != TRAWL_OK)
        return -1;
    memset(&error, 0, sizeof(error));
    return 0;
}

static int teardown(void **state) {
    (void)state;
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    return 0;
}

/* The call failed with this status, and said why in one sentence. */
static void expect_error(trawl_status status, trawl_status wanted) {
    assert_int_equal(status, wanted);
    assert_int_equal(error.status, wanted);
    assert_true(strlen(error.message) > 0);
    assert_true(strlen(error.message) < sizeof(error.message));
    assert_null(strchr(error.message, '\n'));
    memset(&error, 0, sizeof(error));
}

static int ignore(const trawl_match *match, void *context) {
    (void)match;
    (void)context;
    return 0;
}

static int ignore_batch(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    (void)count;
    (void)context;
    return 0;
}

static void words(void **state) {
    (void)state;
    char version[32];
    snprintf(version, sizeof(version), "%d.%d.%d", TRAWL_VERSION_MAJOR, TRAWL_VERSION_MINOR,
             TRAWL_VERSION_PATCH);
    assert_string_equal(trawl_version(), version);
    for (int status = TRAWL_OK; status <= TRAWL_ERROR_FORMAT; status++)
        assert_true(strlen(trawl_status_text((trawl_status)status)) > 0);
    assert_non_null(trawl_status_text((trawl_status)-1));
    assert_non_null(trawl_status_text((trawl_status)9999));
}

static void null_arguments(void **state) {
    (void)state;
    uint64_t total;
    trawl_db *other = NULL;
    trawl_matches matches = {NULL, 0};
    trawl_stream *stream = NULL;
    trawl_statistics statistics = TRAWL_STATISTICS;
    size_t count;
    expect_error(trawl_patterns_new(NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_patterns_add(NULL, "a", 1, 0, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_patterns_add(patterns, NULL, 1, 0, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_patterns_name_last(NULL, "a", 1, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_patterns_statistics(NULL, &statistics, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_patterns_statistics(patterns, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_compile(NULL, NULL, &other, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_compile(patterns, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_compile_size(NULL, NULL, &total, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_compile_size(patterns, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_db_save(NULL, "/dev/null", &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_db_save(db, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_db_load(NULL, &other, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_db_load("/dev/null", NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_db_load_memory(NULL, 5, &other, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_db_load_memory("abcde", 5, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_scan(NULL, "a", 1, NULL, ignore, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_scan(db, NULL, 1, NULL, ignore, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_scan(db, "a", 1, NULL, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_scan_batches(NULL, "a", 1, NULL, ignore_batch, NULL, &error),
                 TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_scan_batches(db, NULL, 1, NULL, ignore_batch, NULL, &error),
                 TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_scan_batches(db, "a", 1, NULL, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_count(NULL, "a", 1, NULL, &total, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_count(db, NULL, 1, NULL, &total, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_collect(NULL, "a", 1, NULL, &matches, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_collect(db, NULL, 1, NULL, &matches, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_collect(db, "a", 1, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_collect_into(NULL, "a", 1, NULL, &matches, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_collect_into(db, "a", 1, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_stream_open_batches(NULL, NULL, ignore_batch, NULL, &stream, &error),
                 TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_stream_open_batches(db, NULL, ignore_batch, NULL, NULL, &error),
                 TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_stream_open(NULL, NULL, ignore, NULL, &stream, &error),
                 TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_stream_open(db, NULL, ignore, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_stream_write(NULL, "a", 1, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_stream_flush(NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_stream_close(NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_devices(NULL, 4, &count, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_devices(NULL, 0, NULL, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_stream_open(db, NULL, ignore, NULL, &stream, &error), TRAWL_OK);
    expect_error(trawl_stream_write(stream, NULL, 1, &error), TRAWL_ERROR_ARGUMENT);
    trawl_stream_abandon(stream);
    /* Every free takes NULL. */
    trawl_patterns_free(NULL);
    trawl_db_free(NULL);
    trawl_stream_abandon(NULL);
    trawl_matches_free(NULL);
    trawl_matches_free(&matches);
}

static void a_null_error_is_allowed(void **state) {
    (void)state;
    trawl_db *other = (trawl_db *)&error;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "no such engine";
    assert_int_equal(trawl_compile(patterns, &options, &other, NULL), TRAWL_ERROR_ARGUMENT);
    assert_null(other);
    assert_int_equal(trawl_db_load("/no/such/file", &other, NULL), TRAWL_ERROR_IO);
    assert_int_equal(trawl_patterns_add(patterns, "", 0, 0, NULL), TRAWL_ERROR_ARGUMENT);
    uint64_t total = 0;
    assert_int_equal(trawl_count(db, "xabcx", 5, NULL, &total, NULL, NULL), TRAWL_OK);
    assert_int_equal(total, 2);
}

static void names_that_do_not_exist(void **state) {
    (void)state;
    trawl_db *other;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "aho-corasik";
    trawl_status status = trawl_compile(patterns, &options, &other, &error);
    assert_non_null(strstr(error.message, "aho-corasik"));
    expect_error(status, TRAWL_ERROR_ARGUMENT);
    assert_null(other);
    options.engine = "";
    expect_error(trawl_compile(patterns, &options, &other, &error), TRAWL_ERROR_ARGUMENT);
    options.engine = "ac-dfa";
    options.variant = "no-such-variant";
    status = trawl_compile(patterns, &options, &other, &error);
    assert_non_null(strstr(error.message, "no-such-variant"));
    expect_error(status, TRAWL_ERROR_ARGUMENT);
    options.engine = NULL;
    expect_error(trawl_compile(patterns, &options, &other, &error), TRAWL_ERROR_ARGUMENT);
    options.engine = "auto";
    expect_error(trawl_compile(patterns, &options, &other, &error), TRAWL_ERROR_ARGUMENT);
    /* A name far longer than any message. */
    char *long_name = malloc(10000);
    memset(long_name, 'x', 9999);
    long_name[9999] = '\0';
    options.engine = long_name;
    expect_error(trawl_compile(patterns, &options, &other, &error), TRAWL_ERROR_ARGUMENT);
    options.engine = "ac-dfa";
    options.variant = long_name;
    expect_error(trawl_compile(patterns, &options, &other, &error), TRAWL_ERROR_ARGUMENT);
    free(long_name);
}

static void values_that_no_call_may_have(void **state) {
    (void)state;
    trawl_db *other;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.matches = (trawl_match_kind)3;
    expect_error(trawl_compile(patterns, &options, &other, &error), TRAWL_ERROR_ARGUMENT);
    options.matches = (trawl_match_kind)-1;
    expect_error(trawl_compile(patterns, &options, &other, &error), TRAWL_ERROR_ARGUMENT);
    trawl_patterns *empty;
    assert_int_equal(trawl_patterns_new(&empty, &error), TRAWL_OK);
    expect_error(trawl_compile(empty, NULL, &other, &error), TRAWL_ERROR_ARGUMENT);
    trawl_patterns_free(empty);
    uint64_t total;
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    scan.placement = (trawl_placement)9;
    expect_error(trawl_count(db, "a", 1, &scan, &total, NULL, &error), TRAWL_ERROR_ARGUMENT);
    scan.placement = TRAWL_PLACEMENT_NONE;
    scan.device = "abacus";
    trawl_status status = trawl_count(db, "a", 1, &scan, &total, NULL, &error);
    assert_true(status == TRAWL_ERROR_ARGUMENT || status == TRAWL_ERROR_UNAVAILABLE);
    expect_error(status, status);
    scan.device = "cuda:99";
    expect_error(trawl_count(db, "a", 1, &scan, &total, NULL, &error), TRAWL_ERROR_UNAVAILABLE);
    scan.device = "cpu";
    assert_int_equal(trawl_count(db, "b", 1, &scan, &total, NULL, &error), TRAWL_OK);
    scan.device = "auto";
    assert_int_equal(trawl_count(db, "b", 1, &scan, &total, NULL, &error), TRAWL_OK);
    assert_int_equal(total, 1);
}

/* A program built against an older header has a smaller structure, one built against a newer header
 * a larger one whose end is zero. The library may not read past what the program has. */
static void options_of_other_versions(void **state) {
    (void)state;
    trawl_db *other;
    uint64_t total;
    size_t old = offsetof(trawl_compile_options, matches);
    trawl_compile_options *options = malloc(old); /* AddressSanitizer watches the end */
    trawl_compile_options whole = TRAWL_COMPILE_OPTIONS;
    whole.size = old;
    whole.engine = "ac-dfa";
    memcpy(options, &whole, old);
    assert_int_equal(trawl_compile(patterns, options, &other, &error), TRAWL_OK);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(other, &information, NULL);
    assert_string_equal(information.engine, "ac-dfa");
    assert_int_equal(information.matches, TRAWL_MATCH_ALL);
    trawl_db_free(other);
    free(options);

    old = offsetof(trawl_scan_options, threads);
    trawl_scan_options *scan = malloc(old);
    trawl_scan_options whole_scan = TRAWL_SCAN_OPTIONS;
    whole_scan.size = old;
    memcpy(scan, &whole_scan, old);
    assert_int_equal(trawl_count(db, "abc", 3, scan, &total, NULL, &error), TRAWL_OK);
    assert_int_equal(total, 2);
    free(scan);

    struct {
        trawl_scan_options known;
        uint64_t future[4];
    } newer;
    memset(&newer, 0, sizeof(newer));
    newer.known.size = sizeof(newer);
    assert_int_equal(trawl_count(db, "abc", 3, &newer.known, &total, NULL, &error), TRAWL_OK);
    assert_int_equal(total, 2);

    /* A size of 0 is what a structure without the macro has. */
    trawl_scan_options unset;
    memset(&unset, 0, sizeof(unset));
    expect_error(trawl_count(db, "abc", 3, &unset, &total, NULL, &error), TRAWL_ERROR_ARGUMENT);
    trawl_compile_options unset_compile;
    memset(&unset_compile, 0, sizeof(unset_compile));
    expect_error(trawl_compile(patterns, &unset_compile, &other, &error), TRAWL_ERROR_ARGUMENT);
}

/* A call that works leaves an error structure that says so. */
static void success_clears_the_error(void **state) {
    (void)state;
    uint64_t total;
    memset(&error, 0x5a, sizeof(error));
    assert_int_equal(trawl_count(db, "abc", 3, NULL, &total, NULL, &error), TRAWL_OK);
    assert_int_equal(error.status, TRAWL_OK);
    assert_int_equal(error.message[0], '\0');
}

static void empty_texts(void **state) {
    (void)state;
    uint64_t total = 9, each[2] = {9, 9};
    trawl_matches matches = {.items = NULL, .count = 9};
    assert_int_equal(trawl_count(db, NULL, 0, NULL, &total, each, &error), TRAWL_OK);
    assert_int_equal(total, 0);
    assert_int_equal(each[0] + each[1], 0);
    assert_int_equal(trawl_collect(db, NULL, 0, NULL, &matches, &error), TRAWL_OK);
    assert_int_equal(matches.count, 0);
    trawl_matches_free(&matches);
    assert_int_equal(trawl_scan(db, NULL, 0, NULL, ignore, NULL, &error), TRAWL_OK);
    trawl_stream *stream;
    assert_int_equal(trawl_stream_open(db, NULL, ignore, NULL, &stream, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_write(stream, NULL, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_stream_close(stream, &error), TRAWL_OK);
}

static void devices_are_described(void **state) {
    (void)state;
    size_t count = 0;
    assert_int_equal(trawl_devices(NULL, 0, &count, &error), TRAWL_OK);
    assert_true(count >= 1);
    trawl_device *devices = calloc(count, sizeof(*devices));
    devices[0].size = sizeof(*devices);
    size_t again = 0;
    assert_int_equal(trawl_devices(devices, count, &again, &error), TRAWL_OK);
    assert_int_equal(again, count);
    assert_string_equal(devices[0].name, "cpu");
    assert_true(strlen(devices[0].description) > 0);
    assert_true(devices[0].units >= 1);
    free(devices);
}

/* Which device a scan took, and why; the rest of the report is for CUDA devices. */
static void the_report_names_the_device(void **state) {
    (void)state;
    static const char *const unknown[] = {"gpu", "cuda:", "cuda:x", "cuda0", "cuda:1x", "", "CPU"};
    trawl_scan_report report = TRAWL_SCAN_REPORT;
    uint64_t total;
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    scan.report = &report;
    memset(&report, 0x5a, sizeof(report));
    report.size = sizeof(report);
    assert_int_equal(trawl_count(db, "b", 1, &scan, &total, NULL, &error), TRAWL_OK);
    assert_string_equal(report.device, "cpu");
    assert_string_equal(report.kernel, "");
    assert_string_equal(report.reason, "");
    scan.device = "auto";
    assert_int_equal(trawl_count(db, "b", 1, &scan, &total, NULL, &error), TRAWL_OK);
    assert_true(report.reason[0] != '\0');
    trawl_status usable = strcmp(report.device, "cpu") == 0 ? TRAWL_ERROR_UNAVAILABLE : TRAWL_OK;
    assert_true(usable == TRAWL_OK || report.kernel[0] == '\0');
    scan.device = "cuda"; /* a forced device is taken or refused, for the same reason */
    trawl_status status = trawl_count(db, "b", 1, &scan, &total, NULL, &error);
    assert_int_equal(status, usable);
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        scan.device = unknown[i];
        expect_error(trawl_count(db, "b", 1, &scan, &total, NULL, &error), TRAWL_ERROR_ARGUMENT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(null_arguments),
        cmocka_unit_test(a_null_error_is_allowed),
        cmocka_unit_test(names_that_do_not_exist),
        cmocka_unit_test(values_that_no_call_may_have),
        cmocka_unit_test(options_of_other_versions),
        cmocka_unit_test(success_clears_the_error),
        cmocka_unit_test(empty_texts),
        cmocka_unit_test(devices_are_described),
        cmocka_unit_test(the_report_names_the_device),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
