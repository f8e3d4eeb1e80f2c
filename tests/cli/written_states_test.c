/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The comparison of `trawl reproduce` finds every wrong state, wherever it is. */
#include "cli/reproduce/states.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = (2 << 20) + 77, PLACES = 9 };

static trawl_error error;

static trawl_db *compiled(void) {
    trawl_patterns *set;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_db *db = NULL;
    options.engine = "ac-dfa";
    assert_int_equal(trawl_patterns_new(&set, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(set, "abab", 4, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(set, "aaaaaaaaab", 10, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(set);
    return db;
}

/* Text of a and b, in which states depend on bytes before each piece. */
static uint8_t *made_text(void) {
    uint8_t *text = malloc(LENGTH);
    uint32_t value = 1;
    assert_non_null(text);
    for (size_t i = 0; i < LENGTH; i++) {
        value = value * 1664525 + 1013904223;
        text[i] = value >> 28 == 0 ? 'b' : 'a';
    }
    return text;
}

static void every_difference(void **state) {
    static const size_t places[PLACES] = {
        0, 1, 77, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (2 << 20) - 1, 2 << 20, LENGTH - 1};
    (void)state;
    trawl_db *db = compiled();
    uint8_t *text = made_text();
    uint32_t *wide = malloc(LENGTH * sizeof *wide);
    uint16_t *narrow = malloc(LENGTH * sizeof *narrow);
    assert_true(wide && narrow);
    assert_int_equal(trawl_study_walk_states(db, 0, text, LENGTH, wide, &error), TRAWL_OK);
    for (size_t i = 0; i < LENGTH; i++)
        narrow[i] = (uint16_t)wide[i];
    written_states by_four = {db, text, LENGTH, wide, sizeof *wide};
    written_states by_two = {db, text, LENGTH, narrow, sizeof *narrow};
    assert_true(states_agree(&by_four));
    assert_true(states_agree(&by_two));
    for (size_t i = 0; i < PLACES; i++) {
        wide[places[i]] ^= UINT32_C(1) << 31;
        narrow[places[i]] ^= 1;
        assert_false(states_agree(&by_four));
        assert_false(states_agree(&by_two));
        wide[places[i]] ^= UINT32_C(1) << 31;
        narrow[places[i]] ^= 1;
    }
    by_two.length = 5;
    narrow[5] ^= 1; /* behind the text */
    assert_true(states_agree(&by_two));
    free(narrow);
    free(wide);
    free(text);
    trawl_db_free(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_difference)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
