/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How long planning may take for a text of known length (costs/effort.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "costs/effort.h"
#include "trawl/trawl_study.h"

static trawl_error error;

static void every_trial_pays_for_a_text_of_unknown_length(void **state) {
    (void)state;
    trawl_effort effort = trawl_effort_begin(0);
    trawl_effort_know(&effort, 1);
    for (int i = 0; i < 100; i++) {
        assert_true(trawl_effort_pays(&effort, TRAWL_EFFORT_ANCHORS, 0.9, 1e9));
    }
    assert_true(trawl_effort_bytes(0, 1000) == SIZE_MAX);
}

/* 10 MB at 1 ns a byte take 10 ms; a filter that takes 0.5 ns can save 5. */
static void trials_in_vain_take_at_most_half_of_what_they_may_save(void **state) {
    (void)state;
    for (double trial = 10e3; trial < 10e6; trial *= 3) {
        trawl_effort effort = trawl_effort_begin(10000000);
        double spent = 0;
        trawl_effort_know(&effort, 1);
        for (int i = 0; i < 10000; i++) {
            spent += trawl_effort_pays(&effort, TRAWL_EFFORT_ANCHORS, 0.5, trial) ? trial : 0;
        }
        assert_true(spent <= 5e6 / 2);
        assert_true(trial > 1e6 || spent > 0);
    }
}

/* Three trials of one kind save 30 % each of what is left, three of another kind save nothing. */
static void kinds_that_succeed_are_trusted(void **state) {
    (void)state;
    trawl_effort effort = trawl_effort_begin(10000000);
    double price = 1;
    trawl_effort_know(&effort, price);
    for (int i = 0; i < 3; i++) {
        assert_true(trawl_effort_pays(&effort, TRAWL_EFFORT_SURVEYS, 0.1, 1e3));
        assert_true(trawl_effort_pays(&effort, TRAWL_EFFORT_ANCHORS, 0.1, 1e3));
        price -= 0.3 * (price - 0.1);
        trawl_effort_found(&effort, price);
    }
    assert_false(trawl_effort_pays(&effort, TRAWL_EFFORT_SURVEYS, 0.1, 500e3));
    assert_true(trawl_effort_pays(&effort, TRAWL_EFFORT_ANCHORS, 0.1, 500e3));
}

static void no_trial_pays_that_cannot_win(void **state) {
    (void)state;
    trawl_effort effort = trawl_effort_begin(10000000);
    trawl_effort_know(&effort, 1);
    assert_false(trawl_effort_pays(&effort, TRAWL_EFFORT_SURVEYS, 1, 1));
    effort.building = 10e6; /* as much as the whole scan */
    assert_false(trawl_effort_pays(&effort, TRAWL_EFFORT_SURVEYS, 0.1, 1));
}

/* How many engines get a price for 5,000 words, and a text of this length. */
static size_t count_priced(uint64_t text_bytes) {
    enum { SAMPLE = 65536 };
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    trawl_patterns *patterns;
    trawl_db *db;
    uint8_t *text = malloc(SAMPLE);
    uint32_t seed = 1;
    assert_non_null(text);
    for (size_t i = 0; i < SAMPLE; i++) {
        seed = seed * 1664525u + 1013904223u;
        text[i] = (uint8_t)('a' + (seed >> 24) % 26);
    }
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < 5000; i++) {
        assert_int_equal(trawl_patterns_add(patterns, text + 7 * i, 9, 0, &error), TRAWL_OK);
    }
    options.sample = text;
    options.sample_length = SAMPLE;
    options.text_bytes = text_bytes;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    assert_int_equal(trawl_study_db_plan(db, &plan, &error), TRAWL_OK);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    free(text);
    return plan.engines;
}

static void a_short_text_is_worth_no_trials(void **state) {
    (void)state;
    assert_int_equal(count_priced(0), 5);
    assert_int_equal(count_priced(UINT64_C(1) << 40), 5);
    assert_int_equal(count_priced(65536), 2); /* the automata, which need none */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_trial_pays_for_a_text_of_unknown_length),
        cmocka_unit_test(trials_in_vain_take_at_most_half_of_what_they_may_save),
        cmocka_unit_test(kinds_that_succeed_are_trusted),
        cmocka_unit_test(no_trial_pays_that_cannot_win),
        cmocka_unit_test(a_short_text_is_worth_no_trials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
