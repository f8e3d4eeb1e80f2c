/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Without a device: no CUDA module in the build, no driver, or no GPU. Every call says so in one
 * sentence, and scans go on on the CPU. The build runs the test with the devices hidden; if one is
 * visible all the same, it is skipped.
 */
#include "engines/registry.h"
#include "gpu/module.h"
#include "trawl/trawl_cuda_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { TEST_SKIPPED = 77 };

static trawl_error error;
static trawl_db *db;

static int setup(void **state) {
    (void)state;
    trawl_patterns *patterns;
    if (trawl_patterns_new(&patterns, &error) != TRAWL_OK ||
        trawl_patterns_add(patterns, "abc", 3, 0, &error) != TRAWL_OK ||
        trawl_compile(patterns, NULL, &db, &error) != TRAWL_OK)
        return -1;
    trawl_patterns_free(patterns);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    trawl_db_free(db);
    return 0;
}

static void expect_unavailable(trawl_status status) {
    assert_int_equal(status, TRAWL_ERROR_UNAVAILABLE);
    assert_int_equal(error.status, TRAWL_ERROR_UNAVAILABLE);
    assert_true(strlen(error.message) > 0);
    assert_null(strchr(error.message, '\n'));
    assert_non_null(strstr(error.message, "CUDA"));
    memset(&error, 0, sizeof(error));
}

static void only_the_cpu_is_listed(void **state) {
    (void)state;
    trawl_device devices[4] = {TRAWL_DEVICE};
    size_t count = 0;
    assert_int_equal(trawl_devices(devices, 4, &count, &error), TRAWL_OK);
    assert_int_equal(count, 1);
    assert_string_equal(devices[0].name, "cpu");
}

static void scans(void **state) {
    (void)state;
    trawl_scan_report report = TRAWL_SCAN_REPORT;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    uint64_t total = 0;
    options.report = &report;
    for (int number = 0; number < 2; number++) {
        options.device = number ? "cuda:3" : "cuda";
        expect_unavailable(trawl_count(db, "xabc", 4, &options, &total, NULL, &error));
    }
    trawl_stream *stream = NULL;
    expect_unavailable(trawl_stream_open(db, &options, NULL, NULL, &stream, &error));
    assert_null(stream);
    /* "auto" takes the CPU and says why. */
    options.device = "auto";
    options.kernel = "ac3"; /* only for devices: ignored */
    assert_int_equal(trawl_count(db, "xabc", 4, &options, &total, NULL, &error), TRAWL_OK);
    assert_int_equal(total, 1);
    assert_string_equal(report.device, "cpu");
    assert_string_equal(report.kernel, "");
    assert_non_null(strstr(report.reason, "CUDA"));
}

static void device_memory(void **state) {
    (void)state;
    trawl_cuda_db *copy = NULL;
    trawl_cuda_ceilings ceilings = TRAWL_CUDA_CEILINGS;
    static char text[8192];
    expect_unavailable(trawl_cuda_check(0, &error));
    expect_unavailable(trawl_cuda_start(0, &error));
    assert_int_equal(trawl_cuda_start(7, NULL), TRAWL_ERROR_UNAVAILABLE);
    expect_unavailable(trawl_cuda_upload(db, NULL, &copy, &error));
    assert_null(copy);
    expect_unavailable(trawl_study_cuda_ceilings(0, &ceilings, &error));
    trawl_device_costs costs = TRAWL_DEVICE_COSTS;
    expect_unavailable(trawl_study_measure_device_costs(0, 65536, &costs, &error));
    costs.size = 0;
    assert_int_equal(trawl_study_measure_device_costs(0, 65536, &costs, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_measure_device_costs(0, 65536, NULL, NULL), TRAWL_ERROR_ARGUMENT);
    expect_unavailable(trawl_cuda_pin(text, sizeof(text), &error));
    trawl_cuda_unpin(text);
    trawl_cuda_db_free(NULL);
    size_t bytes;
    trawl_cuda_rows_options rows = TRAWL_CUDA_ROWS_OPTIONS;
    assert_int_not_equal(trawl_cuda_rows_workspace(NULL, &rows, &bytes, &error), TRAWL_OK);
    assert_int_not_equal(trawl_cuda_rows_scan(NULL, &rows, NULL, NULL, NULL, 0, NULL, &error),
                         TRAWL_OK);
    assert_int_equal(trawl_study_cuda_state_bytes(NULL), 0);
    assert_true(trawl_cuda_upload(db, NULL, &copy, NULL) == TRAWL_ERROR_UNAVAILABLE);
}

/* The names of kernels are known without a device too, and the first one is the default. */
static void kernels(void **state) {
    (void)state;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION, again = TRAWL_KERNEL_DESCRIPTION;
    size_t with_kernels = 0;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        with_kernels += trawl_kernel_describe(engine.name, 0, &kernel);
        for (size_t k = 0; trawl_kernel_describe(engine.name, k, &kernel); k++) {
            uint32_t index = 99;
            assert_true(strlen(kernel.name) && strlen(kernel.summary) && strlen(kernel.source));
            assert_int_equal(trawl_kernel_find(engine.name, kernel.name, &index, &error), TRAWL_OK);
            assert_int_equal(index, k);
        }
    }
    assert_true(with_kernels >= 5);
    assert_false(trawl_kernel_describe("no-engine", 0, &again));
    assert_false(trawl_kernel_describe(NULL, 0, &again));
    assert_false(trawl_kernel_describe("ac-dfa", 0, NULL));
    uint32_t index;
    assert_int_equal(trawl_kernel_find("ac-dfa", "ac9", &index, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "ac3"));
    assert_int_equal(trawl_kernel_find("ac-dfa", NULL, &index, &error), TRAWL_OK);
    assert_int_equal(index, 0);
}

/* An engine without kernels is refused with the names of those that have some. All engines of this
 * build have kernels, so the name of one that does not exist is used. */
static void an_engine_without_kernels(void **state) {
    (void)state;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    trawl_kernel_description kernel = TRAWL_KERNEL_DESCRIPTION;
    uint32_t index;
    assert_int_equal(trawl_kernel_find("no-engine", NULL, &index, &error), TRAWL_ERROR_UNAVAILABLE);
    assert_non_null(strstr(error.message, "no-engine"));
    assert_null(strchr(error.message, '\n'));
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++)
        if (trawl_kernel_describe(engine.name, 0, &kernel))
            assert_non_null(strstr(error.message, engine.name));
}

static void device_numbers(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t number;
        bool one, planned; /* a name of one device; of devices, for the first of which is planned */
    } names[] = {{"cuda", 0, true, true},
                 {"cuda:0", 0, true, true},
                 {"cuda:12", 12, true, true},
                 {"cuda:9999", 9999, true, true},
                 {"cuda:2,3", 2, false, true},
                 {"cuda:1-2", 1, false, true},
                 {"cuda:all", 0, false, true},
                 {"cuda:auto", 0, false, true},
                 {"auto", 0, false, false},
                 {"cuda:", 0, false, false},
                 {"cuda:x", 0, false, false},
                 {"cuda:1x", 0, false, false},
                 {"cuda:12345", 0, false, false},
                 {"cuda1", 0, false, false},
                 {"cuda:-1", 0, false, false},
                 {"CUDA", 0, false, false},
                 {"", 0, false, false}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint32_t number = 77, first = 77;
        assert_int_equal(trawl_cuda_device_number(names[i].name, &number), names[i].one);
        assert_int_equal(trawl_cuda_planned_device(names[i].name, &first), names[i].planned);
        if (names[i].one)
            assert_int_equal(number, names[i].number);
        if (names[i].planned)
            assert_int_equal(first, names[i].number);
    }
}

int main(void) {
    if (trawl_cuda_check(0, NULL) == TRAWL_OK) {
        printf("no_device_test: skipped: there is a device\n");
        return TEST_SKIPPED;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_cpu_is_listed),
        cmocka_unit_test(scans),
        cmocka_unit_test(device_memory),
        cmocka_unit_test(kernels),
        cmocka_unit_test(an_engine_without_kernels),
        cmocka_unit_test(device_numbers),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
