/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Groups and values of patterns: which are refused, what sets and databases return for them, and
 * forged ones. Counts and sets by group are tested with the case table and random cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "database/groups.h"
#include "database/validate.h"
#include "sets.h"
#include "trawl/trawl_conditions.h"
#include "trawl/trawl_groups.h"
#include "trawl/trawl_scanner.h"

static trawl_db *compile(const trawl_patterns *set) {
    trawl_db *db = NULL;
    uint64_t size = 0;
    assert_int_equal(trawl_compile(set, NULL, &db, NULL), TRAWL_OK);
    assert_int_equal(trawl_compile_size(set, NULL, &size, NULL), TRAWL_OK);
    size_t bytes;
    (void)trawl_db_bytes(db, &bytes);
    assert_int_equal(size, bytes);
    return db;
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    trawl_error error;
    trawl_patterns *set = set_new();
    assert_int_equal(trawl_patterns_group_last(set, 1, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "empty"));
    assert_int_equal(trawl_patterns_group_last(NULL, 1, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_patterns_value_last(set, "x", 1, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "empty"));
    set_add(set, "a");
    assert_int_equal(trawl_patterns_value_last(set, NULL, 1, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_patterns_value_last(set, "x", UINT32_MAX, &error), TRAWL_ERROR_LIMIT);
    assert_non_null(strstr(error.message, "4 GiB"));
    trawl_db *db = compile(set);
    assert_false(trawl_db_has_groups(db));
    assert_false(trawl_db_has_values(db));
    assert_int_equal(trawl_db_groups(db), 1);
    assert_int_equal(trawl_db_group_at(db, 0), 0);
    trawl_db_free(db);
    trawl_patterns_free(set);
}

static void assert_pattern(const trawl_pattern *found, uint32_t group, const char *value) {
    assert_int_equal(found->group, group);
    assert_int_equal(found->value == NULL, value == NULL);
    if (value != NULL) {
        assert_int_equal(found->value_length, strlen(value));
        assert_memory_equal(found->value, value, strlen(value) + 1);
    }
}

static void sets_and_databases_tell_both(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *value;
        uint32_t group, index;
    } rows[] = {{"york", "NY", 900, 3},
                {"apple", NULL, 900, 3},
                {"plain", "", 2, 0},
                {"big", "a longer one", 3, 1},
                {"last", NULL, 4, 2}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    trawl_patterns *set = set_new(), *copy = set_new();
    for (uint32_t id = 0; id < ROWS; id++) {
        set_add(set, rows[id].pattern);
        if (rows[id].group != id)
            assert_int_equal(trawl_patterns_group_last(set, rows[id].group, NULL), TRAWL_OK);
        if (rows[id].value != NULL) {
            assert_int_equal(trawl_patterns_value_last(set, "replaced", 8, NULL), TRAWL_OK);
            assert_int_equal(
                trawl_patterns_value_last(set, rows[id].value, strlen(rows[id].value), NULL),
                TRAWL_OK);
        }
    }
    trawl_db *db = compile(set);
    assert_true(trawl_db_has_groups(db));
    assert_true(trawl_db_has_values(db));
    assert_int_equal(trawl_db_groups(db), 4);
    assert_int_equal(trawl_patterns_add_database(copy, db, NULL), TRAWL_OK);
    for (uint32_t id = 0; id < ROWS; id++) {
        trawl_pattern pattern = TRAWL_PATTERN;
        assert_true(trawl_patterns_get(set, id, &pattern));
        assert_pattern(&pattern, rows[id].group, rows[id].value);
        assert_true(trawl_patterns_get(copy, id, &pattern));
        assert_pattern(&pattern, rows[id].group, rows[id].value);
        assert_true(trawl_db_pattern(db, id, &pattern));
        assert_pattern(&pattern, rows[id].group, rows[id].value);
        assert_int_equal(trawl_db_group(db, id), rows[id].group);
        assert_int_equal(trawl_db_group_index(db, id), rows[id].index);
        assert_int_equal(trawl_db_group_at(db, rows[id].index), rows[id].group);
    }
    const uint64_t per_pattern[ROWS] = {1, 2, 4, 8, 16};
    const uint64_t wanted[] = {4, 8, 16, 3};
    uint64_t sums[4] = {77};
    trawl_db_sum_groups(db, per_pattern, sums);
    assert_memory_equal(sums, wanted, sizeof sums);
    trawl_db_free(db);
    trawl_patterns_free(copy);
    trawl_patterns_free(set);
}

static void which_reports_groups_once(void **state) {
    (void)state;
    trawl_patterns *set = set_new();
    static const char *const words[] = {"he", "she", "hers"};
    for (size_t i = 0; i < 3; i++) {
        set_add(set, words[i]);
        assert_int_equal(trawl_patterns_group_last(set, i == 1 ? 4000000000 : 7, NULL), TRAWL_OK);
    }
    trawl_db *db = compile(set);
    trawl_scanner *scanner;
    uint32_t ids[3];
    assert_int_equal(trawl_scanner_open(db, NULL, &scanner, NULL), TRAWL_OK);
    assert_int_equal(trawl_scanner_which(scanner, "ushers", 6, ids, 3), 2);
    assert_int_equal(ids[0], 4000000000);
    assert_int_equal(ids[1], 7);
    trawl_scanner_close(scanner);
    trawl_db_free(db);
    trawl_patterns_free(set);
}

/* A value may be copied from another pattern of the same set, although its memory moves when the
 * set grows. */
static void values_may_be_copied_inside_a_set(void **state) {
    (void)state;
    trawl_patterns *set = set_new();
    trawl_pattern pattern = TRAWL_PATTERN;
    set_add(set, "first");
    assert_int_equal(trawl_patterns_value_last(set, "of the first", 12, NULL), TRAWL_OK);
    for (uint32_t id = 1; id < 300; id++) {
        set_add(set, "next");
        assert_true(trawl_patterns_get(set, id - 1, &pattern));
        assert_int_equal(trawl_patterns_value_last(set, pattern.value, pattern.value_length, NULL),
                         TRAWL_OK);
    }
    assert_true(trawl_patterns_get(set, 299, &pattern));
    assert_pattern(&pattern, 299, "of the first");
    trawl_patterns_free(set);
}

/* ------------------------------------------------------------------ forged databases */

static void *section(uint8_t *block, trawl_section_kind kind, trawl_section **entry) {
    trawl_image_header *header = (trawl_image_header *)block;
    trawl_section *sections = (trawl_section *)(header + 1);
    for (uint32_t i = 0; i < header->section_count; i++) {
        if (sections[i].kind == (uint32_t)kind) {
            if (entry != NULL)
                *entry = &sections[i];
            return block + sections[i].offset;
        }
    }
    fail_msg("section %d is missing", (int)kind);
    return NULL;
}

enum { FORGERIES = 9 };

/* Changes the block; every change alone makes it unsound. */
static void forge(uint8_t *block, int which) {
    trawl_section *entry = NULL;
    uint32_t *of = section(block, TRAWL_SECTION_PATTERN_GROUP, NULL);
    uint32_t *ids = section(block, TRAWL_SECTION_GROUP_IDS, NULL);
    uint32_t *offsets = section(block, TRAWL_SECTION_VALUE_OFFSETS, NULL);
    uint8_t *values = section(block, TRAWL_SECTION_VALUES, NULL);
    if (which == 0) {
        of[2] = 2;
    } else if (which == 1) {
        ids[1] = ids[0];
    } else if (which == 2) {
        (void)section(block, TRAWL_SECTION_GROUP_IDS, &entry);
        entry->size = 4;
    } else if (which == 3) {
        (void)section(block, TRAWL_SECTION_PATTERN_GROUP, &entry);
        entry->size = 8;
    } else if (which == 4) {
        (void)section(block, TRAWL_SECTION_PATTERN_GROUP, &entry);
        entry->kind = 4000;
    } else if (which == 5) {
        values[offsets[1] - 1] = 'x';
    } else if (which == 6) {
        offsets[1] = offsets[3] + 1;
    } else if (which == 7) {
        (void)section(block, TRAWL_SECTION_VALUES, &entry);
        entry->kind = 4000;
    } else {
        (void)section(block, TRAWL_SECTION_VALUE_OFFSETS, &entry);
        entry->size -= 4;
    }
}

static void forged_ones_are_refused(void **state) {
    (void)state;
    trawl_patterns *set = set_new();
    static const char *const words[] = {"he", "she", "hers"};
    for (size_t i = 0; i < 3; i++) {
        set_add(set, words[i]);
        assert_int_equal(trawl_patterns_group_last(set, i == 1 ? 9 : 5, NULL), TRAWL_OK);
        assert_int_equal(trawl_patterns_value_last(set, words[i], i, NULL), TRAWL_OK);
    }
    trawl_db *db = compile(set), *loaded = NULL;
    trawl_error error;
    size_t size;
    const void *bytes = trawl_db_bytes(db, &size);
    for (int which = -1; which < FORGERIES; which++) {
        uint8_t *block = malloc(size);
        assert_non_null(block);
        memcpy(block, bytes, size);
        if (which >= 0)
            forge(block, which);
        ((trawl_image_header *)block)->checksum = trawl_block_checksum(block, size);
        trawl_status status = trawl_db_load_memory(block, size, &loaded, &error);
        assert_int_equal(status, which < 0 ? TRAWL_OK : TRAWL_ERROR_FORMAT);
        if (which >= 0)
            assert_non_null(strstr(error.message, "groups or values"));
        trawl_db_free(loaded);
        free(block);
    }
    trawl_db_free(db);
    trawl_patterns_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(sets_and_databases_tell_both),
        cmocka_unit_test(which_reports_groups_once),
        cmocka_unit_test(values_may_be_copied_inside_a_set),
        cmocka_unit_test(forged_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
