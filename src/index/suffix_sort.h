/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sorts the suffixes of a text of documents, in time proportional to its length.
 *
 * The text is an array of symbols: byte b is b + 1, and 0 is a border, which ends a document. No
 * document is empty, and the last symbol is a border. Suffixes are compared up to their first
 * border; of equal ones the first in the text is the smaller.
 *
 * Why not a library: the notebook, 2026-11-text-index.md.
 */
#ifndef TRAWL_INDEX_SUFFIX_SORT_H
#define TRAWL_INDEX_SUFFIX_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TRAWL_SUFFIX_SYMBOLS = 257,
    TRAWL_SUFFIX_SLACK = 160 /* slots of the array behind the suffixes, for the recursion: two and
                                a half for each halving of the length */
};

/* Texts of fewer symbols have indices of 32 bits. */
#define TRAWL_SUFFIX_NARROW ((size_t)INT32_MAX - TRAWL_SUFFIX_SLACK)

/* Writes the sorted suffixes of text[0, length) into suffixes[0, length); the array has room for
 * length + TRAWL_SUFFIX_SLACK. Memory besides: at most half a slot for each symbol. False: out of
 * memory. The narrow form needs length <= TRAWL_SUFFIX_NARROW. */
bool trawl_suffix_sort_narrow(const uint16_t *text, size_t length, int32_t *suffixes);
bool trawl_suffix_sort_wide(const uint16_t *text, size_t length, int64_t *suffixes);

#endif
