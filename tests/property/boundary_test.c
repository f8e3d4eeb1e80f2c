/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A match across every boundary. For every position of a match in a text, every size of chunk
 * (threads) and of piece (streams), and every engine: no match is lost, and none is found twice.
 */
#include "combinations.h"
#include "cpu_set.h"
#include "effort.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The planted patterns: nested in one another, with a duplicate and an insensitive twin, so that a
 * boundary lies inside some of the matches and at the end of others. */
static const struct {
    const char *bytes;
    unsigned flags;
} planted[] = {{"needles", 0},
               {"eed", 0},
               {"s", 0},
               {"needles", 0},
               {"NEEDLE", TRAWL_PATTERN_CASE_INSENSITIVE}};
enum { PLANTED_LENGTH = 7 };

static void add_planted(test_case *test) {
    for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++)
        test_case_add_pattern(test, planted[i].bytes, strlen(planted[i].bytes), planted[i].flags);
}

/* Checks one text with one database through one runner. */
static void check(const runner *how, const trawl_db *db, combination which, trawl_match_kind kind,
                  const test_case *test, const match_list *expected) {
    random_source random = random_for_case(random_seed(), test->length);
    combination_failure failure = {.which = which, .kind = kind, .how = *how, .scanning = true};
    if (runner_check(how, db, test->text, test->length, expected, &random, failure.what,
                     sizeof(failure.what)))
        return;
    combination_print_failure(stdout, test, &failure, NULL);
    fail();
}

/* All positions of one match in a text of `length` bytes, with `how`. */
static void plant_everywhere(const runner *how, const trawl_db *db, combination which,
                             trawl_match_kind kind, size_t length) {
    test_case test = {0};
    match_list expected = {0};
    add_planted(&test);
    for (size_t at = 0; at + PLANTED_LENGTH <= length; at++) {
        test.length = 0;
        for (size_t i = 0; i < length; i++)
            test_case_append_text(&test, ".", 1);
        memcpy(test.text + at, at % 2 ? "needles" : "nEEDLEs", PLANTED_LENGTH);
        test_case_search(&test, kind, &expected);
        check(how, db, which, kind, &test, &expected);
    }
    match_list_free(&expected);
    test_case_free(&test);
}

typedef void (*with_db)(const trawl_db *db, combination which, trawl_match_kind kind);

static void for_every_db(with_db function) {
    test_case test = {0};
    add_planted(&test);
    for (size_t c = 0; c < combination_count(); c++)
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            combination_failure failure;
            trawl_db *db;
            combination_outcome outcome = combination_compile(
                combination_at(c), &test, (trawl_match_kind)kind, &db, &failure);
            if (outcome == COMBINATION_FAILED)
                combination_print_failure(stdout, &test, &failure, NULL);
            assert_int_not_equal(outcome, COMBINATION_FAILED);
            if (db)
                function(db, combination_at(c), (trawl_match_kind)kind);
            trawl_db_free(db);
        }
    test_case_free(&test);
}

/* Text sizes around multiples of the chunk. */
static void chunks_of(const trawl_db *db, combination which, trawl_match_kind kind) {
    static const size_t chunks[] = {1, 2, 3, 6, 7, 8, 13, 16};
    for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); i++)
        for (int extra = -1; extra <= 1; extra++) {
            runner how = {.call = i % 2 ? RUNNER_COLLECT : RUNNER_COUNT_PATTERNS,
                          .chunk_bytes = chunks[i]};
            size_t length = 3 * chunks[i] + PLANTED_LENGTH;
            plant_everywhere(&how, db, which, kind, length + (size_t)(extra + 1) - 1);
            if (extra == 0 && !TESTS_THREAD_SANITIZER) {
                how.threads = 2 + (uint32_t)(i % 3);
                plant_everywhere(&how, db, which, kind, length);
            }
        }
}

static void chunk_boundaries(void **state) {
    (void)state;
    for_every_db(chunks_of);
}

static void pieces_of(const trawl_db *db, combination which, trawl_match_kind kind) {
    for (size_t piece = 1; piece <= 18; piece++)
        for (int flush = 0; flush < 2; flush++) {
            runner how = {.call = piece % 3 ? RUNNER_STREAM : RUNNER_STREAM_COUNT,
                          .piece_bytes = piece,
                          .flush = flush != 0};
            plant_everywhere(&how, db, which, kind, 19);
        }
}

static void piece_boundaries(void **state) {
    (void)state;
    for_every_db(pieces_of);
}

/* A text without structure: every byte is the end of some match, and runs cross every boundary. */
static void runs_of(const trawl_db *db, combination which, trawl_match_kind kind) {
    test_case test = {0};
    match_list expected = {0};
    add_planted(&test);
    for (size_t length = 0; length <= 70; length++) {
        test.length = 0;
        for (size_t i = 0; i < length; i++)
            test_case_append_text(&test, &"needlessneedles"[i % 15], 1);
        test_case_search(&test, kind, &expected);
        for (size_t size = 1; size <= 33; size += length % 3 + 1) {
            runner chunked = {.call = RUNNER_COLLECT, .chunk_bytes = size};
            runner streamed = {.call = RUNNER_STREAM, .piece_bytes = size, .flush = size % 2 != 0};
            check(&chunked, db, which, kind, &test, &expected);
            check(&streamed, db, which, kind, &test, &expected);
        }
    }
    match_list_free(&expected);
    test_case_free(&test);
}

static void dense_matches(void **state) {
    (void)state;
    for_every_db(runs_of);
}

/* The boundaries that the library chooses: default chunks of several threads, and pieces of the
 * sizes in which files are read. In the short form of the test, each database is scanned by every
 * third runner, beginning with another one. */
static test_case long_text;
static match_list long_expected[MATCH_KINDS];

static void make_long_text(void) {
    size_t length = TESTS_ARE_SLOW ? 600000 : 2500000;
    add_planted(&long_text);
    for (size_t i = 0; i < length; i += 10) /* a period of 10 shifts through any power of 2 */
        test_case_append_text(&long_text, ".needles..", 10);
    for (int kind = 0; kind < MATCH_KINDS; kind++)
        test_case_search(&long_text, (trawl_match_kind)kind, &long_expected[kind]);
}

static void chosen_boundaries(const trawl_db *db, combination which, trawl_match_kind kind) {
    static const runner runners[] = {
        {.call = RUNNER_COLLECT},
        {.call = RUNNER_COLLECT, .threads = 2},
        {.call = RUNNER_COUNT, .threads = 3},
        {.call = RUNNER_STREAM, .piece_bytes = 65536},
        {.call = RUNNER_STREAM, .piece_bytes = 262143, .threads = 2},
        {.call = RUNNER_STREAM_COUNT, .piece_bytes = 1 << 20},
    };
    static size_t turn;
    size_t step = effort_is_short() ? 3 : 1;
    for (size_t i = turn++ % step; i < sizeof(runners) / sizeof(runners[0]); i += step)
        check(&runners[i], db, which, kind, &long_text, &long_expected[kind]);
}

static void default_boundaries(void **state) {
    (void)state;
    make_long_text();
    for_every_db(chosen_boundaries);
    for (int kind = 0; kind < MATCH_KINDS; kind++)
        match_list_free(&long_expected[kind]);
    test_case_free(&long_text);
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunk_boundaries),
        cmocka_unit_test(piece_boundaries),
        cmocka_unit_test(dense_matches),
        cmocka_unit_test(default_boundaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
