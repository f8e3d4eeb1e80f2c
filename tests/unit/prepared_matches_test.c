/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts in which several matches end at most positions, some of them only in the right letter case.
 * After enough matches of a state, an automaton's walker copies prepared matches for it. Their
 * number is smaller and larger than what one copy writes, and too large to be prepared.
 */
#include "cpu_set.h"
#include "oracle.h"
#include "random.h"
#include "sanitizers.h"
#include "sets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 40, MOST_PATTERNS = 70, TEXT = TESTS_ARE_SANITIZED ? 20000 : 60000 };

typedef struct set {
    uint8_t bytes[MOST_PATTERNS][LONGEST];
    trawl_pattern patterns[MOST_PATTERNS];
    size_t count;
} set;

static trawl_error error;

/* Letters in runs, so that many suffixes of a text are patterns. */
static void random_letters(random_source *random, uint8_t *bytes, size_t length) {
    for (size_t at = 0; at < length;) {
        size_t run = 1 + random_below(random, 6);
        uint8_t letter = (uint8_t) "aaaAb."[random_below(random, 6)];
        for (; run > 0 && at < length; run--)
            bytes[at++] = letter;
    }
}

/* `runs` of one letter, each with all shorter ones as its suffixes, and others. */
static void make_set(random_source *random, size_t runs, bool mixed, set *made) {
    made->count = runs + random_below(random, MOST_PATTERNS - runs) + (runs == 0);
    for (size_t id = 0; id < made->count; id++) {
        size_t length = id < runs ? id + 1 : 1 + random_below(random, 16);
        if (id < runs)
            memset(made->bytes[id], 'a', length);
        else
            random_letters(random, made->bytes[id], length);
        made->patterns[id] = (trawl_pattern){.bytes = made->bytes[id],
                                             .length = length,
                                             .flags = mixed && random_below(random, 3) == 0
                                                          ? (uint32_t)TRAWL_PATTERN_CASE_INSENSITIVE
                                                          : 0};
    }
}

static trawl_db *compile(const set *from, combination which) {
    trawl_patterns *made = set_new();
    set_add_all(made, from->patterns, from->count);
    return set_compile(made, which, &error);
}

typedef struct comparison {
    const match_list *expected;
    size_t seen;
} comparison;

static int compare(const trawl_match *matches, size_t count, void *context) {
    comparison *at = context;
    assert_true(count <= at->expected->count - at->seen);
    if (memcmp(matches, at->expected->items + at->seen, count * sizeof *matches) != 0)
        fail_msg("of %zu matches from %zu on some are wrong", count, at->seen);
    at->seen += count;
    return 0;
}

static void check(const trawl_db *db, const uint8_t *text, const match_list *expected) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    for (options.threads = 1; options.threads <= 2; options.threads++) {
        trawl_matches matches;
        comparison collected = {.expected = expected}, reported = {.expected = expected};
        assert_int_equal(trawl_collect(db, text, TEXT, &options, &matches, &error), TRAWL_OK);
        (void)compare(matches.items, matches.count, &collected);
        assert_int_equal(collected.seen, expected->count);
        trawl_matches_free(&matches);
        assert_int_equal(trawl_scan_batches(db, text, TEXT, &options, compare, &reported, &error),
                         TRAWL_OK);
        assert_int_equal(reported.seen, expected->count);
        uint64_t total;
        assert_int_equal(trawl_count(db, text, TEXT, &options, &total, NULL, &error), TRAWL_OK);
        assert_int_equal(total, expected->count);
    }
}

static void every_engine(void **state) {
    (void)state;
    static const size_t runs[] = {0, 3, 4, 5, 24, 25, 40};
    static uint8_t text[TEXT];
    static set made;
    match_list expected = {0};
    for (size_t i = 0; i < 2 * sizeof runs / sizeof *runs; i++) {
        random_source random = random_for_case(random_seed(), i);
        make_set(&random, runs[i / 2], i % 2 != 0, &made);
        random_letters(&random, text, TEXT);
        memset(text + TEXT / 2, 'a', 1000);
        oracle_search(made.patterns, made.count, text, TEXT, TRAWL_MATCH_ALL, &expected);
        for (size_t c = 0; c < combination_count(); c++) {
            trawl_db *db = compile(&made, combination_at(c));
            if (db)
                check(db, text, &expected);
            trawl_db_free(db);
        }
    }
    match_list_free(&expected);
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_engine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
