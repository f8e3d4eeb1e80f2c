/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Conditions of patterns: which are refused, what sets and databases return for them, and forged
 * ones. Their effect on matches is tested with the case table and random cases (tests/property). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting_sink.h"
#include "database/conditions.h"
#include "database/engine.h"
#include "scan/contract.h"
#include "seal.h"
#include "sets.h"
#include "trawl/trawl_conditions.h"
#include "trawl/trawl_scanner.h"

static trawl_db *compile(const trawl_patterns *set) {
    trawl_db *db = NULL;
    assert_int_equal(trawl_compile(set, NULL, &db, NULL), TRAWL_OK);
    return db;
}

static void wrong_conditions_are_refused(void **state) {
    (void)state;
    trawl_error error;
    trawl_condition condition = TRAWL_CONDITION, unsized = {.size = 0};
    trawl_patterns *set = set_new();
    uint8_t members[32] = {1};
    assert_int_equal(trawl_patterns_condition_last(set, &condition, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "empty"));
    assert_int_equal(trawl_patterns_condition_last(NULL, &condition, NULL), TRAWL_ERROR_ARGUMENT);
    set_add(set, "a");
    assert_int_equal(trawl_patterns_condition_last(set, &unsized, &error), TRAWL_ERROR_ARGUMENT);
    condition.left = TRAWL_CLASS_OWN;
    assert_int_equal(trawl_patterns_condition_last(set, &condition, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "class 8"));
    condition.left = 99;
    assert_int_equal(trawl_patterns_condition_last(set, &condition, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_patterns_class(set, 7, members, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_patterns_class(set, 16, members, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_patterns_class(set, 8, NULL, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_patterns_class(set, 8, members, NULL), TRAWL_OK);
    assert_int_equal(trawl_patterns_class(set, 8, members, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "twice"));
    condition.left = TRAWL_CLASS_OWN;
    assert_int_equal(trawl_patterns_condition_last(set, &condition, NULL), TRAWL_OK);
    trawl_patterns_free(set);
}

static void sets_and_databases_tell_conditions(void **state) {
    (void)state;
    trawl_condition condition = TRAWL_CONDITION, found = TRAWL_CONDITION;
    trawl_patterns *set = set_new(), *copy = set_new();
    uint8_t members[32] = {[12] = 0x22}, read[32]; /* a and e */
    assert_int_equal(trawl_patterns_class(set, 9, members, NULL), TRAWL_OK);
    set_add(set, "plain");
    set_add(set, "bounded");
    condition.left = TRAWL_CLASS_LABEL;
    condition.right = 9;
    condition.min_start = 3;
    condition.max_end = UINT64_C(1) << 40;
    condition.at_end = true;
    assert_int_equal(trawl_patterns_condition_last(set, &condition, NULL), TRAWL_OK);
    set_add(set, "plain again");
    assert_false(trawl_patterns_condition(set, 0, &found));
    assert_true(trawl_patterns_condition(set, 1, &found));
    assert_memory_equal(&found, &condition, sizeof found);
    assert_false(trawl_patterns_condition(set, 2, &found));
    assert_false(trawl_patterns_condition(set, 3, &found));

    trawl_db *db = compile(set);
    assert_true(trawl_db_has_conditions(db));
    assert_false(trawl_db_condition(db, 0, &found));
    assert_true(trawl_db_condition(db, 1, &found));
    assert_memory_equal(&found, &condition, sizeof found);
    assert_true(trawl_db_class(db, 9, read));
    assert_memory_equal(read, members, sizeof read);
    assert_true(trawl_db_class(db, TRAWL_CLASS_LABEL, read));
    assert_int_equal(read['-' / 8] >> '-' % 8 & 1, 1);
    assert_int_equal(read['_' / 8] >> '_' % 8 & 1, 0);
    assert_false(trawl_db_class(db, 0, read));

    assert_int_equal(trawl_patterns_add_database(copy, db, NULL), TRAWL_OK);
    assert_true(trawl_patterns_condition(copy, 1, &found));
    assert_memory_equal(&found, &condition, sizeof found);
    assert_int_equal(trawl_patterns_add_database(copy, db, NULL), TRAWL_ERROR_ARGUMENT);
    trawl_db_free(db);
    trawl_patterns_free(copy);
    trawl_patterns_free(set);
}

/* A condition that has been removed, or that demands nothing, leaves a database without
 * conditions. */
static void conditions_can_be_taken_back(void **state) {
    (void)state;
    trawl_condition condition = TRAWL_CONDITION;
    trawl_patterns *set = set_new();
    set_add(set, "a");
    condition.at_start = true;
    assert_int_equal(trawl_patterns_condition_last(set, &condition, NULL), TRAWL_OK);
    assert_int_equal(trawl_patterns_condition_last(set, NULL, NULL), TRAWL_OK);
    set_add(set, "b");
    condition.at_start = false;
    assert_int_equal(trawl_patterns_condition_last(set, &condition, NULL), TRAWL_OK);
    trawl_db *db = compile(set);
    assert_false(trawl_db_has_conditions(db));
    trawl_db_free(db);
    trawl_patterns_free(set);
}

static void many_different_conditions_are_kept(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    trawl_patterns *set = set_new();
    for (unsigned i = 0; i < COUNT; i++) {
        trawl_condition condition = TRAWL_CONDITION;
        char text[16];
        (void)snprintf(text, sizeof text, "p%u", i);
        set_add(set, text);
        condition.min_start = i % 3 == 0 ? 0 : i;
        assert_int_equal(trawl_patterns_condition_last(set, &condition, NULL), TRAWL_OK);
    }
    trawl_db *db = compile(set);
    for (uint32_t i = 0; i < COUNT; i++) {
        trawl_condition found = TRAWL_CONDITION;
        assert_int_equal(trawl_db_condition(db, i, &found), i % 3 != 0);
        assert_int_equal(found.min_start, i % 3 == 0 ? 0 : i);
    }
    trawl_db_free(db);
    trawl_patterns_free(set);
}

/* Overwrites one byte of a section and loads the block. */
static trawl_status load_forged(const trawl_db *db, trawl_section_kind kind, size_t at,
                                uint8_t value) {
    uint64_t size = 0;
    const uint8_t *section = trawl_db_section(db, kind, 0, &size);
    assert_non_null(section);
    assert_true(at < size);
    uint8_t *block = malloc(db->size);
    memcpy(block, db->block, db->size);
    block[(size_t)(section - db->block) + at] = value;
    seal_block(block, db->size);
    trawl_db *loaded = NULL;
    trawl_status status = trawl_db_load_memory(block, db->size, &loaded, NULL);
    trawl_db_free(loaded);
    free(block);
    return status;
}

static void forged_conditions_are_refused(void **state) {
    (void)state;
    trawl_condition condition = TRAWL_CONDITION;
    trawl_patterns *set = set_new();
    set_add(set, "a");
    condition.left = TRAWL_CLASS_WORD;
    assert_int_equal(trawl_patterns_condition_last(set, &condition, NULL), TRAWL_OK);
    trawl_db *db = compile(set);
    size_t left = sizeof(trawl_condition_record) + offsetof(trawl_condition_record, left);
    size_t at_end = offsetof(trawl_condition_record, at_end);
    assert_int_equal(load_forged(db, TRAWL_SECTION_CONDITIONS, left, 4), TRAWL_OK);
    assert_int_equal(load_forged(db, TRAWL_SECTION_CONDITIONS, left, 3), TRAWL_ERROR_FORMAT);
    assert_int_equal(load_forged(db, TRAWL_SECTION_CONDITIONS, left, 0), TRAWL_ERROR_FORMAT);
    assert_int_equal(load_forged(db, TRAWL_SECTION_CONDITIONS, at_end, 2), TRAWL_ERROR_FORMAT);
    assert_int_equal(load_forged(db, TRAWL_SECTION_PATTERN_CONDITION, 0, 2), TRAWL_ERROR_FORMAT);
    assert_int_equal(load_forged(db, TRAWL_SECTION_CONDITION_CLASSES, 40, 1), TRAWL_OK);
    assert_int_equal(load_forged(db, TRAWL_SECTION_KEY_GATE, 0, 2), TRAWL_ERROR_FORMAT);
    trawl_db_free(db);
    trawl_patterns_free(set);
}

static int count_flow(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    ((trawl_matches *)context)->count += count;
    return 0;
}

/* The patterns a, aa, ... with boundaries: 300 keys end at each position of a long word. For whole
 * words, walkers report only the keys at the end of the word; with left boundaries alone, only ends
 * at which the longest key still begins with the word. */
static void pass_over_ends(uint8_t right, size_t word_ends) {
    enum { PATTERNS = 300, LENGTH = 5000, MOST_PARTS = 8 };
    char text[LENGTH];
    memset(text, 'a', sizeof text);
    text[LENGTH / 2] = ' ';
    trawl_condition word = TRAWL_CONDITION;
    word.left = TRAWL_CLASS_WORD;
    word.right = right;
    trawl_patterns *set = set_new();
    for (size_t i = 1; i <= PATTERNS; i++) {
        assert_int_equal(trawl_patterns_add(set, text, i, 0, NULL), TRAWL_OK);
        assert_int_equal(trawl_patterns_condition_last(set, &word, NULL), TRAWL_OK);
    }
    trawl_engine_description engine = TRAWL_ENGINE_DESCRIPTION;
    for (size_t i = 0; trawl_engine_describe(i, &engine); i++) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        trawl_scan_settings settings = {.threads = 1};
        trawl_db *db = NULL;
        trawl_walker *walker = NULL;
        options.engine = engine.name;
        assert_int_equal(trawl_compile(set, &options, &db, NULL), TRAWL_OK);
        const trawl_walker_type *type = db->engine->walker;
        assert_int_equal(type->open(db, &settings, &walker, NULL), TRAWL_OK);
        counting_sink counted = {.sink = {.capacity = 64, .flush = count_reported}};
        counted.sink.matches = counted.room;
        trawl_window window = {.text = (const uint8_t *)text, .length = LENGTH, .one_text = true};
        assert_int_equal(type->scan(walker, &window, &counted.sink, NULL), TRAWL_OK);
        assert_int_equal(count_reported(&counted.sink), TRAWL_OK);
        if (counted.reported > (size_t)PATTERNS * word_ends * MOST_PARTS) {
            fail_msg("%s: %zu matches", engine.name, counted.reported);
        }
        type->close(walker);
        trawl_db_free(db);
    }
    trawl_patterns_free(set);
}

static void walkers_pass_over_ends_within_words(void **state) {
    (void)state;
    pass_over_ends(TRAWL_CLASS_WORD, 2);
}

static void walkers_pass_over_starts_within_words(void **state) {
    (void)state;
    pass_over_ends(TRAWL_CLASS_NONE, 2 * 300);
}

/* Scanners, flows and records pass over these ends too, so their time is bounded. */
static void short_texts_pass_over_them_too(void **state) {
    (void)state;
    enum { PATTERNS = 2000, LENGTH = 200000 };
    char *text = malloc(LENGTH);
    memset(text, 'a', LENGTH);
    for (int side = 0; side < 2; side++) {
        trawl_condition word = TRAWL_CONDITION;
        word.left = side == 0 ? TRAWL_CLASS_WORD : TRAWL_CLASS_NONE;
        word.right = side == 1 ? TRAWL_CLASS_WORD : TRAWL_CLASS_NONE;
        trawl_patterns *set = set_new();
        for (size_t i = 1; i <= PATTERNS; i++) {
            assert_int_equal(trawl_patterns_add(set, text, i, 0, NULL), TRAWL_OK);
            assert_int_equal(trawl_patterns_condition_last(set, &word, NULL), TRAWL_OK);
        }
        trawl_db *db = compile(set);
        trawl_scanner *scanner;
        assert_int_equal(trawl_scanner_open(db, NULL, &scanner, NULL), TRAWL_OK);
        assert_int_equal(trawl_scanner_count(scanner, text, LENGTH, NULL), PATTERNS);
        void *flow = malloc(trawl_flow_bytes(db));
        trawl_flow_start(flow);
        uint64_t found = 0;
        trawl_matches last = {.items = NULL};
        for (size_t at = 0; at < LENGTH; at += LENGTH / 10)
            found += trawl_flow_count(scanner, flow, text + at, LENGTH / 10, NULL);
        assert_int_equal(trawl_flow_finish(scanner, flow, count_flow, &last), TRAWL_OK);
        assert_int_equal(found + last.count, PATTERNS);
        free(flow);
        trawl_scanner_close(scanner);
        trawl_db_free(db);
        trawl_patterns_free(set);
    }
    free(text);
}

/* A copy of a database's patterns has the classes that were defined, and no others. */
static void copies_define_no_further_classes(void **state) {
    (void)state;
    trawl_error error;
    trawl_patterns *patterns = NULL, *copy = NULL;
    trawl_db *db = NULL;
    uint8_t members[32] = {2};
    trawl_condition condition = TRAWL_CONDITION;
    condition.left = TRAWL_CLASS_OWN;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_class(patterns, TRAWL_CLASS_OWN, members, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add(patterns, "ab", 2, 0, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_condition_last(patterns, &condition, &error), TRAWL_OK);
    assert_int_equal(trawl_compile(patterns, NULL, &db, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_new(&copy, &error), TRAWL_OK);
    assert_int_equal(trawl_patterns_add_database(copy, db, &error), TRAWL_OK);
    condition.left = TRAWL_CLASS_OWN + 4;
    assert_int_equal(trawl_patterns_condition_last(copy, &condition, &error), TRAWL_ERROR_ARGUMENT);
    members[0] = 4;
    assert_int_equal(trawl_patterns_class(copy, TRAWL_CLASS_OWN + 1, members, &error), TRAWL_OK);
    trawl_patterns_free(copy);
    trawl_patterns_free(patterns);
    trawl_db_free(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_conditions_are_refused),
        cmocka_unit_test(sets_and_databases_tell_conditions),
        cmocka_unit_test(conditions_can_be_taken_back),
        cmocka_unit_test(many_different_conditions_are_kept),
        cmocka_unit_test(forged_conditions_are_refused),
        cmocka_unit_test(walkers_pass_over_ends_within_words),
        cmocka_unit_test(walkers_pass_over_starts_within_words),
        cmocka_unit_test(short_texts_pass_over_them_too),
        cmocka_unit_test(copies_define_no_further_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
