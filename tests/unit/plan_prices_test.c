/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the planner expects of engines where a part of a set or of a text decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "constants/cpu.h"
#include "engines/wu_manber/measure.h"
#include "trawl/trawl_study.h"

enum { SAMPLE = 131072 };

static trawl_error error;

/* Bytes without a pattern, from a seed. */
static void fill(uint8_t *bytes, size_t length, uint32_t seed) {
    for (size_t i = 0; i < length; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

/* `count` patterns of `length` random bytes. */
static trawl_patterns *random_patterns(unsigned count, size_t length) {
    trawl_patterns *patterns;
    uint8_t bytes[2048];
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (unsigned i = 0; i < count; i++) {
        fill(bytes, length, i + 1);
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, 0, &error), TRAWL_OK);
    }
    return patterns;
}

static trawl_study_plan plan_for(const trawl_patterns *patterns, const uint8_t *text) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    trawl_db *db;
    options.sample = text;
    options.sample_length = SAMPLE;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    assert_int_equal(trawl_study_db_plan(db, &plan, &error), TRAWL_OK);
    trawl_db_free(db);
    return plan;
}

static double speed_of(const trawl_study_plan *plan, const char *engine) {
    for (size_t i = 0; i < plan->engines; i++) {
        if (strcmp(plan->engine[i].engine, engine) == 0) {
            return plan->engine[i].gb_per_second;
        }
    }
    return 0;
}

/* Shifts of wu-manber are bytes: patterns of 1,000 bytes are not skipped faster than those of 300.
 */
static void shifts_are_at_most_255(void **state) {
    (void)state;
    uint8_t *text = malloc(SAMPLE);
    assert_non_null(text);
    fill(text, SAMPLE, 7);
    trawl_patterns *shorter = random_patterns(3, 300), *longer = random_patterns(3, 1000);
    trawl_study_plan one = plan_for(shorter, text), two = plan_for(longer, text);
    double ratio = speed_of(&two, "wu-manber") / speed_of(&one, "wu-manber");
    assert_true(ratio > 0.9 && ratio < 1.1);
    trawl_patterns_free(shorter);
    trawl_patterns_free(longer);
    free(text);
}

/* A pattern that is there many times is one key: searches do not get longer. */
static void the_same_pattern_many_times_costs_no_search(void **state) {
    (void)state;
    uint8_t *text = malloc(SAMPLE);
    assert_non_null(text);
    fill(text, SAMPLE, 7);
    static const char *const words[] = {"the ", "and then", "of all ", "never"};
    for (size_t at = 0; at + 8 < SAMPLE; at += 16) {
        const char *word = words[at / 16 % 4];
        memcpy(text + at, word, strlen(word));
    }
    double speed[2];
    for (unsigned many = 0; many < 2; many++) {
        trawl_patterns *patterns;
        assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
        for (unsigned i = 0; i < (many ? 2000 : 4); i++) {
            const char *word = words[i % 4];
            assert_int_equal(trawl_patterns_add(patterns, word, strlen(word), 0, &error), TRAWL_OK);
        }
        trawl_study_plan plan = plan_for(patterns, text);
        speed[many] = speed_of(&plan, "rabin-karp");
        assert_true(speed[many] > 0);
        trawl_patterns_free(patterns);
    }
    free(text);
    assert_true(speed[1] > 0.7 * speed[0]);
}

/* Three patterns of 3,000 have a run in which all their anchors are, and the text has such runs. A
 * trial with some of the patterns would miss them. */
static void runs_in_a_few_long_patterns_are_seen(void **state) {
    (void)state;
    uint8_t *text = malloc(SAMPLE);
    assert_non_null(text);
    fill(text, SAMPLE, 7);
    for (size_t at = 0; at + 4096 <= SAMPLE; at += 4096) {
        memset(text + at, ' ', 400);
    }
    trawl_patterns *patterns = random_patterns(3000, 480);
    trawl_study_plan without = plan_for(patterns, text);
    uint8_t bytes[480];
    for (unsigned i = 0; i < 3; i++) {
        memset(bytes, ' ', sizeof bytes);
        bytes[0] = (uint8_t)('a' + i);
        assert_int_equal(trawl_patterns_add(patterns, bytes, sizeof bytes, 0, &error), TRAWL_OK);
    }
    trawl_study_plan with = plan_for(patterns, text);
    assert_true(speed_of(&with, "qgram") < 0.8 * speed_of(&without, "qgram"));
    trawl_patterns_free(patterns);
    free(text);
}

/* No window fits into the sample, which does not make searching in it cost nothing. */
static void patterns_are_longer_than_the_sample(void **state) {
    (void)state;
    enum { LENGTH = 60000, SHORT_SAMPLE = 8192 };
    uint8_t *bytes = malloc(LENGTH), *text = malloc(SHORT_SAMPLE);
    assert_true(bytes != NULL && text != NULL);
    memset(bytes, 'a', LENGTH);
    memset(text, 'a', SHORT_SAMPLE);
    trawl_patterns *patterns;
    trawl_db *db;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (unsigned i = 1; i < 10; i++) {
        bytes[0] = (uint8_t)('a' + i);
        assert_int_equal(trawl_patterns_add(patterns, bytes, LENGTH, 0, &error), TRAWL_OK);
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    options.sample = text;
    options.sample_length = SHORT_SAMPLE;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    assert_int_equal(trawl_study_db_plan(db, &plan, &error), TRAWL_OK);
    assert_true(speed_of(&plan, "wu-manber") > 0);
    assert_true(speed_of(&plan, "wu-manber") < speed_of(&plan, "ac-dfa"));
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    free(bytes);
    free(text);
}

/* Where comparing with many keys costs most of all, each length wants a filter of its own, and
 * there are more lengths than filters. Patterns of one byte, of which not all are examined, need a
 * filter for themselves. */
static void more_lengths_than_filters(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 3, 4, 5, 6, 7, 8, 12, 24, 48};
    enum { LENGTHS = sizeof lengths / sizeof *lengths, EACH = 2000, LONGEST = 48 };
    uint8_t *text = calloc(1, SAMPLE + 2 * LONGEST);
    assert_non_null(text);
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    size_t at = 0;
    for (unsigned i = 0; i < EACH * LENGTHS; i++) {
        fill(text + at, LONGEST, i + 1);
        assert_int_equal(trawl_patterns_add(patterns, text + at, lengths[i % LENGTHS], 0, &error),
                         TRAWL_OK);
        at += at < SAMPLE ? lengths[i % LENGTHS] : 0;
    }
    trawl_costs costs = TRAWL_COSTS;
    double cost = 1;
    for (size_t i = 0; i < TRAWL_COST_SIZES; i++, cost *= 16)
        costs.verify[i] = cost;
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    study.costs = &costs;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.study = &study;
    options.engine = "qgram";
    options.sample = text;
    options.sample_length = SAMPLE;
    trawl_db *db;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    assert_int_equal(trawl_study_db_plan(db, &plan, &error), TRAWL_OK);
    assert_int_equal(plan.filters, TRAWL_MOST_FILTERS);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    free(text);
}

/* Pieces of a text that is 16 times as long as its sample. With few blocks few of the patterns are
 * tried, and the window goes farther than with all of them. */
static void wu_manber_is_tried_with_more_patterns(void **state) {
    (void)state;
    enum { PATTERNS = 4000, LENGTH = 300, TEXT = 16 * SAMPLE };
    uint8_t *text = malloc(TEXT);
    assert_non_null(text);
    fill(text, TEXT, 7);
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t i = 0; i < PATTERNS; i++) {
        const uint8_t *piece = text + i * 799 % (TEXT - LENGTH);
        assert_int_equal(trawl_patterns_add(patterns, piece, LENGTH, 0, &error), TRAWL_OK);
    }
    trawl_wu_manber_estimate few, all;
    assert_int_equal(trawl_wu_manber_measure(patterns, text, SAMPLE, TRAWL_WU_MANBER_TRIAL_BLOCKS,
                                             0, 1 << 30, &few, &error),
                     TRAWL_OK);
    assert_int_equal(
        trawl_wu_manber_measure(patterns, text, SAMPLE,
                                TRAWL_WU_MANBER_TRIAL_BLOCKS * TRAWL_WU_MANBER_TRIAL_RATIO, 0,
                                1 << 30, &all, &error),
        TRAWL_OK);
    assert_true(few.factor > TRAWL_WU_MANBER_FEW_OTHERS);
    assert_true(all.factor > 0.99 && all.factor < 1.01);
    assert_true(all.all.windows > 1.5 * few.all.windows);
    trawl_patterns_free(patterns);
    free(text);
}

/* The stride of the plan's longest patterns, where a sample that is far from the one before, or
 * long, costs `apart` more. */
static uint32_t stride_with(const trawl_patterns *patterns, const uint8_t *text, double apart) {
    trawl_costs costs = TRAWL_COSTS;
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    trawl_db *db;
    costs.sample_apart = costs.sample_sixteen = apart;
    costs.teddy = costs.register_bloom = 10; /* so that the plan has samples */
    for (unsigned i = 0; i < TRAWL_COST_SIZES; i++) {
        costs.shift[i] = 100; /* and not wu-manber */
    }
    study.costs = &costs;
    options.study = &study;
    options.sample = text;
    options.sample_length = SAMPLE;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    assert_int_equal(trawl_study_db_plan(db, &plan, &error), TRAWL_OK);
    trawl_db_free(db);
    assert_true(plan.filters > 0);
    return plan.filter[0].stride;
}

/* Loops that test several samples together do so only if they are near one another. */
static void samples_far_apart_have_their_price(void **state) {
    (void)state;
    uint8_t *text = malloc(SAMPLE);
    assert_non_null(text);
    fill(text, SAMPLE, 7);
    trawl_patterns *patterns = random_patterns(20, 40);
    assert_true(stride_with(patterns, text, 0.01) > 8);
    assert_true(stride_with(patterns, text, 50) <= 8);
    trawl_patterns_free(patterns);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_are_at_most_255),
        cmocka_unit_test(the_same_pattern_many_times_costs_no_search),
        cmocka_unit_test(runs_in_a_few_long_patterns_are_seen),
        cmocka_unit_test(patterns_are_longer_than_the_sample),
        cmocka_unit_test(more_lengths_than_filters),
        cmocka_unit_test(wu_manber_is_tried_with_more_patterns),
        cmocka_unit_test(samples_far_apart_have_their_price),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
