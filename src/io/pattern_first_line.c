/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "io/pattern_first_line.h"

#include <string.h>
#include <strings.h>

/* Whether a column has only letters and separators of words, as a heading has. */
static bool is_heading(const uint8_t *column, size_t length) {
    size_t letters = 0;
    for (size_t i = 0; i < length; i++) {
        if (((column[i] | 0x20) >= 'a' && (column[i] | 0x20) <= 'z'))
            letters++;
        else if (memchr("_-# \r", column[i], 5) == NULL)
            return false;
    }
    return letters >= 2;
}

/* Whether a column is a usual heading of a column of names or patterns. */
static bool is_usual_heading(const uint8_t *column, size_t length) {
    static const char *const headings[] = {"id",      "name",     "rule",    "label",
                                           "pattern", "patterns", "keyword", "signature"};
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        if (strlen(headings[i]) == length &&
            strncasecmp(headings[i], (const char *)column, length) == 0)
            return true;
    }
    return false;
}

static bool has_hex_letters_only(const uint8_t *text, size_t length) {
    size_t i = 0;
    while (i < length && memchr("0123456789abcdefABCDEF", text[i], 22) != NULL)
        i++;
    return i == length;
}

bool pattern_is_header(pattern_format format, const uint8_t *line, size_t length) {
    const uint8_t *end = line + length;
    if (format == PATTERN_FORMAT_HEX)
        return is_heading(line, length) && !has_hex_letters_only(line, length);
    const uint8_t *tab = memchr(line, '\t', length);
    const uint8_t *flags = tab == NULL ? end : tab + 1;
    const uint8_t *second = memchr(flags, '\t', (size_t)(end - flags));
    size_t flags_length = (size_t)((second == NULL ? end : second) - flags);
    if (flags_length == 1 && (*flags == '-' || *flags == 'i'))
        return false; /* a pattern whose name looks like a heading */
    return format == PATTERN_FORMAT_TSV &&
           (is_usual_heading(line, (size_t)((tab == NULL ? end : tab) - line)) ||
            (second != NULL && is_heading(flags, flags_length)));
}

bool pattern_has_mark(const uint8_t *line, size_t length) {
    return (length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) ||
           (length >= 2 && (memcmp(line, "\xff\xfe", 2) == 0 || memcmp(line, "\xfe\xff", 2) == 0));
}

bool pattern_is_wide(const uint8_t *line, size_t length) {
    if (length < 4)
        return false;
    for (size_t i = 0; i < length; i++) {
        if ((line[i] == 0) != (i % 2 == (line[0] == 0 ? 0 : 1)))
            return false;
    }
    return true;
}
