/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The list of engines, forced engines, and refusals.
 */
#include "base/clock.h"
#include "combinations.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void descriptions_are_complete(void **state) {
    (void)state;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    size_t count = 0;
    while (trawl_engine_describe(count, &engine)) {
        assert_non_null(engine.name);
        assert_true(strlen(engine.name) > 0);
        assert_string_not_equal(engine.name, "auto");
        assert_true(strlen(engine.summary) > 0);
        assert_true(strlen(engine.source) > 0);
        assert_non_null(engine.variants[0]);
        for (size_t v = 0; engine.variants[v]; v++) {
            assert_true(strlen(engine.variants[v]) > 0);
            assert_non_null(engine.variant_summaries[v]);
            assert_true(strlen(engine.variant_summaries[v]) > 0);
            for (size_t earlier = 0; earlier < v; earlier++)
                assert_string_not_equal(engine.variants[earlier], engine.variants[v]);
        }
        for (size_t earlier = 0; earlier < count; earlier++) {
            trawl_engine_description other = TRAWL_ENGINE_DESCRIPTION;
            assert_true(trawl_engine_describe(earlier, &other));
            assert_string_not_equal(other.name, engine.name);
        }
        count++;
    }
    assert_true(count > 0);
    assert_false(trawl_engine_describe(count + 1, &engine));
    assert_false(trawl_engine_describe(SIZE_MAX, &engine));
}

static void first_variant_is_the_default(void **state) {
    (void)state;
    trawl_patterns *patterns;
    trawl_error error;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "abc", 3, 0, &error), TRAWL_OK);
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.engine = engine.name;
        trawl_db *db;
        if (trawl_compile(patterns, &options, &db, &error) != TRAWL_OK)
            fail_msg("%s: %s", engine.name, error.message);
        trawl_db_information information = TRAWL_DB_INFORMATION;
        (void)trawl_db_info(db, &information, NULL);
        assert_string_equal(information.engine, engine.name);
        assert_string_equal(information.variant, engine.variants[0]);
        assert_true(strlen(information.reason) > 0);
        trawl_db_free(db);
    }
    trawl_patterns_free(patterns);
}

/* The information in a database must be true of the set, and compile_size must be exact. */
static void information_is_true(void **state) {
    (void)state;
    test_case test = {0};
    test_case_add_pattern(&test, "abc", 3, 0);
    test_case_add_pattern(&test, "abcde", 5, 0);
    test_case_add_pattern(&test, "x", 1, TRAWL_PATTERN_CASE_INSENSITIVE);
    for (size_t c = 0; c < combination_count(); c++)
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            combination_failure failure;
            trawl_db *db;
            combination which = combination_at(c);
            double begin = trawl_seconds();
            combination_outcome outcome =
                combination_compile(which, &test, (trawl_match_kind)kind, &db, &failure);
            double taken = trawl_seconds() - begin;
            if (outcome == COMBINATION_FAILED)
                fail_msg("%s/%s: %s", which.engine, which.variant ? which.variant : "-",
                         failure.what);
            if (!db)
                continue;
            trawl_db_information information = TRAWL_DB_INFORMATION;
            (void)trawl_db_info(db, &information, NULL);
            assert_int_equal(information.patterns, 3);
            assert_int_equal(information.min_length, 1);
            assert_int_equal(information.max_length, 5);
            assert_true(information.parts >= 1);
            assert_true(information.state_bytes == 0 || information.state_bytes == 2 ||
                        information.state_bytes == 4);
            assert_true(information.table_bytes <= information.total_bytes);
            assert_true(information.build_seconds > 0 && information.build_seconds <= taken);
            size_t size = 0;
            assert_non_null(trawl_db_bytes(db, &size));
            assert_int_equal(information.total_bytes, size);

            trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
            options.engine = which.engine;
            options.variant = which.variant;
            options.matches = (trawl_match_kind)kind;
            uint64_t bytes = 0;
            trawl_error error;
            trawl_patterns *patterns = test_case_patterns(&test, &error);
            assert_int_equal(trawl_compile_size(patterns, &options, &bytes, &error), TRAWL_OK);
            assert_int_equal(bytes, size);
            trawl_patterns_free(patterns);
            trawl_db_free(db);
        }
    test_case_free(&test);
}

/* The bytes of tables that an engine makes without a limit. */
static uint64_t table_bytes_of(const trawl_patterns *patterns, combination which) {
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = which.engine;
    options.variant = which.variant;
    trawl_db *db;
    trawl_error error;
    trawl_status status = trawl_compile(patterns, &options, &db, &error);
    if (status == TRAWL_ERROR_LIMIT)
        return UINT64_MAX; /* it takes no such set at all */
    if (status != TRAWL_OK)
        fail_msg("%s: %s", which.engine, error.message);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    trawl_db_free(db);
    return information.table_bytes;
}

/* A limit on tables that is too small for every engine that has any: each refuses with a number and
 * an alternative. */
static void limits_are_explained(void **state) {
    (void)state;
    test_case test = {0};
    for (unsigned i = 0; i < 3000; i++) {
        char text[32];
        snprintf(text, sizeof(text), "%u-pattern-%u", i * 7919u, i);
        test_case_add_pattern(&test, text, strlen(text), 0);
    }
    trawl_error error;
    trawl_patterns *patterns = test_case_patterns(&test, &error);
    assert_non_null(patterns);
    for (size_t c = 0; c < combination_count(); c++) {
        combination which = combination_at(c);
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.engine = which.engine;
        options.variant = which.variant;
        options.max_table_bytes = 64;
        if (table_bytes_of(patterns, which) <= options.max_table_bytes)
            continue;
        trawl_db *db = (trawl_db *)&options; /* must be overwritten */
        uint64_t bytes;
        trawl_status status = trawl_compile(patterns, &options, &db, &error);
        if (status != TRAWL_ERROR_LIMIT)
            fail_msg("%s: %s", which.engine, trawl_status_text(status));
        assert_null(db);
        assert_int_equal(error.status, TRAWL_ERROR_LIMIT);
        if (!strpbrk(error.message, "0123456789"))
            fail_msg("%s: no number in: %s", which.engine, error.message);
        assert_int_equal(trawl_compile_size(patterns, &options, &bytes, &error), TRAWL_ERROR_LIMIT);
    }
    trawl_patterns_free(patterns);
    test_case_free(&test);
}

/* ac-split, wu-manber and rabin-karp have parameters: no value of them changes a match. */
static const struct {
    const char *engine;
    trawl_study_compile_options study;
} parameters[] = {
    {"ac-split", {.split_parts = 1}},
    {"ac-split", {.split_parts = 2}},
    {"ac-split", {.split_parts = 5}},
    {"ac-split", {.split_parts = 12}},
    {"ac-split", {.split_parts = 3, .split_threshold = 0.01}},
    {"ac-split", {.split_parts = 3, .split_threshold = 5}},
    {"wu-manber", {.wu_manber_block = 1}},
    {"wu-manber", {.wu_manber_block = 2}},
    {"wu-manber", {.wu_manber_block = 3}},
    {"wu-manber", {.wu_manber_block = 4}},
    {"rabin-karp", {.rabin_karp_modulus = 2}},
    {"rabin-karp", {.rabin_karp_modulus = 7}},
    {"rabin-karp", {.rabin_karp_modulus = 65521, .rabin_karp_base = 2}},
    {"rabin-karp", {.rabin_karp_modulus = 101, .rabin_karp_base = 256}},
};

/* Returns false when the engine refused, with a reason that names a limit. */
static bool run_with_parameters(size_t which, const test_case *test, trawl_match_kind kind) {
    trawl_error error;
    match_list expected = {0};
    trawl_matches matches;
    trawl_db *db;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_study_compile_options study = parameters[which].study;
    study.size = sizeof(study);
    options.study = &study;
    options.engine = parameters[which].engine;
    options.matches = kind;
    trawl_patterns *patterns = test_case_patterns(test, &error);
    trawl_status status = trawl_compile(patterns, &options, &db, &error);
    trawl_patterns_free(patterns);
    if (status == TRAWL_ERROR_LIMIT && strpbrk(error.message, "0123456789"))
        return false;
    if (status != TRAWL_OK)
        fail_msg("%s, parameters %zu: %s", options.engine, which, error.message);
    test_case_search(test, kind, &expected);
    assert_int_equal(trawl_collect(db, test->text, test->length, NULL, &matches, &error), TRAWL_OK);
    match_list got = {.items = matches.items, .count = matches.count};
    if (!match_list_equal(&got, &expected))
        fail_msg("%s, parameters %zu, %s: other matches", options.engine, which,
                 match_kind_names[kind]);
    trawl_matches_free(&matches);
    match_list_free(&expected);
    trawl_db_free(db);
    return true;
}

static void run_all_parameters(const char *const *words, size_t count, bool may_refuse) {
    static const char text[] = "ushers and his hershe, she; xyzzyushershishishersand";
    test_case test = {0};
    for (size_t i = 0; i < count; i++)
        test_case_add_pattern(&test, words[i], strlen(words[i]), i % 3 == 0);
    test_case_append_text(&test, text, sizeof(text) - 1);
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
        for (int kind = 0; kind < MATCH_KINDS; kind++)
            if (!run_with_parameters(i, &test, (trawl_match_kind)kind) && !may_refuse)
                fail_msg("%s refused parameters %zu", parameters[i].engine, i);
    test_case_free(&test);
}

static void parameters_change_no_match(void **state) {
    (void)state;
    /* With patterns of one byte no block of two exists: a reason to refuse. */
    static const char *const mixed[] = {"he",  "she", "his", "hers", "h",  "ushers",
                                        "ers", "rsx", "e",   "sh",   "us", "xyzzy"};
    static const char *const longer[] = {"hers", "ushers", "hishers", "shers", "xyzzy", "hers",
                                         "HERS", " his ",  "hershe",  "rshi",  "sand",  "shis"};
    run_all_parameters(mixed, sizeof(mixed) / sizeof(mixed[0]), true);
    run_all_parameters(longer, sizeof(longer) / sizeof(longer[0]), false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions_are_complete),
        cmocka_unit_test(first_variant_is_the_default),
        cmocka_unit_test(information_is_true),
        cmocka_unit_test(limits_are_explained),
        cmocka_unit_test(parameters_change_no_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
