/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Real patterns and a real text: every engine and kernel gives the counts and the list of matches
 * that a CPU gives.
 *
 *     TRAWL_GPU_PATTERNS  a file, one pattern a line
 *     TRAWL_GPU_TEXT      a file; its first 256 MiB are used, less when there are very many matches
 */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LARGEST_TEXT ((size_t)256 << 20)
#define MOST_MATCHES ((size_t)1 << 26)

static test_case real;
static trawl_matches expected;
static uint64_t *expected_counts;
static void *text; /* in device memory */
static trawl_error error;

static uint8_t *read_file(const char *path, size_t limit, size_t *length) {
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file)
        return NULL;
    uint8_t *bytes = malloc(limit);
    *length = bytes ? fread(bytes, 1, limit, file) : 0;
    fclose(file);
    return bytes;
}

static bool read_files(void) {
    size_t length = 0;
    uint8_t *bytes = read_file(getenv("TRAWL_GPU_PATTERNS"), LARGEST_TEXT, &length);
    if (!bytes)
        return false;
    for (size_t at = 0; at < length;) {
        const uint8_t *end = memchr(bytes + at, '\n', length - at);
        size_t size = end ? (size_t)(end - (bytes + at)) : length - at;
        if (size && size <= TRAWL_PATTERN_MAX_LENGTH)
            test_case_add_pattern(&real, bytes + at, size, 0);
        at += size + 1;
    }
    free(bytes);
    real.text = read_file(getenv("TRAWL_GPU_TEXT"), LARGEST_TEXT, &real.length);
    return real.text && real.count;
}

/* What one CPU engine finds, in a text that is cut until the list fits. */
static int expect(void **state) {
    (void)state;
    trawl_patterns *set = test_case_patterns(&real, &error);
    trawl_db *db = NULL;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    uint64_t total = 0;
    options.threads = TRAWL_THREADS_ALL;
    expected_counts = calloc(real.count, sizeof(*expected_counts));
    if (!set || trawl_compile(set, NULL, &db, &error) != TRAWL_OK)
        return -1;
    for (;; real.length /= 2) {
        if (trawl_count(db, real.text, real.length, &options, &total, expected_counts, &error) !=
            TRAWL_OK)
            return -1;
        if (total <= MOST_MATCHES)
            break;
    }
    trawl_status status = trawl_collect(db, real.text, real.length, &options, &expected, &error);
    trawl_db_free(db);
    trawl_patterns_free(set);
    text = device_allocate(real.length);
    printf("%zu patterns, %zu bytes, %zu matches\n", real.count, real.length, expected.count);
    return status == TRAWL_OK && text && device_write(text, real.text, real.length, NULL) &&
                   device_wait(NULL)
               ? 0
               : -1;
}

static int forget(void **state) {
    (void)state;
    device_release(text);
    trawl_matches_free(&expected);
    free(expected_counts);
    test_case_free(&real);
    return 0;
}

static bool same_matches(const trawl_cuda_match *found) {
    for (size_t i = 0; i < expected.count; i++)
        if (found[i].end != expected.items[i].end ||
            found[i].pattern != expected.items[i].pattern ||
            found[i].length != expected.items[i].end - expected.items[i].start)
            return false;
    return true;
}

/* One kernel, one form; `what` names both when something is wrong. */
static void check(const device_database *database, const char *kernel, trawl_cuda_form form) {
    trawl_cuda_scan_options options = TRAWL_CUDA_SCAN_OPTIONS;
    trawl_cuda_results results = {.capacity = expected.count};
    size_t workspace_bytes = 0, bytes = form == TRAWL_CUDA_PATTERNS
                                            ? real.count * sizeof(uint64_t)
                                            : expected.count * sizeof(trawl_cuda_match);
    char what[640];
    uint64_t total = 0;
    options.kernel = kernel;
    options.form = form;
    trawl_status status =
        trawl_cuda_workspace(database->uploaded, &options, real.length, &workspace_bytes, &error);
    if (status != TRAWL_OK) {
        device_scan how = {.kernel = kernel, .form = form};
        if (!device_may_refuse(database, &how, status, &error, what, sizeof(what)))
            fail_msg("%s/%s, kernel %s: %s", database->which.engine, database->which.variant,
                     kernel, what);
        return;
    }
    snprintf(what, sizeof(what), "%s/%s, kernel %s, %s", database->which.engine,
             database->which.variant, kernel, form_names[form]);
    void *found = malloc(bytes + 1), *device = device_allocate(bytes + sizeof(total));
    void *workspace = device_allocate(workspace_bytes);
    assert_non_null(device);
    assert_non_null(workspace);
    results.total = (uint64_t *)((uint8_t *)device + bytes);
    results.per_pattern = device;
    results.matches = device;
    status = trawl_cuda_scan(database->uploaded, &options, text, real.length, &results, workspace,
                             workspace_bytes, NULL, &error);
    if (status != TRAWL_OK)
        fail_msg("%s: %s", what, error.message);
    if (!device_read(&total, results.total, sizeof(total), NULL) ||
        !device_read(found, device, bytes, NULL))
        fail_msg("%s: %s", what, device_complaint());
    if (total != expected.count)
        fail_msg("%s: %llu matches, the CPU has %zu", what, (unsigned long long)total,
                 expected.count);
    if (form == TRAWL_CUDA_PATTERNS && memcmp(found, expected_counts, bytes) != 0)
        fail_msg("%s: other counts than the CPU", what);
    if (form == TRAWL_CUDA_MATCHES && !same_matches(found))
        fail_msg("%s: other matches than the CPU", what);
    free(found);
    device_release(device);
    device_release(workspace);
}

static void every_engine_and_kernel(void **state) {
    (void)state;
    combination which;
    const char *kernel;
    for (size_t c = 0; device_combination(c, &which); c++) {
        device_database database;
        if (!device_open(&database, which, &real)) {
            printf("%s/%s refuses the set\n", which.engine, which.variant);
            continue;
        }
        for (size_t k = 0; (kernel = device_kernel_at(which.engine, k)); k++)
            for (int form = TRAWL_CUDA_COUNT; form <= TRAWL_CUDA_MATCHES; form++)
                check(&database, kernel, (trawl_cuda_form)form);
        device_database_close(&database);
    }
}

int main(void) {
    if (!device_tests_begin("real_data_test"))
        return TEST_SKIPPED;
    if (!getenv("TRAWL_GPU_PATTERNS") || !getenv("TRAWL_GPU_TEXT")) {
        printf("real_data_test: skipped: TRAWL_GPU_PATTERNS and TRAWL_GPU_TEXT name no files\n");
        return TEST_SKIPPED;
    }
    if (!read_files()) {
        fprintf(stderr, "real_data_test: %s or %s cannot be read, or is empty\n",
                getenv("TRAWL_GPU_PATTERNS"), getenv("TRAWL_GPU_TEXT"));
        return 2;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_engine_and_kernel)};
    int failed = cmocka_run_group_tests(tests, expect, forget);
    device_tests_end();
    return failed;
}
