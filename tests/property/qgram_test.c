/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Databases with several kinds of filters, in texts of several blocks of 16,384 bytes: patterns of
 * 1 byte to 64 KiB, case-sensitive and not, that end at and around the boundaries of blocks.
 */
#include "combinations.h"
#include "cpu_set.h"
#include "database/database.h"
#include "engines/qgram/format.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 16384, BLOCKS = 7, RUNNERS = 6 };

static bool kinds_seen[TRAWL_TIER_KINDS];

/* Patterns of a range of lengths over some letters. */
typedef struct family {
    size_t count, least, most;
    const char *letters;
    unsigned insensitive_in; /* of 4 */
} family;

#define LOWER "abcdefghijklmnopqrstuvwxyz"
enum { FAMILIES = 4 };

static const family mixes[][FAMILIES] = {
    {{2, 1, 1, "xyz", 1}, {4, 2, 2, LOWER, 1}, {200, 6, 12, LOWER, 1}, {2, 3000, 65536, LOWER, 1}},
    {{3, 1, 2, "#$", 0}, {150, 3, 5, LOWER "ABC", 0}, {4, 200, 400, LOWER, 4}, {0, 0, 0, "", 0}},
    {{2, 1, 2, LOWER, 4}, {5, 9, 30, LOWER, 2}, {300, 40, 90, LOWER, 0}, {1, 65536, 65536, "k", 0}},
    {{2, 1, 2, "-", 0}, {300, 12, 12, "acgt", 0}, {300, 30, 50, "acgt", 0}, {1, 900, 900, "a", 0}},
    {{500, 8, 8, "acgt", 0}, {3, 20, 20, LOWER, 4}, {60, 64, 70, "acgt", 1}, {0, 0, 0, "", 0}},
    {{40, 16384, 16386, LOWER, 1}, {3, 3, 3, LOWER, 0}, {100, 16, 17, LOWER, 1}, {0, 0, 0, "", 0}},
    {{150, 128, 300, LOWER, 1}, {3, 400, 2000, "k", 0}, {5, 200, 900, "ab", 1}, {0, 0, 0, "", 0}},
    {{40, 1100, 5000, LOWER, 0}, {5, 1039, 1040, "ab", 0}, {0, 0, 0, "", 0}, {0, 0, 0, "", 0}},
};
enum { MIXES = sizeof mixes / sizeof mixes[0] };

static void add_family(test_case *test, const family *from, random_source *random) {
    static uint8_t bytes[65536];
    size_t letters = strlen(from->letters);
    for (size_t i = 0; i < from->count; i++) {
        size_t length = random_between(random, from->least, from->most);
        for (size_t k = 0; k < length; k++)
            bytes[k] = (uint8_t)from->letters[random_below(random, letters)];
        test_case_add_pattern(
            test, bytes, length,
            random_chance(random, from->insensitive_in, 4) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
        if (i % 40 == 3) /* twice, so that one position has two matches */
            test_case_add_pattern(test, bytes, length, 0);
    }
}

/* Writes a pattern into the text so that it ends at `end`, with some letters in the other case. */
static void plant(test_case *test, const trawl_pattern *pattern, size_t end,
                  random_source *random) {
    if (pattern->length > end || end > test->length)
        return;
    uint8_t *to = test->text + end - pattern->length;
    memcpy(to, pattern->bytes, pattern->length);
    bool swaps =
        (pattern->flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0 || random_chance(random, 1, 6);
    for (size_t i = 0; swaps && i < pattern->length; i++) {
        uint8_t lower = to[i] | 0x20;
        if (lower >= 'a' && lower <= 'z' && random_chance(random, 1, 4))
            to[i] ^= 0x20;
    }
}

static const trawl_pattern *any_of(const test_case *test, random_source *random) {
    return &test->patterns[random_below(random, test->count)];
}

static void make_text(test_case *test, size_t length, random_source *random) {
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = (uint8_t) " abcdefghijklmnopqrstuvwxyz0123"[random_below(random, 31)];
        test_case_append_text(test, &byte, 1);
    }
    for (size_t id = 0; id < test->count; id++)
        plant(test, &test->patterns[id], random_below(random, length), random);
    /* Later patterns overwrite some of the earlier ones. */
    for (size_t at = BLOCK; at < length + BLOCK; at += BLOCK) {
        plant(test, any_of(test, random), at + random_between(random, 1, 40), random);
        plant(test, any_of(test, random), at - 1 + random_below(random, 3), random);
        plant(test, any_of(test, random), at - random_between(random, 2, 90), random);
    }
    plant(test, any_of(test, random), length, random);
}

static void note_kinds(const trawl_db *db) {
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
    assert_non_null(header);
    for (uint32_t tier = 0; tier < header->tiers; tier++)
        kinds_seen[header->tier[tier].kind] = true;
}

static void check(const test_case *test, trawl_match_kind kind, random_source *random) {
    match_list expected = {0};
    test_case_search(test, kind, &expected);
    for (size_t c = 0; c < combination_count(); c++) {
        combination which = combination_at(c);
        if (strcmp(which.engine, "qgram") != 0)
            continue;
        combination_failure failure;
        trawl_db *db;
        if (combination_compile(which, test, kind, &db, &failure) == COMBINATION_COMPILED) {
            note_kinds(db);
            trawl_db_free(db);
            if (combination_check(which, test, kind, &expected, RUNNERS, random, &failure) ==
                COMBINATION_COMPILED)
                continue;
        }
        if (failure.scanning || strcmp(which.variant, "mixed") == 0) {
            char how[200];
            runner_describe(&failure.how, how, sizeof how);
            fail_msg("%s, %s, %s: %s", test->name, which.variant, how, failure.what);
        }
    }
    match_list_free(&expected);
}

static void filters_side_by_side(void **state) {
    (void)state;
    for (size_t m = 0; m < MIXES; m++) {
        for (size_t round = 0; round < (TESTS_ARE_SLOW ? 1 : 3); round++) {
            random_source random = random_for_case(random_seed(), 10 * m + round);
            test_case test = {0};
            char name[40];
            snprintf(name, sizeof name, "mix %zu, round %zu", m, round);
            test.name = strdup(name);
            for (size_t f = 0; f < FAMILIES; f++)
                add_family(&test, &mixes[m][f], &random);
            make_text(&test, BLOCK * BLOCKS + random_below(&random, 3) - 1, &random);
            check(&test, (trawl_match_kind)(round % MATCH_KINDS), &random);
            test_case_free(&test);
        }
    }
    for (size_t kind = 0; kind < TRAWL_TIER_KINDS; kind++)
        if (!kinds_seen[kind] && !getenv("TRAWL_TEST_ENGINE"))
            fail_msg("no set had a filter of kind %zu", kind);
}

/* One match at every place around a boundary, for windows and strides of many kinds. */
static void around_a_boundary(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 33, 64, 80, 81, 200};
    random_source random = random_for_case(random_seed(), 1000);
    for (size_t l = 0; l < sizeof lengths / sizeof lengths[0]; l++) {
        test_case test = {.name = strdup("one length")};
        const family one = {l < 2 ? 3 : 20, lengths[l], lengths[l], "acgt", l % 3 == 0};
        add_family(&test, &one, &random);
        test_case_add_pattern(&test, "BOUNDARY", 8, 0);
        for (size_t i = 0; i < 2 * BLOCK + 100; i++)
            test_case_append_text(&test, ".", 1);
        size_t anchor_slack = lengths[l] + 20 < 90 ? lengths[l] + 20 : 90;
        size_t step = TESTS_ARE_SLOW ? 7 : 1;
        match_list expected = {0};
        trawl_error error;
        for (size_t c = 0; c < combination_count(); c++) {
            combination which = combination_at(c);
            combination_failure failure;
            trawl_db *db;
            if (strcmp(which.engine, "qgram") != 0 ||
                combination_compile(which, &test, TRAWL_MATCH_ALL, &db, &failure) !=
                    COMBINATION_COMPILED)
                continue;
            note_kinds(db);
            for (size_t end = BLOCK - 10; end < BLOCK + anchor_slack; end += step) {
                const trawl_pattern *pattern = &test.patterns[random_below(&random, test.count)];
                memset(test.text, '.', test.length);
                memcpy(test.text + end - pattern->length, pattern->bytes, pattern->length);
                memcpy(test.text + end + BLOCK - pattern->length, pattern->bytes, pattern->length);
                size_t from = BLOCK - 10 - 210;
                oracle_search(test.patterns, test.count, test.text + from, 3 * 210, TRAWL_MATCH_ALL,
                              &expected);
                trawl_matches found;
                assert_int_equal(trawl_collect(db, test.text, test.length, NULL, &found, &error),
                                 TRAWL_OK);
                assert_int_equal(found.count, 2 * expected.count);
                for (size_t i = 0; i < expected.count; i++) {
                    assert_int_equal(found.items[i].end, from + expected.items[i].end);
                    assert_int_equal(found.items[i].start, from + expected.items[i].start);
                    assert_int_equal(found.items[i].pattern, expected.items[i].pattern);
                    assert_int_equal(found.items[i + expected.count].end,
                                     from + BLOCK + expected.items[i].end);
                }
                trawl_matches_free(&found);
            }
            trawl_db_free(db);
        }
        match_list_free(&expected);
        test_case_free(&test);
    }
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {cmocka_unit_test(filters_side_by_side),
                                       cmocka_unit_test(around_a_boundary)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
