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

/* The engine that `auto` ends up with when tables may have `limit` bytes. */
static void assert_chosen(const trawl_patterns *patterns, uint64_t limit, const char *engine) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.max_table_bytes = limit;
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_information information;
    trawl_db_info(db, &information);
    assert_string_equal(information.engine, engine);
    assert_true(information.table_bytes <= limit);
    assert_true(strlen(information.reason) > 20);
    trawl_db_free(db);
}

static void a_small_set_gets_the_dfa(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(1000, 10);
    assert_chosen(patterns, 1 << 30, "ac-dfa");
    trawl_patterns_free(patterns);
}

static void less_memory_gets_smaller_engines(void **state) {
    (void)state;
    trawl_patterns *words = numbered(20000, 6);
    trawl_patterns *probes = numbered(20000, 16);
    assert_chosen(words, 4 << 20, "ac-nfa");
    assert_chosen(probes, 4 << 20, "wu-manber");
    trawl_patterns_free(words);
    trawl_patterns_free(probes);
}

/* The DFA's table alone would fit, but not together with its outputs. */
static void a_refusal_is_not_the_end(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(5000, 6);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-dfa";
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_information information;
    trawl_db_info(db, &information);
    trawl_db_free(db);
    assert_chosen(patterns, information.table_bytes, "ac-dfa");
    assert_chosen(patterns, information.table_bytes - 1, "ac-nfa");
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
        cmocka_unit_test(a_small_set_gets_the_dfa),
        cmocka_unit_test(less_memory_gets_smaller_engines),
        cmocka_unit_test(a_refusal_is_not_the_end),
        cmocka_unit_test(nothing_fits_into_nothing),
        cmocka_unit_test(parts_in_parallel_give_up_no_dense_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
