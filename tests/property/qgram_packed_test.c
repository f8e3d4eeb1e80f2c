/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The packed filter of engine qgram: sets of few letters, in texts that also have other bytes,
 * longer than several blocks of 16,384 bytes.
 */
#include "combinations.h"
#include "cpu_set.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RUNNERS = 6, TEXT = 50000 };

static const combination packed = {.engine = "qgram", .variant = "packed"};

/* What a family of sets is drawn from. */
typedef struct family {
    const char *letters;
    size_t least, most; /* pattern length */
    size_t patterns;
    const char *others;      /* bytes of the text that are no letters, rarely; NULL: none */
    size_t other_every;      /* average distance of two of them */
    size_t line;             /* letters of a line, which a line feed ends; 0: no lines */
    unsigned insensitive_in; /* of 4 patterns, how many ignore letter case */
    size_t planted;          /* average distance of two patterns in the text; 0: none */
} family;

static const family families[] = {
    /* exact windows, each length that has its own table, with and without duplicates */
    {"acgt", 1, 1, 3, NULL, 0, 0, 0, 0},
    {"acgt", 2, 2, 7, "n", 50, 0, 0, 0},
    {"acgt", 3, 3, 20, NULL, 0, 61, 0, 0},
    {"acgt", 5, 5, 300, "Nn\n", 30, 0, 0, 0},
    {"acgt", 8, 8, 500, "N", 3000, 0, 0, 0},
    {"acgt", 8, 8, 500, NULL, 0, 71, 4, 0},
    {"ACGT", 9, 9, 400, "acgtn", 40, 0, 0, 50},
    {"acgt", 10, 10, 400, "N", 100, 61, 2, 50},
    /* longer patterns behind the same windows, and samples */
    {"acgt", 4, 9, 200, "N", 100, 61, 0, 100},
    {"acgt", 11, 13, 300, "N", 200, 0, 0, 60},
    {"acgt", 15, 34, 400, "Nn-", 100, 61, 4, 60},
    {"acgt", 16, 16, 60, NULL, 0, 0, 0, 60},
    {"acgt", 32, 32, 500, "N", 1000, 0, 0, 80},
    {"acgt", 28, 120, 200, "N", 300, 71, 1, 200},
    {"acgt", 100, 300, 40, NULL, 0, 81, 0, 500},
    {"acgt", 1, 70, 300, "N", 100, 61, 1, 100},
    /* fewer letters, and bytes of other kinds */
    {"ab", 1, 12, 100, "c", 40, 0, 0, 0},
    {"01", 14, 40, 60, "2", 100, 0, 0, 50},
    {"a", 1, 40, 12, "b", 30, 0, 0, 0},
    {"aA", 3, 10, 60, "b", 50, 0, 0, 0},
    {"\x01\x80\xc0", 3, 20, 60, "\x40", 50, 0, 0, 50},
    {"acg", 6, 9, 100, "t", 50, 0, 4, 0},
};

static uint8_t any_letter(random_source *random, const char *letters) {
    return (uint8_t)letters[random_below(random, strlen(letters))];
}

static uint8_t swap_case(uint8_t byte) {
    uint8_t lower = byte | 0x20;
    return lower >= 'a' && lower <= 'z' ? byte ^ 0x20 : byte;
}

static void make_case(random_source *random, const family *from, size_t length, test_case *test) {
    uint8_t bytes[512];
    for (size_t i = 0; i < from->patterns; i++) {
        size_t size = random_between(random, from->least, from->most);
        for (size_t k = 0; k < size; k++)
            bytes[k] = any_letter(random, from->letters);
        bool insensitive = random_chance(random, from->insensitive_in, 4);
        test_case_add_pattern(test, bytes, size, insensitive ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
        if (i % 50 == 7) /* twice, so that one position has two matches */
            test_case_add_pattern(test, bytes, size, 0);
    }
    bool cases = from->insensitive_in != 0;
    while (test->length < length) {
        uint8_t byte = any_letter(random, from->letters);
        if (from->line != 0 && test->length % (from->line + 1) == from->line) {
            byte = '\n';
        } else if (from->others != NULL && random_chance(random, 1, from->other_every)) {
            byte = any_letter(random, from->others);
        } else if (from->planted != 0 && random_chance(random, 1, from->planted)) {
            const trawl_pattern *one = &test->patterns[random_below(random, test->count)];
            memcpy(bytes, one->bytes, one->length);
            for (size_t k = 0; cases && k < one->length; k++)
                if (random_chance(random, 1, 3))
                    bytes[k] = swap_case(bytes[k]);
            test_case_append_text(test, bytes, one->length);
            continue;
        }
        if (cases && random_chance(random, 1, 2))
            byte = swap_case(byte);
        test_case_append_text(test, &byte, 1);
    }
    test->name = strdup("packed");
}

static void check(test_case *test, trawl_match_kind kind, random_source *random) {
    match_list expected = {0};
    combination_failure failure;
    test_case_search(test, kind, &expected);
    if (combination_check(packed, test, kind, &expected, RUNNERS, random, &failure) !=
        COMBINATION_COMPILED) {
        combination_print_failure(stdout, test, &failure, NULL);
        fail_msg("%zu patterns of %zu bytes and more: %s", test->count, test->patterns[0].length,
                 failure.what);
    }
    match_list_free(&expected);
}

static void few_letters_among_other_bytes(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        random_source random = random_for_case(random_seed(), i);
        test_case test = {0};
        make_case(&random, &families[i], TESTS_ARE_SANITIZED ? TEXT / 2 : TEXT, &test);
        check(&test, TRAWL_MATCH_ALL, &random);
        test_case_free(&test);
    }
}

/* Texts of lengths around that of a unit of 64 positions, of a piece and of a block, in which every
 * position matches. */
static void lengths_of_text(void **state) {
    (void)state;
    static const size_t around[] = {0, 8, 32, 64, 128, 1024, 16384, 16448, 32768};
    static const family sets[] = {{"acgt", 8, 8, 40, NULL, 0, 0, 0, 8},
                                  {"acgt", 20, 24, 40, NULL, 0, 0, 0, 20}};
    for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++)
        for (size_t length = around[i] < 3 ? 0 : around[i] - 3; length <= around[i] + 3; length++)
            for (size_t k = 0; k < 2; k++) {
                random_source random = random_for_case(random_seed(), length);
                test_case test = {0};
                make_case(&random, &sets[k], length, &test);
                check(&test, TRAWL_MATCH_ALL, &random);
                test_case_free(&test);
            }
}

/* `count` different strings of `length` letters: their numbers are multiples of an odd one. */
static void add_different(size_t count, size_t length, uint32_t step, test_case *test) {
    uint8_t bytes[16];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = i * step;
        for (size_t k = 0; k < length; k++)
            bytes[k] = (uint8_t) "acgt"[number >> 2 * k & 3];
        test_case_add_pattern(test, bytes, length, 0);
    }
}

/* Text made of a set's patterns, with other letters between some of them and other bytes rarely. */
static void append_patterns(random_source *random, size_t length, test_case *test) {
    while (test->length < length) {
        const trawl_pattern *one = &test->patterns[random_below(random, test->count)];
        test_case_append_text(test, one->bytes, one->length);
        uint8_t byte = any_letter(random, random_chance(random, 1, 300) ? "N\n" : "acgt");
        if (random_chance(random, 1, 3))
            test_case_append_text(test, &byte, 1);
    }
}

/* Sets of different patterns of one length, so that each candidate is a match, in texts with a
 * match at every few positions. */
static void frequent_matches(void **state) {
    (void)state;
    for (size_t length = 1; length <= 10; length++) {
        random_source random = random_for_case(random_seed(), length);
        test_case test = {.name = strdup("packed")};
        size_t all = (size_t)1 << 2 * length, some = all / 2 < 400 ? all / 2 : 400;
        add_different(some, length, 0x9e3779b1u + 2 * (uint32_t)random_below(&random, 1000), &test);
        append_patterns(&random, TESTS_ARE_SANITIZED ? TEXT / 2 : TEXT, &test);
        check(&test, TRAWL_MATCH_ALL, &random);
        test_case_free(&test);
    }
}

/* More matches than the caches hold, collected into a new array, and into the same one again. */
static void more_matches_than_caches_hold(void **state) {
    (void)state;
    enum { MANY = 1200000, WANTED = 400000 };
    random_source random = random_for_case(random_seed(), 0);
    test_case test = {.name = strdup("packed")};
    match_list expected = {0};
    combination_failure failure;
    trawl_db *db;
    trawl_error error;
    add_different(100, 4, 0x9e3779b1u, &test);
    append_patterns(&random, MANY, &test);
    test_case_search(&test, TRAWL_MATCH_ALL, &expected);
    assert_true(expected.count > WANTED && expected.count * sizeof(trawl_match) > (size_t)9 << 20);
    assert_int_equal(combination_compile(packed, &test, TRAWL_MATCH_ALL, &db, &failure),
                     COMBINATION_COMPILED);
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    for (options.threads = 1; options.threads <= 2; options.threads++) {
        trawl_matches matches = {0};
        for (int round = 0; round < 2; round++) {
            assert_int_equal(
                trawl_collect_into(db, test.text, test.length, &options, &matches, &error),
                TRAWL_OK);
            assert_int_equal(matches.count, expected.count);
            assert_memory_equal(matches.items, expected.items,
                                matches.count * sizeof *matches.items);
            memset(matches.items, 0xff, matches.count * sizeof *matches.items);
        }
        trawl_matches_free(&matches);
    }
    trawl_db_free(db);
    match_list_free(&expected);
    test_case_free(&test);
}

/* Texts full of a byte that is packed like a letter, and a pattern that these bytes would match. */
static void bytes_that_pack_like_letters(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 1);
    test_case test = {.name = strdup("packed")};
    char run[40];
    memset(run, 'g', sizeof(run));
    test_case_add_pattern(&test, run, 8, 0);
    test_case_add_pattern(&test, run, 30, 0);
    test_case_add_pattern(&test, "acgtacgt", 8, 0);
    for (size_t i = 0; i < 40000; i++) {
        /* The lowest three bits of n, o, N and G are those of g. */
        const char *like = i < 20000 ? "N" : i < 30000 ? "goNG" : "ggggggggggggggggo";
        uint8_t byte = any_letter(&random, like);
        test_case_append_text(&test, &byte, 1);
    }
    check(&test, TRAWL_MATCH_ALL, &random);
    test_case_free(&test);
}

static void expect_refusal(const char *first, const char *second, unsigned flags) {
    test_case test = {.name = strdup("refused")};
    combination_failure failure;
    trawl_db *db;
    test_case_add_pattern(&test, first, strlen(first), flags);
    test_case_add_pattern(&test, second, strlen(second), flags);
    assert_int_equal(combination_compile(packed, &test, TRAWL_MATCH_ALL, &db, &failure),
                     COMBINATION_REFUSED);
    assert_null(db);
    test_case_free(&test);
}

static void sets_that_cannot_be_packed(void **state) {
    (void)state;
    expect_refusal("acgt", "n", 0);            /* five letters */
    expect_refusal("acg", "tA", 0);            /* the same, A is another one than a */
    expect_refusal("\x01\x02", "\x04\x08", 0); /* no two adjacent bits */
    /* ... and one that can, as both cases are the same there. */
    random_source random = random_for_case(random_seed(), 2);
    test_case test = {.name = strdup("packed")};
    test_case_add_pattern(&test, "acg", 3, TRAWL_PATTERN_CASE_INSENSITIVE);
    test_case_add_pattern(&test, "TA", 2, 0);
    test_case_append_text(&test, "tAcGtATAcgTa", 12);
    for (int kind = 0; kind < MATCH_KINDS; kind++)
        check(&test, (trawl_match_kind)kind, &random);
    test_case_free(&test);
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_letters_among_other_bytes),
                                       cmocka_unit_test(lengths_of_text),
                                       cmocka_unit_test(frequent_matches),
                                       cmocka_unit_test(more_matches_than_caches_hold),
                                       cmocka_unit_test(bytes_that_pack_like_letters),
                                       cmocka_unit_test(sets_that_cannot_be_packed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
