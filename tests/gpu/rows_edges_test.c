/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The borders of searching rows in device memory: pieces of every size, nothing to search, offsets
 * that cannot be used, wrong arguments, match kinds and conditions, failures of any call to CUDA.
 */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "gpu/rows_case.h"
#include "trawl/trawl_conditions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS_FORMS = TRAWL_CUDA_ROWS_MATCHES + 1 };

static trawl_error error;

/* ------------------------------------------------------------------ one small case */

/* Rows of three texts, "abcab", "" and "cabc", for patterns of groups 9, 7 and 9. */
static struct {
    test_case test;
    trawl_db *db;
    trawl_cuda_db *uploaded;
    uint8_t *memory; /* bytes, 256 bytes behind them offsets, then results and the workspace */
    trawl_cuda_rows rows;
    trawl_cuda_rows_options options;
    trawl_cuda_row_results results;
    void *workspace;
    size_t workspace_bytes;
} small;

enum { SMALL_BYTES = 9, SMALL_ROWS = 3, SMALL_MEMORY = 1 << 21 };

static int setup(void **state) {
    (void)state;
    static const uint32_t groups[] = {9, 7, 9};
    static const uint32_t offsets[] = {0, 5, 5, 9};
    combination which = {"ac-dfa", NULL};
    test_case_add_pattern(&small.test, "abc", 3, 0);
    test_case_add_pattern(&small.test, "a", 1, 0);
    test_case_add_pattern(&small.test, "b", 1, 0);
    small.db = rows_compile(which, &small.test, groups, TRAWL_MATCH_ALL);
    small.memory = device_allocate(SMALL_MEMORY);
    if (!small.memory || trawl_cuda_upload(small.db, NULL, &small.uploaded, &error) != TRAWL_OK ||
        !device_write(small.memory, "abcabcabc", SMALL_BYTES, NULL) ||
        !device_write(small.memory + 256, offsets, sizeof(offsets), NULL))
        return -1;
    small.rows = (trawl_cuda_rows)TRAWL_CUDA_ROWS;
    small.rows.count = SMALL_ROWS;
    small.rows.bytes = small.memory;
    small.rows.end = SMALL_BYTES;
    small.rows.offsets = small.memory + 256;
    small.rows.offset_bytes = 4;
    small.options = (trawl_cuda_rows_options)TRAWL_CUDA_ROWS_OPTIONS;
    small.options.form = TRAWL_CUDA_ROWS_WHICH;
    small.options.most_bytes = 100;
    small.options.most_rows = 10;
    small.options.piece_bytes = 4;
    small.results.summary = (trawl_cuda_rows_summary *)(small.memory + 512);
    small.results.begin = (uint64_t *)(small.memory + 768);
    small.results.ids = (uint32_t *)(small.memory + 1024);
    small.results.matches = (trawl_cuda_match *)(small.memory + 1280);
    small.results.capacity = 10;
    small.workspace = small.memory + 4096;
    small.workspace_bytes = SMALL_MEMORY - 4096;
    return device_wait(NULL) ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    trawl_cuda_db_free(small.uploaded);
    trawl_db_free(small.db);
    device_release(small.memory);
    test_case_free(&small.test);
    return 0;
}

static trawl_status search_small(const trawl_cuda_rows_options *options,
                                 const trawl_cuda_rows *rows) {
    return trawl_cuda_rows_scan(small.uploaded, options, rows, &small.results, small.workspace,
                                small.workspace_bytes, NULL, &error);
}

static trawl_cuda_rows_summary small_summary(void) {
    trawl_cuda_rows_summary summary;
    assert_true(device_read(&summary, small.results.summary, sizeof(summary), NULL));
    return summary;
}

static void expect_it_works(void) {
    static const uint32_t wanted[] = {7, 9, 7, 9};
    uint64_t begin[SMALL_ROWS + 1];
    uint32_t ids[4];
    if (search_small(&small.options, &small.rows) != TRAWL_OK)
        fail_msg("%s", error.message);
    assert_int_equal(small_summary().total, 4);
    assert_true(device_read(begin, small.results.begin, sizeof(begin), NULL));
    assert_true(device_read(ids, small.results.ids, sizeof(ids), NULL));
    assert_memory_equal(ids, wanted, sizeof(ids));
    assert_int_equal(begin[0], 0);
    assert_int_equal(begin[1], 2);
    assert_int_equal(begin[2], 2);
    assert_int_equal(begin[3], 4);
}

static void groups_across_pieces(void **state) {
    (void)state;
    for (uint64_t piece = 1; piece <= SMALL_BYTES + 1; piece++) {
        small.options.piece_bytes = piece;
        expect_it_works();
    }
    small.options.piece_bytes = 4;
}

static void nothing_to_search(void **state) {
    (void)state;
    for (int form = 0; form < ROWS_FORMS; form++) {
        trawl_cuda_rows_options options = small.options;
        trawl_cuda_rows rows = small.rows;
        options.form = (trawl_cuda_rows_form)form;
        rows.count = 0;
        assert_int_equal(search_small(&options, &rows), TRAWL_OK);
        assert_int_equal(small_summary().total, 0);
        rows.offsets = NULL;
        rows.bytes = NULL;
        assert_int_equal(search_small(&options, &rows), TRAWL_OK);
        assert_int_equal(small_summary().total, 0);
        rows = small.rows;
        rows.count = 1;
        rows.offsets = (const uint32_t *)small.rows.offsets + 1; /* 5 to 5 */
        rows.begin = rows.end = 5;
        assert_int_equal(search_small(&options, &rows), TRAWL_OK);
        assert_int_equal(small_summary().total, 0);
    }
    expect_it_works();
}

/* Offsets that decrease or leave the range: the result names the row, and no match is found. */
static void unusable_offsets(void **state) {
    (void)state;
    static const struct {
        uint64_t offsets[SMALL_ROWS + 1];
        uint64_t begin, bad;
    } cases[] = {{{0, 5, 4, 9}, 0, 1}, {{0, 5, 5, 10}, 0, 2},
                 {{0, 5, 5, 9}, 1, 0}, {{0, UINT64_MAX, 5, 9}, 0, 0},
                 {{9, 5, 4, 0}, 0, 0}, {{0, 5, 5, 9}, 0, UINT64_MAX}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int form = 0; form < ROWS_FORMS; form++) {
            trawl_cuda_rows_options options = small.options;
            trawl_cuda_rows rows = small.rows;
            options.form = (trawl_cuda_rows_form)form;
            assert_true(device_write(small.memory + 2048, cases[i].offsets,
                                     sizeof(cases[i].offsets), NULL));
            rows.offsets = small.memory + 2048;
            rows.offset_bytes = 8;
            rows.begin = cases[i].begin;
            assert_int_equal(search_small(&options, &rows), TRAWL_OK);
            trawl_cuda_rows_summary summary = small_summary();
            assert_int_equal(summary.bad_row, cases[i].bad);
            assert_int_equal(summary.total == 0, cases[i].bad != UINT64_MAX);
        }
    expect_it_works();
}

/* ------------------------------------------------------------------ refusals */

static void expect_error(trawl_status status, trawl_status wanted, const char *word) {
    if (status != wanted || !strstr(error.message, word) || strchr(error.message, '\n'))
        fail_msg("status %d, '%s'; %d with '%s' was expected", (int)status, error.message,
                 (int)wanted, word);
}

static void wrong_arguments(void **state) {
    (void)state;
    trawl_cuda_rows_options options = small.options;
    trawl_cuda_rows rows = small.rows;
    size_t bytes;
    expect_error(trawl_cuda_rows_workspace(NULL, &options, &bytes, &error), TRAWL_ERROR_ARGUMENT,
                 "database");
    expect_error(trawl_cuda_rows_workspace(small.uploaded, NULL, &bytes, &error),
                 TRAWL_ERROR_ARGUMENT, "options");
    expect_error(trawl_cuda_rows_workspace(small.uploaded, &options, NULL, &error),
                 TRAWL_ERROR_ARGUMENT, "bytes");
    expect_error(search_small(&options, NULL), TRAWL_ERROR_ARGUMENT, "rows");
    options.form = (trawl_cuda_rows_form)ROWS_FORMS;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "form 4");
    options = small.options;
    options.kernel = "none";
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "none");
    options.kernel = "ac4-registers";
    expect_error(search_small(&options, &rows), TRAWL_ERROR_LIMIT, "ac4-registers");
    options = small.options;
    options.most_rows = UINT64_MAX;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "18446744073709551615");
    options = small.options;
    options.piece_matches = UINT64_C(1) << 32;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "4294967296");
    options = small.options;
    rows.offset_bytes = 2;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "of 2");
    rows = small.rows;
    rows.offsets = (const uint8_t *)rows.offsets + 1;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "aligned");
    rows.offsets = NULL;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "offsets");
    rows = small.rows;
    rows.bytes = NULL;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "bytes");
    rows = small.rows;
    rows.count = 11;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "11 rows");
    rows = small.rows;
    rows.end = 101;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "101");
    rows.end = 0;
    rows.begin = 1;
    expect_error(search_small(&options, &rows), TRAWL_ERROR_ARGUMENT, "bytes 1 to 0");
    expect_it_works();
}

static void missing_memory(void **state) {
    (void)state;
    const trawl_cuda_row_results all = small.results;
    size_t bytes;
    assert_int_equal(trawl_cuda_rows_workspace(small.uploaded, &small.options, &bytes, &error),
                     TRAWL_OK);
    expect_error(trawl_cuda_rows_scan(small.uploaded, &small.options, &small.rows, &all,
                                      small.workspace, bytes - 1, NULL, &error),
                 TRAWL_ERROR_ARGUMENT, "workspace");
    expect_error(trawl_cuda_rows_scan(small.uploaded, &small.options, &small.rows, &all,
                                      (uint8_t *)small.workspace + 8, bytes, NULL, &error),
                 TRAWL_ERROR_ARGUMENT, "aligned");
    expect_error(trawl_cuda_rows_scan(small.uploaded, &small.options, &small.rows, NULL,
                                      small.workspace, bytes, NULL, &error),
                 TRAWL_ERROR_ARGUMENT, "results");
    small.results.ids = NULL;
    expect_error(search_small(&small.options, &small.rows), TRAWL_ERROR_ARGUMENT, "ids");
    small.results.begin = NULL;
    expect_error(search_small(&small.options, &small.rows), TRAWL_ERROR_ARGUMENT, "begin");
    small.results.summary = NULL;
    expect_error(search_small(&small.options, &small.rows), TRAWL_ERROR_ARGUMENT, "summary");
    small.results = all;
    expect_it_works();
}

/* ------------------------------------------------------------------ kinds and conditions */

enum { LINES = 6, LINE_MATCHES = 16 };

/* Rows "abcab", "b", "", "xabca", "bcab" and "ab": of one text that has matches across borders. */
static const char lines[] = "abcabbxabcabcabab";
static const uint32_t line_offsets[LINES + 1] = {0, 5, 6, 6, 11, 15, 17};

/* The matches of a database in the lines; `wanted` are texts like "1@3" for pattern 1 that ends at
 * 3, each behind a blank, and with a bar at the end of each row. */
static void expect_lines(const trawl_db *db, uint64_t piece, const char *wanted) {
    trawl_cuda_db *uploaded;
    trawl_cuda_rows rows = small.rows;
    trawl_cuda_rows_options options = small.options;
    uint64_t begin[LINES + 1];
    trawl_cuda_match matches[LINE_MATCHES];
    char found[512] = "";
    size_t used = 0;
    rows.count = LINES;
    rows.end = sizeof(lines) - 1;
    rows.bytes = small.memory + 2048;
    rows.offsets = small.memory + 3072;
    options.form = TRAWL_CUDA_ROWS_MATCHES;
    options.piece_bytes = piece;
    trawl_cuda_row_results results = small.results;
    results.capacity = LINE_MATCHES;
    assert_true(device_write(small.memory + 2048, lines, sizeof(lines) - 1, NULL) &&
                device_write(small.memory + 3072, line_offsets, sizeof(line_offsets), NULL));
    assert_int_equal(trawl_cuda_upload(db, NULL, &uploaded, &error), TRAWL_OK);
    if (trawl_cuda_rows_scan(uploaded, &options, &rows, &results, small.workspace,
                             small.workspace_bytes, NULL, &error) != TRAWL_OK)
        fail_msg("%s", error.message);
    assert_true(device_read(begin, results.begin, sizeof(begin), NULL) &&
                device_read(matches, results.matches, sizeof(matches), NULL));
    for (size_t row = 0; row < LINES; row++) {
        for (uint64_t m = begin[row]; m < begin[row + 1]; m++)
            used += (size_t)snprintf(found + used, sizeof(found) - used, " %u@%llu",
                                     matches[m].pattern, (unsigned long long)matches[m].end);
        used += (size_t)snprintf(found + used, sizeof(found) - used, "|");
    }
    if (strcmp(found, wanted) != 0)
        fail_msg("pieces of %llu: found '%s' instead of '%s'", (unsigned long long)piece, found,
                 wanted);
    trawl_cuda_db_free(uploaded);
}

/* The longest key at a border begins in the row before: only its part in the row counts. */
static void leftmost_kinds(void **state) {
    (void)state;
    static const char *const patterns[] = {"abcab", "cab", "abc", "bc", "b"};
    combination which = {"ac-dfa", NULL};
    test_case test = {.name = NULL};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
        test_case_add_pattern(&test, patterns[i], strlen(patterns[i]), 0);
    match_list found = {0};
    for (int kind = TRAWL_MATCH_LEFTMOST_FIRST; kind < MATCH_KINDS; kind++) {
        char expected[512] = "";
        size_t used = 0;
        for (size_t row = 0; row < LINES; row++) {
            oracle_search(test.patterns, test.count, (const uint8_t *)lines + line_offsets[row],
                          line_offsets[row + 1] - line_offsets[row], (trawl_match_kind)kind,
                          &found);
            for (size_t m = 0; m < found.count; m++)
                used += (size_t)snprintf(expected + used, sizeof(expected) - used, " %u@%llu",
                                         found.items[m].pattern,
                                         (unsigned long long)found.items[m].end);
            used += (size_t)snprintf(expected + used, sizeof(expected) - used, "|");
        }
        trawl_db *db = rows_compile(which, &test, NULL, (trawl_match_kind)kind);
        for (uint64_t piece = 1; piece <= sizeof(lines); piece++)
            expect_lines(db, piece, expected);
        trawl_db_free(db);
    }
    match_list_free(&found);
    test_case_free(&test);
}

/* Of "ab" only those that end with their row, and of "b" only those behind no letter. */
static void conditions(void **state) {
    (void)state;
    combination which = {"ac-dfa", NULL};
    trawl_condition at_end = TRAWL_CONDITION, word = TRAWL_CONDITION;
    test_case test = {.name = NULL};
    at_end.at_end = true;
    word.left = TRAWL_CLASS_WORD;
    test_case_add_pattern(&test, "ab", 2, 0);
    test_case_add_pattern(&test, "b", 1, 0);
    test_case_set_condition(&test, 0, &at_end);
    test_case_set_condition(&test, 1, &word);
    for (int kind = TRAWL_MATCH_ALL; kind < MATCH_KINDS; kind++) {
        trawl_db *db = rows_compile(which, &test, NULL, (trawl_match_kind)kind);
        for (uint64_t piece = 1; piece <= sizeof(lines); piece++)
            expect_lines(db, piece, " 0@5| 1@1||| 1@1 0@4| 0@2|");
        trawl_db_free(db);
    }
    test_case_free(&test);
}

/* ------------------------------------------------------------------ failures */

/* Freeing a database clears CUDA's last error, so that a new upload works. */
static void upload_again(void) {
    trawl_cuda_db_free(small.uploaded);
    assert_int_equal(trawl_cuda_upload(small.db, NULL, &small.uploaded, &error), TRAWL_OK);
}

static void search_with_failures(trawl_cuda_rows_form form) {
    trawl_cuda_rows_options options = small.options;
    size_t objects = device_live_objects(), failures = 0;
    trawl_status status = TRAWL_ERROR_DEVICE;
    options.form = form;
    for (long call = 1; status != TRAWL_OK; call++) {
        (void)device_fail_call(call, false);
        status = search_small(&options, &small.rows);
        (void)device_fail_call(0, false);
        assert_int_equal(device_live_objects(), objects);
        if (status != TRAWL_OK)
            expect_error(status, TRAWL_ERROR_DEVICE, "");
        failures += status != TRAWL_OK;
        upload_again();
    }
    assert_true(failures > 5);
}

static void every_call_fails(void **state) {
    (void)state;
    combination which = {"ac-dfa", NULL};
    trawl_db *all = small.db;
    if (!device_fail_call(0, false))
        skip();
    trawl_db *leftmost = rows_compile(which, &small.test, NULL, TRAWL_MATCH_LEFTMOST_FIRST);
    for (int kind = 0; kind < 2; kind++) {
        small.db = kind ? leftmost : all;
        upload_again();
        for (int form = 0; form < ROWS_FORMS; form++)
            search_with_failures((trawl_cuda_rows_form)form);
    }
    small.db = all;
    upload_again();
    trawl_db_free(leftmost);
    expect_it_works();
}

int main(void) {
    if (!device_tests_begin("rows_edges_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_across_pieces), cmocka_unit_test(nothing_to_search),
        cmocka_unit_test(unusable_offsets),     cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(missing_memory),       cmocka_unit_test(leftmost_kinds),
        cmocka_unit_test(conditions),           cmocka_unit_test(every_call_fails),
    };
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    device_tests_end();
    return failed;
}
