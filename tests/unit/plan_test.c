/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner's choices, and how they change when the memory limit is too small for them. */
#include "planned_sets.h"

static void rare_patterns_get_a_filter_and_frequent_ones_an_automaton(void **state) {
    (void)state;
    enum { SAMPLE = 65536 };
    /* More patterns than a register Bloom filter takes: that filter is cheap even if every position
     * is a candidate. */
    trawl_patterns *patterns = numbered(1000, 4);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    trawl_db *db;
    char *rare = text_of(NULL, SAMPLE), *frequent = text_of(patterns, SAMPLE);
    options.sample = rare;
    options.sample_length = SAMPLE;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    (void)trawl_db_info(db, &information, NULL);
    assert_string_equal(information.engine, "qgram");
    trawl_db_free(db);
    options.sample = frequent;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    (void)trawl_db_info(db, &information, NULL);
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
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_costs costs = TRAWL_COSTS;
    for (size_t i = 0; i < TRAWL_COST_SIZES; i++) {
        costs.dfa_step[i] = 1e-3;
    }
    options.study = &study;
    study.costs = &costs;
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    assert_string_equal(information.engine, "ac-dfa");
    trawl_db_free(db);
    trawl_patterns_free(patterns);
}

/* A match at nearly every byte costs extra. */
static void frequent_matches_are_priced_as_such(void **state) {
    (void)state;
    enum { SAMPLE = 65536 };
    static const char *const engine_of[] = {"ac-dfa", "qgram"};
    trawl_patterns *patterns = numbered(26, 1);
    char *text = text_of(patterns, SAMPLE);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.sample = text;
    options.sample_length = SAMPLE;
    for (unsigned dear = 0; dear < 2; dear++) {
        trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
        trawl_costs costs = TRAWL_COSTS;
        costs.dfa_match_often = dear ? 1000 : 0.1;
        options.study = &study;
        study.costs = &costs;
        trawl_db *db;
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        trawl_db_information information = TRAWL_DB_INFORMATION;
        (void)trawl_db_info(db, &information, NULL);
        assert_string_equal(information.engine, engine_of[dear]);
        trawl_db_free(db);
    }
    free(text);
    trawl_patterns_free(patterns);
}

/* Memory limits from large to zero: each plan keeps its limit, or there is no plan. */
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
            trawl_db_information information = TRAWL_DB_INFORMATION;
            (void)trawl_db_info(db, &information, NULL);
            assert_true(information.table_bytes <= limit);
            assert_true(strlen(information.reason) > 20);
            trawl_db_free(db);
            compiled++;
        }
    }
    assert_true(compiled > 9);
    trawl_patterns_free(words);
}

/* The size up to which tables of this many patterns are small, in bytes. */
static double small_tables(size_t patterns) {
    return 64.0 * (double)patterns + 2e6;
}

/* Checks that a faster engine was not chosen only where its tables are larger, and that large
 * tables are named. Returns whether a faster engine was not chosen. */
static bool check_tables(const trawl_db *db, size_t patterns) {
    trawl_study_plan plan = TRAWL_STUDY_PLAN;
    trawl_db_information information = TRAWL_DB_INFORMATION;
    assert_int_equal(trawl_study_db_plan(db, &plan, NULL), TRAWL_OK);
    (void)trawl_db_info(db, &information, NULL);
    const trawl_study_engine *fastest = &plan.engine[0], *chosen = &plan.engine[0];
    for (size_t i = 1; i < plan.engines; i++) {
        fastest = plan.engine[i].gb_per_second > fastest->gb_per_second ? &plan.engine[i] : fastest;
    }
    for (size_t i = 0; i < plan.engines; i++) {
        chosen = strcmp(plan.engine[i].engine, information.engine) == 0 ? &plan.engine[i] : chosen;
    }
    bool left = fastest != chosen;
    assert_true(left == (strstr(information.reason, "would be faster") != NULL));
    bool is_large = (double)chosen->table_bytes > small_tables(patterns);
    assert_true(is_large == (strstr(information.reason, " The tables are large") != NULL));
    if (left) {
        assert_true((double)fastest->table_bytes > small_tables(patterns));
        assert_true((double)chosen->table_bytes <= small_tables(patterns));
        assert_true(fastest->gb_per_second <= 1.2001 * chosen->gb_per_second);
    }
    return left;
}

static void large_tables_must_be_clearly_faster(void **state) {
    (void)state;
    enum { PATTERNS = 20000, SAMPLE = 65536 };
    trawl_patterns *patterns = numbered(PATTERNS, 6);
    char *text = text_of(patterns, SAMPLE);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.sample = text;
    options.sample_length = SAMPLE;
    unsigned left = 0;
    for (double step = 0.5; step < 400; step *= 1.1) {
        trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
        trawl_costs costs = TRAWL_COSTS;
        for (size_t i = 0; i < TRAWL_COST_SIZES; i++) {
            costs.dfa_step[i] = step;
            costs.nfa_step[i] = 1e3;
        }
        options.study = &study;
        study.costs = &costs;
        trawl_db *db;
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        left += check_tables(db, PATTERNS);
        trawl_db_free(db);
    }
    /* A factor of 1.2 has one or two steps of 1.1; with each step, more trials of filters pay. */
    assert_in_range(left, 1, 3);
    free(text);
    trawl_patterns_free(patterns);
}

/* Filters scan this text fastest, but take longer to build than an automaton, and a DFA longer than
 * an NFA. */
static void a_short_text_gets_tables_that_are_built_fast(void **state) {
    (void)state;
    enum { SAMPLE = 65536 };
    static const struct {
        uint64_t text_bytes;
        const char *engine;
    } rows[] = {{1000, "ac-nfa"}, {UINT64_C(1) << 40, "qgram"}, {0, "qgram"}};
    trawl_patterns *patterns = numbered(20000, 6);
    char *text = text_of(NULL, SAMPLE);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.sample = text;
    options.sample_length = SAMPLE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        trawl_db *db;
        trawl_db_information information = TRAWL_DB_INFORMATION;
        options.text_bytes = rows[i].text_bytes;
        assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
        (void)trawl_db_info(db, &information, NULL);
        assert_string_equal(information.engine, rows[i].engine);
        trawl_db_free(db);
    }
    free(text);
    trawl_patterns_free(patterns);
}

/* Another engine is named only where it takes the set; the size that is named is enough. */
static void an_engine_by_name_is_refused_with_what_would_do(void **state) {
    (void)state;
    trawl_patterns *patterns = numbered(5000, 6);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "ac-dfa";
    options.variant = "stt";
    trawl_db *db;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_information information = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(db, &information, NULL);
    trawl_db_free(db);
    options.max_table_bytes = information.table_bytes - 1;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_ERROR_LIMIT);
    assert_null(db);
    assert_non_null(strstr(error.message, "engine ac-nfa needs less for this set"));
    options.engine = "ac-nfa";
    options.variant = NULL;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_free(db);
    static const char *const engines[] = {"ac-dfa", "ac-nfa",     "ac-split",
                                          "qgram",  "rabin-karp", "wu-manber"};
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        options.engine = engines[i];
        options.max_table_bytes = 30;
        trawl_status status = TRAWL_ERROR_LIMIT;
        unsigned refusals = 0;
        for (; refusals < 4 && status == TRAWL_ERROR_LIMIT; refusals++) {
            status = trawl_compile(patterns, &options, &db, &error);
            if (status == TRAWL_OK)
                break;
            const char *take = strstr(error.message, " take ");
            assert_non_null(take);
            assert_null(strstr(error.message, "less"));
            options.max_table_bytes = strtoull(take + strlen(" take "), NULL, 10);
        }
        assert_int_equal(status, TRAWL_OK);
        const bool is_exact =
            strcmp(engines[i], "qgram") != 0 && strcmp(engines[i], "wu-manber") != 0;
        assert_true(refusals == 1 || (!is_exact && refusals < 4));
        trawl_db_free(db);
    }
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

/* Passing the built-in costs changes nothing. */
static void built_in_costs_change_nothing(void **state) {
    (void)state;
    trawl_costs costs = TRAWL_COSTS;
    trawl_device_costs device_costs = TRAWL_DEVICE_COSTS;
    assert_int_equal(trawl_study_built_in_costs(&costs, &error), TRAWL_OK);
    assert_int_equal(trawl_study_built_in_device_costs(&device_costs, &error), TRAWL_OK);
    assert_true(costs.teddy > 0 && costs.dfa_step[0] > 0 && device_costs.filter > 0);
    assert_int_equal(trawl_study_built_in_costs(NULL, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_study_built_in_device_costs(NULL, &error), TRAWL_ERROR_ARGUMENT);
    trawl_patterns *patterns = numbered(500, 7);
    trawl_study_compile_options study = TRAWL_STUDY_COMPILE_OPTIONS;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    trawl_db *plain = NULL, *given = NULL;
    assert_int_equal(trawl_compile(patterns, &options, &plain, &error), TRAWL_OK);
    study.costs = &costs;
    study.device_costs = &device_costs;
    options.study = &study;
    assert_int_equal(trawl_compile(patterns, &options, &given, &error), TRAWL_OK);
    trawl_db_information one = TRAWL_DB_INFORMATION, two = TRAWL_DB_INFORMATION;
    (void)trawl_db_info(plain, &one, NULL);
    (void)trawl_db_info(given, &two, NULL);
    assert_string_equal(one.reason, two.reason);
    /* The reason is a sentence with the expected speeds, the chosen engine first. */
    assert_non_null(
        strstr(one.reason, " Expected of one thread, by a text made up of the patterns: "));
    assert_non_null(strstr(one.reason, "ac-dfa "));
    assert_non_null(strstr(one.reason, "wu-manber "));
    trawl_db_free(plain);
    trawl_db_free(given);
    trawl_patterns_free(patterns);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_costs_change_nothing),
        cmocka_unit_test(rare_patterns_get_a_filter_and_frequent_ones_an_automaton),
        cmocka_unit_test(the_callers_costs_decide),
        cmocka_unit_test(frequent_matches_are_priced_as_such),
        cmocka_unit_test(less_memory_gets_smaller_tables),
        cmocka_unit_test(large_tables_must_be_clearly_faster),
        cmocka_unit_test(a_short_text_gets_tables_that_are_built_fast),
        cmocka_unit_test(an_engine_by_name_is_refused_with_what_would_do),
        cmocka_unit_test(nothing_fits_into_nothing),
        cmocka_unit_test(parts_in_parallel_give_up_no_dense_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
