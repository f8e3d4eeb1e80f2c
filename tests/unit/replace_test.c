/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Replacing: what is refused, long texts and replacements, several threads, nested values.
 * Results of all forms are tested with the case table and random cases (tests/support). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replace_oracle.h"
#include "trawl/trawl_groups.h"
#include "trawl/trawl_replace.h"

static trawl_db *compile(const char *const *words, size_t count, bool values,
                         trawl_match_kind kind) {
    trawl_patterns *set = NULL;
    trawl_db *db = NULL;
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.matches = kind;
    assert_int_equal(trawl_patterns_new(&set, NULL), TRAWL_OK);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(trawl_patterns_add(set, words[i], strlen(words[i]), 0, NULL), TRAWL_OK);
        if (values)
            assert_int_equal(trawl_patterns_value_last(set, words[count - 1 - i],
                                                       strlen(words[count - 1 - i]), NULL),
                             TRAWL_OK);
    }
    assert_int_equal(trawl_compile(set, &options, &db, NULL), TRAWL_OK);
    trawl_patterns_free(set);
    return db;
}

static const char *const words[] = {"he", "she", "hers"};

static int receive(const void *bytes, size_t length, void *context) {
    byte_list_add(context, bytes, length);
    return 0;
}

static void assert_refused(const trawl_db *db, const trawl_replace_options *options,
                           const char *why) {
    trawl_replacer *replacer = (trawl_replacer *)&words;
    trawl_error error;
    assert_int_equal(trawl_replacer_open(db, options, &replacer, &error), TRAWL_ERROR_ARGUMENT);
    assert_null(replacer);
    assert_non_null(strstr(error.message, why));
}

static void wrong_calls_are_refused(void **state) {
    (void)state;
    trawl_replace_options options = TRAWL_REPLACE_OPTIONS;
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    trawl_db *all = compile(words, 3, true, TRAWL_MATCH_ALL);
    trawl_db *plain = compile(words, 3, false, TRAWL_MATCH_LEFTMOST_LONGEST);
    trawl_db *db = compile(words, 3, true, TRAWL_MATCH_LEFTMOST_LONGEST);
    assert_refused(all, NULL, "may overlap");
    assert_refused(plain, NULL, "no pattern of the database has a value");
    options.kind = TRAWL_REPLACE_EACH;
    assert_refused(plain, &options, "NULL");
    options.kind = TRAWL_REPLACE_ONE;
    options.one.length = 1;
    assert_refused(plain, &options, "one.bytes");
    options.kind = (trawl_replace_kind)9;
    assert_refused(plain, &options, "unknown kind of replacement 9");
    options.size = 0;
    assert_refused(plain, &options, "TRAWL_REPLACE_OPTIONS");
    options = (trawl_replace_options)TRAWL_REPLACE_OPTIONS;
    options.scan = &scan;
    scan.size = 0;
    assert_refused(db, &options, "TRAWL_SCAN_OPTIONS");
    trawl_replacer *replacer = NULL;
    byte_list out = {.count = 0};
    assert_int_equal(trawl_replacer_open(NULL, NULL, &replacer, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_replacer_open(db, NULL, NULL, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_replacer_open(db, NULL, &replacer, NULL), TRAWL_OK);
    assert_int_equal(trawl_replace(replacer, "x", 1, NULL, NULL, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_replace(replacer, NULL, 1, receive, &out, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_replace_into(replacer, "x", 1, NULL, 1, NULL, NULL),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_replacer_write(replacer, NULL, 1, receive, &out), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_replacer_finish(replacer, NULL, &out, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_records_replace(replacer, NULL, NULL, NULL, NULL), TRAWL_ERROR_ARGUMENT);
    trawl_records records = TRAWL_RECORDS;
    trawl_replaced_records result = {.bytes = NULL};
    records.count = 3;
    assert_int_equal(trawl_records_replace(replacer, &records, &result, NULL, NULL),
                     TRAWL_ERROR_ARGUMENT);
    trawl_replaced_records_free(&result);
    trawl_replaced_records_free(NULL);
    trawl_replacer_close(replacer);
    trawl_replacer_close(NULL);
    trawl_db_free(db);
    trawl_db_free(plain);
    trawl_db_free(all);
}

/* What is replaced with is not searched: the value of `he` is `hers`, which has `he`. */
static void replacements_are_not_searched(void **state) {
    (void)state;
    trawl_db *db = compile(words, 3, true, TRAWL_MATCH_LEFTMOST_LONGEST);
    trawl_replacer *replacer;
    uint64_t replaced = 0;
    byte_list out = {.count = 0};
    assert_int_equal(trawl_replacer_open(db, NULL, &replacer, NULL), TRAWL_OK);
    assert_int_equal(trawl_replace(replacer, "he, ushers, the", 15, receive, &out, &replaced),
                     TRAWL_OK);
    assert_int_equal(replaced, 3);
    static const char wanted[] = "hers, ushers, thers";
    assert_int_equal(out.count, sizeof(wanted) - 1);
    assert_memory_equal(out.items, wanted, out.count);
    byte_list_free(&out);
    trawl_replacer_close(replacer);
    trawl_db_free(db);
}

/* A text and replacements that are longer than every buffer, at once, in pieces, as records, on one
 * thread and on three. */
static void long_ones(void **state) {
    (void)state;
    enum { LENGTH = 3000000, RECORD = 7, LONG = 200000 };
    trawl_db *db = compile(words, 3, false, TRAWL_MATCH_LEFTMOST_LONGEST);
    char *text = malloc(LENGTH), *longest = malloc(LONG);
    uint64_t *offsets = malloc((LENGTH / RECORD + 2) * sizeof(*offsets)), replaced = 0, found = 0;
    random_source random = {77};
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = "hers ............."[random_below(&random, i < LENGTH / 2 ? 5 : 18)];
    memset(longest, 'L', LONG);
    memcpy(text + LENGTH - 4, "hers", 4);
    const trawl_span each[] = {{"", 0}, {longest, 5000}, {NULL, 0}};
    replace_oracle oracle = {.options = TRAWL_REPLACE_OPTIONS, .each = (trawl_span *)each};
    oracle.options.kind = TRAWL_REPLACE_EACH;
    oracle.options.each = each;
    trawl_matches matches;
    assert_int_equal(trawl_collect(db, text, LENGTH, NULL, &matches, NULL), TRAWL_OK);
    byte_list wanted = {.count = 0}, out = {.count = 0};
    found = replace_oracle_text(&oracle, (const uint8_t *)text, LENGTH, matches.items,
                                matches.count, LENGTH, &wanted);
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    scan.threads = 3;
    oracle.options.scan = &scan;
    trawl_replacer *replacer;
    trawl_error error;
    assert_int_equal(trawl_replacer_open(db, &oracle.options, &replacer, &error), TRAWL_OK);
    assert_int_equal(trawl_replace(replacer, text, LENGTH, receive, &out, &replaced), TRAWL_OK);
    assert_int_equal(replaced, found);
    assert_int_equal(out.count, wanted.count);
    assert_memory_equal(out.items, wanted.items, wanted.count);
    out.count = 0;
    for (size_t at = 0, size = 1; at < LENGTH; at += size, size = 3 * size + 1) {
        size = size < LENGTH - at ? size : LENGTH - at;
        assert_int_equal(trawl_replacer_write(replacer, text + at, size, receive, &out), TRAWL_OK);
    }
    assert_int_equal(trawl_replacer_finish(replacer, receive, &out, &replaced), TRAWL_OK);
    assert_int_equal(replaced, found);
    assert_int_equal(out.count, wanted.count);
    assert_memory_equal(out.items, wanted.items, wanted.count);
    trawl_matches_free(&matches);

    trawl_records records = TRAWL_RECORDS;
    trawl_replaced_records result = {.bytes = NULL};
    for (size_t at = 0; at <= LENGTH; at += RECORD)
        offsets[records.count++] = at;
    records.count--;
    records.bytes = text;
    records.offsets = offsets;
    records.offset_bytes = 8;
    wanted.count = 0;
    found = 0;
    assert_int_equal(trawl_records_replace(replacer, &records, &result, &replaced, &error),
                     TRAWL_OK);
    for (size_t i = 0; i < records.count; i++) {
        assert_int_equal(result.offsets[i], wanted.count);
        assert_int_equal(trawl_collect(db, text + offsets[i], RECORD, NULL, &matches, NULL),
                         TRAWL_OK);
        found += replace_oracle_text(&oracle, (const uint8_t *)text + offsets[i], RECORD,
                                     matches.items, matches.count, RECORD, &wanted);
        trawl_matches_free(&matches);
    }
    assert_int_equal(replaced, found);
    assert_int_equal(result.offsets[records.count], wanted.count);
    assert_memory_equal(result.bytes, wanted.items, wanted.count);
    trawl_replaced_records_free(&result);
    trawl_replacer_close(replacer);
    byte_list_free(&wanted);
    byte_list_free(&out);
    trawl_db_free(db);
    free(text);
    free(longest);
    free(offsets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(replacements_are_not_searched),
        cmocka_unit_test(long_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
