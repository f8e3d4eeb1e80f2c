/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "suffix_queries.h"

#include <string.h>

size_t kmp_search(const uint8_t *pattern, size_t length, const uint8_t *text, size_t text_length,
                  size_t *borders, size_t *positions, size_t most) {
    size_t found = 0, matched = 0;
    borders[0] = 0;
    for (size_t i = 1; i < length; i++) {
        while (matched > 0 && pattern[i] != pattern[matched])
            matched = borders[matched - 1];
        matched += pattern[i] == pattern[matched];
        borders[i] = matched;
    }
    matched = 0;
    for (size_t i = 0; i < text_length; i++) {
        while (matched > 0 && (matched == length || text[i] != pattern[matched]))
            matched = borders[matched - 1];
        matched += text[i] == pattern[matched];
        if (matched == length) {
            if (positions && found < most)
                positions[found] = i + 1 - length;
            found++;
            if (length == 1)
                matched = 0;
        }
    }
    return found;
}

/* Compares the pattern with the beginning of a suffix: 0 if the suffix begins with it. */
static int compare(const uint8_t *pattern, size_t length, const uint8_t *text, size_t text_length,
                   size_t suffix) {
    size_t left = text_length - suffix;
    int order = memcmp(pattern, text + suffix, length < left ? length : left);
    return order ? order : length > left;
}

void suffix_array_search(const uint8_t *pattern, size_t length, const uint8_t *text,
                         size_t text_length, const int32_t *suffixes, size_t *begin, size_t *end) {
    size_t low = 0, high = text_length;
    while (low < high) { /* the first suffix that is not smaller than the pattern */
        size_t middle = low + (high - low) / 2;
        if (compare(pattern, length, text, text_length, (size_t)suffixes[middle]) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    *begin = low;
    high = text_length;
    while (low < high) { /* the first one that is larger and does not begin with it */
        size_t middle = low + (high - low) / 2;
        if (compare(pattern, length, text, text_length, (size_t)suffixes[middle]) == 0)
            low = middle + 1;
        else
            high = middle;
    }
    *end = low;
}
