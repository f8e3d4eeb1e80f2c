/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sets all of whose patterns contain a byte that is rare in the text: the planner's database passes
 * over stretches without it (src/run/stretches.h), and the matches are the oracle's. Random costs
 * make it take all engines, and pass over stretches of any length.
 * The environment chooses cases (random_cases.h).
 */
#include "combinations.h"
#include "random_cases.h"
#include "random_costs.h"
#include "sanitizers.h"

#include "run/stretches.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CASES = TESTS_ARE_SLOW ? 60 : 250, RUNNERS = 4, LONGEST_SIDE = 90, MOST_TEXT = 30000 };

static void append_letters(random_source *random, size_t letters, size_t count, uint8_t *bytes) {
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)('a' + random_below(random, letters));
}

/* Letters, the byte, letters; in some sets more of these bytes. */
static void draw_pattern(random_source *random, size_t letters, uint8_t byte, size_t longest,
                         unsigned flags, test_case *test) {
    uint8_t bytes[2 * LONGEST_SIDE + 1];
    size_t before = random_below(random, longest + 1), behind = random_below(random, longest + 1);
    append_letters(random, letters, before + behind + 1, bytes);
    bytes[before] = byte;
    if (random_chance(random, 1, 8))
        bytes[random_below(random, before + behind + 1)] = byte;
    test_case_add_pattern(test, bytes, before + behind + 1, flags);
}

static void draw_conditions(random_source *random, test_case *test) {
    static const uint8_t classes[] = {TRAWL_CLASS_NONE, TRAWL_CLASS_WORD, TRAWL_CLASS_LABEL};
    for (size_t id = 0; id < test->count; id++) {
        trawl_condition condition = TRAWL_CONDITION;
        condition.left = classes[random_below(random, sizeof classes)];
        condition.right = classes[random_below(random, sizeof classes)];
        test_case_set_condition(test, id, &condition);
    }
}

/* Gaps of any length, and between them patterns, some of them damaged, or the byte alone. */
static void draw_text(random_source *random, size_t letters, uint8_t byte, test_case *test) {
    const size_t length = random_between(random, 1, MOST_TEXT);
    const double longest_gap = random_power(random, 1, 4);
    uint8_t gap[10001];
    while (test->length < length) {
        size_t count = (size_t)random_power(random, 0, log10(longest_gap));
        append_letters(random, letters, count, gap);
        test_case_append_text(test, gap, count);
        size_t at = test->length;
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        if (random_chance(random, 1, 8))
            test_case_append_text(test, &byte, 1);
        else
            test_case_append_text(test, pattern->bytes, pattern->length);
        if (random_chance(random, 1, 3))
            test->text[random_between(random, at, test->length - 1)] = 'a';
    }
}

static void draw_case(random_source *random, test_case *test) {
    static const uint8_t rare[] = {'@', '.', 0, 0xff, 'z', ' '};
    const size_t letters = random_chance(random, 1, 2) ? 2 : 6;
    const uint8_t byte = rare[random_below(random, sizeof rare)];
    const size_t longest = random_chance(random, 1, 3) ? LONGEST_SIDE : 8;
    const unsigned flags = random_chance(random, 1, 4) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
    const size_t count = (size_t)random_power(random, 0, 2.5);
    for (size_t id = 0; id < count; id++)
        draw_pattern(random, letters, byte, longest, random_chance(random, 1, 2) ? flags : 0, test);
    if (random_chance(random, 1, 4))
        draw_conditions(random, test);
    draw_text(random, letters, byte, test);
}

static void check_case(uint64_t seed, size_t index) {
    static const combination planned = {.engine = "auto"};
    test_case test = {.name = strdup("stretches")};
    trawl_costs costs;
    combination_failure failure;
    match_list expected = {0};
    random_source random = random_for_case(seed, index);
    random_costs(&random, -1, 3, &costs);
    draw_case(&random, &test);
    trawl_match_kind kind = (trawl_match_kind)(index % MATCH_KINDS);
    test_case_search(&test, kind, &expected);
    combination_set_costs(&costs);
    if (combination_check(planned, &test, kind, &expected, RUNNERS, &random, &failure) ==
        COMBINATION_FAILED)
        fail_msg("TRAWL_TEST_SEED=%llu TRAWL_TEST_CASE=%zu: %s", (unsigned long long)seed, index,
                 failure.what);
    combination_set_costs(NULL);
    match_list_free(&expected);
    test_case_free(&test);
}

static void matches_are_the_oracles(void **state) {
    (void)state;
    random_cases_run(CASES, check_case);
}

/* Which byte a database has, as 1 + the byte. */
static uint16_t common_byte_of(const char *const *patterns, unsigned flags, const char *engine,
                               const char *sample) {
    trawl_error error;
    trawl_patterns *set;
    trawl_db *db;
    assert_int_equal(trawl_patterns_new(&set, &error), TRAWL_OK);
    for (; *patterns != NULL; patterns++)
        assert_int_equal(trawl_patterns_add(set, *patterns, strlen(*patterns), flags, &error),
                         TRAWL_OK);
    trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
    options.engine = engine;
    options.sample = sample;
    options.sample_length = sample == NULL ? 0 : strlen(sample);
    assert_int_equal(trawl_compile(set, &options, &db, &error), TRAWL_OK);
    const uint16_t byte = db->header->common_byte;
    trawl_db_free(db);
    trawl_patterns_free(set);
    return byte;
}

static void the_rarest_byte_is_taken(void **state) {
    (void)state;
    static const char *const mails[] = {"one@example.org", "two@example.org", NULL};
    static const char *const others[] = {"abc", "xyz", NULL};
    static const char *const letters[] = {"abc", "cde", NULL};
    char sample[8192];
    memset(sample, '.', sizeof sample - 1);
    sample[sizeof sample - 1] = '\0';
    for (size_t i = 0; i + 2 < sizeof sample; i += 16)
        memcpy(sample + i, "@exampl", 7);
    memcpy(sample, "org", 3);
    assert_int_equal(common_byte_of(mails, 0, NULL, sample), 1 + 'g');
    assert_int_equal(common_byte_of(mails, TRAWL_PATTERN_CASE_INSENSITIVE, NULL, sample), 1 + '@');
    assert_int_equal(common_byte_of(mails, 0, "ac-dfa", sample), 0);
    assert_int_equal(common_byte_of(others, 0, NULL, NULL), 0);
    assert_int_equal(common_byte_of(letters, 0, NULL, NULL), 1 + 'c');
    assert_int_equal(common_byte_of(letters, TRAWL_PATTERN_CASE_INSENSITIVE, NULL, NULL), 0);
}

/* Stretches of a window are in order, and have every position at which a match may end. */
static void check_stretches(random_source *random) {
    enum { BYTES = 6000 };
    static uint8_t text[BYTES];
    trawl_image_header header = {.common_byte = 1 + '@'};
    header.common_gap = (uint16_t)random_between(random, 1, 3);
    header.max_length = (uint32_t)random_between(random, 1, 12);
    const trawl_db db = {.header = &header};
    const size_t every = random_between(random, 1, 1500);
    for (size_t i = 0; i < BYTES; i++)
        text[i] = random_chance(random, 1, every) ? '@' : '.';
    const trawl_window window = {.text = text,
                                 .length = random_between(random, 1, BYTES),
                                 .owned = random_below(random, 2 * header.max_length)};
    if (window.owned >= window.length)
        return;
    trawl_stretches stretches = trawl_stretches_of(&db, &window);
    size_t begin = window.owned, end = window.owned, last = SIZE_MAX;
    bool more = true;
    for (size_t t = 0; t < window.length; t++) {
        last = text[t] == '@' ? t : last;
        while (more && t >= end && t >= window.owned) {
            size_t before = end;
            more = trawl_stretches_next(&stretches, &begin, &end);
            assert_true(!more || (begin >= before && end > begin && end <= window.length));
        }
        bool walked = more && t >= begin && t < end;
        if (t >= window.owned && last != SIZE_MAX && t - last < header.max_length)
            assert_true(walked);
    }
}

static void positions_with_the_byte_are_walked(void **state) {
    (void)state;
    for (size_t i = 0; i < 4000; i++) {
        random_source random = random_for_case(random_seed(), i);
        check_stretches(&random);
    }
}

static void nothing_else_is_walked(void **state) {
    (void)state;
    enum { BYTES = 100000 };
    static uint8_t text[BYTES];
    trawl_image_header header = {.common_byte = 1 + '@', .common_gap = 2, .max_length = 20};
    const trawl_db db = {.header = &header};
    const trawl_window window = {.text = text, .length = BYTES, .owned = 19};
    static const size_t places[] = {5, 3000, 3050, 70000, BYTES - 7};
    static const size_t expected[][2] = {
        {19, 25}, {3000, 3070}, {70000, 70020}, {BYTES - 7, BYTES}};
    memset(text, '.', BYTES);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        text[places[i]] = '@';
    trawl_stretches stretches = trawl_stretches_of(&db, &window);
    size_t begin, end;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_true(trawl_stretches_next(&stretches, &begin, &end));
        assert_int_equal(begin, expected[i][0]);
        assert_int_equal(end, expected[i][1]);
    }
    assert_false(trawl_stretches_next(&stretches, &begin, &end));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(positions_with_the_byte_are_walked),
                                       cmocka_unit_test(nothing_else_is_walked),
                                       cmocka_unit_test(the_rarest_byte_is_taken),
                                       cmocka_unit_test(matches_are_the_oracles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
