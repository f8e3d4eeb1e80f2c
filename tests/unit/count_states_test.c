/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The number of states of an automaton that is not built: beside that of ac-dfa. */
#include "random.h"

#include "base/fold.h"
#include "costs/count_states.h"
#include "database/database.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* Five times the standard error of 0.8 %. */
static const double MOST_ERROR = 0.04;

static uint64_t states_of_dfa(const trawl_patterns *set) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_error error;
    trawl_db *db;
    options.engine = "ac-dfa";
    assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_OK);
    const uint64_t states = db->header->states;
    trawl_db_free(db);
    return states;
}

static trawl_patterns *new_set(void) {
    trawl_error error;
    trawl_patterns *set;
    assert_int_equal(trawl_patterns_new(&set, &error), TRAWL_OK);
    return set;
}

static void add(trawl_patterns *set, const uint8_t *bytes, size_t length, unsigned flags) {
    trawl_error error;
    assert_int_equal(trawl_patterns_add(set, bytes, length, flags, &error), TRAWL_OK);
}

static void check(trawl_patterns *set, bool folded) {
    uint8_t fold[256];
    for (unsigned byte = 0; byte < 256; byte++)
        fold[byte] = folded ? trawl_fold((uint8_t)byte) : (uint8_t)byte;
    const double counted = trawl_count_states(set, fold), states = (double)states_of_dfa(set);
    if (counted < states * (1 - MOST_ERROR) || counted > states * (1 + MOST_ERROR))
        fail_msg("%.1f states counted of %.0f", counted, states);
    trawl_patterns_free(set);
}

static void words_share_their_beginnings(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 0);
    for (size_t count = 1; count <= 30000; count *= 5) {
        const bool folded = random_chance(&random, 1, 2);
        trawl_patterns *set = new_set();
        for (size_t id = 0; id < count; id++) {
            uint8_t bytes[40];
            size_t length = random_between(&random, 1, sizeof bytes);
            for (size_t i = 0; i < length; i++)
                bytes[i] = (uint8_t)("ab"[random_below(&random, 2)] -
                                     (folded && random_chance(&random, 1, 2) ? 32 : 0));
            add(set, bytes, length, folded ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
        }
        check(set, folded);
    }
}

/* Strings of one period and of different lengths: nearly all of their states are shared. */
static void periodic_strings_are_counted_once(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 1);
    trawl_patterns *set = new_set();
    for (size_t id = 0; id < 20000; id++) {
        uint8_t bytes[120];
        size_t period = random_between(&random, 1, 3), length = random_between(&random, 1, 120);
        for (size_t i = 0; i < length; i++)
            bytes[i] = i < period ? (uint8_t)('a' + random_below(&random, 26)) : bytes[i - period];
        add(set, bytes, length, 0);
    }
    check(set, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(words_share_their_beginnings),
                                       cmocka_unit_test(periodic_strings_are_counted_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
