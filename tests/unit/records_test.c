/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records of all sizes in megabytes of text, on one thread and on several, compared with a scanner
 * that searches record by record. Small texts in random layouts are tested by
 * tests/support/runner_records.c.
 */
#include "random.h"
#include "trawl/trawl_records.h"
#include "trawl/trawl_replace.h"
#include "trawl/trawl_scanner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT = 3000000, RECORDS = 60000, PATTERNS = 60 };

static random_source source;
static uint8_t *text, *twin; /* the same bytes twice */
static uint64_t *offsets;    /* RECORDS + 1 */
static trawl_span *spans;
static size_t count; /* records */

/* Letters, with stretches that are full of matches. */
static void make_text(void) {
    text = malloc(TEXT);
    twin = malloc(TEXT);
    for (size_t i = 0; i < TEXT; i++) {
        bool dense = i / 200000 % 3 == 1;
        text[i] = (uint8_t)("abA01234567890123456789cdefghijklmnop"[random_below(&source,
                                                                                 dense ? 3 : 37)]);
    }
    memcpy(twin, text, TEXT);
}

/* With an engine that is named, some patterns match either case, so that others are verified. */
static trawl_db *make_db(trawl_match_kind kind, const char *engine) {
    trawl_patterns *patterns;
    trawl_error error;
    trawl_db *db;
    assert_int_equal(trawl_patterns_new(&patterns, &error), TRAWL_OK);
    for (size_t id = 0; id < PATTERNS; id++) {
        uint8_t bytes[12];
        size_t length = random_between(&source, 3, sizeof(bytes));
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t) "ab0123cd"[random_below(&source, id % 2 ? 2 : 8)];
        unsigned flags =
            engine != NULL && id % 3 == 0 ? (unsigned)TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        assert_int_equal(trawl_patterns_add(patterns, bytes, length, flags, &error), TRAWL_OK);
    }
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.matches = kind;
    options.engine = engine;
    assert_int_equal(trawl_compile(patterns, &options, &db, &error), TRAWL_OK);
    trawl_patterns_free(patterns);
    return db;
}

/* Records of about `size` bytes. Some spans are adjacent in memory, others are not. */
static void make_records(size_t size) {
    offsets[0] = 0;
    bool in_twin = false;
    size_t often = 2 + random_below(&source, 300);
    for (count = 0; count < RECORDS && offsets[count] < TEXT; count++) {
        size_t length = random_chance(&source, 1, 50) ? random_below(&source, 40000)
                                                      : random_below(&source, 2 * size);
        size_t left = TEXT - (size_t)offsets[count];
        offsets[count + 1] = offsets[count] + (length < left ? length : left);
        in_twin ^= random_chance(&source, 1, often);
        spans[count] = (trawl_span){.bytes = (in_twin ? twin : text) + offsets[count],
                                    .length = length < left ? length : left};
    }
}

static int add_hash(const trawl_record_match *matches, size_t number, void *context) {
    uint64_t *hash = context;
    for (size_t i = 0; i < number; i++) {
        const uint64_t words[] = {matches[i].record, matches[i].start, matches[i].end,
                                  matches[i].pattern};
        for (size_t w = 0; w < 4; w++)
            *hash = (*hash ^ words[w]) * UINT64_C(0x9e3779b97f4a7c15) + (*hash >> 29);
    }
    return 0;
}

typedef struct one_record {
    uint64_t record, count, hash;
} one_record;

static int add_one(const trawl_match *match, void *context) {
    one_record *of = context;
    const trawl_record_match with = {
        .record = of->record, .start = match->start, .end = match->end, .pattern = match->pattern};
    of->count++;
    return add_hash(&with, 1, &of->hash);
}

/* All questions, beside record by record. */
static void check(trawl_db *db, trawl_record_scanner *scanner, const trawl_records *records) {
    trawl_scanner *single;
    trawl_error error = {.message = ""};
    assert_int_equal(trawl_scanner_open(db, NULL, &single, &error), TRAWL_OK);
    uint8_t *bytes = malloc(count), *bits = malloc(count / 8 + 1);
    uint64_t *per_record = malloc(count * sizeof(*per_record)), in_records[PATTERNS], found,
             hash = 0;
    uint64_t wanted_in[PATTERNS] = {0};
    trawl_record_counts counts = TRAWL_RECORD_COUNTS, alone = TRAWL_RECORD_COUNTS;
    uint64_t *per_record_alone = malloc(count * sizeof(*per_record_alone));
    counts.per_record = per_record;
    counts.in_records = in_records;
    alone.per_record = per_record_alone;
    trawl_record_ids ids = {.begin = NULL};
    assert_int_equal(trawl_records_any(scanner, records, bits, bytes, &found, &error), TRAWL_OK);
    assert_int_equal(trawl_records_count(scanner, records, &counts, &error), TRAWL_OK);
    assert_int_equal(trawl_records_count(scanner, records, &alone, &error), TRAWL_OK);
    assert_int_equal(trawl_records_which(scanner, records, &ids, &error), TRAWL_OK);
    assert_int_equal(trawl_records_scan(scanner, records, add_hash, &hash, &error), TRAWL_OK);
    one_record of = {.hash = 0};
    uint64_t total = 0, with = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t seen[PATTERNS];
        size_t length = (size_t)(offsets[i + 1] - offsets[i]);
        length -= length < records->tail ? length : records->tail;
        of.record = i;
        of.count = 0;
        assert_int_equal(trawl_scanner_scan(single, text + offsets[i], length, add_one, &of),
                         TRAWL_OK);
        assert_int_equal(bytes[i], of.count != 0);
        assert_int_equal(bits[i / 8] >> (i % 8) & 1, of.count != 0);
        assert_int_equal(per_record[i], of.count);
        assert_int_equal(per_record_alone[i], of.count);
        size_t which = trawl_scanner_which(single, text + offsets[i], length, seen, PATTERNS);
        assert_int_equal(ids.begin[i + 1] - ids.begin[i], which);
        if (which)
            assert_memory_equal(ids.ids + ids.begin[i], seen, which * sizeof(*seen));
        for (size_t s = 0; s < which; s++)
            wanted_in[seen[s]]++;
        total += of.count;
        with += of.count != 0;
    }
    assert_int_equal(hash, of.hash);
    assert_int_equal(counts.total, total);
    assert_int_equal(alone.total, total);
    assert_int_equal(found, with);
    assert_memory_equal(in_records, wanted_in, sizeof(wanted_in));
    trawl_record_ids_free(&ids);
    trawl_scanner_close(single);
    free(bytes);
    free(bits);
    free(per_record);
    free(per_record_alone);
}

static void check_sizes(trawl_db *db, uint32_t threads) {
    static const size_t sizes[] = {20, 1000, 30000};
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = threads;
    trawl_record_scanner *scanner;
    trawl_error error;
    assert_int_equal(trawl_record_scanner_open(db, &options, &scanner, &error), TRAWL_OK);
    for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        make_records(sizes[s]);
        trawl_records records = TRAWL_RECORDS;
        records.count = count;
        records.bytes = text;
        records.offsets = offsets;
        records.offset_bytes = 8;
        records.tail = threads - 1;
        check(db, scanner, &records);
        trawl_records views = TRAWL_RECORDS;
        views.count = count;
        views.spans = spans;
        check(db, scanner, &views);
    }
    trawl_record_scanner_close(scanner);
}

static void as_record_by_record(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        trawl_db *db = make_db((trawl_match_kind)kind, NULL);
        check_sizes(db, 1);
        check_sizes(db, 3);
        trawl_db_free(db);
    }
}

/* Automata hand their prepared matches over without writing them one by one. */
static void of_an_automaton(void **state) {
    (void)state;
    trawl_db *db = make_db(TRAWL_MATCH_ALL, "ac-dfa");
    check_sizes(db, 1);
    check_sizes(db, 3);
    trawl_db_free(db);
}

static int stop(const trawl_record_match *matches, size_t number, void *context) {
    (void)matches;
    *(size_t *)context += number;
    return *(size_t *)context > 50000;
}

static void threads_can_be_stopped(void **state) {
    (void)state;
    trawl_db *db = make_db(TRAWL_MATCH_ALL, NULL);
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = 4;
    trawl_record_scanner *scanner;
    trawl_error error;
    assert_int_equal(trawl_record_scanner_open(db, &options, &scanner, &error), TRAWL_OK);
    make_records(100);
    trawl_records records = TRAWL_RECORDS;
    records.count = count;
    records.spans = spans;
    for (int round = 0; round < 5; round++) {
        size_t found = 0;
        assert_int_equal(trawl_records_scan(scanner, &records, stop, &found, &error),
                         TRAWL_STOPPED);
        assert_true(found > 50000);
    }
    check(db, scanner, &records);
    trawl_record_scanner_close(scanner);
    trawl_db_free(db);
}

static void expect_refusal(trawl_record_scanner *scanner, const trawl_records *records,
                           const char *sentence) {
    trawl_error error = {.message = ""};
    uint64_t found;
    assert_int_equal(trawl_records_any(scanner, records, NULL, NULL, &found, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, sentence));
}

static int take_matches(const trawl_record_match *matches, size_t number, void *context) {
    (void)matches;
    *(size_t *)context += number;
    return 0;
}

/* All calls refuse these records with this sentence. */
static void expect_refusals(trawl_record_scanner *scanner, const trawl_db *db,
                            const trawl_records *records, const char *sentence) {
    trawl_error error = {.message = ""};
    trawl_record_counts counts = TRAWL_RECORD_COUNTS;
    trawl_record_ids ids = {.begin = NULL};
    trawl_record_matches matches = {.begin = NULL};
    trawl_replaced_records changed = {.bytes = NULL};
    trawl_replace_options options = TRAWL_REPLACE_OPTIONS;
    options.kind = TRAWL_REPLACE_MASK;
    options.mask = '*';
    trawl_replacer *replacer;
    size_t found = 0;
    expect_refusal(scanner, records, sentence);
    assert_int_equal(trawl_records_scan(scanner, records, take_matches, &found, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, sentence));
    assert_int_equal(trawl_records_count(scanner, records, &counts, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, sentence));
    assert_int_equal(trawl_records_which(scanner, records, &ids, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, sentence));
    assert_int_equal(trawl_records_collect(scanner, records, &matches, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, sentence));
    assert_int_equal(trawl_replacer_open(db, &options, &replacer, &error), TRAWL_OK);
    assert_int_equal(trawl_records_replace(replacer, records, &changed, NULL, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, sentence));
    trawl_replacer_close(replacer);
    trawl_replaced_records_free(&changed);
    trawl_record_ids_free(&ids);
    trawl_record_matches_free(&matches);
}

static void no_address(void **state) {
    (void)state;
    trawl_db *db = make_db(TRAWL_MATCH_LEFTMOST_LONGEST, NULL);
    trawl_record_scanner *scanner;
    trawl_error error;
    assert_int_equal(trawl_record_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
    const uint32_t some[] = {0, 0, 4}, wide[] = {0, 0, 1, 0, 0, 0}, none[] = {0, 0, 0};
    trawl_records records = TRAWL_RECORDS;
    records.count = 2;
    records.offsets = some;
    records.offset_bytes = 4;
    expect_refusals(scanner, db, &records, "bytes is NULL");
    records.offsets = wide;
    records.offset_bytes = 8;
    expect_refusals(scanner, db, &records, "bytes is NULL");
    uint64_t found = 7;
    records.offsets = none;
    records.offset_bytes = 4;
    assert_int_equal(trawl_records_any(scanner, &records, NULL, NULL, &found, &error), TRAWL_OK);
    assert_int_equal(found, 0);
    const trawl_span places[] = {{NULL, 0}, {"he", 2}, {NULL, 4}};
    const uint8_t present = 3; /* the last one is absent */
    records = (trawl_records)TRAWL_RECORDS;
    records.count = 3;
    records.spans = places;
    expect_refusals(scanner, db, &records, "record 2 has 4 bytes, but its address is NULL");
    records.valid = &present;
    assert_int_equal(trawl_records_any(scanner, &records, NULL, NULL, &found, &error), TRAWL_OK);
    trawl_record_scanner_close(scanner);
    trawl_db_free(db);
}

static void wrong_arguments(void **state) {
    (void)state;
    trawl_db *db = make_db(TRAWL_MATCH_ALL, NULL);
    trawl_record_scanner *scanner;
    trawl_error error;
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.device = "nonsense";
    assert_int_equal(trawl_record_scanner_open(db, &options, &scanner, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_record_scanner_open(NULL, NULL, &scanner, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_record_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
    trawl_records records = {.size = 0};
    expect_refusal(scanner, &records, "TRAWL_RECORDS");
    expect_refusal(scanner, NULL, "records is NULL");
    records.size = sizeof(records);
    records.count = 3;
    expect_refusal(scanner, &records, "neither");
    const uint32_t back[] = {0, 4, 3, 9};
    records.bytes = "abcdefghi";
    records.offsets = back;
    expect_refusal(scanner, &records, "4 or 8 bytes");
    records.offset_bytes = 4;
    expect_refusal(scanner, &records, "record 1 ends at offset 3, before its beginning at 4");
    records.spans = spans;
    expect_refusal(scanner, &records, "both");
    records.spans = NULL;
    records.count = 1;
    assert_int_equal(trawl_records_scan(scanner, &records, NULL, NULL, &error),
                     TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_records_count(scanner, &records, NULL, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_records_which(scanner, &records, NULL, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_records_collect(scanner, &records, NULL, &error), TRAWL_ERROR_ARGUMENT);
    records = (trawl_records)TRAWL_RECORDS;
    uint64_t found = 7;
    assert_int_equal(trawl_records_any(scanner, &records, NULL, NULL, &found, &error), TRAWL_OK);
    assert_int_equal(found, 0);
    trawl_record_ids ids = {.begin = NULL};
    assert_int_equal(trawl_records_which(scanner, &records, &ids, &error), TRAWL_OK);
    assert_int_equal(ids.begin[0], 0);
    trawl_record_ids_free(&ids);
    trawl_record_ids_free(NULL);
    trawl_record_matches_free(NULL);
    trawl_record_scanner_close(scanner);
    trawl_record_scanner_close(NULL);
    trawl_db_free(db);
}

int main(void) {
    source = random_for_case(random_seed(), 0);
    make_text();
    offsets = malloc((RECORDS + 1) * sizeof(*offsets));
    spans = malloc(RECORDS * sizeof(*spans));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_record_by_record), cmocka_unit_test(of_an_automaton),
        cmocka_unit_test(threads_can_be_stopped), cmocka_unit_test(no_address),
        cmocka_unit_test(wrong_arguments)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(text);
    free(offsets);
    free(spans);
    free(twin);
    return failed;
}
