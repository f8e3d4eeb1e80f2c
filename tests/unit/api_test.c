/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The borders of the interface: NULL, wrong names and values, and error messages. */
#include "trawl/trawl_groups.h"
#include "trawl/trawl_scanner.h"
#include "trawl/trawl_study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_set.h"

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

static void null_arguments_of_sets_and_databases(void **state) {
    (void)state;
    uint64_t total;
    trawl_db *other = NULL;
    trawl_statistics statistics = TRAWL_STATISTICS;
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
}

static void null_arguments_of_scans(void **state) {
    (void)state;
    uint64_t total;
    trawl_matches matches = {NULL, 0};
    trawl_stream *stream = NULL;
    size_t count;
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
}

static void every_free_takes_null(void **state) {
    (void)state;
    trawl_matches matches = {NULL, 0};
    trawl_patterns_free(NULL);
    trawl_db_free(NULL);
    trawl_stream_abandon(NULL);
    trawl_matches_free(NULL);
    trawl_matches_free(&matches);
}

/* These calls have no error: they find nothing. */
static void scanners_without_a_text(void **state) {
    (void)state;
    trawl_scanner *scanner = NULL;
    uint64_t counts[2] = {0};
    assert_int_equal(trawl_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
    for (int i = 0; i < 2; i++) {
        trawl_scanner *used = i == 0 ? NULL : scanner;
        const char *text = i == 0 ? "abc" : NULL;
        assert_false(trawl_scanner_any(used, text, 3, NULL));
        assert_int_equal(trawl_scanner_which(used, text, 3, NULL, 0), 0);
        assert_int_equal(trawl_scanner_count(used, text, 3, counts), 0);
        assert_int_equal(trawl_scanner_scan(used, text, 3, ignore, NULL), TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_scanner_scan_batches(used, text, 3, ignore_batch, NULL),
                         TRAWL_ERROR_ARGUMENT);
    }
    assert_int_equal(trawl_scanner_which(scanner, "abc", 3, NULL, 7), 2);
    trawl_scanner_close(scanner);
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

/* A successful call sets the error structure to "no error". */
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

/* The report says which device a scan used, and why; the other members are for CUDA devices. */
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

/* ------------------------------------------------------------------ plans as JSON */

/* Whether braces and brackets are closed in order, outside of strings. */
static bool is_balanced(const char *json) {
    char open[32];
    size_t depth = 0;
    bool in_string = false;
    for (; *json; json++) {
        if (*json == '"')
            in_string = !in_string;
        else if (in_string && *json == '\\')
            json++;
        else if (!in_string && (*json == '{' || *json == '['))
            open[depth++] = *json;
        else if (!in_string && (*json == '}' || *json == ']'))
            if (depth == 0 || open[--depth] != (*json == '}' ? '{' : '['))
                return false;
    }
    return depth == 0 && !in_string;
}

static void a_database_explains_itself(void **state) {
    (void)state;
    static const char *const engines[] = {"qgram", "ac-nfa", NULL};
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        trawl_db_information information = TRAWL_DB_INFORMATION;
        trawl_study_plan plan = TRAWL_STUDY_PLAN;
        trawl_db *planned;
        char *json = NULL, start[64];
        options.engine = engines[i];
        assert_int_equal(trawl_compile(patterns, &options, &planned, &error), TRAWL_OK);
        assert_int_equal(trawl_db_info(planned, &information, &error), TRAWL_OK);
        assert_int_equal(trawl_study_db_plan(planned, &plan, &error), TRAWL_OK);
        assert_int_equal(trawl_db_explain(planned, &json, &error), TRAWL_OK);
        snprintf(start, sizeof(start), "{\"engine\":\"%s\",", information.engine);
        assert_memory_equal(json, start, strlen(start));
        assert_true(is_balanced(json));
        assert_int_equal(strstr(json, "\"plan\":null") == NULL, plan.planned);
        assert_int_equal(strstr(json, "\"pass_rate\"") != NULL, plan.filters != 0);
        assert_int_equal(plan.planned, i != 1);
        trawl_text_free(json);
        trawl_db_free(planned);
    }
    trawl_text_free(NULL);
    char *json = NULL;
    expect_error(trawl_db_explain(NULL, &json, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_db_explain(db, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_study_db_plan(db, NULL, &error), TRAWL_ERROR_ARGUMENT);
    expect_error(trawl_db_info(NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
}

/* Nor do these: they find nothing, and a flow stays as it is. */
static void flows_without_a_piece(void **state) {
    (void)state;
    trawl_scanner *scanner = NULL;
    uint64_t counts[2] = {0};
    uint32_t ids[2];
    uint8_t flow[64];
    assert_int_equal(trawl_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
    assert_true(trawl_flow_bytes(db) <= sizeof flow && trawl_flow_bytes(NULL) != 0);
    trawl_flow_start(NULL);
    trawl_flow_start(flow);
    assert_int_equal(trawl_flow_offset(NULL), 0);
    for (int i = 0; i < 3; i++) {
        trawl_scanner *used = i == 0 ? NULL : scanner;
        void *text = i == 1 ? NULL : flow;
        const char *piece = i == 2 ? NULL : "abc";
        assert_int_equal(trawl_flow_scan(used, text, piece, 3, ignore_batch, NULL),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_flow_count(used, text, piece, 3, counts), 0);
        assert_int_equal(trawl_flow_count(used, text, piece, 3, NULL), 0);
        assert_int_equal(trawl_flow_which(used, text, piece, 3, ids, 2), 0);
        if (i < 2) {
            assert_int_equal(trawl_flow_finish(used, text, ignore_batch, NULL),
                             TRAWL_ERROR_ARGUMENT);
        }
    }
    assert_int_equal(trawl_flow_offset(flow), 0);
    assert_int_equal(trawl_flow_count(scanner, flow, NULL, 0, NULL), 0);
    assert_int_equal(trawl_flow_count(scanner, flow, "xabc", 4, NULL), 2);
    trawl_scanner_close(scanner);
}

static void groups_that_are_not_there(void **state) {
    (void)state;
    size_t count = trawl_db_groups(db);
    assert_int_equal(trawl_db_groups(NULL), 0);
    assert_int_equal(trawl_db_group(NULL, 0), 0);
    assert_int_equal(trawl_db_group(db, UINT32_MAX), 0);
    assert_int_equal(trawl_db_group_index(NULL, 0), 0);
    assert_int_equal(trawl_db_group_index(db, (uint32_t)count), 0);
    assert_int_equal(trawl_db_group_at(NULL, 0), 0);
    assert_int_equal(trawl_db_group_at(db, count), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words),
        cmocka_unit_test(null_arguments_of_sets_and_databases),
        cmocka_unit_test(null_arguments_of_scans),
        cmocka_unit_test(every_free_takes_null),
        cmocka_unit_test(scanners_without_a_text),
        cmocka_unit_test(flows_without_a_piece),
        cmocka_unit_test(groups_that_are_not_there),
        cmocka_unit_test(a_null_error_is_allowed),
        cmocka_unit_test(names_that_do_not_exist),
        cmocka_unit_test(values_that_no_call_may_have),
        cmocka_unit_test(success_clears_the_error),
        cmocka_unit_test(empty_texts),
        cmocka_unit_test(devices_are_described),
        cmocka_unit_test(the_report_names_the_device),
        cmocka_unit_test(a_database_explains_itself),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
