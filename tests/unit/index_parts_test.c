/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sorting by two threads: which texts are cut in two, and that the result is that of a single
 * sort. */
#include "random.h"

#include "base/allocate.h"
#include "index/sort_parts.h"
#include "index/suffix_sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A text of documents: random letters, in documents of up to `longest` bytes, some of them equal to
 * the one before, some empty; and one long document. */
typedef struct documents {
    const char *letters; /* NULL: all 256 bytes */
    size_t total, longest;
    size_t long_at, long_length; /* bytes before and of the long document; length 0: none */
} documents;

enum { REPEATING = 250000 }; /* bytes */

static trawl_error error;
static uint8_t bytes[1 << 18];

static void append(trawl_index_builder *text, size_t length, bool is_new) {
    assert_int_equal(trawl_index_builder_document(text, "d", is_new ? 1 : 0, &error), TRAWL_OK);
    assert_int_equal(trawl_index_builder_append(text, bytes, length, &error), TRAWL_OK);
}

static trawl_index_builder *make(const documents *of, uint64_t seed) {
    random_source random = random_for_case(seed, 0);
    trawl_index_builder *text = NULL;
    assert_int_equal(trawl_index_builder_new(&text, &error), TRAWL_OK);
    bool has_long = of->long_length == 0;
    for (size_t used = 0, length = 0; used < of->total; used += length) {
        bool is_long = !has_long && used >= of->long_at;
        bool repeats =
            !is_long && length != 0 && length <= of->longest && random_chance(&random, 1, 4);
        has_long = has_long || is_long;
        if (!repeats) {
            length = is_long ? of->long_length : random_below(&random, of->longest + 1);
            for (size_t i = 0; i < length; i++)
                bytes[i] = of->letters == NULL
                               ? (uint8_t)random_bits(&random)
                               : (uint8_t)of->letters[random_below(&random, strlen(of->letters))];
        }
        append(text, length, repeats);
    }
    assert_int_equal(trawl_index_builder_finish(text, &error), TRAWL_OK);
    return text;
}

/* Sorts with two threads and with one. `within`: the text is cut within a document. */
static void compare_text(trawl_index_builder *text, bool within) {
    trawl_text_cut cut;
    trawl_team *team = NULL;
    assert_true(trawl_cut_text(text, &cut));
    assert_int_equal(cut.added != 0, within);
    assert_int_equal(trawl_team_open(&team, 2, &error), TRAWL_OK);
    int32_t *expected = trawl_allocate(text->length + TRAWL_SUFFIX_SLACK, sizeof *expected);
    int32_t *sorted = trawl_sort_parts(text, &cut, team, 2);
    assert_non_null(expected);
    assert_non_null(sorted);
    assert_true(trawl_suffix_sort_narrow(text->text, text->length, expected));
    for (size_t i = 0; i < text->length; i++)
        assert_int_equal(sorted[i], expected[i]);
    trawl_release(expected);
    trawl_release(sorted);
    trawl_team_close(team);
    trawl_index_builder_free(text);
}

static void compare(const documents *of, bool within) {
    compare_text(make(of, 7), within);
}

static void cut_between_documents(void **state) {
    (void)state;
    compare(&(documents){.letters = "acgt", .total = 200000, .longest = 900}, false);
    compare(&(documents){.letters = "ab", .total = 180000, .longest = 40}, false);
    compare(&(documents){.letters = "a", .total = 140000, .longest = 2}, false);
    compare(&(documents){.letters = "a", .total = 140000, .longest = 300}, false);
    compare(&(documents){.total = 200000, .longest = 500}, false); /* every byte is in the text */
    compare(&(documents){.letters = "abc",
                         .total = 200000,
                         .longest = 400,
                         .long_at = 110000,
                         .long_length = 60000},
            false);
    compare(&(documents){.letters = "ab", .total = 200000, .longest = 40000}, false);
}

static void cut_within_a_document(void **state) {
    (void)state;
    compare(&(documents){.letters = "ab", .total = 200000, .longest = 1, .long_length = 200000},
            true);
    compare(&(documents){.total = 200000, .longest = 1, .long_length = 200000}, true);
    compare(&(documents){.letters = "ab",
                         .total = 200000,
                         .longest = 40,
                         .long_at = 1000,
                         .long_length = 190000},
            true);
}

static trawl_index_builder *one_document(size_t length) {
    trawl_index_builder *text = NULL;
    assert_int_equal(trawl_index_builder_new(&text, &error), TRAWL_OK);
    append(text, length, true);
    assert_int_equal(trawl_index_builder_finish(text, &error), TRAWL_OK);
    return text;
}

/* `of` again and again, but random bytes in [begin, end). */
static trawl_index_builder *repeating(const char *of, size_t begin, size_t end) {
    random_source random = random_for_case(9, 0);
    for (size_t i = 0; i < REPEATING; i++)
        bytes[i] =
            i >= begin && i < end ? (uint8_t)random_bits(&random) : (uint8_t)of[i % strlen(of)];
    return one_document(REPEATING);
}

/* Random bytes; those around the middle once more at the end. */
static trawl_index_builder *middle_twice(void) {
    enum { BEGIN = REPEATING / 2 - 1000, LENGTH = (REPEATING - BEGIN) / 2 };
    random_source random = random_for_case(9, 1);
    for (size_t i = 0; i < REPEATING; i++)
        bytes[i] = i < BEGIN + LENGTH ? (uint8_t)random_bits(&random) : bytes[i - LENGTH];
    return one_document(REPEATING);
}

/* Walks whose last suffix is equal to suffixes of the other part for tens of thousands of symbols
 * belong to the walks behind them. Where that is the last walk, its row is searched for anyway. */
static void walks_that_end_in_repeats(void **state) {
    (void)state;
    compare_text(repeating("a", 124000, 126000), true);
    compare_text(repeating("abcab", 124000, 126000), true);
    compare_text(repeating("ab", 65000, 185000), true);
    compare_text(middle_twice(), true);
}

static void refuse(trawl_index_builder *text) {
    trawl_text_cut cut;
    assert_false(trawl_cut_text(text, &cut));
    trawl_index_builder_free(text);
}

static void texts_that_are_not_cut(void **state) {
    (void)state;
    refuse(make(&(documents){.letters = "ab", .total = 0, .longest = 1}, 8));
    refuse(make(&(documents){.letters = "ab", .total = 100000, .longest = 40}, 8));
    refuse(repeating("a", 0, 0));
    refuse(repeating("abcabcabcabcd", 0, 1000));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cut_between_documents),
        cmocka_unit_test(cut_within_a_document),
        cmocka_unit_test(walks_that_end_in_repeats),
        cmocka_unit_test(texts_that_are_not_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
