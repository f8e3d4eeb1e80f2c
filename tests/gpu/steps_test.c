/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Times of the steps of rabin-karp, kernel steps (Nunes et al. 2018, Tables III and IV): the same
 * matches as on the CPU, and what is refused. */
#include "base/clock.h"
#include "gpu/device_report.h"
#include "gpu_target.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 20000, PATTERN = 12 };

static trawl_db *database_of(const uint8_t *text, const char *engine, const char *variant) {
    trawl_patterns *set;
    assert_int_equal(trawl_patterns_new(&set, NULL), TRAWL_OK);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(trawl_patterns_add(set, text + i * 301, PATTERN, 0, NULL), TRAWL_OK);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.variant = variant;
    trawl_db *db;
    assert_int_equal(trawl_compile(set, &options, &db, NULL), TRAWL_OK);
    trawl_patterns_free(set);
    return db;
}

static void same_matches_as_the_cpu(void **state) {
    (void)state;
    static uint8_t text[TEXT];
    random_source random = random_for_case(2018, 0);
    for (size_t i = 0; i < TEXT; i++)
        text[i] = (uint8_t)('a' + random_below(&random, 3));
    static const char *const variants[] = {"paper", "single", "steps"};
    for (size_t v = 0; v < 3; v++) {
        trawl_db *db = database_of(text, "rabin-karp", variants[v]);
        trawl_cuda_db *uploaded;
        trawl_study_steps steps = TRAWL_STUDY_STEPS;
        trawl_error error = {.message = ""};
        uint64_t total = 0;
        assert_int_equal(trawl_count(db, text, TEXT, NULL, &total, NULL, NULL), TRAWL_OK);
        assert_true(total >= 40);
        assert_int_equal(trawl_cuda_upload(db, NULL, &uploaded, &error), TRAWL_OK);
        double begin = trawl_seconds();
        assert_int_equal(trawl_study_cuda_measure_steps(uploaded, text, TEXT, 2, &steps, &error),
                         TRAWL_OK);
        double taken = trawl_seconds() - begin;
        assert_int_equal(steps.total, total);
        for (size_t step = 0; step < 4; step++)
            assert_true(step == 2 ? steps.occupancy[step] == 0
                                  : steps.occupancy[step] > 0 && steps.occupancy[step] <= 1);
        assert_true(steps.hashes > 0 && steps.terms > 0 && steps.sums > 0 && steps.windows > 0);
        /* Of two runs the mean is taken, and one more was made before. */
        assert_true(steps.hashes + steps.terms + steps.sums + steps.windows <= taken / 2);
        assert_int_equal(trawl_study_cuda_measure_steps(uploaded, text, 0, 2, &steps, &error),
                         TRAWL_ERROR_ARGUMENT);
        assert_int_equal(trawl_study_cuda_measure_steps(uploaded, text, TEXT, 0, &steps, &error),
                         TRAWL_ERROR_ARGUMENT);
        trawl_cuda_db_free(uploaded);
        trawl_db_free(db);
    }
}

static void others_are_refused(void **state) {
    (void)state;
    static uint8_t text[TEXT];
    static const char *const engines[] = {"rabin-karp", "ac-dfa"};
    static const trawl_status expected[] = {TRAWL_ERROR_LIMIT, TRAWL_ERROR_ARGUMENT};
    for (size_t i = 0; i < 2; i++) {
        trawl_db *db = database_of(text, engines[i], NULL);
        trawl_cuda_db *uploaded;
        trawl_study_steps steps = TRAWL_STUDY_STEPS;
        trawl_error error = {.message = ""};
        assert_int_equal(trawl_cuda_upload(db, NULL, &uploaded, &error), TRAWL_OK);
        assert_int_equal(trawl_study_cuda_measure_steps(uploaded, text, TEXT, 2, &steps, &error),
                         expected[i]);
        assert_non_null(strstr(error.message, "rabin-karp"));
        trawl_cuda_db_free(uploaded);
        trawl_db_free(db);
    }
}

int main(void) {
    if (!device_tests_begin("steps_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_matches_as_the_cpu),
        cmocka_unit_test(others_are_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
