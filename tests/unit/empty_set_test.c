/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sets without patterns, in calls that the case table (tests/cases/empty.txt) does not make. */
#include "sets.h"
#include "trawl/trawl_conditions.h"
#include "trawl/trawl_groups.h"
#include "trawl/trawl_replace.h"
#include "trawl/trawl_study.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static trawl_error error;

static trawl_db *compiled(const char *engine, trawl_match_kind kind) {
    trawl_db *db;
    trawl_patterns *patterns = set_new();
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.matches = kind;
    uint64_t size;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    assert_int_equal(trawl_compile_size(patterns, &options, &size, &error), TRAWL_OK);
    size_t built;
    assert_non_null(trawl_db_bytes(db, &built));
    assert_int_equal(built, size);
    trawl_patterns_free(patterns);
    return db;
}

static void described(void **state) {
    (void)state;
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        trawl_db *db = compiled(engine.name, TRAWL_MATCH_ALL);
        trawl_db_information about = TRAWL_DB_INFORMATION;
        assert_int_equal(trawl_db_info(db, &about, &error), TRAWL_OK);
        assert_string_equal(about.engine, engine.name);
        assert_int_equal(about.patterns + about.min_length + about.max_length, 0);
        assert_int_equal(about.states + about.table_bytes, 0);
        char *text;
        assert_int_equal(trawl_db_explain(db, &text, &error), TRAWL_OK);
        assert_non_null(strstr(text, "the pattern set is empty"));
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf,"));
        trawl_text_free(text);
        trawl_study_automaton automaton = TRAWL_STUDY_AUTOMATON;
        assert_int_equal(trawl_study_db_automaton(db, 0, &automaton, &error), TRAWL_ERROR_LIMIT);
        trawl_pattern pattern = TRAWL_PATTERN;
        assert_false(trawl_db_pattern(db, 0, &pattern));
        assert_int_equal(trawl_db_groups(db), 0);
        trawl_db_free(db);
    }
}

/* What is wrong with any set is wrong with this one. */
static void options_are_checked(void **state) {
    (void)state;
    trawl_db *db;
    trawl_patterns *patterns = set_new();
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = "abacus";
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_ERROR_ARGUMENT);
    options.engine = "qgram";
    options.variant = "abacus";
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_ERROR_ARGUMENT);
    options.engine = NULL;
    options.variant = "stt";
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_ERROR_ARGUMENT);
    options.variant = NULL;
    options.device = "cuda";
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_db_free(db);
    trawl_patterns_free(patterns);
}

/* Its patterns, none, can be added to another set, and compiled again. */
static void patterns_of_a_database(void **state) {
    (void)state;
    trawl_db *db = compiled(NULL, TRAWL_MATCH_ALL), *again;
    trawl_patterns *patterns = set_new();
    assert_int_equal(trawl_patterns_add_database(patterns, db, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_count(patterns), 0);
    trawl_statistics statistics = TRAWL_STATISTICS;
    assert_int_equal(trawl_patterns_statistics(patterns, &statistics, &error), TRAWL_OK);
    uint8_t members[32] = {1};
    assert_int_equal(trawl_patterns_class(patterns, 9, members, &error), TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, NULL, &again, &error), TRAWL_OK);
    trawl_db_free(again);
    trawl_patterns_free(patterns);
    trawl_db_free(db);
}

static int append(const void *bytes, size_t length, void *context) {
    (void)strncat(context, bytes, length);
    return 0;
}

/* A text comes out as it was, whatever matches would be replaced with. */
static void replacing(void **state) {
    (void)state;
    static const trawl_replace_kind kinds[] = {TRAWL_REPLACE_ONE, TRAWL_REPLACE_EACH,
                                               TRAWL_REPLACE_VALUES, TRAWL_REPLACE_MASK};
    trawl_db *db = compiled("wu-manber", TRAWL_MATCH_LEFTMOST_FIRST);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        trawl_replacer *replacer;
        trawl_replace_options options = TRAWL_REPLACE_OPTIONS;
        char out[64] = "";
        uint64_t replaced;
        options.kind = kinds[i];
        assert_int_equal(trawl_replacer_open(db, &options, &replacer, &error), TRAWL_OK);
        assert_int_equal(trawl_replace(replacer, "he and she", 10, append, out, &replaced),
                         TRAWL_OK);
        assert_int_equal(replaced, 0);
        assert_string_equal(out, "he and she");
        trawl_replacer_close(replacer);
    }
    trawl_db_free(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(described),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(patterns_of_a_database),
        cmocka_unit_test(replacing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
