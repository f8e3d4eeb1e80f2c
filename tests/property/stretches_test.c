/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sets all of whose patterns contain one of some bytes that are rare in the text: the planner's
 * database passes over stretches without them (src/run/stretches.h), and the matches are the
 * oracle's. Random costs make it take all engines, and pass over stretches of any length.
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

enum {
    CASES = TESTS_ARE_SLOW ? 60 : 250,
    RUNNERS = 4,
    LONGEST_SIDE = 90,
    MOST_TEXT = 30000,
    MOST_RARE = 6,
    SAMPLE = 8192
};

/* Bytes of which every pattern of a set contains one. */
typedef struct rare_list {
    uint8_t bytes[MOST_RARE];
    size_t count;
} rare_list;

static rare_list draw_rare(random_source *random) {
    static const uint8_t all[MOST_RARE] = {'@', '.', 0, 0xff, 'z', ' '};
    rare_list list = {.count = random_chance(random, 1, 2) ? 1 : random_between(random, 1, 6)};
    size_t first = random_below(random, MOST_RARE);
    for (size_t i = 0; i < list.count; i++)
        list.bytes[i] = all[(first + i) % MOST_RARE];
    return list;
}

static uint8_t one_of(random_source *random, const rare_list *list) {
    return list->bytes[random_below(random, list->count)];
}

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

/* Gaps of any length, and between them patterns, some of them damaged, or a rare byte alone. */
static void draw_text(random_source *random, size_t letters, const rare_list *rare,
                      test_case *test) {
    const size_t length = random_between(random, 1, MOST_TEXT);
    const double longest_gap = random_power(random, 1, 4);
    uint8_t gap[10001];
    while (test->length < length) {
        size_t count = (size_t)random_power(random, 0, log10(longest_gap));
        append_letters(random, letters, count, gap);
        test_case_append_text(test, gap, count);
        size_t at = test->length;
        const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
        const uint8_t byte = one_of(random, rare);
        if (random_chance(random, 1, 8))
            test_case_append_text(test, &byte, 1);
        else
            test_case_append_text(test, pattern->bytes, pattern->length);
        if (random_chance(random, 1, 3))
            test->text[random_between(random, at, test->length - 1)] = 'a';
    }
}

/* The sample has letters alone, so that the planner takes all other bytes for rare. */
static void draw_case(random_source *random, uint8_t sample[SAMPLE], test_case *test) {
    const size_t letters = random_chance(random, 1, 2) ? 2 : 6;
    const rare_list rare = draw_rare(random);
    const size_t longest = random_chance(random, 1, 3) ? LONGEST_SIDE : 8;
    const unsigned flags = random_chance(random, 1, 4) ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
    const size_t count = (size_t)random_power(random, 0, 2.5);
    for (size_t id = 0; id < count; id++)
        draw_pattern(random, letters, one_of(random, &rare), longest,
                     random_chance(random, 1, 2) ? flags : 0, test);
    if (random_chance(random, 1, 4))
        draw_conditions(random, test);
    draw_text(random, letters, &rare, test);
    append_letters(random, letters, SAMPLE, sample);
}

static void check_case(uint64_t seed, size_t index) {
    static const combination planned = {.engine = "auto"};
    static uint8_t sample[SAMPLE];
    test_case test = {.name = strdup("stretches")};
    trawl_costs costs;
    combination_failure failure;
    match_list expected = {0};
    random_source random = random_for_case(seed, index);
    random_costs(&random, -1, 3, &costs);
    draw_case(&random, sample, &test);
    combination_set_sample(random_chance(&random, 1, 4) ? NULL : sample, SAMPLE);
    trawl_match_kind kind = (trawl_match_kind)(index % MATCH_KINDS);
    test_case_search(&test, kind, &expected);
    combination_set_costs(&costs);
    if (combination_check(planned, &test, kind, &expected, RUNNERS, &random, &failure) ==
        COMBINATION_FAILED)
        fail_msg("TRAWL_TEST_SEED=%llu TRAWL_TEST_CASE=%zu: %s", (unsigned long long)seed, index,
                 failure.what);
    combination_set_costs(NULL);
    combination_set_sample(NULL, 0);
    match_list_free(&expected);
    test_case_free(&test);
}

static void matches_are_the_oracles(void **state) {
    (void)state;
    random_cases_run(CASES, check_case);
}

/* The rare bytes of a database, as a string in ascending order; NULL: none. */
static const char *rare_bytes_of(const char *const *patterns, unsigned flags, const char *engine,
                                 const char *sample) {
    static char bytes[257];
    size_t count = 0;
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
    for (unsigned byte = 0; db->rare_bytes != NULL && byte < 256; byte++)
        if (trawl_byte_set_has(db->rare_bytes, (uint8_t)byte))
            bytes[count++] = (char)byte;
    bytes[count] = '\0';
    trawl_db_free(db);
    trawl_patterns_free(set);
    return count == 0 ? NULL : bytes;
}

static void the_rarest_bytes_are_taken(void **state) {
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
    assert_string_equal(rare_bytes_of(mails, 0, NULL, sample), "g");
    assert_string_equal(rare_bytes_of(mails, TRAWL_PATTERN_CASE_INSENSITIVE, NULL, sample), "NTnt");
    assert_null(rare_bytes_of(mails, 0, "ac-dfa", sample));
    assert_null(rare_bytes_of(others, 0, NULL, NULL));
    assert_string_equal(rare_bytes_of(letters, 0, NULL, NULL), "c");
    assert_null(rare_bytes_of(letters, TRAWL_PATTERN_CASE_INSENSITIVE, NULL, NULL));
    assert_string_equal(rare_bytes_of(others, 0, NULL, sample), "by");
    assert_string_equal(rare_bytes_of(others, TRAWL_PATTERN_CASE_INSENSITIVE, NULL, sample),
                        "BYby");
    memset(sample, 'y', 4096);
    assert_string_equal(rare_bytes_of(others, 0, NULL, sample), "bz");
    memset(sample, 'x', 4096);
    memcpy(sample + 4096, "ab", 2);
    memset(sample + 4098, 'c', 2000);
    memset(sample + 6098, 'z', sizeof sample - 6099);
    assert_string_equal(rare_bytes_of(others, 0, NULL, sample), "ay");
    memset(sample, 'a', sizeof sample - 1);
    assert_string_equal(rare_bytes_of(others, 0, NULL, sample), "bx");
    for (size_t i = 0; i + 4 < sizeof sample; i += 4)
        memcpy(sample + i, "axbc", 4);
    assert_string_equal(rare_bytes_of(mails, 0, NULL, sample), ".");
    memset(sample, 'y', sizeof sample - 1);
    for (size_t i = 0; i + 6 < sizeof sample; i += 6)
        memcpy(sample + i, "abcxyz", 6);
    assert_null(rare_bytes_of(others, 0, NULL, sample)); /* all of their bytes are frequent */
}

/* Finds '@', or '@' and 0xff. */
static trawl_byte_finder draw_finder(random_source *random) {
    trawl_byte_set set = {.rows = {{0}}};
    trawl_byte_set_add(&set, '@');
    if (random_chance(random, 1, 2))
        trawl_byte_set_add(&set, 0xff);
    return trawl_byte_finder_for(&set, TRAWL_CPU_SCALAR);
}

/* Stretches of a window are in order, and have every position at which a match may end. */
static void check_stretches(random_source *random) {
    enum { BYTES = 6000 };
    static uint8_t text[BYTES];
    trawl_image_header header = {.rare_gap = (uint16_t)random_between(random, 1, 3),
                                 .max_length = (uint32_t)random_between(random, 1, 12)};
    const trawl_db db = {.header = &header};
    const trawl_byte_finder finder = draw_finder(random);
    const size_t every = random_between(random, 1, 1500);
    for (size_t i = 0; i < BYTES; i++)
        text[i] = random_chance(random, 1, every) ? random_chance(random, 1, 2) ? '@' : 0xff : '.';
    const trawl_window window = {.text = text,
                                 .length = random_between(random, 1, BYTES),
                                 .owned = random_below(random, 2 * header.max_length)};
    if (window.owned >= window.length)
        return;
    trawl_stretches stretches = trawl_stretches_of(&db, &finder, &window);
    size_t begin = window.owned, end = window.owned, last = SIZE_MAX;
    bool more = true;
    for (size_t t = 0; t < window.length; t++) {
        last = trawl_byte_set_has(&finder.set, text[t]) ? t : last;
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
    trawl_image_header header = {.rare_gap = 2, .max_length = 20};
    const trawl_db db = {.header = &header};
    trawl_byte_set set = {.rows = {{0}}};
    trawl_byte_set_add(&set, '@');
    const trawl_byte_finder finder = trawl_byte_finder_for(&set, TRAWL_CPU_SCALAR);
    const trawl_window window = {.text = text, .length = BYTES, .owned = 19};
    static const size_t places[] = {5, 3000, 3050, 70000, BYTES - 7};
    static const size_t expected[][2] = {
        {19, 25}, {3000, 3070}, {70000, 70020}, {BYTES - 7, BYTES}};
    memset(text, '.', BYTES);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        text[places[i]] = '@';
    trawl_stretches stretches = trawl_stretches_of(&db, &finder, &window);
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
                                       cmocka_unit_test(the_rarest_bytes_are_taken),
                                       cmocka_unit_test(matches_are_the_oracles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
