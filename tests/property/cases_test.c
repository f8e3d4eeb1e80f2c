/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The shared case table through every engine, variant, match kind and runner. Arguments are further
 * case files to run instead of the table.
 */
#include "combinations.h"
#include "cpu_set.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static test_case_list cases;

/* The expected matches: those that the case states, else those of the oracle. */
static void expect(const test_case *test, trawl_match_kind kind, match_list *expected) {
    test_case_search(test, kind, expected);
    if (test->expects[kind] && !match_list_equal(expected, &test->expected[kind]))
        fail_msg("case %s, %s: the oracle disagrees with the table", test->name,
                 match_kind_names[kind]);
}

static void every_engine_and_runner(void **state) {
    (void)state;
    match_list expected = {0};
    size_t failed = 0;
    for (size_t i = 0; i < cases.count; i++) {
        const test_case *test = &cases.items[i];
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            expect(test, (trawl_match_kind)kind, &expected);
            for (size_t c = 0; c < combination_count(); c++) {
                random_source random = random_for_case(random_seed(), i);
                combination_failure failure;
                if (combination_check(combination_at(c), test, (trawl_match_kind)kind, &expected, 0,
                                      &random, &failure) != COMBINATION_FAILED)
                    continue;
                if (failed++ < 20)
                    combination_print_failure(stdout, test, &failure, NULL);
            }
        }
    }
    printf("%zu cases, %zu runners\n", cases.count, runner_count());
    combination_print_totals();
    match_list_free(&expected);
    assert_int_equal(failed, 0);
}

int main(int argc, char **argv) {
    cpu_set_apply();
    char message[512];
    bool read = true;
    for (int i = 1; i < argc && read; i++)
        read = test_cases_read(&cases, argv[i], message, sizeof(message));
    if (argc == 1)
        read = test_cases_read_all(&cases, message, sizeof(message));
    if (!read) {
        fprintf(stderr, "cases_test: %s\n", message);
        return 2;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_engine_and_runner)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    test_cases_free(&cases);
    return failed;
}
