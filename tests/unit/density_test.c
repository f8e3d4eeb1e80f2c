/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Texts with stretches in which matches are rare, frequent or at every byte. Walkers change their
 * loops between these stretches; all ways to scan must give the same matches.
 */
#include "sanitizers.h"
#include "sets.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT ((size_t)(TESTS_ARE_SANITIZED ? 700 : 2100) << 10)
#define STRETCH (TEXT / 7 + 1)

/* At most two of them end at one position. */
static const char *const words[] = {"a", "ba", "aaa", "Ab", "cccccccc"};
enum { WORDS = sizeof words / sizeof *words };

static uint8_t *text;
static trawl_match *expected;
static size_t expected_count;
static uint64_t expected_each[WORDS];
static trawl_error error;

static bool is_here(const char *word, bool folded, size_t end) {
    size_t length = strlen(word);
    if (length > end)
        return false;
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = text[end - length + i];
        if (byte != (uint8_t)word[i] && !(folded && (byte | 32) == ((uint8_t)word[i] | 32)))
            return false;
    }
    return true;
}

/* With `folded` the first word is case-insensitive, so that the others have to be verified. */
static void expect(bool folded) {
    static const size_t longest_first[WORDS] = {4, 2, 1, 3, 0};
    expected_count = 0;
    memset(expected_each, 0, sizeof expected_each);
    for (size_t end = 1; end <= TEXT; end++) {
        for (size_t i = 0; i < WORDS; i++) {
            size_t id = longest_first[i];
            if (!is_here(words[id], folded && id == 0, end))
                continue;
            expected[expected_count++] = (trawl_match){
                .start = end - strlen(words[id]), .end = end, .pattern = (uint32_t)id};
            expected_each[id]++;
        }
    }
}

static int setup(void **state) {
    (void)state;
    text = malloc(TEXT);
    expected = malloc(2 * TEXT * sizeof *expected);
    if (!text || !expected)
        return -1;
    random_source random = random_for_case(4711, 0);
    for (size_t at = 0; at < TEXT; at++) {
        switch (at / STRETCH % 4) {
        case 0:
            text[at] = at % 9973 ? '.' : 'a';
            break;
        case 1:
            text[at] = (uint8_t) "aAbcb"[random_below(&random, 5)];
            break;
        case 2:
            text[at] = 'a';
            break;
        default:
            text[at] = at % 30 ? 'c' : 'a';
        }
    }
    return 0;
}

static int teardown(void **state) {
    (void)state;
    free(text);
    free(expected);
    return 0;
}

static trawl_db *compile(combination which, bool folded) {
    trawl_pattern patterns[WORDS];
    for (size_t id = 0; id < WORDS; id++)
        patterns[id] = (trawl_pattern){
            .bytes = (const uint8_t *)words[id],
            .length = strlen(words[id]),
            .flags = folded && id == 0 ? (unsigned)TRAWL_PATTERN_CASE_INSENSITIVE : 0};
    trawl_patterns *set = set_new();
    set_add_all(set, patterns, WORDS);
    return set_compile(set, which, &error);
}

static void check(const trawl_db *db, const char *name, uint32_t threads) {
    trawl_scan_options options = TRAWL_SCAN_OPTIONS;
    options.threads = threads;
    uint64_t total, each[WORDS];
    trawl_matches matches;
    assert_int_equal(trawl_count(db, text, TEXT, &options, &total, NULL, &error), TRAWL_OK);
    if (total != expected_count)
        fail_msg("%s: counted %llu matches, expected %zu", name, (unsigned long long)total,
                 expected_count);
    assert_int_equal(trawl_count(db, text, TEXT, &options, &total, each, &error), TRAWL_OK);
    assert_int_equal(total, expected_count);
    assert_memory_equal(each, expected_each, sizeof each);
    assert_int_equal(trawl_collect(db, text, TEXT, &options, &matches, &error), TRAWL_OK);
    assert_int_equal(matches.count, expected_count);
    for (size_t i = 0; i < matches.count; i++)
        if (memcmp(&matches.items[i], &expected[i], sizeof *expected) != 0)
            fail_msg("%s, %u threads: match %zu is %u:%llu-%llu", name, threads, i,
                     matches.items[i].pattern, (unsigned long long)matches.items[i].start,
                     (unsigned long long)matches.items[i].end);
    trawl_matches_free(&matches);
}

static void every_engine(void **state) {
    (void)state;
    for (int folded = 0; folded < 2; folded++) {
        expect(folded);
        for (size_t c = 0; c < combination_count(); c++) {
            combination which = combination_at(c);
            trawl_db *db = compile(which, folded);
            if (!db)
                continue;
            check(db, which.engine, 1);
            check(db, which.engine, 2);
            trawl_db_free(db);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_engine)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
