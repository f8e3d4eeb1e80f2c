/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Texts in which single strips have more matches than a kernel has room for: engine qgram notes
 * hits strip by strip, and tests a strip again if it has too many. Matches at the boundary of two
 * strips that are handled in different ways must be found once, with samples at every stride. */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "gpu_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STRIP = 2048, THREADS = 32, SHARED_BYTES = 150000, LONGEST = 48, PATTERNS = 30 };

static unsigned strides; /* a bit for each stride that a tier has had */

static void remember_strides(const test_case *test) {
    trawl_error error = {.message = ""};
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof(*layout));
    trawl_patterns *patterns = test_case_patterns(test, &error);
    assert_non_null(patterns);
    assert_int_equal(
        choose_layout(patterns, test->text, test->length, SHARED_BYTES, NULL, layout, &error),
        TRAWL_OK);
    for (uint32_t i = 0; i < layout->tiers; i++)
        if (layout->tier[i].place != TRAWL_CUDA_QGRAM_DIRECT)
            strides |= 1u << layout->tier[i].stride;
    trawl_cuda_qgram_layout_release(layout);
    trawl_patterns_free(patterns);
    free(layout);
}

/* The number of letters that patterns are made of: with few letters, long samples at every byte are
 * best. */
static size_t letters_of(size_t shortest) {
    return shortest % 2 != 0 ? 20 : 4;
}

/* Patterns of `shortest` bytes and some more; one of a single letter; and byte pairs that are there
 * so often that the table of pairs cannot count them. */
static void add_patterns(test_case *test, random_source *random, size_t shortest, bool pairs) {
    uint8_t bytes[LONGEST];
    for (size_t id = 0; id < PATTERNS; id++) {
        size_t length = shortest + (id % 3 == 0 ? 0 : random_below(random, LONGEST - shortest));
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)('a' + random_below(random, letters_of(shortest)));
        test_case_add_pattern(test, bytes, length, id == 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    memset(bytes, 'y', shortest);
    test_case_add_pattern(test, bytes, shortest, 0);
    for (size_t id = 0; id < 15 && pairs; id++)
        test_case_add_pattern(test, "zz", 2, 0);
}

/* Strips full of one letter and strips of random letters, in any order, with a pattern across every
 * boundary. */
static void append_strips(test_case *test, random_source *random, size_t strips, size_t shortest,
                          bool pairs) {
    for (size_t strip = 0; strip < strips; strip++) {
        uint8_t bytes[STRIP];
        size_t kind = random_below(random, pairs ? 4 : 3);
        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] =
                (uint8_t)(kind < 2 ? 'a' + random_below(random, letters_of(shortest)) : 'w' + kind);
        test_case_append_text(test, bytes, sizeof(bytes));
    }
    for (size_t at = STRIP; at + STRIP <= test->length; at += STRIP) {
        const trawl_pattern *pattern = &test->patterns[random_below(random, PATTERNS)];
        size_t before = random_below(random, pattern->length + 16);
        memcpy(test->text + at - before, pattern->bytes, pattern->length);
    }
}

static void check_set(size_t shortest, bool pairs, size_t strips, random_source random) {
    static test_case test;
    static const trawl_cuda_form forms[] = {TRAWL_CUDA_COUNT, TRAWL_CUDA_PATTERNS, TRAWL_CUDA_ENDS,
                                            TRAWL_CUDA_MATCHES};
    expectation expected;
    device_database database;
    const char *kernel;
    test.name = strdup("full strips");
    add_patterns(&test, &random, shortest, pairs);
    append_strips(&test, &random, strips, shortest, pairs);
    expectation_make(&expected, &test);
    remember_strides(&test);
    if (device_open_engine(&database, "qgram", &test)) {
        for (size_t k = 0; (kernel = device_kernel_at(database.which.engine, k)); k++)
            for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
                device_scan scan = {.kernel = kernel,
                                    .form = forms[form],
                                    .block_threads = THREADS,
                                    .block_bytes = STRIP};
                device_check(&database, &scan, &test, test.length, &expected, NULL);
                scan.alignment = (uint32_t)random_below(&random, 32);
                scan.owned = random_below(&random, 2) * STRIP + random_below(&random, 40);
                device_check(&database, &scan, &test, test.length, &expected, NULL);
            }
        device_database_close(&database);
    }
    expectation_free(&expected);
    test_case_free(&test);
}

static void every_stride(void **state) {
    (void)state;
    static const size_t shortest[] = {3, 4, 5, 6, 8, 11, 14, 16, 20, 24, 31, 40};
    for (size_t i = 0; i < sizeof(shortest) / sizeof(shortest[0]); i++)
        for (int pairs = 0; pairs < 2; pairs++)
            check_set(shortest[i], pairs != 0, 9, random_for_case(1, 2 * i + (size_t)pairs));
    assert_int_equal(strides, 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16);
}

/* Enough strips for a block to take several of them. A device with many multiprocessors needs more
 * strips, with fewer matches in each. */
static void many_strips(void **state) {
    (void)state;
    check_set(5, true, 140, random_for_case(random_seed(), 0));
    check_set(9, false, device_is_emulated() ? 90 : 2800, random_for_case(random_seed(), 1));
}

int main(void) {
    if (!device_tests_begin("full_strips_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_stride, device_tests_after_a_crash),
        cmocka_unit_test_teardown(many_strips, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
