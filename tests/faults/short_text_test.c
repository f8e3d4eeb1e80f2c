/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A scan of a short text with few patterns allocates no block above 64 KiB, with any engine and
 * match kind: larger blocks would make the heap grow and shrink in each call. The linker replaces
 * the allocation functions (--wrap).
 */
#include "combinations.h"
#include "failing_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_BYTES = 64 << 10 };

static random_source source;

/* Patterns of `letters`, of lengths from `shortest` to `longest`, and a text made of some. */
static test_case make_case(size_t count, size_t shortest, size_t longest, const char *letters,
                           size_t length) {
    test_case made = {.name = strdup("short text")};
    for (size_t id = 0; id < count; id++) {
        uint8_t bytes[64];
        size_t bytes_count = random_between(&source, shortest, longest);
        for (size_t i = 0; i < bytes_count; i++) {
            bytes[i] = (uint8_t)letters[random_below(&source, strlen(letters))];
        }
        test_case_add_pattern(&made, bytes, bytes_count, 0);
        size_t left = length - made.length;
        test_case_append_text(&made, bytes, bytes_count < left ? bytes_count : left);
    }
    while (made.length < length) {
        uint8_t byte = (uint8_t)letters[random_below(&source, strlen(letters))];
        test_case_append_text(&made, &byte, 1);
    }
    return made;
}

static int ignore(const trawl_match *match, void *context) {
    (void)match;
    (void)context;
    return 0;
}

/* Variant `steps` of rabin-karp makes tables of powers and hashes in each scan, as its paper does.
 */
static bool makes_tables(combination which) {
    return which.variant != NULL && strcmp(which.engine, "rabin-karp") == 0 &&
           strcmp(which.variant, "steps") == 0;
}

static void check(const test_case *test) {
    for (size_t c = 0; c < combination_count(); c++) {
        if (makes_tables(combination_at(c))) {
            continue;
        }
        for (int kind = 0; kind < MATCH_KINDS; kind++) {
            combination which = combination_at(c);
            combination_failure failure;
            trawl_db *db;
            combination_outcome outcome =
                combination_compile(which, test, (trawl_match_kind)kind, &db, &failure);
            if (outcome == COMBINATION_REFUSED) {
                continue;
            }
            assert_int_equal(outcome, COMBINATION_COMPILED);
            trawl_error error;
            atomic_store(&largest, 0);
            assert_int_equal(trawl_scan(db, test->text, test->length, NULL, ignore, NULL, &error),
                             TRAWL_OK);
            if (atomic_load(&largest) > MOST_BYTES) {
                fail_msg("%s/%s, %zu patterns, %zu bytes of text: an allocation of %zu bytes",
                         which.engine, which.variant ? which.variant : "-", test->count,
                         test->length, atomic_load(&largest));
            }
            trawl_db_free(db);
        }
    }
}

static void short_texts_need_little_memory(void **state) {
    (void)state;
    static const size_t lengths[] = {15, 600, 4000};
    static const char words[] = "abcdefghijklmnopqrstuvwxyz ";
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const test_case cases[] = {
            make_case(6, 2, 5, words, lengths[i]),     make_case(100, 4, 12, words, lengths[i]),
            make_case(100, 6, 30, words, lengths[i]),  make_case(300, 5, 9, words, lengths[i]),
            make_case(40, 12, 20, "acgt", lengths[i]), make_case(20, 3, 3, "acgt", lengths[i])};
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            check(&cases[c]);
            test_case owned = cases[c];
            test_case_free(&owned);
        }
    }
}

int main(void) {
    source = random_for_case(random_seed(), 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(short_texts_need_little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
