/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Replacing: wrong arguments, long texts and replacements, several threads, nested values. The
 * results of all functions are tested with the case table and random cases (tests/support). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replace_oracle.h"
#include "trawl/trawl_groups.h"
#include "trawl/trawl_replace.h"
#include "trawl/trawl_study.h"

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

/* The options of a scan, and what they point to, are the caller's: after opening they may be gone.
 * The report is not filled in. */
static void options_are_not_kept(void **state) {
    (void)state;
    static const uint32_t offsets[] = {0, 3, 5};
    trawl_db *db = compile(words, 3, true, TRAWL_MATCH_LEFTMOST_LONGEST);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        char device[] = "cpu";
        trawl_study_scan_report report = TRAWL_STUDY_SCAN_REPORT;
        trawl_study_scan_options study = TRAWL_STUDY_SCAN_OPTIONS;
        trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
        trawl_replace_options options = TRAWL_REPLACE_OPTIONS;
        trawl_replacer *replacer;
        trawl_error error;
        study.report = &report;
        scan.study = &study;
        scan.device = device;
        scan.threads = threads;
        options.scan = &scan;
        options.kind = TRAWL_REPLACE_ONE;
        options.one = (trawl_span){.bytes = "-", .length = 1};
        assert_int_equal(trawl_replacer_open(db, &options, &replacer, &error), TRAWL_OK);
        memset(&report, 1, sizeof report);
        memset(&study, 1, sizeof study);
        memset(&scan, 1, sizeof scan);
        memset(device, '?', sizeof device - 1);
        trawl_records records = TRAWL_RECORDS;
        records.bytes = "sheit";
        records.offsets = offsets;
        records.offset_bytes = sizeof *offsets;
        records.count = 2;
        trawl_replaced_records out = {0};
        assert_int_equal(trawl_records_replace(replacer, &records, &out, NULL, &error), TRAWL_OK);
        assert_int_equal(out.offsets[2], 3);
        assert_memory_equal(out.bytes, "-it", 3);
        trawl_replaced_records_free(&out);
        trawl_replacer_close(replacer);
        for (size_t i = 0; i < sizeof report; i++)
            assert_int_equal(((const uint8_t *)&report)[i], 1);
    }
    trawl_db_free(db);
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

/* Replacements are not searched again: the value of `he` is `hers`, which contains `he`. */
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

/* A long text with many matches, and the expected result. */
typedef struct long_text {
    trawl_db *db;
    trawl_replacer *replacer; /* with three threads */
    char *text;
    replace_oracle oracle;
    byte_list wanted, out;
    uint64_t found;
} long_text;

enum { LONG_LENGTH = 3000000, LONG_RECORD = 7 };

/* Appends what text[begin, begin + length) becomes to of->wanted, and adds to of->found. */
static void expect_part(long_text *of, size_t begin, size_t length) {
    trawl_matches matches;
    assert_int_equal(trawl_collect(of->db, of->text + begin, length, NULL, &matches, NULL),
                     TRAWL_OK);
    of->found += replace_oracle_text(&of->oracle, (const uint8_t *)of->text + begin, length,
                                     matches.items, matches.count, length, &of->wanted);
    trawl_matches_free(&matches);
}

static void check_out(long_text *of, uint64_t replaced) {
    assert_int_equal(replaced, of->found);
    assert_int_equal(of->out.count, of->wanted.count);
    assert_memory_equal(of->out.items, of->wanted.items, of->wanted.count);
    of->out.count = 0;
}

static void check_whole_and_pieces(long_text *of) {
    uint64_t replaced = 0;
    expect_part(of, 0, LONG_LENGTH);
    assert_int_equal(
        trawl_replace(of->replacer, of->text, LONG_LENGTH, receive, &of->out, &replaced), TRAWL_OK);
    check_out(of, replaced);
    for (size_t at = 0, size = 1; at < LONG_LENGTH; at += size, size = 3 * size + 1) {
        size = size < LONG_LENGTH - at ? size : LONG_LENGTH - at;
        assert_int_equal(trawl_replacer_write(of->replacer, of->text + at, size, receive, &of->out),
                         TRAWL_OK);
    }
    assert_int_equal(trawl_replacer_finish(of->replacer, receive, &of->out, &replaced), TRAWL_OK);
    check_out(of, replaced);
}

static void check_records(long_text *of) {
    uint64_t *offsets = malloc((LONG_LENGTH / LONG_RECORD + 2) * sizeof(*offsets)), replaced = 0;
    trawl_records records = TRAWL_RECORDS;
    trawl_replaced_records result = {.bytes = NULL};
    for (size_t at = 0; at <= LONG_LENGTH; at += LONG_RECORD)
        offsets[records.count++] = at;
    records.count--;
    records.bytes = of->text;
    records.offsets = offsets;
    records.offset_bytes = 8;
    of->wanted.count = 0;
    of->found = 0;
    assert_int_equal(trawl_records_replace(of->replacer, &records, &result, &replaced, NULL),
                     TRAWL_OK);
    for (size_t i = 0; i < records.count; i++) {
        assert_int_equal(result.offsets[i], of->wanted.count);
        expect_part(of, offsets[i], LONG_RECORD);
    }
    assert_int_equal(replaced, of->found);
    assert_int_equal(result.offsets[records.count], of->wanted.count);
    assert_memory_equal(result.bytes, of->wanted.items, of->wanted.count);
    trawl_replaced_records_free(&result);
    free(offsets);
}

/* A text and replacements that are longer than every buffer: in one call, in pieces, as records. */
static void long_ones(void **state) {
    (void)state;
    enum { LONG = 5000 };
    long_text of = {.db = compile(words, 3, false, TRAWL_MATCH_LEFTMOST_LONGEST),
                    .text = malloc(LONG_LENGTH)};
    char *longest = malloc(LONG);
    random_source random = {77};
    for (size_t i = 0; i < LONG_LENGTH; i++)
        of.text[i] = "hers ............."[random_below(&random, i < LONG_LENGTH / 2 ? 5 : 18)];
    memset(longest, 'L', LONG);
    memcpy(of.text + LONG_LENGTH - 4, "hers", 4);
    const trawl_span each[] = {{"", 0}, {longest, LONG}, {NULL, 0}};
    trawl_scan_options scan = TRAWL_SCAN_OPTIONS;
    scan.threads = 3;
    of.oracle = (replace_oracle){.options = TRAWL_REPLACE_OPTIONS, .each = (trawl_span *)each};
    of.oracle.options.kind = TRAWL_REPLACE_EACH;
    of.oracle.options.each = each;
    of.oracle.options.scan = &scan;
    assert_int_equal(trawl_replacer_open(of.db, &of.oracle.options, &of.replacer, NULL), TRAWL_OK);
    check_whole_and_pieces(&of);
    check_records(&of);
    trawl_replacer_close(of.replacer);
    byte_list_free(&of.wanted);
    byte_list_free(&of.out);
    trawl_db_free(of.db);
    free(of.text);
    free(longest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(options_are_not_kept),
        cmocka_unit_test(replacements_are_not_searched),
        cmocka_unit_test(long_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
