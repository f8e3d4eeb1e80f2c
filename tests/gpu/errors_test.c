/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The borders of the interface for device memory: NULL, wrong names and values, too little
 * workspace, databases that it cannot scan, and a device without memory.
 */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "pattern/patterns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;
static test_case set;
static trawl_db *db;
static trawl_cuda_db *uploaded;
static uint8_t *memory; /* of the device: the text and everything else */
static trawl_cuda_results results;
static void *workspace;

enum { LENGTH = 1000, ROOM = 2 * LENGTH, WORKSPACE = 1 << 20 };

static trawl_db *compile(const char *engine, trawl_match_kind kind) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_patterns *patterns = test_case_patterns(&set, &error);
    trawl_db *made = NULL;
    options.engine = engine;
    options.matches = kind;
    assert_int_equal(trawl_compile(patterns, &options, &made, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    return made;
}

static int setup(void **state) {
    (void)state;
    test_case_add_pattern(&set, "abc", 3, 0);
    test_case_add_pattern(&set, "b", 1, 0);
    db = compile("ac-dfa", TRAWL_MATCH_ALL);
    memory = device_allocate(1 << 20);
    workspace = device_allocate(WORKSPACE);
    if (trawl_cuda_upload(db, NULL, &uploaded, &error) != TRAWL_OK || !memory || !workspace ||
        !device_fill(memory, 'b', LENGTH, NULL))
        return -1;
    uint8_t *at = memory + 4096;
    results.total = (uint64_t *)at;
    results.per_pattern = (uint64_t *)(at + 256);
    results.ends = (uint32_t *)(at + 512);
    results.states = at + 4096;
    results.matches = (trawl_cuda_match *)(at + 16384);
    results.capacity = ROOM;
    return 0;
}

static int teardown(void **state) {
    (void)state;
    trawl_cuda_db_free(uploaded);
    trawl_db_free(db);
    device_release(memory);
    device_release(workspace);
    test_case_free(&set);
    return 0;
}

/* The call failed with this status, and said why in one sentence. */
static void expect_error(trawl_status status, trawl_status wanted, const char *words) {
    if (status != wanted || error.status != wanted || !error.message[0] ||
        strchr(error.message, '\n') || !strstr(error.message, words))
        fail_msg("%s: %s; expected %s with the words %s", trawl_status_text(status), error.message,
                 trawl_status_text(wanted), words);
    memset(&error, 0, sizeof(error));
}

static size_t workspace_for(const trawl_cuda_scan_options *scan) {
    size_t bytes = 0;
    assert_int_equal(trawl_cuda_workspace(uploaded, scan, LENGTH, &bytes, &error), TRAWL_OK);
    assert_true(bytes <= WORKSPACE);
    return bytes;
}

static trawl_status scan_with(const trawl_cuda_scan_options *scan, const void *text,
                              uint64_t length, const trawl_cuda_results *into) {
    return trawl_cuda_scan(uploaded, scan, text, length, into, workspace, WORKSPACE, NULL, &error);
}

/* A correct call works, whatever failed before. */
static void expect_it_works(void) {
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    uint64_t total = 0;
    assert_int_equal(scan_with(&scan, memory, LENGTH, &results), TRAWL_OK);
    assert_true(device_read(&total, results.total, sizeof(total), NULL));
    assert_int_equal(total, LENGTH);
}

static void null_pointers(void **state) {
    (void)state;
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
    trawl_cuda_db *copy = NULL;
    size_t bytes;
    double seconds;
    expect_error(trawl_cuda_upload(NULL, NULL, &copy, &error), TRAWL_ERROR_ARGUMENT, "NULL");
    assert_null(copy);
    expect_error(trawl_cuda_upload(db, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT, "NULL");
    expect_error(trawl_cuda_workspace(NULL, &scan, LENGTH, &bytes, &error), TRAWL_ERROR_ARGUMENT,
                 "NULL");
    expect_error(trawl_cuda_workspace(uploaded, &scan, LENGTH, NULL, &error), TRAWL_ERROR_ARGUMENT,
                 "NULL");
    expect_error(trawl_study_cuda_layout(NULL, &scan, 0, &layout, &error), TRAWL_ERROR_ARGUMENT,
                 "NULL");
    expect_error(trawl_study_cuda_layout(uploaded, &scan, 0, NULL, &error), TRAWL_ERROR_ARGUMENT,
                 "NULL");
    expect_error(
        trawl_cuda_scan(NULL, &scan, memory, LENGTH, &results, workspace, WORKSPACE, NULL, &error),
        TRAWL_ERROR_ARGUMENT, "NULL");
    expect_error(scan_with(&scan, NULL, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "text");
    expect_error(scan_with(&scan, memory, LENGTH, NULL), TRAWL_ERROR_ARGUMENT, "results");
    expect_error(trawl_study_cuda_measure(NULL, &scan, "b", 1, 1, &seconds, NULL, &error),
                 TRAWL_ERROR_ARGUMENT, "");
    expect_error(trawl_study_cuda_measure(uploaded, &scan, "b", 1, 0, &seconds, NULL, &error),
                 TRAWL_ERROR_ARGUMENT, "");
    trawl_cuda_db_free(NULL);
    assert_int_equal(trawl_study_cuda_state_bytes(NULL), 0);
    /* Without options, all have their defaults. Without an error structure, wrong calls fail as
     * with one. */
    assert_int_equal(scan_with(NULL, memory, LENGTH, &results), TRAWL_OK);
    assert_int_equal(
        trawl_cuda_scan(uploaded, &scan, NULL, LENGTH, &results, workspace, WORKSPACE, NULL, NULL),
        TRAWL_ERROR_ARGUMENT);
    assert_int_equal(scan_with(&scan, NULL, 0, &results), TRAWL_OK);
    expect_it_works();
}

/* Each form needs its own results and no others. */
static void results_of_forms(void **state) {
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
        trawl_cuda_results all = results, none = {.capacity = ROOM}, needed = {.capacity = 0};
        scan.form = (trawl_cuda_form)form;
        expect_error(scan_with(&scan, memory, LENGTH, &none), TRAWL_ERROR_ARGUMENT, "NULL");
        if (form <= TRAWL_CUDA_MATCHES)
            needed.total = all.total;
        if (form == TRAWL_CUDA_PATTERNS)
            needed.per_pattern = all.per_pattern;
        if (form == TRAWL_CUDA_MATCHES) {
            needed.matches = all.matches;
            needed.capacity = all.capacity;
        }
        if (form == TRAWL_CUDA_ENDS)
            needed.ends = all.ends;
        if (form == TRAWL_CUDA_STATES)
            needed.states = all.states;
        assert_int_equal(scan_with(&scan, memory, LENGTH, &needed), TRAWL_OK);
        assert_true(device_wait(NULL));
        if (form == TRAWL_CUDA_PATTERNS) {
            needed.per_pattern = NULL;
            expect_error(scan_with(&scan, memory, LENGTH, &needed), TRAWL_ERROR_ARGUMENT,
                         "per_pattern");
        }
        if (form == TRAWL_CUDA_MATCHES) {
            needed.matches = NULL;
            expect_error(scan_with(&scan, memory, LENGTH, &needed), TRAWL_ERROR_ARGUMENT,
                         "matches");
            needed.capacity = 0;
            assert_int_equal(scan_with(&scan, memory, LENGTH, &needed), TRAWL_OK);
        }
    }
    expect_it_works();
}

static void workspaces(void **state) {
    (void)state;
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    scan.form = TRAWL_CUDA_MATCHES;
    size_t bytes = workspace_for(&scan);
    assert_true(bytes > 0);
    expect_error(trawl_cuda_scan(uploaded, &scan, memory, LENGTH, &results, workspace, bytes - 1,
                                 NULL, &error),
                 TRAWL_ERROR_ARGUMENT, "workspace");
    expect_error(
        trawl_cuda_scan(uploaded, &scan, memory, LENGTH, &results, NULL, bytes, NULL, &error),
        TRAWL_ERROR_ARGUMENT, "workspace");
    expect_error(trawl_cuda_scan(uploaded, &scan, memory, LENGTH, &results,
                                 (uint8_t *)workspace + 64, bytes, NULL, &error),
                 TRAWL_ERROR_ARGUMENT, "256");
    assert_int_equal(
        trawl_cuda_scan(uploaded, &scan, memory, LENGTH, &results, workspace, bytes, NULL, &error),
        TRAWL_OK);
    expect_it_works();
}

static void wrong_values(void **state) {
    (void)state;
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    scan.study = &study;
    trawl_cuda_upload_options options = TRAWL_CUDA_UPLOAD_OPTIONS;
    trawl_cuda_db *copy = NULL;
    scan.kernel = "ac9";
    expect_error(scan_with(&scan, memory, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "ac4");
    scan.kernel = NULL;
    scan.form = (trawl_cuda_form)FORMS;
    expect_error(scan_with(&scan, memory, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "form");
    scan.form = TRAWL_CUDA_COUNT;
    study.table_path = (trawl_table_path)TABLE_PATHS;
    expect_error(scan_with(&scan, memory, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "path");
    study.table_path = TRAWL_TABLES_CHOSEN;
    scan.owned = LENGTH + 1;
    expect_error(scan_with(&scan, memory, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "1001");
    scan.owned = LENGTH;
    assert_int_equal(scan_with(&scan, memory, LENGTH, &results), TRAWL_OK);
    scan.owned = 0;
    study.block_threads = 31;
    expect_error(scan_with(&scan, memory, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "31");
    study.block_threads = 2048;
    expect_error(scan_with(&scan, memory, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "2048");
    study.block_threads = 0;
    study.block_bytes = UINT32_MAX;
    expect_error(scan_with(&scan, memory, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "4294967295");
    study.block_bytes = 0;
    scan.size = 0;
    expect_error(scan_with(&scan, memory, LENGTH, &results), TRAWL_ERROR_ARGUMENT, "size");
    options.device = 1000;
    expect_error(trawl_cuda_upload(db, &options, &copy, &error), TRAWL_ERROR_UNAVAILABLE, "1000");
    expect_error(trawl_cuda_start(1000, &error), TRAWL_ERROR_UNAVAILABLE, "1000");
    assert_int_equal(trawl_cuda_start(0, &error), TRAWL_OK);
    assert_null(copy);
    options = (trawl_cuda_upload_options){.size = 1};
    expect_error(trawl_cuda_upload(db, &options, &copy, &error), TRAWL_ERROR_ARGUMENT, "size");
    expect_it_works();
}

/* The structure of an older program is shorter; members that it lacks are 0. */
static void older_structures(void **state) {
    (void)state;
    trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
    scan.size = offsetof(trawl_cuda_scan_options, owned);
    scan.owned = LENGTH + 1;
    assert_int_equal(scan_with(&scan, memory, LENGTH, &results), TRAWL_OK);
    expect_it_works();
}

/* Leftmost matches are selected on the host. */
static void leftmost_kinds(void **state) {
    (void)state;
    for (int kind = TRAWL_MATCH_LEFTMOST_FIRST; kind < MATCH_KINDS; kind++) {
        trawl_db *leftmost = compile("ac-dfa", (trawl_match_kind)kind);
        trawl_cuda_db *copy = NULL;
        trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
        size_t bytes;
        trawl_status status = trawl_cuda_upload(leftmost, NULL, &copy, &error);
        if (status == TRAWL_OK) {
            expect_error(trawl_cuda_workspace(copy, &scan, LENGTH, &bytes, &error),
                         TRAWL_ERROR_LIMIT, "leftmost");
            expect_error(trawl_cuda_scan(copy, &scan, memory, LENGTH, &results, workspace,
                                         WORKSPACE, NULL, &error),
                         TRAWL_ERROR_LIMIT, "leftmost");
        } else {
            expect_error(status, TRAWL_ERROR_LIMIT, "leftmost");
        }
        trawl_cuda_db_free(copy);
        trawl_db_free(leftmost);
    }
    expect_it_works();
}

static void layouts(void **state) {
    (void)state;
    const char *kernel;
    for (size_t k = 0; (kernel = device_kernel_at("ac-dfa", k)); k++) {
        trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
        trawl_cuda_layout layout = TRAWL_CUDA_LAYOUT;
        scan.kernel = kernel;
        if (strcmp(kernel, "ac4-registers") == 0)
            scan.form = TRAWL_CUDA_STATES;
        assert_int_equal(trawl_study_cuda_layout(uploaded, &scan, 0, &layout, &error), TRAWL_OK);
        assert_string_equal(layout.kernel, kernel);
        trawl_table_path path = strcmp(kernel, "ac0") == 0   ? TRAWL_TABLES_CHOSEN
                                : strcmp(kernel, "hot") == 0 ? TRAWL_TABLES_READ_ONLY
                                                             : TRAWL_TABLES_TEXTURE;
        assert_int_equal(layout.table_path, path);
        assert_true(layout.block_threads && layout.block_threads % 32 == 0);
        assert_true(layout.thread_bytes > 0);
        double overhead = 2.0 / layout.thread_bytes; /* the longest pattern has 3 bytes */
        assert_true(layout.overlap_overhead > overhead - 1e-9 &&
                    layout.overlap_overhead < overhead + 1e-9);
    }
}

/* The reported overhead is that of the scan: short texts have short strips, and some kernels walk
 * no byte twice. */
static void layouts_follow_the_text(void **state) {
    (void)state;
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "abcdefgh", 8, 0, &error), TRAWL_OK);
    static const struct {
        const char *engine, *variant, *kernel;
        bool overlaps;
    } cases[] = {{"ac-nfa", NULL, "u", true},
                 {"ac-dfa", NULL, "hot", true},
                 {"rabin-karp", "paper", "prefix-sums", false},
                 {"qgram", NULL, "filter", false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.engine = cases[i].engine;
        options.variant = cases[i].variant;
        trawl_db *own;
        trawl_cuda_db *copy;
        assert_int_equal(trawl_compile(patterns, &options, &own, &error), TRAWL_OK);
        if (trawl_cuda_upload(own, NULL, &copy, &error) != TRAWL_OK)
            fail_msg("%s: %s", cases[i].engine, error.message);
        trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
        scan.kernel = cases[i].kernel;
        trawl_cuda_layout shorter = TRAWL_CUDA_LAYOUT, longer = TRAWL_CUDA_LAYOUT;
        if (trawl_study_cuda_layout(copy, &scan, 10000, &shorter, &error) != TRAWL_OK)
            fail_msg("%s: %s", cases[i].kernel, error.message);
        assert_int_equal(trawl_study_cuda_layout(copy, &scan, 0, &longer, &error), TRAWL_OK);
        if (cases[i].overlaps) {
            assert_true(longer.overlap_overhead > 0);
            assert_true(shorter.overlap_overhead > longer.overlap_overhead);
        } else {
            assert_true(longer.overlap_overhead <= 0);
            assert_true(shorter.overlap_overhead <= 0);
        }
        trawl_cuda_db_free(copy);
        trawl_db_free(own);
    }
    trawl_patterns_free(patterns);
}

static void measuring(void **state) {
    (void)state;
    uint8_t text[LENGTH];
    memset(text, 'b', sizeof(text));
    for (int form = 0; form < FORMS; form++) {
        trawl_cuda_scan_options scan = TRAWL_CUDA_SCAN_OPTIONS;
        double seconds[3] = {-1, -1, -1};
        uint64_t total = 0;
        scan.form = (trawl_cuda_form)form;
        if (trawl_study_cuda_measure(uploaded, &scan, text, LENGTH, 3, seconds, &total, &error) !=
            TRAWL_OK)
            fail_msg("%s: %s", form_names[form], error.message);
        assert_true(seconds[0] >= 0 && seconds[0] <= seconds[1] && seconds[1] <= seconds[2]);
        if (form <= TRAWL_CUDA_MATCHES)
            assert_int_equal(total, LENGTH);
    }
    expect_it_works();
}

/* Sets whose offsets have 64 bits (pattern/offsets.h) stay on the CPU. */
static void sets_of_more_than_two_gib(void **state) {
    (void)state;
    trawl_patterns *patterns;
    trawl_db *wide;
    trawl_cuda_db *copy;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.device = "cuda";
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_widen(patterns, UINT32_MAX - 2, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "abcde", 5, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, &options, &wide, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    expect_error(trawl_cuda_upload(wide, NULL, &copy, &error), TRAWL_ERROR_LIMIT, "2 GiB");
    assert_null(copy);
    trawl_scan_report report = TRAWL_SCAN_REPORT;
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    uint64_t total = 0;
    scan.report = &report;
    scan.device = "cuda";
    expect_error(trawl_count(wide, "abcdeabcde", 10, &scan, &total, NULL, &error),
                 TRAWL_ERROR_LIMIT, "2 GiB");
    scan.device = "auto";
    assert_int_equal(trawl_count(wide, "abcdeabcde", 10, &scan, &total, NULL, &error), TRAWL_OK);
    assert_int_equal(total, 2);
    assert_string_equal(report.device, "cpu");
    assert_non_null(strstr(report.reason, "2 GiB"));
    trawl_db_free(wide);
    expect_it_works();
}

/* Each allocation of an upload fails once, and no memory is leaked. */
static void every_allocation_fails(void **state) {
    (void)state;
    combination which;
    if (!device_fail_allocations(-1))
        skip();
    for (size_t c = 0; device_combination(c, &which); c++) {
        combination_failure failure;
        trawl_db *some = NULL;
        trawl_cuda_db *copy = NULL;
        trawl_status status = TRAWL_ERROR_MEMORY;
        assert_int_equal(combination_compile(which, &set, TRAWL_MATCH_ALL, &some, &failure),
                         COMBINATION_COMPILED);
        for (long after = 0; status != TRAWL_OK; after++) {
            size_t objects = device_live_objects();
            device_fail_allocations(after);
            status = trawl_cuda_upload(some, NULL, &copy, &error);
            device_fail_allocations(-1);
            if (status != TRAWL_OK) {
                expect_error(status, TRAWL_ERROR_MEMORY, "");
                assert_null(copy);
            }
            trawl_cuda_db_free(copy);
            if (device_live_objects() != objects)
                fail_msg("%s/%s, allocation %ld fails: objects are left", which.engine,
                         which.variant, after);
        }
        trawl_db_free(some);
    }
    expect_it_works();
}

/* Tables that are too large for textures: kernels that need textures refuse; the default kernel,
 * and those that can read tables in another way, work. */
static void tables_too_large_for_textures(void **state) {
    (void)state;
    combination which;
    const char *kernel;
    if (!device_limit_textures(4))
        skip();
    test_case test = {0};
    expectation expected;
    test_case_copy(&test, &set);
    test_case_append_text(&test, "abcbbcab", 8);
    expectation_make(&expected, &test);
    for (size_t c = 0; device_combination(c, &which); c++) {
        device_database database;
        combination_failure failure;
        char what[640];
        if (device_database_open(&database, which, &test, &failure) != COMBINATION_COMPILED)
            fail_msg("%s/%s: %s", which.engine, which.variant, failure.what);
        for (size_t k = 0; (kernel = device_kernel_at(which.engine, k)); k++)
            for (int path = 0; path < TABLE_PATHS; path++) {
                device_scan scan = {.kernel = kernel, .table_path = (trawl_table_path)path};
                device_outcome outcome = device_scan_check(&database, &scan, &test, test.length,
                                                           &expected, what, sizeof(what));
                bool has_to = k == 0 && path == TRAWL_TABLES_CHOSEN;
                if (outcome == DEVICE_FAILED && (has_to || !strstr(what, "texture")))
                    fail_msg("%s/%s, kernel %s, table path %s: %s", which.engine, which.variant,
                             kernel, table_path_names[path], what);
            }
        device_database_close(&database);
    }
    device_limit_textures(0);
    expectation_free(&expected);
    test_case_free(&test);
    expect_it_works();
}

static void pinning(void **state) {
    (void)state;
    static uint8_t bytes[10000];
    assert_int_equal(trawl_cuda_pin(bytes, sizeof(bytes), &error), TRAWL_OK);
    trawl_cuda_unpin(bytes);
    expect_error(trawl_cuda_pin(NULL, 10, &error), TRAWL_ERROR_ARGUMENT, "");
    expect_it_works();
}

int main(void) {
    if (!device_tests_begin("errors_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_pointers),
        cmocka_unit_test(results_of_forms),
        cmocka_unit_test(workspaces),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(older_structures),
        cmocka_unit_test(leftmost_kinds),
        cmocka_unit_test(layouts),
        cmocka_unit_test(layouts_follow_the_text),
        cmocka_unit_test(measuring),
        cmocka_unit_test(sets_of_more_than_two_gib),
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(pinning),
        cmocka_unit_test(tables_too_large_for_textures),
    };
    int failed = cmocka_run_group_tests(tests, setup, teardown);
    device_tests_end();
    return failed;
}
