/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kernel sparse of qgram: long patterns of all kinds, also such as have most of their bytes in
 * common, so that buckets are crowded; texts full of them, at all alignments, cut into strips and
 * slices; when it is the default kernel; and what it refuses. */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct sparse_set {
    size_t letters;     /* the patterns' bytes are so many, from 'a' on, or all 256 */
    size_t least, most; /* bytes of a pattern */
    size_t count;
    size_t shared; /* percent of the patterns that are an earlier one with another byte or two */
    size_t nested; /* percent that are the end of an earlier one, if that is long enough */
    size_t insensitive; /* percent */
    size_t filler;      /* bytes between patterns in the text, at most */
    bool refused;
} sparse_set;

static const sparse_set sets[] = {
    {256, 47, 47, 20, 0, 0, 0, 60, false},     {256, 64, 64, 40, 0, 0, 0, 900, false},
    {26, 100, 300, 60, 20, 20, 0, 200, false}, {26, 100, 300, 60, 20, 20, 50, 100, false},
    {4, 128, 128, 100, 50, 0, 0, 50, false},   {4, 80, 1100, 50, 60, 30, 30, 300, false},
    {1, 47, 90, 12, 0, 0, 0, 3, false},        {1, 60, 300, 40, 0, 50, 50, 5, false},
    {26, 200, 200, 150, 95, 0, 0, 40, false},  {26, 200, 400, 150, 90, 40, 40, 40, false},
    {26, 5000, 5000, 6, 50, 0, 0, 100, false}, {2, 300, 300, 80, 90, 10, 0, 0, false},
    {26, 46, 100, 30, 0, 0, 0, 50, true},      {26, 1, 200, 30, 0, 0, 0, 50, true},
};
enum { SETS = sizeof(sets) / sizeof(sets[0]), MOST = 5000, TEXT = 30000, STRIP = 2048 };

static uint8_t any_byte(const sparse_set *set, random_source *random) {
    size_t byte = random_below(random, set->letters);
    return (uint8_t)(set->letters == 256 ? byte : 'a' + byte);
}

static void add_pattern(test_case *test, const sparse_set *set, random_source *random) {
    static uint8_t bytes[MOST];
    size_t length = test->count == 0 ? set->least : random_between(random, set->least, set->most);
    unsigned flags =
        random_below(random, 100) < set->insensitive ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
    const trawl_pattern *before =
        test->count == 0 ? NULL : &test->patterns[random_below(random, test->count)];
    for (size_t i = 0; i < length; i++)
        bytes[i] = any_byte(set, random);
    if (before && random_below(random, 100) < set->shared) {
        length = before->length;
        memcpy(bytes, before->bytes, length);
        for (size_t i = random_below(random, 3); i > 0; i--)
            bytes[random_below(random, length)] = any_byte(set, random);
    } else if (before && before->length > set->least && random_below(random, 100) < set->nested) {
        length = random_between(random, set->least, before->length - 1);
        memcpy(bytes, (const uint8_t *)before->bytes + before->length - length, length);
    }
    if (length > 0 && set->insensitive && random_chance(random, 1, 2))
        bytes[length / 2] ^= 0x20;
    test_case_add_pattern(test, bytes, length, flags);
}

/* Patterns and other bytes in turn, and now and then a pattern with a wrong byte. */
static void make_case(test_case *test, const sparse_set *set, random_source *random) {
    test->name = strdup("long patterns");
    while (test->count < set->count)
        add_pattern(test, set, random);
    while (test->length < TEXT) {
        const trawl_pattern *some = &test->patterns[random_below(random, test->count)];
        size_t begin = test->length;
        test_case_append_text(test, some->bytes, some->length);
        if (random_chance(random, 1, 4))
            test->text[begin + random_below(random, some->length)] ^= 1;
        if (set->insensitive)
            test->text[begin + random_below(random, some->length)] ^= 0x20;
        for (size_t i = random_below(random, set->filler + 1); i > 0; i--) {
            uint8_t byte = any_byte(set, random);
            test_case_append_text(test, &byte, 1);
        }
    }
}

static void every_set(void **state) {
    (void)state;
    for (size_t i = 0; i < SETS; i++) {
        static test_case test;
        device_database database;
        expectation expected;
        random_source random = random_for_case(random_seed(), i);
        make_case(&test, &sets[i], &random);
        expectation_make(&expected, &test);
        if (device_open_engine(&database, "qgram", &test)) {
            size_t scans = device_cases(60, 8);
            for (size_t n = 0; n < scans; n++) {
                uint64_t length = n == 0 ? test.length : random_between(&random, 1, test.length);
                device_scan scan = {.kernel = "sparse",
                                    .alignment = (uint32_t)random_below(&random, 32),
                                    .block_threads = n % 3 == 0 ? 0 : 32 * (uint32_t)(n % 5 + 1),
                                    .room = (device_room)random_below(&random, ROOMS)};
                scan.block_bytes =
                    scan.block_threads && n % 2 ? scan.block_threads / 32 * STRIP : 0;
                scan.place = n % 4 == 0 ? PLACE_EXACT : PLACE_BETWEEN;
                scan.owned = n % 4 == 3 ? random_below(&random, length) : 0;
                device_check_forms(&database, &scan, &test, length, &expected, sets[i].refused);
            }
            device_database_close(&database);
        }
        expectation_free(&expected);
        test_case_free(&test);
    }
}

/* The default kernel: where the text is not read, but nearly nothing of it is needed. */
static void the_default(void **state) {
    (void)state;
    static const struct {
        size_t length;
        const char *kernel;
    } choices[] = {{46, "filter"}, {256, "sparse"}, {1024, "sparse"}, {16, "filter"}};
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        static test_case test;
        static uint8_t bytes[1024];
        random_source random = random_for_case(random_seed(), 100 + i);
        test.name = strdup("default");
        for (size_t id = 0; id < 100; id++) {
            for (size_t n = 0; n < choices[i].length; n++)
                bytes[n] = (uint8_t)random_below(&random, 256);
            test_case_add_pattern(&test, bytes, choices[i].length, 0);
        }
        for (size_t n = 0; n < TEXT; n++) {
            uint8_t byte = (uint8_t)random_below(&random, 256);
            test_case_append_text(&test, &byte, 1);
        }
        device_check_default("qgram", &test, choices[i].kernel);
        test_case_free(&test);
    }
}

int main(void) {
    if (!device_tests_begin("sparse_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_set, device_tests_after_a_crash),
        cmocka_unit_test_teardown(the_default, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
