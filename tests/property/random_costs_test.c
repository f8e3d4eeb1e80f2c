/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Random costs, so that the planner takes divisions of a set that no machine's costs lead to: the
 * matches are the oracle's all the same. Sets have up to 20,000 patterns of many lengths: the
 * planner examines at most about 8,000.
 * The environment chooses cases (random_cases.h).
 */
#include "combinations.h"
#include "random_cases.h"
#include "random_costs.h"
#include "sanitizers.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = TESTS_ARE_SLOW ? 15 : 40, RUNNERS = 2, MOST_PATTERNS = 20000, TEXT = 3000 };

/* Patterns of few and of many bytes, some of them from the text. */
static void draw_set(random_source *random, test_case *test) {
    static const size_t alphabets[] = {2, 4, 6, 20, 256};
    static const size_t longest[] = {2, 8, 12, 48, 200};
    size_t letters = alphabets[random_below(random, 5)];
    size_t count = (size_t)random_power(random, 0, log10(MOST_PATTERNS));
    size_t most = longest[random_below(random, 5)], any_case = random_below(random, 3);
    uint8_t bytes[200];
    for (size_t i = 0; i < TEXT; i++) {
        uint8_t letter = random_letter(random, letters);
        test_case_append_text(test, &letter, 1);
    }
    for (size_t id = 0; id < count; id++) {
        size_t length = (size_t)random_power(random, 0, log10((double)most + 0.9));
        bool from_text = random_chance(random, 1, 3);
        size_t at = random_below(random, TEXT - length);
        for (size_t i = 0; i < length; i++)
            bytes[i] = from_text ? test->text[at + i] : random_letter(random, letters);
        bool folds = any_case == 1 || (any_case == 2 && random_chance(random, 1, 4));
        test_case_add_pattern(test, bytes, length, folds ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
}

static void check_case(uint64_t seed, size_t index) {
    static test_case test;
    static trawl_costs costs;
    random_source random = random_for_case(seed, index);
    memset(&test, 0, sizeof test);
    random_costs(&random, -4, 5, &costs);
    draw_set(&random, &test);
    trawl_match_kind kind = (trawl_match_kind)(index % MATCH_KINDS);
    match_list expected = {0};
    test_case_search(&test, kind, &expected);
    combination_set_costs(&costs);
    for (size_t c = 0; c < combination_count(); c++) {
        combination which = combination_at(c);
        combination_failure failure;
        bool planned = strcmp(which.engine, "auto") == 0 ||
                       (strcmp(which.engine, "qgram") == 0 && strcmp(which.variant, "mixed") == 0);
        if (planned && combination_check(which, &test, kind, &expected, RUNNERS, &random,
                                         &failure) == COMBINATION_FAILED)
            fail_msg("TRAWL_TEST_SEED=%llu TRAWL_TEST_CASE=%zu: %s: %s", (unsigned long long)seed,
                     index, which.engine, failure.what);
    }
    combination_set_costs(NULL);
    match_list_free(&expected);
    test_case_free(&test);
}

static void any_plan_finds_all(void **state) {
    (void)state;
    random_cases_run(CASES, check_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_plan_finds_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
