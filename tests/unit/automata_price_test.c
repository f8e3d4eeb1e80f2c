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

/* 1 ns a step where all is in a cache of 1 MiB, 101 where all is not. */
static const double steep[TRAWL_COST_SIZES] = {1, 1, 1, 1, 1, 101, 101, 101};

static void a_table_that_fits_waits_for_nothing(void **state) {
    (void)state;
    trawl_line_growth growth = growth_of(2, 1000);
    assert_near(trawl_automata_step(&growth, steep), 1);
    /* The same for any length of text. */
    growth = growth_of(1, 1);
    assert_near(trawl_automata_step(&growth, steep), 1);
}

static void each_step_that_misses_is_a_round_that_waits(void **state) {
    (void)state;
    trawl_line_growth growth = growth_of(1, 1e12);
    assert_near(trawl_automata_step(&growth, steep), 101);
}

/* One lane that misses the cache delays all lanes: the step takes as long as if all missed. */
static void a_rare_miss_costs_all_lanes_a_wait(void **state) {
    (void)state;
    trawl_line_growth growth = growth_of(1000, 1e12);
    assert_near(trawl_automata_step(&growth, steep), 1 + 100 * TRAWL_LANES / 1000.0);
    growth = growth_of(10, 1e12);
    assert_near(trawl_automata_step(&growth, steep), 1 + 100 * (1 - pow(0.9, TRAWL_LANES)));
}

/* The more of a walk is new, the longer a step takes. */
static void more_lines_take_longer(void **state) {
    (void)state;
    static const double slopes[TRAWL_COST_SIZES] = {0.5, 0.6, 0.7, 1, 2, 3, 5, 14};
    double before = 0;
    for (double every = 4096; every >= 1; every /= 2) {
        trawl_line_growth growth = growth_of(every, 1e9);
        double step = trawl_automata_step(&growth, slopes);
        assert_true(step >= before);
        assert_true(step >= slopes[0] && step <= slopes[TRAWL_COST_SIZES - 1]);
        before = step;
    }
    assert_true(before > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_that_fits_waits_for_nothing),
        cmocka_unit_test(each_step_that_misses_is_a_round_that_waits),
        cmocka_unit_test(a_rare_miss_costs_all_lanes_a_wait),
        cmocka_unit_test(more_lines_take_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
