/* The planner's choices, and what becomes of them when the memory allowed is too small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trawl/trawl.h"

static trawl_error error;

/* `count` patterns of `length` letters, all different. */
static trawl_patterns *numbered(unsigned count, size_t length) {
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (unsigned i = 0; i < count; i++) {
        char bytes[64];
        unsigned rest = i * 2654435761u;
        for (size_t j = 0; j < length; j++) {
            bytes[j] = (char)('a' + rest % 26);
            rest = rest / 26 + i * 40503u + (unsigned)j;
        }
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, 0, &error), TRAWL_OK);
    }
    return patterns;
}

/* Text that is to be planned with: `patterns` of this set, or nothing like them. */
static char *text_of(const trawl_patterns *patterns, size_t length) {
    char *text = malloc(length);
    assert_non_null(text);
    memset(text, '-', length);
    size_t count = patterns == NULL ? 0 : trawl_patterns_count(patterns);
    size_t at = 0;
    for (uint32_t id = 0; count != 0; id = (id + 1) % (uint32_t)count) {
        trawl_pattern pattern;
        assert_true(trawl_patterns_get(patterns, id, &pattern));
        if (at + pattern.length > length) {
            break;
        }
        memcpy(text + at, pattern.bytes, pattern.length);
        at += pattern.length;
    }
    return text;
}

static void rare_patterns_get_a_filter_and_frequent_ones_an_automaton(void **state) {
    (void)state;
    enum { SAMPLE = 65536 };
    trawl_patterns *patterns = numbered(300, 4);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_db_information information;
    trawl_db *db;
    char *rare = text_of(NULL, SAMPLE), *frequent = text_of(patterns, SAMPLE);
    options.sample = rare;
    options.sample_length = SAMPLE;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_info(db, &information);
    assert_string_equal(information.engine, "qgram");
    trawl_db_free(db);
    options.sample = frequent;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_info(db, &information);
    assert_string_equal(information.engine, "ac-dfa");
    assert_non_null(strstr(information.reason, "qgram"));
    trawl_db_free(db);
    free(rare);
    free(frequent);
    trawl_patterns_free(patterns);
}

static void the_callers_costs_decide(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(1000, 10);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_costs costs = TRAWL_COSTS;
    for (size_t i = 0; i < TRAWL_COST_SIZES; i++) {
        costs.dfa_step[i] = 1e-3;
    }
    options.costs = &costs;
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_information information;
    trawl_db_info(db, &information);
    assert_string_equal(information.engine, "ac-dfa");
    trawl_db_free(db);
    trawl_patterns_free(patterns);
}

/* Limits from plenty to nothing: each plan keeps within its own, or there is none. */
static void less_memory_gets_smaller_tables(void **state) {
    (void)state;
    trawl_patterns *words = numbered(20000, 6);
    trawl_db *db = NULL;
    size_t compiled = 0;
    for (uint64_t limit = 1 << 30; limit > 1000; limit /= 2) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.max_table_bytes = limit;
        trawl_status status = trawl_compile(words, &options, &db, &error);
        assert_true(status == TRAWL_OK || status == TRAWL_ERROR_LIMIT);
        if (status == TRAWL_OK) {
            trawl_db_information information;
            trawl_db_info(db, &information);
            assert_true(information.table_bytes <= limit);
            assert_true(strlen(information.reason) > 20);
            trawl_db_free(db);
            compiled++;
        }
    }
    assert_true(compiled > 9);
    trawl_patterns_free(words);
}

static void an_engine_by_name_is_refused_with_another_that_would_do(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(5000, 6);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-dfa";
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_information information;
    trawl_db_info(db, &information);
    trawl_db_free(db);
    options.max_table_bytes = information.table_bytes - 1;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_ERROR_LIMIT);
    assert_null(db);
    assert_non_null(strstr(error.message, "ac-nfa"));
    trawl_patterns_free(patterns);
}

static void nothing_fits_into_nothing(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(100, 6);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.max_table_bytes = 100;
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_ERROR_LIMIT);
    assert_null(db);
    trawl_patterns_free(patterns);
}

/* Sixty matches for each byte: more than ac-split's parts hold for a block, which is then halved.
 */
static void parts_in_parallel_give_up_no_dense_match(void **state) {
    (void)state;
    enum { LONGEST = 60, TEXT = 100000 };
    trawl_patterns *patterns;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    char *text = malloc(TEXT);
    assert_non_null(text);
    memset(text, 'a', TEXT);
    uint64_t expected = 0;
    for (size_t length = 1; length <= LONGEST; length++) {
        assert_int_equal(trawl_patterns_add(patterns, text, length, 0, &error), TRAWL_OK);
        expected += TEXT - length + 1;
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-split";
    options.variant = "in-parallel";
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    scan.threads = 2;
    trawl_matches matches;
    assert_int_equal(trawl_collect(db, text, TEXT, &scan, &matches, &error), TRAWL_OK);
    assert_int_equal(matches.count, expected);
    trawl_matches_free(&matches);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rare_patterns_get_a_filter_and_frequent_ones_an_automaton),
        cmocka_unit_test(the_callers_costs_decide),
        cmocka_unit_test(less_memory_gets_smaller_tables),
        cmocka_unit_test(an_engine_by_name_is_refused_with_another_that_would_do),
        cmocka_unit_test(nothing_fits_into_nothing),
        cmocka_unit_test(parts_in_parallel_give_up_no_dense_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
