/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Engine qgram with fuse filters: sets with so many samples that a Bloom filter in shared memory
 * would exclude few of a text's, at strides of 8 and 16, with both letter cases and with one;
 * patterns across strips and slices. */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "gpu_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fuse_set {
    size_t letters;     /* the patterns' bytes are so many, from 'a' on, or all 256 */
    size_t least, most; /* bytes of a pattern */
    size_t count;
    bool any_case; /* of every other pattern */
    uint32_t stride;
} fuse_set;

static const fuse_set sets[] = {
    {4, 32, 32, 8000, false, 16},
    {3, 31, 60, 7000, false, 16},
    {4, 31, 45, 7000, true, 16},
    {4, 19, 22, 18000, false, 8},
};
enum {
    SETS = sizeof(sets) / sizeof(sets[0]),
    MOST = 60,
    TEXT = 400000,
    SCANNED = 4000,
    STRIP = 2048
};

/* Shared memory of an H200 for filters. */
#define FILTER_BYTES (TRAWL_GPU_USUAL_SHARED_BYTES - TRAWL_GPU_QGRAM_WORKING_BYTES)

static uint8_t any_byte(const fuse_set *set, random_source *random) {
    size_t byte = random_below(random, set->letters);
    return (uint8_t)(set->letters == 256 ? byte : 'a' + byte);
}

/* What is scanned: patterns and random bytes in turn, and now and then a pattern with a wrong byte.
 * Behind it, for the plan, random bytes alone. */
static void make_case(test_case *test, const fuse_set *set, random_source *random) {
    test->name = strdup("many samples");
    while (test->count < set->count) {
        uint8_t bytes[MOST];
        size_t length = random_between(random, set->least, set->most);
        for (size_t i = 0; i < length; i++)
            bytes[i] = any_byte(set, random);
        bool insensitive = set->any_case && test->count % 2 == 0;
        test_case_add_pattern(test, bytes, length,
                              insensitive ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    while (test->length < SCANNED) {
        const trawl_pattern *some = &test->patterns[random_below(random, test->count)];
        size_t begin = test->length;
        test_case_append_text(test, some->bytes, some->length);
        if (random_chance(random, 1, 4))
            test->text[begin + random_below(random, some->length)] ^= 1;
        if (set->any_case)
            test->text[begin + random_below(random, some->length)] ^= 0x20;
        for (size_t i = random_below(random, 100); i > 0; i--) {
            uint8_t byte = any_byte(set, random);
            test_case_append_text(test, &byte, 1);
        }
    }
    while (test->length < TEXT) {
        uint8_t byte = any_byte(set, random);
        test_case_append_text(test, &byte, 1);
    }
}

/* The longest stride of a tier with a fuse filter. */
static uint32_t stride_of_fuse(const test_case *test) {
    trawl_error error = {.message = ""};
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof(*layout));
    trawl_patterns *patterns = test_case_patterns(test, &error);
    uint32_t stride = 0;
    assert_non_null(patterns);
    assert_int_equal(
        choose_layout(patterns, test->text, test->length, FILTER_BYTES, NULL, layout, &error),
        TRAWL_OK);
    assert_int_equal(trawl_cuda_qgram_layout_make(patterns, layout, &error), TRAWL_OK);
    for (uint32_t i = 0; i < layout->tiers; i++) {
        const trawl_cuda_qgram_tier *tier = &layout->tier[i];
        stride = tier->fuse_range != 0 && tier->stride > stride ? tier->stride : stride;
    }
    trawl_cuda_qgram_layout_release(layout);
    trawl_patterns_free(patterns);
    free(layout);
    return stride;
}

static void every_set(void **state) {
    (void)state;
    for (size_t i = 0; i < SETS; i++) {
        static test_case test;
        device_database database;
        expectation expected;
        random_source random = random_for_case(random_seed(), i);
        make_case(&test, &sets[i], &random);
        assert_int_equal(stride_of_fuse(&test), sets[i].stride);
        bool opened = device_open_engine(&database, "qgram", &test);
        test.length = SCANNED;
        expectation_make(&expected, &test);
        if (opened) {
            size_t scans = device_cases(30, 3);
            for (size_t n = 0; n < scans; n++) {
                uint64_t length = n == 0 ? test.length : random_between(&random, 1, test.length);
                device_scan scan = {.kernel = "filter",
                                    .alignment = (uint32_t)random_below(&random, 32),
                                    .block_threads = n % 3 == 0 ? 0 : 32,
                                    .room = (device_room)random_below(&random, ROOMS)};
                scan.block_bytes = scan.block_threads && n % 2 ? STRIP : 0;
                scan.place = n % 4 == 0 ? PLACE_EXACT : PLACE_BETWEEN;
                scan.owned = n % 4 == 3 ? random_below(&random, length) : 0;
                device_check_forms(&database, &scan, &test, length, &expected, false);
            }
            device_database_close(&database);
        }
        expectation_free(&expected);
        test_case_free(&test);
    }
}

int main(void) {
    if (!device_tests_begin("fuse_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_set, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
