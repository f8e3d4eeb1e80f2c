/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The time that the planner predicts for a step of an automaton (costs/automata.h). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "costs/automata.h"
#include "scan/contract.h"
#include "trawl/trawl.h"

/* A walk that touches a new line each `every` steps, of a table of `all` lines. */
static trawl_line_growth growth_of(double every, double all) {
    trawl_line_growth growth = {.all = all};
    for (unsigned point = 0; point < TRAWL_GROWTH_POINTS; point++) {
        double steps = 1024 * (1u << point);
        double lines = steps / every;
        growth.steps[point] = steps;
        growth.lines[point] = lines < all ? lines : all;
    }
    return growth;
}

static void assert_near(double value, double expected) {
    if (fabs(value - expected) > 0.02 * expected) {
        fail_msg("%g, expected about %g", value, expected);
    }
}

/* A step takes 1 ns where the table is in a cache of 1 MiB, and 101 ns where it is not. */
static const double steep[TRAWL_COST_SIZES] = {1, 1, 1, 1, 1, 101, 101, 101};

static void a_table_that_fits_waits_for_nothing(void **state) {
    (void)state;
    trawl_line_growth growth = growth_of(2, 1000);
    assert_near(trawl_automata_step(&growth, steep, 0), 1);
    /* The same for any length of text. */
    growth = growth_of(1, 1);
    assert_near(trawl_automata_step(&growth, steep, 0), 1);
}

static void each_step_that_misses_is_a_round_that_waits(void **state) {
    (void)state;
    trawl_line_growth growth = growth_of(1, 1e12);
    assert_near(trawl_automata_step(&growth, steep, 0), 101);
}

/* One lane that misses the cache delays all lanes: the step takes as long as if all missed. */
static void a_rare_miss_costs_all_lanes_a_wait(void **state) {
    (void)state;
    trawl_line_growth growth = growth_of(1000, 1e12);
    assert_near(trawl_automata_step(&growth, steep, 0), 1 + 100 * TRAWL_LANES / 1000.0);
    growth = growth_of(10, 1e12);
    assert_near(trawl_automata_step(&growth, steep, 0), 1 + 100 * (1 - pow(0.9, TRAWL_LANES)));
}

/* The more new lines a walk touches, the longer a step takes. */
static void more_lines_take_longer(void **state) {
    (void)state;
    static const double slopes[TRAWL_COST_SIZES] = {0.5, 0.6, 0.7, 1, 2, 3, 5, 14};
    double before = 0;
    for (double every = 4096; every >= 1; every /= 2) {
        trawl_line_growth growth = growth_of(every, 1e9);
        double step = trawl_automata_step(&growth, slopes, 0);
        assert_true(step >= before);
        assert_true(step >= slopes[0] && step <= slopes[TRAWL_COST_SIZES - 1]);
        before = step;
    }
    assert_true(before > 10);
}

/* In a table of 1 GiB each line is on a page of its own, whose address is looked up once so many
 * other pages have been touched in between; a table of 4 MiB has few pages. */
static void lines_that_lie_apart_are_pages(void **state) {
    (void)state;
    static const double level[TRAWL_COST_SIZES] = {1, 1, 1, 1, 1, 1, 1, 1};
    trawl_line_growth growth = growth_of(1, 1 << 24);
    assert_near(trawl_automata_step(&growth, level, 5), 6);
    growth = growth_of(1000, 1 << 24);
    assert_near(trawl_automata_step(&growth, level, 5), 1 + 5 * TRAWL_LANES / 1000.0);
    growth = growth_of(1, 1 << 16);
    assert_near(trawl_automata_step(&growth, level, 5), 1);
}

/* ------------------------------------------------------------------ matches in a sample */

enum { SAMPLE = 128 << 10 };
static uint8_t sample[SAMPLE];

static trawl_automata_estimate estimate_of(const trawl_patterns *patterns) {
    trawl_automata_estimate estimate;
    trawl_error error;
    assert_int_equal(
        trawl_automata_measure(patterns, sample, sizeof sample, SIZE_MAX, &estimate, &error),
        TRAWL_OK);
    return estimate;
}

static double share_of_ends(const trawl_patterns *patterns) {
    return estimate_of(patterns).match_ends;
}

static trawl_patterns *patterns_of(const char *bytes, size_t length, uint32_t flags) {
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, NULL), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, bytes, length, flags, NULL), TRAWL_OK);
    return patterns;
}

/* Each byte of a long run of zeros ends a match of a shorter run, however long that is. */
static void long_patterns_end_where_they_do(void **state) {
    (void)state;
    static const char zeros[40];
    for (size_t i = 0; i < SAMPLE; i++) {
        sample[i] = i % 512 < 128 ? 0 : (uint8_t)(1 + i % 7);
    }
    trawl_patterns *patterns = patterns_of(zeros, sizeof zeros, 0);
    assert_near(share_of_ends(patterns), (128 - 39) / 512.0);
    /* Never found: the text has no run as long as this. */
    static char long_run[129];
    assert_int_equal(trawl_patterns_add(patterns, long_run, sizeof long_run, 0, NULL), TRAWL_OK);
    assert_near(share_of_ends(patterns), (128 - 39) / 512.0);
    trawl_patterns_free(patterns);
}

static void long_patterns_in_any_case_end_too(void **state) {
    (void)state;
    static const char words[] = "The Quick Brown Fox jumps";
    for (size_t i = 0; i < SAMPLE; i++) {
        sample[i] = (uint8_t)(words[i % (sizeof words - 1)] ^ (i / 100 % 2 ? 0x20 : 0));
    }
    trawl_patterns *patterns = patterns_of(words, sizeof words - 1, TRAWL_PATTERN_CASE_INSENSITIVE);
    double any = share_of_ends(patterns);
    assert_true(any > 0.01 && any <= 0.04);
    trawl_patterns_free(patterns);
}

/* Every 40 bytes of the text have `word` in its own case, and a second time in capitals. */
static void check_ends_of_a_mixed_set(const char *word, const char *capitals) {
    size_t length = strlen(word);
    for (size_t i = 0; i < SAMPLE; i++) {
        sample[i] = i % 40 < length ? (uint8_t)word[i % 40] : '.';
        if (i % 40 >= 20 && i % 40 < 20 + length) {
            sample[i] = (uint8_t)capitals[i % 40 - 20];
        }
    }
    trawl_patterns *patterns = patterns_of(word, length, 0);
    assert_near(estimate_of(patterns).match_ends, 1 / 40.0);
    assert_near(estimate_of(patterns).folded_ends, 1 / 40.0);
    double per_byte = estimate_of(patterns).met.per_byte;
    assert_int_equal(
        trawl_patterns_add(patterns, "not there", 9, TRAWL_PATTERN_CASE_INSENSITIVE, NULL),
        TRAWL_OK);
    trawl_automata_estimate estimate = estimate_of(patterns);
    assert_near(estimate.match_ends, 1 / 40.0);
    assert_near(estimate.folded_ends, 2 / 40.0);
    assert_near(estimate.met.per_byte, per_byte);
    assert_int_equal(
        trawl_patterns_add(patterns, word, length, TRAWL_PATTERN_CASE_INSENSITIVE, NULL), TRAWL_OK);
    assert_near(estimate_of(patterns).match_ends, 2 / 40.0);
    assert_near(estimate_of(patterns).folded_ends, 2 / 40.0);
    trawl_patterns_free(patterns);
}

/* Patterns in their own case do not match in another one, although an automaton of a set that has
 * a pattern in any case must look at these ends. */
static void ends_in_another_case_are_no_matches(void **state) {
    (void)state;
    check_ends_of_a_mixed_set("system32", "SYSTEM32");
    check_ends_of_a_mixed_set("system32/drivers/etc", "SYSTEM32/DRIVERS/ETC");
}

/* Where the text goes through a long pattern, each byte leads to another state, as deep as it is in
 * the pattern; also where the pattern breaks off. */
static void long_patterns_have_a_state_for_each_byte(void **state) {
    (void)state;
    enum { LENGTH = 300, BROKEN = 200 };
    uint32_t random = 1;
    for (size_t i = 0; i < SAMPLE; i++) {
        random = random * 1664525 + 1013904223;
        size_t at = i % 1000;
        sample[i] = i < LENGTH     ? (uint8_t)(random >> 24)
                    : at < BROKEN  ? sample[at]
                    : at == BROKEN ? (uint8_t)~sample[at]
                                   : 0;
    }
    sample[LENGTH - 1] = 1; /* the text otherwise has zeros there */
    trawl_patterns *patterns = patterns_of((const char *)sample, LENGTH, 0);
    trawl_automata_estimate estimate;
    trawl_automata_steps trace;
    assert_int_equal(trawl_automata_trace(patterns, sample, sizeof sample, &estimate, &trace, NULL),
                     TRAWL_OK);
    size_t repeated = 0;
    for (size_t first = 1; first < LENGTH; first++)
        for (size_t second = first + 1; second <= LENGTH; second++)
            repeated += trace.states[first] == trace.states[second];
    assert_int_equal(repeated, 0);
    for (size_t at = 1; at <= BROKEN; at++)
        assert_true(trace.states[5000 + at] == trace.states[at]);
    assert_true(trace.states[5000 + BROKEN + 2] == trace.states[0]);
    trawl_automata_trace_release(&trace);
    trawl_patterns_free(patterns);
}

/* Few patterns are looked up in a part of the sample: this part comes from all over it. */
static void all_of_the_sample_counts(void **state) {
    (void)state;
    for (size_t i = 0; i < SAMPLE; i++) {
        sample[i] = i < SAMPLE / 4 * 3 ? 'a' : 'b';
    }
    trawl_patterns *patterns = patterns_of("b", 1, 0);
    assert_near(share_of_ends(patterns), 0.25);
    trawl_patterns_free(patterns);
}

/* Comparisons have a limit. The share of matches until then is taken for the whole sample. */
static void many_runs_in_a_run_are_counted_once(void **state) {
    (void)state;
    memset(sample, 0, sizeof sample);
    static const char zeros[4000];
    trawl_patterns *patterns = patterns_of(zeros, 17, 0);
    for (size_t length = 18; length < sizeof zeros; length++) {
        assert_int_equal(trawl_patterns_add(patterns, zeros, length, 0, NULL), TRAWL_OK);
    }
    double share = share_of_ends(patterns);
    assert_true(share > 0.9 && share <= 1);
    trawl_patterns_free(patterns);
}

/* A text with two kinds of content. Where the second kind begins, near the end, lines of the table
 * grow faster than before; that growth does not predict what follows. */
static void growth_is_that_of_the_whole_sample(void **state) {
    (void)state;
    trawl_patterns *patterns = patterns_of("zz", 2, 0);
    uint32_t random = 1;
    for (size_t i = 0; i < SAMPLE; i++) {
        random = random * 1664525 + 1013904223;
        sample[i] = i < SAMPLE / 2 ? ' ' : (uint8_t)('a' + (random >> 24) % 26);
    }
    for (size_t i = 0; i + 10 < SAMPLE; i += 37) {
        assert_int_equal(
            trawl_patterns_add(patterns, sample + SAMPLE / 2 + i / 2 % (SAMPLE / 4), 8, 0, NULL),
            TRAWL_OK);
    }
    trawl_automata_estimate estimate;
    assert_int_equal(
        trawl_automata_measure(patterns, sample, sizeof sample, SIZE_MAX, &estimate, NULL),
        TRAWL_OK);
    double last = estimate.dfa.lines[TRAWL_GROWTH_POINTS - 1];
    double before = estimate.dfa.lines[TRAWL_GROWTH_POINTS - 2];
    assert_true(before > 0.3 * last && before < 0.9 * last);
    trawl_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_patterns_end_where_they_do),
        cmocka_unit_test(long_patterns_in_any_case_end_too),
        cmocka_unit_test(ends_in_another_case_are_no_matches),
        cmocka_unit_test(long_patterns_have_a_state_for_each_byte),
        cmocka_unit_test(all_of_the_sample_counts),
        cmocka_unit_test(many_runs_in_a_run_are_counted_once),
        cmocka_unit_test(growth_is_that_of_the_whole_sample),
        cmocka_unit_test(a_table_that_fits_waits_for_nothing),
        cmocka_unit_test(each_step_that_misses_is_a_round_that_waits),
        cmocka_unit_test(a_rare_miss_costs_all_lanes_a_wait),
        cmocka_unit_test(more_lines_take_longer),
        cmocka_unit_test(lines_that_lie_apart_are_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
