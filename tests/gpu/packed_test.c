/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Kernel packed of qgram: sets of few letters with all lengths that it takes, over texts with bytes
 * outside the alphabet, at all positions of vectors, batches and strips; when it is the default
 * kernel; and what it refuses. */
#include "gpu/device_memory.h"
#include "gpu/device_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct packed_set {
    const char *letters;
    size_t least, most; /* letters of a pattern */
    size_t count;
    const char *outside; /* other bytes of the text */
    size_t outside_in;   /* one byte in this many is one of these; 0: none */
    size_t line;         /* bytes of a line, which a newline ends; 0: no lines */
    size_t insensitive;  /* percent of the patterns */
    size_t twice;        /* percent of the patterns that are there twice or more often */
    bool refused;
} packed_set;

static const packed_set sets[] = {
    {"acgt", 8, 8, 300, NULL, 0, 0, 0, 0, false},
    {"acgt", 8, 8, 3000, "N", 700, 0, 0, 0, false},
    {"acgt", 8, 8, 400, NULL, 0, 61, 0, 0, false},
    {"ACGT", 8, 8, 400, "acgtn", 40, 0, 0, 20, false},
    {"acgt", 7, 8, 200, "N\n", 90, 0, 0, 0, false},
    {"acgt", 1, 8, 120, "Nn", 30, 71, 0, 0, false},
    {"acgt", 2, 5, 60, "\n", 100, 0, 0, 60, false},
    {"acgt", 4, 8, 100, "N", 300, 0, 100, 0, false},
    {"ACGT", 3, 8, 100, "nxN", 60, 0, 50, 0, false},
    {"acgu", 6, 6, 500, "t", 50, 0, 0, 0, false},
    {"01", 1, 8, 100, "2 ", 80, 0, 0, 0, false},
    {"a", 1, 8, 8, "b", 20, 0, 0, 0, false},
    {"a", 3, 8, 9, NULL, 0, 0, 0, 100, false},
    {"aA1", 1, 7, 60, "b\x11", 40, 0, 40, 0, false}, /* which is a 1 but for one bit */
    {"acgt", 2, 3, 40, NULL, 0, 0, 0, 0, false},
    {"\1\2\3", 2, 6, 60, "\4\377", 30, 0, 0, 0, false},
    {"acgt", 1, 1, 4, "N", 10, 0, 0, 0, false},
    {"acgt", 9, 9, 100, NULL, 0, 0, 0, 0, true},
    {"acgt", 1, 9, 100, "N", 100, 0, 0, 0, true},
    {"acgtn", 4, 8, 300, NULL, 0, 0, 0, 0, true},
};
enum { SETS = sizeof(sets) / sizeof(sets[0]), WINDOW = 2048 };

static void add_pattern(test_case *test, const packed_set *set, random_source *random) {
    uint8_t bytes[16];
    size_t length = random_between(random, set->least, set->most);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)set->letters[random_below(random, strlen(set->letters))];
    unsigned flags =
        random_below(random, 100) < set->insensitive ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
    test_case_add_pattern(test, bytes, length, flags);
    while (random_below(random, 100) < set->twice && test->count < 2 * set->count)
        test_case_add_pattern(test, bytes, length, flags);
}

/* A text of letters, half of it patterns, in either case if that must not matter. */
static void make_case(test_case *test, const packed_set *set, random_source *random,
                      size_t length) {
    test->name = strdup(set->letters);
    while (test->count < set->count)
        add_pattern(test, set, random);
    while (test->length < length) {
        const trawl_pattern *some = &test->patterns[random_below(random, test->count)];
        test_case_append_text(test, some->bytes, random_between(random, 1, some->length));
        test_case_append_text(test, &set->letters[random_below(random, strlen(set->letters))], 1);
    }
    test->length = length;
    for (size_t i = 0; i < length; i++) {
        uint8_t *byte = &test->text[i];
        bool is_letter = (*byte | 0x20) >= 'a' && (*byte | 0x20) <= 'z';
        if (set->insensitive && is_letter && random_chance(random, 1, 3))
            *byte ^= 0x20;
        if (set->outside_in && random_chance(random, 1, set->outside_in))
            *byte = (uint8_t)set->outside[random_below(random, strlen(set->outside))];
        if (set->line && i % set->line == set->line - 1)
            *byte = '\n';
    }
}

static bool open_set(device_database *database, const packed_set *set, test_case *test,
                     expectation *expected, size_t index, size_t length) {
    random_source random = random_for_case(random_seed(), index);
    make_case(test, set, &random, length);
    expectation_make(expected, test);
    return device_open_engine(database, "qgram", test);
}

/* All lengths of texts near those of vectors and batches, all alignments, strips of one batch and
 * of more. */
static void every_set(void **state) {
    (void)state;
    for (size_t i = 0; i < SETS; i++) {
        static test_case test;
        device_database database;
        expectation expected;
        random_source random = random_for_case(random_seed(), 1000 + i);
        if (open_set(&database, &sets[i], &test, &expected, i, 4 * WINDOW + 100)) {
            size_t scans = device_cases(200, 12);
            for (size_t n = 0; n < scans; n++) {
                uint64_t near = random_chance(&random, 1, 2)
                                    ? (uint64_t)WINDOW * random_between(&random, 1, 4)
                                    : 16 * random_between(&random, 1, test.length / 16 - 1);
                device_scan scan = {.kernel = "packed",
                                    .alignment = (uint32_t)random_below(&random, 32),
                                    .block_threads = n % 3 == 0 ? 0 : 32 * (uint32_t)(n % 5 + 1),
                                    .room = (device_room)random_below(&random, ROOMS)};
                scan.block_bytes =
                    scan.block_threads && n % 2 ? scan.block_threads / 32 * 2 * WINDOW : 0;
                scan.place = n % 4 == 0 ? PLACE_EXACT : PLACE_BETWEEN;
                uint64_t length = near + random_below(&random, 40) - 20;
                length = n == 0 || length > test.length ? test.length : length;
                scan.owned = n % 4 == 3 ? random_below(&random, length) : 0;
                device_check_forms(&database, &scan, &test, length, &expected, sets[i].refused);
            }
            device_database_close(&database);
        }
        expectation_free(&expected);
        test_case_free(&test);
    }
}

static void check_alone(test_case *test, uint32_t block_bytes) {
    device_database database;
    expectation expected;
    expectation_make(&expected, test);
    if (device_open_engine(&database, "qgram", test)) {
        device_scan scan = {.kernel = "packed", .block_threads = 32, .block_bytes = block_bytes};
        device_check_forms(&database, &scan, test, test->length, &expected, false);
        device_database_close(&database);
    }
    expectation_free(&expected);
    test_case_free(test);
}

/* Each byte of a batch and around it in turn is outside the alphabet, with matches everywhere. */
static void a_byte_outside_the_alphabet_everywhere(void **state) {
    (void)state;
    static test_case test;
    size_t step = device_is_emulated() || device_cases_are_limited() ? 37 : 1;
    for (size_t at = WINDOW - 20; at < 2 * WINDOW + 40; at++) {
        if (at % step != 0 && (at + 10) % WINDOW > 20)
            continue;
        test.name = strdup("a stranger");
        test_case_add_pattern(&test, "aaaaaaaa", 8, 0);
        test_case_add_pattern(&test, "aaaaaaaa", at % 2 ? 3 : 8, 0);
        while (test.length < 3 * WINDOW)
            test_case_append_text(&test, "aaaaaaaaaaaaaaaa", 16);
        test.text[at] = 'e'; /* whose two bits are those of a letter */
        check_alone(&test, at % 3 == 0 ? 0 : 4 * WINDOW);
    }
}

/* Lines that begin and end within a strip: batches full of bytes outside the alphabet, and batches
 * without. */
static void lines_here_and_there(void **state) {
    (void)state;
    static test_case test;
    enum { LENGTH = 7 * WINDOW };
    random_source random = random_for_case(random_seed(), 2000);
    for (size_t from = 0; from <= 2 * WINDOW; from += WINDOW / 2) {
        test.name = strdup("lines");
        test_case_add_pattern(&test, "gatta", 5, 0);
        test_case_add_pattern(&test, "cac", from % WINDOW ? 2 : 3, 0);
        test_case_add_pattern(&test, "tgcat", 5, 0);
        while (test.length < LENGTH)
            test_case_append_text(&test, &"acgt"[random_below(&random, 4)], 1);
        for (size_t i = from; i < LENGTH; i += i % (3 * WINDOW) < from + WINDOW ? 61 : 3000)
            test.text[i] = '\n';
        check_alone(&test, 8 * WINDOW);
    }
}

/* Zeros are letters, but not where the text has no bytes at all. */
static void zeros(void **state) {
    (void)state;
    static const uint8_t nothing[8] = {0};
    static test_case test;
    for (size_t length = 1; length < 70; length += 3) {
        test.name = strdup("zeros");
        for (size_t i = 1; i <= 8; i++)
            test_case_add_pattern(&test, nothing, i, 0);
        while (test.length < length)
            test_case_append_text(&test, nothing, 1);
        check_alone(&test, 0);
    }
}

/* The default kernel. */
static void the_default(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *text;
        const char *kernel;
    } choices[] = {{"acgtacgt", "acgtttgacaNacgtacgttgcagt", "packed"},
                   {"acgtacgt", "the cat sat on the mat, and that is all of it", "filter"},
                   {"acgtacgta", "acgtttgacaNacgtacgttgcagt", "filter"},
                   {"abcde", "abcdeabcdeabcde", "filter"},
                   {"acgtacgt", "", "filter"}};
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        static test_case test;
        test.name = strdup("default");
        test_case_add_pattern(&test, choices[i].pattern, strlen(choices[i].pattern), 0);
        test_case_append_text(&test, choices[i].text, strlen(choices[i].text));
        device_check_default("qgram", &test, choices[i].kernel);
        test_case_free(&test);
    }
}

int main(void) {
    if (!device_tests_begin("packed_test"))
        return TEST_SKIPPED;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_set, device_tests_after_a_crash),
        cmocka_unit_test_teardown(a_byte_outside_the_alphabet_everywhere,
                                  device_tests_after_a_crash),
        cmocka_unit_test_teardown(lines_here_and_there, device_tests_after_a_crash),
        cmocka_unit_test_teardown(zeros, device_tests_after_a_crash),
        cmocka_unit_test_teardown(the_default, device_tests_after_a_crash),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    device_tests_end();
    return failed;
}
