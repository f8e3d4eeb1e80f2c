/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The other algorithms of Charan 2015, 2.2, that find a pattern: KMP, and two binary searches in a
 * suffix array. For comparison with the index.
 */
#ifndef TRAWL_TESTS_SUFFIX_QUERIES_H
#define TRAWL_TESTS_SUFFIX_QUERIES_H

#include <stddef.h>
#include <stdint.h>

/* Counts occurrences by Knuth, Morris and Pratt: O(m + n). `borders` is room for `length` numbers.
 * The first `most` positions are written to positions[], which may be NULL. */
size_t kmp_search(const uint8_t *pattern, size_t length, const uint8_t *text, size_t text_length,
                  size_t *borders, size_t *positions, size_t most);

/* Sets [*begin, *end) to the suffixes that begin with the pattern: O(m log n). `suffixes` are those
 * of text[0, text_length) in ascending order. */
void suffix_array_search(const uint8_t *pattern, size_t length, const uint8_t *text,
                         size_t text_length, const int32_t *suffixes, size_t *begin, size_t *end);

#endif
