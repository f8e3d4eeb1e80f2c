/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * An open scanner, of texts or of records, allocates nothing, takes no lock and reads no
 * environment: with every engine, variant and match kind, for all its functions, over texts of all
 * lengths, some of them full of matches or of candidates. Opening one survives the failure of any
 * allocation. The linker replaces the functions (--wrap).
 */
#include "faults/watched_calls.h"
#include "run/case_pair.h"
#include "trawl/trawl_groups.h"
#include "trawl/trawl_replace.h"
#include "trawl/trawl_scanner.h"

static random_source source;

static int ignore(const trawl_match *matches, size_t count, void *context) {
    (void)matches;
    (void)count;
    (void)context;
    return 0;
}

static void use(trawl_scanner *scanner, const uint8_t *text, size_t length, uint64_t *counts,
                size_t flow_bytes) {
    trawl_match first;
    uint32_t ids[8];
    (void)trawl_scanner_any(scanner, text, length, NULL);
    (void)trawl_scanner_any(scanner, text, length, &first);
    (void)trawl_scanner_which(scanner, text, length, ids, 8);
    (void)trawl_scanner_count(scanner, text, length, NULL);
    (void)trawl_scanner_count(scanner, text, length, counts);
    (void)trawl_scanner_scan_batches(scanner, text, length, ignore, NULL);
    static uint8_t flow[256];
    assert_true(flow_bytes <= sizeof(flow));
    trawl_flow_start(flow);
    (void)trawl_flow_scan(scanner, flow, text, length / 2, ignore, NULL);
    (void)trawl_flow_count(scanner, flow, text + length / 2, length - length / 2, counts);
    (void)trawl_flow_which(scanner, flow, text, length / 3, ids, 8);
    (void)trawl_flow_finish(scanner, flow, ignore, NULL);
}

/* Bytes of the largest allocation of a scanner of the small sets here. */
#define LARGEST ((size_t)4 << 20)

static int ignore_of_records(const trawl_record_match *matches, size_t count, void *context) {
    (void)matches;
    (void)count;
    (void)context;
    return 0;
}

/* The text as records of 10 bytes, and as spans. */
static void use_records(trawl_record_scanner *scanner, const uint8_t *text, size_t length,
                        uint64_t *per_pattern) {
    enum { MOST = 2000, SIZE = 10 };
    static uint32_t offsets[MOST + 1];
    static uint64_t per_record[MOST];
    static uint8_t found[MOST];
    static trawl_span spans[MOST];
    trawl_records records = TRAWL_RECORDS, views = TRAWL_RECORDS;
    for (size_t at = 0; at + SIZE <= length && records.count < MOST; at += SIZE) {
        spans[records.count] = (trawl_span){.bytes = text + at, .length = SIZE};
        offsets[++records.count] = (uint32_t)(at + SIZE);
    }
    records.bytes = text;
    records.offsets = offsets;
    records.offset_bytes = 4;
    views.count = records.count;
    views.spans = spans;
    for (int round = 0; round < 2; round++) {
        const trawl_records *given = round ? &views : &records;
        trawl_record_counts counts = TRAWL_RECORD_COUNTS;
        counts.per_record = per_record;
        counts.per_pattern = per_pattern;
        (void)trawl_records_any(scanner, given, found, found, NULL, NULL);
        (void)trawl_records_count(scanner, given, &counts, NULL);
        (void)trawl_records_scan(scanner, given, ignore_of_records, NULL, NULL);
    }
}

static int ignore_bytes(const void *bytes, size_t length, void *context) {
    (void)bytes;
    (void)length;
    (void)context;
    return 0;
}

static void use_replacer(trawl_replacer *replacer, const uint8_t *text, size_t length) {
    (void)trawl_replace(replacer, text, length, ignore_bytes, NULL, NULL);
    (void)trawl_replace_into(replacer, text, length, NULL, 0, NULL, NULL);
    trawl_replacer_start(replacer);
    (void)trawl_replacer_write(replacer, text, length / 3, ignore_bytes, NULL);
    (void)trawl_replacer_write(replacer, text + length / 3, length - length / 3, ignore_bytes,
                               NULL);
    (void)trawl_replacer_finish(replacer, ignore_bytes, NULL, NULL);
}

/* Whether a set had groups; conditions and a pair of automata. */
static bool seen_groups, seen_pair_with_conditions;

static void look_at(const trawl_db *db) {
    seen_groups |= trawl_db_has_groups(db);
    seen_pair_with_conditions |= trawl_db_has_conditions(db) && trawl_case_pair_of(db) != NULL;
}

static void check(combination which, const test_case *test, trawl_match_kind kind) {
    combination_failure failure;
    trawl_db *db;
    if (combination_compile(which, test, kind, &db, &failure) != COMBINATION_COMPILED)
        return;
    trawl_scanner *scanner;
    trawl_record_scanner *records;
    trawl_error error;
    uint64_t *counts = calloc(test->count, sizeof(*counts));
    atomic_store(&largest, 0);
    assert_int_equal(trawl_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
    if (atomic_load(&largest) > LARGEST)
        fail_msg("%s/%s, %s: an allocation of %zu bytes", which.engine,
                 which.variant ? which.variant : "-", match_kind_names[kind],
                 atomic_load(&largest));
    assert_int_equal(trawl_record_scanner_open(db, NULL, &records, &error), TRAWL_OK);
    trawl_replacer *replacer = NULL;
    trawl_replace_options replacing = TRAWL_REPLACE_OPTIONS;
    replacing.kind = TRAWL_REPLACE_MASK;
    assert_int_equal(trawl_replacer_open(db, &replacing, &replacer, &error),
                     kind == TRAWL_MATCH_ALL ? TRAWL_ERROR_ARGUMENT : TRAWL_OK);
    watch();
    for (size_t length = 0; length < test->length; length = 2 * length + 1)
        use(scanner, test->text, length, counts, trawl_flow_bytes(db));
    use(scanner, test->text, test->length, counts, trawl_flow_bytes(db));
    use_records(records, test->text, test->length, counts);
    use_replacer(replacer, test->text, test->length);
    assert_nothing_watched(which, kind, false);
    trawl_scanner_close(scanner);
    trawl_record_scanner_close(records);
    trawl_replacer_close(replacer);
    look_at(db);
    free(counts);
    trawl_db_free(db);
}

static void check_all(const test_case *test) {
    for (size_t c = 0; c < combination_count(); c++)
        for (int kind = 0; kind < MATCH_KINDS; kind++)
            check(combination_at(c), test, (trawl_match_kind)kind);
}

/* Nested patterns in both letter cases, some of them in any case (run/case_pair.h). */
static test_case make_letter_cases(size_t length) {
    test_case made = {.name = strdup("letter cases")};
    uint8_t bytes[70];
    memset(bytes, 'a', sizeof(bytes));
    for (size_t count = 1; count <= sizeof(bytes); count++) {
        bytes[count / 2] = count % 3 == 0 ? 'A' : 'a';
        test_case_add_pattern(&made, bytes, count,
                              count % 2 != 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    while (made.length < length)
        test_case_append_text(&made, bytes, sizeof(bytes));
    return made;
}

/* The same with conditions, some of which hold. */
static test_case make_conditions(size_t length) {
    test_case made = make_letter_cases(length);
    trawl_condition conditions[] = {TRAWL_CONDITION, TRAWL_CONDITION, TRAWL_CONDITION};
    conditions[1].right = TRAWL_CLASS_WORD;
    conditions[2].left = TRAWL_CLASS_WORD;
    conditions[2].max_end = length / 2;
    for (size_t id = 0; id < made.count; id++)
        test_case_set_condition(&made, id, &conditions[id % 3]);
    for (size_t at = 50; at < made.length; at += 75)
        made.text[at] = ' ';
    return made;
}

/* Sets with such sums have groups (support/case.c). */
static test_case make_groups(const char *letters, size_t length) {
    enum { COUNT = 60 };
    return random_letters(&source, COUNT, 2, 8, letters, length - length % 3);
}

static void nothing_is_allocated(void **state) {
    (void)state;
    static const char words[] = "abcdefghijklmnopqrstuvwxyz ";
    enum { length = 20000, dense_length = 4000 }; /* dense: up to 35 matches end at a byte */
    test_case cases[] = {random_letters(&source, 6, 2, 5, words, length),
                         random_letters(&source, 100, 4, 12, words, length),
                         random_letters(&source, 300, 5, 9, words, length),
                         random_letters(&source, 40, 12, 20, "acgt", length),
                         random_letters(&source, 20, 3, 3, "acgt", length),
                         random_letters(&source, 30, 1, 20, "a", dense_length),
                         random_letters(&source, 2000, 3, 40, words, length),
                         random_letters(&source, 200, 8, 8, "acgt", length),
                         make_letter_cases(dense_length),
                         make_conditions(dense_length),
                         make_groups(words, dense_length)};
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        check_all(&cases[c]);
        test_case_free(&cases[c]);
    }
    assert_true(seen_groups);
    assert_true(seen_pair_with_conditions);
}

/* Many records with many matches, in arrays that cannot grow. */
static void collect_without_memory(trawl_record_scanner *scanner, const trawl_db *db) {
    enum { COUNT = 40000 };
    static trawl_span spans[COUNT];
    trawl_pattern pattern = TRAWL_PATTERN;
    assert_true(trawl_db_pattern(db, 0, &pattern));
    for (size_t i = 0; i < COUNT; i++)
        spans[i] = (trawl_span){.bytes = pattern.bytes, .length = pattern.length};
    trawl_records records = TRAWL_RECORDS;
    records.count = COUNT;
    records.spans = spans;
    trawl_status status = TRAWL_ERROR_MEMORY;
    for (long n = 0; status != TRAWL_OK; n++) {
        trawl_record_matches matches = {.begin = NULL};
        trawl_error error = {.message = ""};
        atomic_store(&countdown, n);
        status = trawl_records_collect(scanner, &records, &matches, &error);
        atomic_store(&countdown, -1);
        if (status == TRAWL_OK) {
            assert_true(matches.begin[COUNT] >= COUNT);
        } else {
            assert_int_equal(status, TRAWL_ERROR_MEMORY);
            assert_true(error.message[0] != '\0');
        }
        trawl_record_matches_free(&matches);
    }
}

/* A replacer, and many records with a match, whose result cannot grow. */
static void replace_without_memory(const trawl_db *db) {
    enum { COUNT = 4000 };
    static trawl_span spans[COUNT];
    trawl_pattern pattern = TRAWL_PATTERN;
    assert_true(trawl_db_pattern(db, 0, &pattern));
    for (size_t i = 0; i < COUNT; i++)
        spans[i] = (trawl_span){.bytes = pattern.bytes, .length = pattern.length};
    trawl_records records = TRAWL_RECORDS;
    records.count = COUNT;
    records.spans = spans;
    trawl_replace_options options = TRAWL_REPLACE_OPTIONS;
    options.kind = TRAWL_REPLACE_ONE;
    options.one = (trawl_span){.bytes = "a longer replacement", .length = 20};
    trawl_status status = TRAWL_ERROR_MEMORY;
    for (long n = 0; status != TRAWL_OK; n++) {
        trawl_replacer *replacer = (trawl_replacer *)&options;
        trawl_replaced_records result = {.bytes = NULL};
        trawl_error error = {.message = ""};
        atomic_store(&countdown, n);
        status = trawl_replacer_open(db, &options, &replacer, &error);
        if (status == TRAWL_OK)
            status = trawl_records_replace(replacer, &records, &result, NULL, &error);
        else
            assert_null(replacer);
        atomic_store(&countdown, -1);
        if (status == TRAWL_OK) {
            assert_true(result.offsets[COUNT] >= COUNT * 20);
        } else {
            assert_int_equal(status, TRAWL_ERROR_MEMORY);
            assert_true(error.message[0] != '\0');
        }
        trawl_replaced_records_free(&result);
        trawl_replacer_close(replacer);
    }
}

/* With several threads, whose matches are gathered. */
static void open_records_without_memory(const trawl_db *db) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = 2;
    trawl_status status = TRAWL_ERROR_MEMORY;
    for (long n = 0; status != TRAWL_OK; n++) {
        trawl_record_scanner *scanner;
        trawl_error error = {.message = ""};
        atomic_store(&countdown, n);
        status = trawl_record_scanner_open(db, &options, &scanner, &error);
        atomic_store(&countdown, -1);
        if (status != TRAWL_OK) {
            assert_int_equal(status, TRAWL_ERROR_MEMORY);
            assert_null(scanner);
            assert_true(error.message[0] != '\0');
        } else {
            collect_without_memory(scanner, db);
            trawl_record_scanner_close(scanner);
        }
    }
}

static void opening_without_memory(void **state) {
    (void)state;
    test_case test = random_letters(&source, 30, 2, 9, "abcd", 3000);
    for (size_t c = 0; c < combination_count(); c++)
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            combination_failure failure;
            trawl_db *db;
            if (combination_compile(combination_at(c), &test, (trawl_match_kind)kind, &db,
                                    &failure) != COMBINATION_COMPILED)
                continue;
            trawl_status status = TRAWL_ERROR_MEMORY;
            for (long n = 0; status != TRAWL_OK; n++) {
                trawl_scanner *scanner = (trawl_scanner *)&test;
                trawl_error error = {.message = ""};
                atomic_store(&countdown, n);
                status = trawl_scanner_open(db, NULL, &scanner, &error);
                atomic_store(&countdown, -1);
                if (status == TRAWL_OK) {
                    trawl_scanner_close(scanner);
                    break;
                }
                assert_int_equal(status, TRAWL_ERROR_MEMORY);
                assert_null(scanner);
                assert_true(error.message[0] != '\0');
            }
            if (c < 3) /* the scanners inside are those above */
                open_records_without_memory(db);
            if (c < 3 && kind != TRAWL_MATCH_ALL)
                replace_without_memory(db);
            trawl_db_free(db);
        }
    test_case_free(&test);
}

static void wrong_arguments(void **state) {
    (void)state;
    test_case test = random_letters(&source, 3, 2, 5, "abc", 10);
    combination_failure failure;
    trawl_db *db;
    assert_int_equal(combination_compile(combination_at(0), &test, TRAWL_MATCH_ALL, &db, &failure),
                     COMBINATION_COMPILED);
    trawl_scanner *scanner;
    trawl_error error;
    assert_int_equal(trawl_scanner_open(NULL, NULL, &scanner, &error), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_scanner_open(db, NULL, NULL, &error), TRAWL_ERROR_ARGUMENT);
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = 2;
    assert_int_equal(trawl_scanner_open(db, &options, &scanner, &error), TRAWL_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "one thread, not 2"));
    assert_null(scanner);
    assert_int_equal(trawl_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
    assert_int_equal(trawl_scanner_scan(scanner, "abc", 3, NULL, NULL), TRAWL_ERROR_ARGUMENT);
    assert_int_equal(trawl_scanner_scan_batches(scanner, "abc", 3, NULL, NULL),
                     TRAWL_ERROR_ARGUMENT);
    assert_false(trawl_scanner_any(scanner, NULL, 0, NULL));
    trawl_scanner_close(scanner);
    trawl_scanner_close(NULL);
    trawl_db_free(db);
    test_case_free(&test);
}

int main(void) {
    source = random_for_case(random_seed(), 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_allocated),
                                       cmocka_unit_test(opening_without_memory),
                                       cmocka_unit_test(wrong_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
