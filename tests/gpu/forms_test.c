/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Every engine, variant, kernel, form of results and path to the tables over the shared case table
 * and over random cases, against the oracle.
 *
 *     TRAWL_TEST_SEED    the run's seed (printed)
 *     TRAWL_TEST_CASES   random cases, and at most so many of the table, in a shorter way
 *     TRAWL_TEST_CASE    run this one random case of the seed only
 *     TRAWL_TEST_ENGINE  NAME or NAME/VARIANT: this engine only
 *     TRAWL_TEST_KERNEL  NAME: this kernel only
 *     TRAWL_TEST_EXACT   1: each text in memory of its own, for compute-sanitizer
 */
#include "generate.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static test_case_list cases;

/* A scan with random values of everything that must not change the results. */
static device_scan any_scan(random_source *random, const char *kernel, trawl_cuda_form form,
                            size_t length) {
    device_scan scan = {.kernel = kernel, .form = form};
    scan.table_path = (trawl_table_path)random_below(random, TABLE_PATHS);
    scan.alignment = (uint32_t)random_below(random, 32);
    if (random_chance(random, 1, 3))
        scan.owned = random_below(random, length + 1);
    if (random_chance(random, 1, 3))
        scan.base = random_bits(random) >> random_between(random, 2, 50);
    if (random_chance(random, 1, 3))
        scan.room = (device_room)random_below(random, ROOMS);
    scan.own_stream = random_chance(random, 1, 4);
    /* Emulated, exact memory costs nothing; on a device it is an allocation. */
    if (random_chance(random, 1, device_is_emulated() ? 2 : 50))
        scan.place = PLACE_EXACT;
    if (random_chance(random, 1, 8))
        scan.block_threads = 32 * (uint32_t)random_between(random, 1, 8);
    if (random_chance(random, 1, 8))
        scan.block_bytes = (uint32_t)random_between(random, 1, 64) * 256;
    return scan;
}

/* Scans with all kernels and forms of a database: with the defaults, or (`thoroughly`) with every
 * path and place. */
static void scan_in_all_forms(device_database *database, const test_case *test,
                              const expectation *expected, random_source *random, bool thoroughly,
                              const char *replay) {
    const char *kernel;
    for (size_t k = 0; (kernel = device_kernel_at(database->which.engine, k)); k++)
        for (int form = 0; form < FORMS; form++) {
            device_scan scan = any_scan(random, kernel, (trawl_cuda_form)form, test->length);
            if (device_check(database, &scan, test, test->length, expected, replay) ==
                    DEVICE_REFUSED &&
                scan.table_path) {
                scan.table_path = TRAWL_TABLES_CHOSEN;
                device_check(database, &scan, test, test->length, expected, replay);
            }
            for (int path = 0; path < TABLE_PATHS && thoroughly; path++) {
                scan = (device_scan){.kernel = kernel,
                                     .form = (trawl_cuda_form)form,
                                     .table_path = (trawl_table_path)path,
                                     .place = path == 0 ? PLACE_EXACT : PLACE_BETWEEN};
                device_check(database, &scan, test, test->length, expected, replay);
            }
        }
}

static void scan_with_every_engine(const test_case *test, random_source *random, bool thoroughly,
                                   const char *replay) {
    expectation expected;
    device_database database;
    combination which;
    expectation_make(&expected, test);
    for (size_t c = 0; device_combination(c, &which); c++) {
        device_shake((unsigned)random_below(random, 6));
        if (!device_open(&database, which, test))
            continue;
        scan_in_all_forms(&database, test, &expected, random, thoroughly, replay);
        device_database_close(&database);
    }
    device_shake(0);
    expectation_free(&expected);
}

static void the_case_table(void **state) {
    (void)state;
    for (size_t i = 0; i < cases.count; i += device_case_step(cases.count)) {
        random_source random = random_for_case(random_seed(), i);
        scan_with_every_engine(&cases.items[i], &random, !device_cases_are_limited(), NULL);
    }
}

static void random_cases(void **state) {
    (void)state;
    const char *one = getenv("TRAWL_TEST_CASE");
    uint64_t first = 0, last = device_cases(150, 100);
    if (one && *one) {
        first = strtoull(one, NULL, 10);
        last = first + 1;
    }
    for (uint64_t index = first; index < last; index++) {
        static char replay[128];
        static test_case test;
        test.name = strdup("random");
        random_source random = random_for_case(random_seed(), index);
        generate_case(&random, device_is_emulated() ? 1000000 : 800, &test);
        snprintf(replay, sizeof(replay), "TRAWL_TEST_SEED=%llu TRAWL_TEST_CASE=%llu forms_test",
                 (unsigned long long)random_seed(), (unsigned long long)index);
        scan_with_every_engine(&test, &random, false, replay);
        test_case_free(&test);
    }
}

/* More than 65,536 states, so that they are written as 4 bytes each, and tables that do not fit
 * into small memories. */
static void a_large_automaton(void **state) {
    (void)state;
    static test_case test;
    random_source random = random_for_case(3, 0);
    uint8_t bytes[24];
    test.name = strdup("large automaton");
    for (size_t id = 0; id < 3600; id++) {
        for (size_t i = 0; i < sizeof(bytes); i++)
            bytes[i] = (uint8_t)('a' + random_below(&random, 26));
        test_case_add_pattern(&test, bytes, sizeof(bytes), 0);
    }
    while (test.length < 2000) { /* whole patterns, broken ones and single letters */
        const trawl_pattern *some = &test.patterns[random_below(&random, test.count)];
        test_case_append_text(&test, some->bytes,
                              random_between(&random, 1, 2 * some->length) % (some->length + 1));
        test_case_append_text(&test, bytes, random_below(&random, 3));
    }
    scan_with_every_engine(&test, &random, false, NULL);
    test_case_free(&test);
}

int main(void) {
    char message[512];
    if (!device_tests_begin("forms_test"))
        return TEST_SKIPPED;
    if (!test_cases_read_all(&cases, message, sizeof(message))) {
        fprintf(stderr, "forms_test: %s\n", message);
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_case_table, device_tests_after_a_crash),
        cmocka_unit_test_teardown(a_large_automaton, device_tests_after_a_crash),
        cmocka_unit_test_teardown(random_cases, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_cases_free(&cases);
    device_tests_end();
    return failed;
}
