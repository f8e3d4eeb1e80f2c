/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Rows in device memory: for every engine, kernel, form and layout, the result is what the oracle
 * finds in each row, and what the CPU's records find, or an overflow with the size that is needed.
 */
#include "generate.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "gpu/rows_case.h"
#include "trawl/trawl_records.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUARD = 64, POISON = 0xa5, ZONES = 6, ROWS_FORMS = TRAWL_CUDA_ROWS_MATCHES + 1 };

static trawl_error error;
static size_t searched, overflowed, refused;

/* ------------------------------------------------------------------ device memory */

/* A result in device memory, with room behind it that must not be written, and its image. */
typedef struct zone {
    uint8_t *device, *image;
    size_t bytes;
} zone;

static void *zone_make(zone *made, size_t bytes) {
    made->bytes = bytes;
    made->device = device_allocate(bytes + GUARD);
    made->image = malloc(bytes + GUARD);
    assert_true(made->device && made->image);
    assert_true(device_fill(made->device, POISON, bytes + GUARD, NULL) && device_wait(NULL));
    return made->device;
}

static void zone_read(zone *read, void *stream) {
    if (!device_read(read->image, read->device, read->bytes + GUARD, stream))
        fail_msg("a search of rows: %s", device_complaint());
    for (size_t i = 0; i < GUARD; i++)
        if (read->image[read->bytes + i] != POISON)
            fail_msg("wrote behind a result of %zu bytes", read->bytes);
}

static void zone_free(zone *freed) {
    device_release(freed->device);
    free(freed->image);
}

/* ------------------------------------------------------------------ one search */

typedef struct rows_search {
    const rows_case *rows;
    const trawl_cuda_db *uploaded;
    trawl_cuda_rows_options options;
    trawl_cuda_row_results results;
    const char *what; /* engine and kernel */
    void *stream;
    zone summary, workspace, zones[ZONES];
} rows_search;

/* The numbers in the image of a zone. */
static uint64_t *words(const rows_search *of, size_t index) {
    return (uint64_t *)of->zones[index].image;
}

static void make_results(rows_search *of) {
    const rows_case *rows = of->rows;
    size_t counter = sizeof(uint64_t);
    trawl_cuda_row_results *results = &of->results;
    results->summary = zone_make(&of->summary, sizeof(trawl_cuda_rows_summary));
    switch (of->options.form) {
    case TRAWL_CUDA_ROWS_ANY:
        results->bits = zone_make(&of->zones[0], (rows->count + 31) / 32 * 4);
        results->found = zone_make(&of->zones[1], rows->count);
        break;
    case TRAWL_CUDA_ROWS_COUNT:
        results->per_row = zone_make(&of->zones[0], rows->count * counter);
        results->per_pattern = zone_make(&of->zones[1], rows->test->count * counter);
        results->per_group = zone_make(&of->zones[2], rows->group_count * counter);
        break;
    case TRAWL_CUDA_ROWS_WHICH:
        results->begin = zone_make(&of->zones[0], (rows->count + 1) * counter);
        results->ids = zone_make(&of->zones[1], (size_t)results->capacity * sizeof(uint32_t));
        results->in_rows = zone_make(&of->zones[2], rows->group_count * counter);
        break;
    case TRAWL_CUDA_ROWS_MATCHES:
        results->begin = zone_make(&of->zones[0], (rows->count + 1) * counter);
        results->matches =
            zone_make(&of->zones[1], (size_t)results->capacity * sizeof(trawl_cuda_match));
        break;
    }
}

static void free_results(rows_search *of) {
    zone_free(&of->summary);
    zone_free(&of->workspace);
    for (size_t i = 0; i < ZONES; i++)
        zone_free(&of->zones[i]);
}

static trawl_cuda_rows_summary read_results(rows_search *of) {
    trawl_cuda_rows_summary summary;
    zone_read(&of->summary, of->stream);
    memcpy(&summary, of->summary.image, sizeof(summary));
    zone_read(&of->workspace, of->stream);
    for (size_t i = 0; i < ZONES; i++)
        if (of->zones[i].device)
            zone_read(&of->zones[i], of->stream);
    return summary;
}

/* ------------------------------------------------------------------ comparing */

static void expect_number(const rows_search *of, const char *name, size_t index, uint64_t found,
                          uint64_t wanted) {
    const trawl_cuda_rows *rows = &of->rows->rows;
    if (found != wanted)
        fail_msg("%s, kind %d, form %d, pieces of %llu: %s[%zu] is %llu instead of %llu (%llu rows "
                 "in %llu "
                 "to %llu, offsets of %u, tail %u%s)",
                 of->what, (int)of->rows->kind, (int)of->options.form,
                 (unsigned long long)of->options.piece_bytes, name, index,
                 (unsigned long long)found, (unsigned long long)wanted,
                 (unsigned long long)rows->count, (unsigned long long)rows->begin,
                 (unsigned long long)rows->end, rows->offset_bytes, rows->tail,
                 rows->valid ? ", nulls" : "");
}

static size_t compare_any(const rows_search *of) {
    const rows_case *rows = of->rows;
    size_t total = 0;
    for (size_t i = 0; i < (rows->count + 31) / 32 * 32; i++) {
        bool wanted = i < rows->count && rows->begin[i] != rows->begin[i + 1];
        uint32_t word;
        memcpy(&word, of->zones[0].image + i / 32 * 4, sizeof(word));
        expect_number(of, "bits", i, word >> (i % 32) & 1, wanted);
        if (i < rows->count)
            expect_number(of, "found", i, of->zones[1].image[i], wanted);
        total += wanted;
    }
    return total;
}

static size_t compare_counts(const rows_search *of) {
    const rows_case *rows = of->rows;
    uint64_t *per_pattern = calloc(rows->test->count + rows->group_count, sizeof(*per_pattern));
    uint64_t *per_group = per_pattern + rows->test->count;
    for (size_t i = 0; i < rows->count; i++)
        expect_number(of, "per_row", i, words(of, 0)[i], rows->begin[i + 1] - rows->begin[i]);
    for (size_t m = 0; m < rows->matches.count; m++) {
        per_pattern[rows->matches.items[m].pattern]++;
        per_group[rows->groups[rows->matches.items[m].pattern]]++;
    }
    for (size_t i = 0; i < rows->test->count; i++)
        expect_number(of, "per_pattern", i, words(of, 1)[i], per_pattern[i]);
    for (size_t i = 0; i < rows->group_count; i++)
        expect_number(of, "per_group", i, words(of, 2)[i], per_group[i]);
    free(per_pattern);
    return rows->matches.count;
}

static size_t compare_ids(const rows_search *of) {
    const rows_case *rows = of->rows;
    const uint32_t *ids = (const uint32_t *)of->zones[1].image;
    uint64_t *in_rows = calloc(rows->group_count, sizeof(*in_rows));
    size_t total = 0;
    for (size_t i = 0; i < rows->count; i++) {
        expect_number(of, "begin", i, words(of, 0)[i], total);
        for (size_t m = rows->begin[i]; m < rows->begin[i + 1]; m++) {
            uint32_t pattern = rows->matches.items[m].pattern;
            if (!rows_case_is_first(rows, i, m))
                continue;
            if (total < of->results.capacity)
                expect_number(of, "ids", total, ids[total], rows->ids[pattern]);
            in_rows[rows->groups[pattern]]++;
            total++;
        }
    }
    expect_number(of, "begin", rows->count, words(of, 0)[rows->count], total);
    for (size_t i = 0; i < rows->group_count; i++)
        expect_number(of, "in_rows", i, words(of, 2)[i], in_rows[i]);
    free(in_rows);
    return total;
}

static size_t compare_matches(const rows_search *of) {
    const rows_case *rows = of->rows;
    const trawl_cuda_match *found = (const trawl_cuda_match *)of->zones[1].image;
    for (size_t i = 0; i <= rows->count; i++)
        expect_number(of, "begin", i, words(of, 0)[i], rows->begin[i]);
    for (size_t m = 0; m < rows->matches.count && m < of->results.capacity; m++) {
        const trawl_match *wanted = &rows->matches.items[m];
        expect_number(of, "matches.end", m, found[m].end, wanted->end);
        expect_number(of, "matches.length", m, found[m].length, wanted->end - wanted->start);
        expect_number(of, "matches.pattern", m, found[m].pattern, wanted->pattern);
    }
    return rows->matches.count;
}

/* Most occurrences of a piece. Of leftmost kinds kernels may report fewer. */
static uint64_t most_of_a_piece(const rows_search *of) {
    uint64_t piece = of->options.piece_bytes ? of->options.piece_bytes : UINT64_MAX;
    bool selects = of->rows->kind != TRAWL_MATCH_ALL && of->options.form != TRAWL_CUDA_ROWS_ANY;
    return rows_case_most(of->rows, piece, selects);
}

static void compare(const rows_search *of, const trawl_cuda_rows_summary *summary) {
    uint64_t most = most_of_a_piece(of), room = of->options.piece_matches;
    expect_number(of, "bad_row", 0, summary->bad_row, UINT64_MAX);
    if (of->rows->kind == TRAWL_MATCH_ALL || summary->piece_matches > most)
        expect_number(of, "piece_matches", 0, summary->piece_matches, most);
    expect_number(of, "piece_room", 0, summary->piece_room, room);
    if (summary->piece_matches > room) {
        overflowed++;
        return;
    }
    size_t total = of->options.form == TRAWL_CUDA_ROWS_ANY     ? compare_any(of)
                   : of->options.form == TRAWL_CUDA_ROWS_COUNT ? compare_counts(of)
                   : of->options.form == TRAWL_CUDA_ROWS_WHICH ? compare_ids(of)
                                                               : compare_matches(of);
    expect_number(of, "total", 0, summary->total, total);
    searched++;
}

/* ------------------------------------------------------------------ random searches */

static void choose_options(rows_search *of, trawl_cuda_rows_form form, random_source *random) {
    const trawl_cuda_rows *rows = &of->rows->rows;
    uint64_t span = rows->end - rows->begin;
    of->options = (trawl_cuda_rows_options)TRAWL_CUDA_ROWS_OPTIONS;
    of->options.form = form;
    of->options.most_bytes = span + random_below(random, 2) * random_below(random, 3000);
    of->options.most_rows = rows->count + random_below(random, 2) * random_below(random, 300);
    if (span > 3 && random_chance(random, 1, 2))
        of->options.piece_bytes = span / random_between(random, 1, 4);
    else if (span > 3 && random_chance(random, 1, 4)) /* up to 40 pieces */
        of->options.piece_bytes = span / 40 + random_between(random, 1, 3);
    uint64_t most = most_of_a_piece(of);
    of->options.piece_matches = most + random_below(random, 3);
    if (most > 1 && random_chance(random, 1, 8))
        of->options.piece_matches = random_between(random, 1, most - 1);
    uint64_t matches = of->rows->matches.count;
    of->results.capacity = random_chance(random, 2, 3) ? matches : random_below(random, 40);
}

/* Returns false when the kernel refuses the search. */
static bool prepare(rows_search *of) {
    size_t bytes = 0;
    if (of->options.piece_matches == 0) /* that would be the usual room */
        of->options.piece_matches = 1;
    trawl_status status = trawl_cuda_rows_workspace(of->uploaded, &of->options, &bytes, &error);
    if (status == TRAWL_ERROR_LIMIT && of->options.kernel) {
        refused++;
        return false;
    }
    if (status != TRAWL_OK)
        fail_msg("%s: %s", of->what, error.message);
    zone_make(&of->workspace, bytes);
    make_results(of);
    return true;
}

static void search_rows(const rows_case *rows, const trawl_cuda_db *uploaded, const char *kernel,
                        trawl_cuda_rows_form form, const char *what, random_source *random) {
    rows_search of = {.rows = rows, .uploaded = uploaded, .what = what};
    choose_options(&of, form, random);
    of.options.kernel = kernel;
    if (!prepare(&of))
        return;
    of.stream = random_chance(random, 1, 2) ? device_stream_new() : NULL;
    size_t objects = device_live_objects();
    (void)device_fail_allocations(0); /* a search has none */
    trawl_status status =
        trawl_cuda_rows_scan(uploaded, &of.options, &rows->rows, &of.results, of.workspace.device,
                             of.workspace.bytes, of.stream, &error);
    (void)device_fail_allocations(-1);
    if (status != TRAWL_OK)
        fail_msg("%s, form %d: %s", what, (int)form, error.message);
    assert_int_equal(device_live_objects(), objects);
    trawl_cuda_rows_summary summary = read_results(&of);
    compare(&of, &summary);
    if (of.stream)
        device_stream_release(of.stream);
    free_results(&of);
}

static void search_all(combination which, const test_case *test, const rows_case *rows,
                       const uint32_t *groups, random_source *random) {
    trawl_db *db = rows_compile(which, test, groups, rows->kind);
    trawl_cuda_db *uploaded = NULL;
    char what[128];
    if (!db)
        return;
    if (trawl_cuda_upload(db, NULL, &uploaded, &error) != TRAWL_OK)
        fail_msg("%s/%s: %s", which.engine, which.variant, error.message);
    size_t kernels = 0;
    while (device_kernel_at(which.engine, kernels))
        kernels++;
    const char *any = device_kernel_at(which.engine, random_below(random, kernels));
    for (int form = 0; form < ROWS_FORMS; form++) {
        const char *kernel = random_chance(random, 1, 2) ? NULL : any;
        snprintf(what, sizeof(what), "%s/%s, kernel %s", which.engine, which.variant,
                 kernel ? kernel : "default");
        search_rows(rows, uploaded, kernel, (trawl_cuda_rows_form)form, what, random);
    }
    trawl_cuda_db_free(uploaded);
    trawl_db_free(db);
}

/* Compares the CPU's records with the expected rows. */
static void compare_records(const test_case *test, const rows_case *rows) {
    combination planner = {"auto", NULL};
    trawl_db *db = rows_compile(planner, test, NULL, rows->kind);
    trawl_record_scanner *scanner;
    trawl_record_matches found = {NULL, NULL};
    trawl_records records = TRAWL_RECORDS;
    records.count = rows->count;
    records.bytes = test->text;
    records.offsets = rows->offsets;
    records.offset_bytes = sizeof(*rows->offsets);
    records.tail = rows->rows.tail;
    records.valid = rows->rows.valid ? rows->valid : NULL;
    records.valid_offset = rows->rows.valid_offset;
    assert_int_equal(trawl_record_scanner_open(db, NULL, &scanner, &error), TRAWL_OK);
    assert_int_equal(trawl_records_collect(scanner, &records, &found, &error), TRAWL_OK);
    for (size_t i = 0; i <= rows->count; i++)
        assert_int_equal(found.begin[i], rows->begin[i]);
    for (size_t m = 0; m < rows->matches.count; m++) {
        assert_int_equal(found.items[m].start, rows->matches.items[m].start);
        assert_int_equal(found.items[m].end, rows->matches.items[m].end);
        assert_int_equal(found.items[m].pattern, rows->matches.items[m].pattern);
    }
    trawl_record_matches_free(&found);
    trawl_record_scanner_close(scanner);
    trawl_db_free(db);
}

/* A case in a random layout of rows. Of the combinations every `step`-th one. */
static void search_case(const test_case *test, trawl_match_kind kind, size_t step,
                        random_source *random) {
    rows_case rows;
    combination which;
    uint32_t *groups = calloc(2 * test->count, sizeof(*groups)), *ids = groups + test->count;
    bool grouped = random_chance(random, 1, 2);
    for (uint32_t id = 0; id < test->count; id++) {
        groups[id] = grouped ? id / 3 : id;
        ids[id] = grouped ? 2 * groups[id] + 7 : id;
    }
    rows_case_make(&rows, test, kind, random);
    rows.groups = groups;
    rows.ids = ids;
    rows.group_count = grouped ? (test->count + 2) / 3 : test->count;
    compare_records(test, &rows);
    for (size_t c = random_below(random, step); device_combination(c, &which); c += step) {
        device_shake((unsigned)random_below(random, 6));
        search_all(which, test, &rows, grouped ? ids : NULL, random);
        device_shake(0);
    }
    rows_case_free(&rows);
    free(groups);
}

static void random_rows(void **state) {
    (void)state;
    for (size_t index = 0; index < device_cases(100, 60); index++) {
        test_case test = {.name = strdup("rows")};
        random_source random = random_for_case(random_seed(), index + 7000000);
        generate_case(&random, 1000000, &test);
        search_case(&test, (trawl_match_kind)(index % MATCH_KINDS), 1, &random);
        test_case_free(&test);
    }
    print_message("%zu searches of rows, %zu overflowed, %zu refused\n", searched, overflowed,
                  refused);
    assert_true(device_cases_are_limited() || (searched > 100 && overflowed > 10));
}

/* Matches that overlap without a gap over thousands of bytes. */
static void overlapping_matches(void **state) {
    (void)state;
    static const struct {
        const char *letters, *patterns[5];
        unsigned flags; /* of the last pattern */
    } sets[] = {
        {"a", {"aa"}, 0},
        {"a", {"aa", "aaa", "aaaaaaa"}, 0},
        {"ab", {"aa", "ab", "ba", "bb"}, 0},
        {"aab", {"aab", "aba", "baa", "aaaa", "bab"}, 0},
        {"aAb", {"aA", "Ab", "ba", "bA", "aa"}, TRAWL_PATTERN_CASE_INSENSITIVE},
    };
    for (size_t index = 0; index < 2 * sizeof(sets) / sizeof(*sets); index++) {
        test_case test = {.name = strdup("overlapping")};
        const char *letters = sets[index / 2].letters;
        random_source random = random_for_case(random_seed(), index + 8000000);
        for (size_t i = 0; i < 5 && sets[index / 2].patterns[i]; i++) {
            const char *pattern = sets[index / 2].patterns[i];
            bool last = i == 4 || !sets[index / 2].patterns[i + 1];
            test_case_add_pattern(&test, pattern, strlen(pattern),
                                  last ? sets[index / 2].flags : 0);
        }
        size_t length = random_between(&random, 2500, 4000);
        while (test.length < length)
            test_case_append_text(&test, letters + random_below(&random, strlen(letters)), 1);
        search_case(&test, (trawl_match_kind)(1 + index % 2), 9, &random);
        test_case_free(&test);
    }
}

int main(void) {
    if (!device_tests_begin("rows_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows),
        cmocka_unit_test(overlapping_matches),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
