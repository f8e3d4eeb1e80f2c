/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the first line of a pattern file looks like, for messages and warnings where it is not a
 * pattern of the format that the caller named. */
#ifndef TRAWL_IO_PATTERN_FIRST_LINE_H
#define TRAWL_IO_PATTERN_FIRST_LINE_H

#include "io/pattern_file.h"

/* Whether a first line, which is not valid as a pattern, is a header that names columns. */
bool pattern_is_header(pattern_format format, const uint8_t *line, size_t length);

/* Whether a text begins with a byte order mark, which editors for Windows write. */
bool pattern_has_mark(const uint8_t *line, size_t length);

/* Whether a line is of letters in UTF-16: every other byte, and no other, is zero. Of the
 * big-endian form, the zero of the LF belongs to the line. */
bool pattern_is_wide(const uint8_t *line, size_t length);

#endif
