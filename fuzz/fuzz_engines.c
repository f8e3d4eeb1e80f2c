/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Engines and variants against the oracle. Input: one byte for the match kind and the number of
 * patterns; for each pattern one byte with its length (and the flag in the highest bit) and its
 * bytes; the rest is the text.
 */
#include "combinations.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_PATTERNS = 20, LONGEST_TEXT = 600 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    test_case test = {0};
    if (size < 3)
        return -1;
    trawl_match_kind kind = (trawl_match_kind)(data[0] % MATCH_KINDS);
    size_t count = 1 + data[0] / MATCH_KINDS % MOST_PATTERNS, at = 1;
    while (test.count < count && at + 1 < size) {
        size_t length = (data[at] & 0x3f) + 1u, left = size - at - 1;
        unsigned flags = data[at] & 0x80 ? TRAWL_PATTERN_CASE_INSENSITIVE : 0;
        if (length > left)
            length = left;
        test_case_add_pattern(&test, data + at + 1, length, flags);
        at += 1 + length;
    }
    size_t left = size - at;
    test_case_append_text(&test, data + at, left < LONGEST_TEXT ? left : LONGEST_TEXT);

    match_list expected = {0};
    random_source random = random_for_case(size, data[0]);
    combination_failure failure;
    oracle_search(test.patterns, test.count, test.text, test.length, kind, &expected);
    /* A third of the engines for each input, so that more inputs are tried. */
    for (size_t i = size % 3; i < combination_count(); i += 3)
        if (combination_check(combination_at(i), &test, kind, &expected, 1, &random, &failure) ==
            COMBINATION_FAILED) {
            combination_print_failure(stderr, &test, &failure, NULL);
            abort();
        }
    match_list_free(&expected);
    test_case_free(&test);
    return 0;
}
