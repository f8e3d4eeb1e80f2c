/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Engine qgram with free anchors: keys that are suffixes of other keys, so that several end at one
 * position; sets whose patterns consist of the same few q-grams, so that buckets are crowded;
 * case-insensitive patterns beside case-sensitive ones; patterns across strips and slices. */
#include "alike_ends.h"
#include "engines/qgram/look_up_word.h"
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "gpu_target.h"
#include "oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STRIP = 2048, THREADS = 32, SHARED_BYTES = 150000, LONGEST = 90, TEXT_BYTES = 5 * STRIP };

/* With cheap candidates, small sets that have many of them get free anchors, too. */
static const trawl_device_costs costs = {.size = sizeof(costs), .bucket = 2};

/* Properties of the tiers that have been tested: strides of free anchors, one bit each; filters by
 * cores; crowded buckets. */
static unsigned strides, cores, crowded;
/* The numbers of bytes by which ends are looked up, one bit each. */
static uint64_t looked_up_by;
static size_t leftmost; /* matches of the leftmost kinds that were compared */

static void remember(const test_case *test) {
    trawl_error error = {.message = ""};
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof(*layout));
    trawl_patterns *patterns = test_case_patterns(test, &error);
    assert_non_null(patterns);
    assert_int_equal(
        choose_layout(patterns, test->text, test->length, SHARED_BYTES, &costs, layout, &error),
        TRAWL_OK);
    assert_int_equal(trawl_cuda_qgram_layout_make(patterns, layout, &error), TRAWL_OK);
    for (uint32_t i = 0; i < layout->tiers; i++) {
        const trawl_cuda_qgram_tier *tier = &layout->tier[i];
        strides |= tier->anchors != 0 ? 1u << tier->stride : 0;
        cores |= tier->cores;
        crowded |= tier->crowded;
        looked_up_by |= UINT64_C(1) << tier->look_up_bytes;
    }
    trawl_cuda_qgram_layout_release(layout);
    trawl_patterns_free(patterns);
    free(layout);
}

/* A kind of set: its number of patterns, the lengths of these, and how many letters they are made
 * of. Rare: the text hardly has them, so the plan does not mind crowded buckets. */
typedef struct set_kind {
    size_t patterns, shortest, longest, letters;
    bool any_case, rare;
} set_kind;

static void add_patterns(test_case *test, random_source *random, const set_kind *kind) {
    uint8_t bytes[LONGEST];
    for (size_t id = 0; id < kind->patterns; id++) {
        size_t length = random_between(random, kind->shortest, kind->longest);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)('a' + random_below(random, kind->letters));
        for (size_t begin = 0; begin + kind->shortest <= length;
             begin += random_between(random, 1, length)) {
            unsigned flags =
                kind->any_case && random_below(random, 2) == 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
            test_case_add_pattern(test, bytes + begin, length - begin, flags);
        }
    }
}

/* Random letters, among them patterns, some of them in another case. */
static void append_text(test_case *test, random_source *random, const set_kind *kind) {
    static uint8_t text[TEXT_BYTES];
    const size_t apart = kind->rare ? 2 * TEXT_BYTES : 200;
    for (size_t i = 0; i < sizeof(text); i++) {
        bool any_letter = kind->rare || i / STRIP % 2 == 0;
        text[i] = (uint8_t)('a' + random_below(random, any_letter ? 26 : kind->letters));
    }
    for (size_t at = 0; at + LONGEST <= sizeof(text); at += random_between(random, 1, apart)) {
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        memcpy(text + at, pattern->bytes, pattern->length);
        if (kind->any_case && random_below(random, 3) == 0)
            text[at + random_below(random, pattern->length)] ^= 0x20;
    }
    test_case_append_text(test, text, sizeof(text));
}

/* The leftmost kinds, for which kernels report the longest key at a position. */
static void check_leftmost(const test_case *test) {
    for (int kind = TRAWL_MATCH_LEFTMOST_FIRST; kind <= TRAWL_MATCH_LEFTMOST_LONGEST; kind++) {
        combination which = {"qgram", NULL};
        combination_failure failure;
        trawl_scan_options options = TRAWL_SCAN_OPTIONS;
        trawl_error error = {.message = ""};
        trawl_matches found = {0};
        match_list expected = {0};
        trawl_db *db;
        assert_int_equal(combination_compile(which, test, (trawl_match_kind)kind, &db, &failure),
                         COMBINATION_COMPILED);
        oracle_search(test->patterns, test->count, test->text, test->length, (trawl_match_kind)kind,
                      &expected);
        options.device = "cuda";
        options.kernel = "filter";
        if (trawl_collect(db, test->text, test->length, &options, &found, &error) != TRAWL_OK)
            fail_msg("kind %d: %s", kind, error.message);
        assert_int_equal(found.count, expected.count);
        for (size_t i = 0; i < found.count; i++) {
            assert_int_equal(found.items[i].start, expected.items[i].start);
            assert_int_equal(found.items[i].end, expected.items[i].end);
            assert_int_equal(found.items[i].pattern, expected.items[i].pattern);
        }
        leftmost += found.count;
        trawl_matches_free(&found);
        match_list_free(&expected);
        trawl_db_free(db);
    }
}

static void check_case(const test_case *test, random_source random) {
    static const trawl_cuda_form forms[] = {TRAWL_CUDA_COUNT, TRAWL_CUDA_PATTERNS, TRAWL_CUDA_ENDS,
                                            TRAWL_CUDA_MATCHES};
    expectation expected;
    device_database database;
    expectation_make(&expected, test);
    remember(test);
    if (device_open_engine(&database, "qgram", test)) {
        for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++) {
            device_scan scan = {.kernel = "filter",
                                .form = forms[form],
                                .block_threads = THREADS,
                                .block_bytes = STRIP};
            device_check(&database, &scan, test, test->length, &expected, NULL);
            scan.alignment = (uint32_t)random_below(&random, 32);
            scan.owned = random_below(&random, 2) * STRIP + random_below(&random, 70);
            device_check(&database, &scan, test, test->length, &expected, NULL);
        }
        device_database_close(&database);
        check_leftmost(test);
    }
    expectation_free(&expected);
}

static void check_set(const set_kind *kind, random_source random) {
    test_case test = {.name = strdup("free anchors")};
    add_patterns(&test, &random, kind);
    append_text(&test, &random, kind);
    check_case(&test, random);
    test_case_free(&test);
}

/* Patterns that end alike, and the tables by which their ends are looked up. */
static void finds_alike_ends(void **state) {
    (void)state;
    static const alike_ends kinds[] = {{400, 16, 2, false, false}, {300, 32, 2, false, false},
                                       {300, 32, 2, true, false},  {300, 40, 2, false, true},
                                       {200, 24, 26, false, true}, {200, 24, 26, true, false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        random_source random = random_for_case(random_seed(), 100 + i);
        test_case test = {.name = strdup("alike ends")};
        looked_up_by = 0;
        alike_ends_case(&random, &kinds[i], &test);
        check_case(&test, random);
        test_case_free(&test);
        /* Where two ends have the same word, ends are looked up by eight bytes. */
        const unsigned bytes =
            kinds[i].same_words ? 8 : trawl_qgram_look_up_bytes((uint32_t)kinds[i].shortest);
        assert_true((looked_up_by & UINT64_C(1) << bytes) != 0);
    }
}

static void all_kinds(void **state) {
    (void)state;
    static const set_kind kinds[] = {
        {40, 4, 20, 20, false, false},  {40, 4, 20, 20, true, false},
        {300, 5, 12, 8, false, false},  {60, 4, 40, 2, false, false},
        {60, 4, 40, 2, true, false},    {200, 8, 24, 26, false, false},
        {200, 8, 24, 26, true, false},  {50, 12, 90, 26, false, false},
        {50, 12, 90, 3, true, false},   {30, 3, 8, 26, false, false},
        {400, 16, 90, 4, false, false}, {100, 20, 90, 26, false, false},
        {1500, 8, 16, 2, false, true},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        for (size_t turn = 0; turn < 2; turn++)
            check_set(&kinds[i], random_for_case(random_seed(), 2 * i + turn));
    assert_true(leftmost > 1000);
    assert_int_equal(cores, 1);
    assert_int_equal(crowded, 1);
    assert_true((strides & 1u << 1) != 0 && (strides & (1u << 2 | 1u << 4)) != 0);
}

int main(void) {
    if (!device_tests_begin("free_anchors_test"))
        return TEST_SKIPPED;
    combination_set_device_costs(&costs);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_kinds, device_tests_after_a_crash),
        cmocka_unit_test_teardown(finds_alike_ends, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
