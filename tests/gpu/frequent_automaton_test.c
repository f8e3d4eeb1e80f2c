/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sets of which engine qgram gives a part to an automaton: short patterns and runs of one byte,
 * which are frequent in the text, among longer ones. Counts, counts by pattern and ends come from
 * the automaton and the filters together, records from filters alone; all results must be the same
 * as without an automaton. */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"
#include "gpu_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SHARED_BYTES = 150000, LONGEST = 60, LONG_PATTERNS = 400, MOST_RUN = 40, MOST_DENSE = 4000 };

static unsigned with_automaton, sets, longer_in_automaton;
static unsigned shortest_seen, longest_seen; /* a bit for each length */

/* Counts the sets with an automaton. It must have all patterns up to a length and all runs of one
 * byte; it may have other patterns with frequent samples. */
static void look_at_choice(const test_case *test) {
    trawl_error error = {.message = ""};
    trawl_cuda_qgram_layout *layout = calloc(1, sizeof(*layout));
    trawl_patterns *patterns = test_case_patterns(test, &error);
    assert_non_null(patterns);
    assert_int_equal(
        choose_layout(patterns, test->text, test->length, SHARED_BYTES, NULL, layout, &error),
        TRAWL_OK);
    const trawl_cuda_qgram_automaton *automaton = &layout->automaton;
    sets++;
    if (automaton->in_automaton != NULL) {
        with_automaton++;
        shortest_seen |= 1u << automaton->shortest;
        longest_seen |= 1u << automaton->short_length;
        assert_non_null(automaton->db);
        assert_true(layout->filter_tiers < layout->tiers);
        for (size_t id = 0; id < test->count; id++) {
            const trawl_pattern *pattern = &test->patterns[id];
            size_t same = 1;
            while (same < pattern->length && pattern->bytes[same] == pattern->bytes[0])
                same++;
            bool any_case = (pattern->flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
            bool letter = strchr("aA", pattern->bytes[0]) != NULL && pattern->bytes[0] != 0;
            bool in_automaton =
                pattern->length <= automaton->short_length || same == pattern->length;
            if (in_automaton && !(any_case && letter && pattern->length > 4))
                assert_int_equal(automaton->in_automaton[id], 1);
            longer_in_automaton += automaton->in_automaton[id] != 0 && !in_automaton;
        }
    } else {
        assert_int_equal(layout->filter_tiers, layout->tiers);
    }
    trawl_cuda_qgram_layout_release(layout);
    trawl_patterns_free(patterns);
    free(layout);
}

static void add_run(test_case *test, int byte, size_t length, unsigned flags) {
    uint8_t bytes[LONGEST];
    memset(bytes, byte, length);
    test_case_add_pattern(test, bytes, length, flags);
}

/* Short patterns in either case, some of them twice; runs of several bytes and lengths; and longer
 * patterns, some of which end with such runs. */
static void add_patterns(test_case *test, random_source *random, size_t shortest) {
    static const int runs[] = {0, 0xff, 'a', 'A', ' ', '9'};
    uint8_t bytes[LONGEST];
    for (size_t id = 0; id < 40; id++) {
        size_t length = random_between(random, shortest, 4);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)("abcABC\0\xff"[random_below(random, 8)]);
        unsigned flags = random_below(random, 4) == 0 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        test_case_add_pattern(test, bytes, length, flags);
        if (id % 8 == 0)
            test_case_add_pattern(test, bytes, length, TRAWL_PATTERN_CASE_INSENSITIVE);
    }
    for (size_t id = 0; id < 20; id++) {
        bool any_case = random_below(random, 5) == 0;
        add_run(test, runs[random_below(random, sizeof(runs) / sizeof(runs[0]))],
                random_between(random, shortest, MOST_RUN),
                any_case ? TRAWL_PATTERN_CASE_INSENSITIVE : 0);
    }
    for (size_t id = 0; id < LONG_PATTERNS; id++) {
        size_t length = random_between(random, 5, LONGEST);
        for (size_t i = 0; i < length; i++)
            bytes[i] = (uint8_t)random_below(random, 256);
        if (id % 4 == 0)
            memset(bytes + length - length / 2, runs[id / 4 % 6], length / 2);
        test_case_add_pattern(test, bytes, length, id % 7 == 0 ? 1 : 0);
    }
}

/* Patterns that cannot be in the automaton, as they have too many spellings. They end at every
 * position of a stretch of the text, so that its strips have more hits than there is room for.
 * Short patterns end there too. */
static void add_dense_patterns(test_case *test) {
    static const char *const patterns[] = {"ghghgh", "hghghg", "GHghghgh"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        test_case_add_pattern(test, patterns[i], strlen(patterns[i]),
                              TRAWL_PATTERN_CASE_INSENSITIVE);
    test_case_add_pattern(test, "ghghGH", 6, 0);
    test_case_add_pattern(test, "gh", 2, 0);
    test_case_add_pattern(test, "H", 1, 0);
}

static void append_dense_stretch(test_case *test, random_source *random) {
    size_t some = random_between(random, 100, MOST_DENSE);
    for (size_t i = 0; i < some; i++)
        test_case_append_text(test, i % 200 < 150 ? "gh" : "gH", 2);
}

/* Mostly letters of the short patterns, and runs longer than those of the set; a longer pattern now
 * and then. */
static void append_text(test_case *test, random_source *random, bool dense, size_t length) {
    static const int runs[] = {0, 0xff, 'a', 'A', ' ', '9'};
    uint8_t bytes[MOST_RUN + 20];
    while (test->length < length) {
        size_t kind = random_below(random, 8);
        size_t some = random_between(random, 1, sizeof(bytes));
        if (dense && random_below(random, 50) == 0)
            append_dense_stretch(test, random);
        if (kind == 0) {
            const trawl_pattern *pattern = &test->patterns[random_below(random, test->count)];
            test_case_append_text(test, pattern->bytes, pattern->length);
            continue;
        }
        memset(bytes, runs[random_below(random, 6)], sizeof(bytes));
        for (size_t i = 0; kind < 5 && i < some; i++)
            bytes[i] = (uint8_t)("abcABC\0\xff"[random_below(random, 8)]);
        test_case_append_text(test, bytes, some);
    }
}

static void check_set(size_t shortest, bool dense, size_t length, random_source random) {
    static test_case test;
    static const trawl_cuda_form forms[] = {TRAWL_CUDA_COUNT, TRAWL_CUDA_PATTERNS, TRAWL_CUDA_ENDS,
                                            TRAWL_CUDA_MATCHES};
    expectation expected;
    device_database database;
    test.name = strdup("automaton");
    add_patterns(&test, &random, shortest);
    if (dense)
        add_dense_patterns(&test);
    append_text(&test, &random, dense, length);
    expectation_make(&expected, &test);
    look_at_choice(&test);
    if (device_open_engine(&database, "qgram", &test)) {
        for (size_t form = 0; form < sizeof(forms) / sizeof(forms[0]); form++)
            for (size_t i = 0; i < 3; i++) {
                device_scan scan = {.kernel = "filter",
                                    .form = forms[form],
                                    .alignment = (uint32_t)random_below(&random, 32),
                                    .owned = i * random_below(&random, test.length / 4),
                                    .room = i == 2 ? ROOM_AMPLE : ROOM_EXACT};
                device_check(&database, &scan, &test, test.length, &expected, NULL);
                device_check(&database, &scan, &test, scan.owned + random_below(&random, 5000),
                             &expected, NULL);
            }
        device_database_close(&database);
    }
    expectation_free(&expected);
    test_case_free(&test);
}

static void all_forms(void **state) {
    (void)state;
    size_t rounds = device_cases(12, 6), length = device_is_emulated() ? 9000 : 300000;
    for (size_t i = 0; i < rounds; i++)
        check_set(1 + i % 4, i % 3 == 1, length, random_for_case(random_seed(), i));
    assert_true(2 * with_automaton >
                sets); /* otherwise mostly sets without an automaton were tested */
    assert_true((shortest_seen & 1u << 1) != 0);
    assert_true((longest_seen & ~1u) != 0);
    assert_true(longer_in_automaton != 0);
}

int main(void) {
    if (!device_tests_begin("frequent_automaton_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_forms, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
