/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Structures of older and newer programs: options that the library reads, and those that it fills.
 */
#include "trawl/trawl_records.h"
#include "trawl/trawl_study.h"

#include <stdlib.h>
#include <string.h>

#include "api_set.h"

/* A program that was built with an older header passes a smaller structure; one that was built with
 * a newer header a larger structure, whose end is zero. The library must not read past the
 * structure. */
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

    /* A structure that was not set by its macro has size 0. */
    trawl_scan_options unset;
    memset(&unset, 0, sizeof(unset));
    expect_error(trawl_count(db, "abc", 3, &unset, &total, NULL, &error), TRAWL_ERROR_ARGUMENT);
    trawl_compile_options unset_compile;
    memset(&unset_compile, 0, sizeof(unset_compile));
    expect_error(trawl_compile(patterns, &unset_compile, &other, &error), TRAWL_ERROR_ARGUMENT);
}

/* ------------------------------------------------------------------ structures that are filled in
 */

/* Functions of the library that fill in a structure, here the one at `memory`. */
static trawl_status fill_statistics(void *memory) {
    return trawl_patterns_statistics(patterns, memory, &error);
}
static trawl_status fill_information(void *memory) {
    return trawl_db_info(db, memory, &error);
}
static trawl_status fill_plan(void *memory) {
    return trawl_study_db_plan(db, memory, &error);
}
static trawl_status fill_device(void *memory) {
    size_t count;
    return trawl_devices(memory, 1, &count, &error);
}
static trawl_status fill_report(void *memory) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    uint64_t total;
    options.report = memory;
    return trawl_count(db, "abc", 3, &options, &total, NULL, &error);
}
static trawl_status fill_study_report(void *memory) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
    uint64_t total;
    options.study = &study;
    study.report = memory;
    return trawl_count(db, "abc", 3, &options, &total, NULL, &error);
}
/* Functions without an error argument return false. */
static trawl_status fill_pattern(void *memory) {
    return trawl_patterns_get(patterns, 0, memory) ? TRAWL_OK : TRAWL_ERROR_ARGUMENT;
}
static trawl_status fill_db_pattern(void *memory) {
    return trawl_db_pattern(db, 0, memory) ? TRAWL_OK : TRAWL_ERROR_ARGUMENT;
}
static trawl_status fill_engine(void *memory) {
    return trawl_engine_describe(0, memory) ? TRAWL_OK : TRAWL_ERROR_ARGUMENT;
}
static trawl_status fill_kernel(void *memory) {
    return trawl_kernel_describe("ac-dfa", 0, memory) ? TRAWL_OK : TRAWL_ERROR_ARGUMENT;
}

static const struct {
    trawl_status (*fill)(void *memory);
    size_t size;
    const char *macro; /* NULL: there is no sentence */
} filled[] = {
    {fill_statistics, sizeof(trawl_statistics), "TRAWL_STATISTICS"},
    {fill_information, sizeof(trawl_db_information), "TRAWL_DB_INFORMATION"},
    {fill_plan, sizeof(trawl_study_plan), "TRAWL_STUDY_PLAN"},
    {fill_device, sizeof(trawl_device), "TRAWL_DEVICE"},
    {fill_report, sizeof(trawl_scan_report), "TRAWL_SCAN_REPORT"},
    {fill_study_report, sizeof(trawl_study_scan_report), "TRAWL_STUDY_SCAN_REPORT"},
    {fill_pattern, sizeof(trawl_pattern), NULL},
    {fill_db_pattern, sizeof(trawl_pattern), NULL},
    {fill_engine, sizeof(trawl_engine_description), NULL},
    {fill_kernel, sizeof(trawl_kernel_description), NULL},
};

/* Fills a structure of `size` bytes in memory of that size, whose end AddressSanitizer watches. */
static uint8_t *fill_sized(size_t index, size_t size) {
    uint8_t *memory = malloc(size);
    memset(memory, 0xa5, size);
    memcpy(memory, &size, sizeof(size));
    assert_int_equal(filled[index].fill(memory), TRAWL_OK);
    size_t kept;
    memcpy(&kept, memory, sizeof(kept));
    assert_int_equal(kept, size);
    return memory;
}

/* A shorter structure gets the first members, with the values of a complete one; in a longer one,
 * members that the library does not know become 0. */
static void structures_of_other_versions_are_filled(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(filled) / sizeof(filled[0]); i++) {
        size_t size = filled[i].size, shorter = 2 * sizeof(size_t), longer = size + 40;
        uint8_t *whole = fill_sized(i, size), *part = fill_sized(i, shorter);
        uint8_t *more = fill_sized(i, longer);
        assert_memory_equal(part + sizeof(size_t), whole + sizeof(size_t), sizeof(size_t));
        for (size_t at = size; at < longer; at++)
            assert_int_equal(more[at], 0);
        free(whole);
        free(part);
        free(more);
    }
}

static void structures_without_a_size_are_refused(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(filled) / sizeof(filled[0]); i++) {
        for (size_t size = 0; size < sizeof(size_t); size += sizeof(size_t) - 1) {
            uint64_t memory[4] = {size, 1, 2, 3};
            error.message[0] = '\0';
            assert_int_equal(filled[i].fill(memory), TRAWL_ERROR_ARGUMENT);
            if (filled[i].macro && !strstr(error.message, filled[i].macro))
                fail_msg("structure %zu: %s", i, error.message);
            assert_true(memory[0] == size && memory[1] == 1 && memory[3] == 3);
        }
    }
}

/* The elements of an array are as long as the first one says. */
static void devices_of_another_size(void **state) {
    (void)state;
    enum { STRIDE = sizeof(trawl_device) + 24, MOST = 3 };
    uint64_t memory[MOST * STRIDE / sizeof(uint64_t)];
    size_t count = 0, stride = STRIDE;
    memset(memory, 0xa5, sizeof(memory));
    memory[0] = stride;
    trawl_device *first = (trawl_device *)memory;
    assert_int_equal(trawl_devices(first, MOST, &count, &error), TRAWL_OK);
    assert_string_equal(first->name, "cpu");
    size_t shown = count < MOST ? count : MOST;
    for (size_t i = 0; i < shown; i++) {
        const trawl_device *device = (const trawl_device *)((const char *)memory + i * STRIDE);
        assert_int_equal(device->size, stride);
        assert_true(i == 0 || strncmp(device->name, "cuda:", 5) == 0);
    }
    for (size_t at = shown * STRIDE; at < sizeof(memory); at++)
        assert_int_equal(((uint8_t *)memory)[at], 0xa5);
}

/* A refusal whose sentence has these words. */
static void expect_words(trawl_status status, const char *words) {
    assert_non_null(strstr(error.message, words));
    expect_error(status, TRAWL_ERROR_ARGUMENT);
}

/* Options of study are read by the same rules. */
static void study_options_of_other_versions(void **state) {
    (void)state;
    trawl_db *other = NULL;
    uint64_t total;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    options.engine = "ac-split";
    options.study = &study;
    study.split_parts = 2;
    study.split_threshold = -1; /* not read: */
    study.size = offsetof(trawl_study_compile_options, split_threshold);
    assert_int_equal(trawl_compile(patterns, &options, &other, &error), TRAWL_OK);
    trawl_db_free(other);
    study.size = sizeof(study);
    expect_error(trawl_compile(patterns, &options, &other, &error), TRAWL_ERROR_ARGUMENT);
    study.size = 0;
    expect_words(trawl_compile(patterns, &options, &other, &error), "TRAWL_STUDY_COMPILE_OPTIONS");
    study = (trawl_study_compile_options)TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_costs costs = {.size = 0};
    study.costs = &costs;
    expect_words(trawl_compile(patterns, &options, &other, &error), "TRAWL_COSTS");
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    trawl_study_scan_options study_scan = {.size = 0};
    scan.study = &study_scan;
    expect_words(trawl_count(db, "abc", 3, &scan, &total, NULL, &error),
                 "TRAWL_STUDY_SCAN_OPTIONS");
    /* Behind the structure of an older version there may be anything. */
    trawl_record_scanner *records;
    scan.size = offsetof(trawl_scan_options, study);
    assert_int_equal(trawl_record_scanner_open(db, &scan, &records, &error), TRAWL_OK);
    trawl_record_scanner_close(records);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_of_other_versions),
        cmocka_unit_test(structures_of_other_versions_are_filled),
        cmocka_unit_test(structures_without_a_size_are_refused),
        cmocka_unit_test(devices_of_another_size),
        cmocka_unit_test(study_options_of_other_versions),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
