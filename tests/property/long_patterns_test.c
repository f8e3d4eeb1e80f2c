/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Random sets of long patterns, which sparse tiers sample at long strides: with shared beginnings
 * and ends, periodic parts and runs, in texts made of their parts, compared with the oracle. With
 * variant sparse, and with the planner's choice.
 */
#include "combinations.h"
#include "cpu_set.h"
#include "sanitizers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LONGEST = 2600, RUNNERS = 4 };

/* Lengths of the patterns of a set. */
static const struct {
    size_t least, most;
} lengths[] = {{16, 40},   {63, 70},   {64, 130},    {128, 128},  {100, 300},
               {256, 256}, {250, 700}, {1024, 1024}, {900, 1100}, {1030, LONGEST}};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static const char *const alphabets[] = {"ab", "acgt", "abcdefghijklmnopqrstuvwxyzABC .,", "a"};
enum { ALPHABETS = sizeof alphabets / sizeof *alphabets };

/* Writes bytes of some letters, sometimes with a short period. */
static void write_bytes(uint8_t *bytes, size_t length, const char *letters, random_source *random) {
    size_t period = random_chance(random, 1, 5) ? random_between(random, 1, 20) : length;
    for (size_t i = 0; i < length; i++)
        bytes[i] = i < period ? (uint8_t)letters[random_below(random, strlen(letters))]
                              : bytes[i - period];
}

/* Overwrites the beginning, the middle or the end with a part of another pattern or a run. */
static void share_a_part(const test_case *test, uint8_t *bytes, size_t length,
                         random_source *random) {
    size_t part = random_between(random, 1, length), at = 0;
    switch (random_below(random, 3)) {
    case 0:
        at = length - part;
        break;
    case 1:
        at = random_below(random, length - part + 1);
        break;
    default:
        break;
    }
    const trawl_pattern *other =
        test->count ? &test->patterns[random_below(random, test->count)] : NULL;
    if (!other || other->length < part || random_chance(random, 1, 3))
        memset(bytes + at, "a0 "[random_below(random, 3)], part);
    else
        memcpy(bytes + at, other->bytes + (at ? other->length - part : 0), part);
}

static void add_patterns(test_case *test, random_source *random) {
    uint8_t bytes[LONGEST];
    const char *letters = alphabets[random_below(random, ALPHABETS)];
    size_t which = random_below(random, LENGTHS), count = random_between(random, 1, 60);
    unsigned insensitive_in = random_chance(random, 1, 2) ? 0 : (unsigned)random_below(random, 5);
    for (size_t i = 0; i < count; i++) {
        size_t length = random_between(random, lengths[which].least, lengths[which].most);
        write_bytes(bytes, length, letters, random);
        if (random_chance(random, 1, 3))
            share_a_part(test, bytes, length, random);
        test_case_add_pattern(
            test, bytes, length,
            random_chance(random, insensitive_in, 4) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    if (random_chance(random, 1, 6)) /* beside a tier that reads the whole text */
        test_case_add_pattern(test, bytes, random_between(random, 1, 8), 0);
}

/* Appends whole patterns, parts of them, other letters, runs. */
static void add_text(test_case *test, random_source *random) {
    uint8_t bytes[LONGEST];
    size_t wanted = random_chance(random, 1, 3) ? random_below(random, 600)
                                                : random_between(random, 2000, 50000);
    while (test->length < wanted) {
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        size_t length = pattern->length;
        memcpy(bytes, pattern->bytes, length);
        switch (random_below(random, 5)) {
        case 0:
            length = random_between(random, 1, length);
            break;
        case 1:
            bytes[random_below(random, length)] ^= 0x20;
            break;
        case 2:
            write_bytes(bytes, length, alphabets[random_below(random, ALPHABETS)], random);
            break;
        default:
            break;
        }
        test_case_append_text(test, bytes, length);
    }
}

static void check(const test_case *test, combination which, trawl_match_kind kind,
                  random_source *random, size_t number) {
    match_list expected = {0};
    combination_failure failure;
    test_case_search(test, kind, &expected);
    if (combination_check(which, test, kind, &expected, RUNNERS, random, &failure) !=
        COMBINATION_COMPILED)
        fail_msg("seed %llu, case %zu, %s: %s", (unsigned long long)random_seed(), number,
                 which.variant ? which.variant : which.engine, failure.what);
    match_list_free(&expected);
}

static void finds_long_patterns(void **state) {
    (void)state;
    size_t cases = TESTS_ARE_SLOW ? 8 : 30;
    for (size_t i = 0; i < cases; i++) {
        random_source random = random_for_case(random_seed(), i);
        test_case test = {.name = strdup("long patterns")};
        add_patterns(&test, &random);
        add_text(&test, &random);
        trawl_match_kind kind = random_chance(&random, 1, 2)
                                    ? TRAWL_MATCH_ALL
                                    : (trawl_match_kind)random_below(&random, MATCH_KINDS);
        check(&test, (combination){.engine = "qgram", .variant = "sparse"}, kind, &random, i);
        check(&test, (combination){.engine = "auto"}, kind, &random, i);
        test_case_free(&test);
    }
}

int main(void) {
    cpu_set_apply();
    const struct CMUnitTest tests[] = {cmocka_unit_test(finds_long_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
