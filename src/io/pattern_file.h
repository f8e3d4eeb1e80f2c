/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Where patterns come from: files, standard input and the command line, in four formats.
 *
 *   lines    raw bytes, one pattern a line; lines end at LF only, so a CR belongs to the pattern
 *            unless strip_cr is set
 *   escaped  one pattern a line, with \n \r \t \\ \0 and \xNN
 *   hex      one pattern a line as an even number of hexadecimal digits
 *   tsv      name, flags and escaped pattern, separated by tabs; flags are `i` (case-insensitive)
 *            or `-` (none)
 *
 * A last line without LF counts. Empty lines are skipped, take no id, and are counted, because for
 * grep such a line is a pattern that matches every line.
 *
 * Errors name the place, "FILE:LINE: what was expected", and leave the patterns that were added
 * before it in the set.
 */
#ifndef SOURCE_PATTERN_FILE_H
#define SOURCE_PATTERN_FILE_H

#include "trawl/trawl.h"

typedef enum pattern_format {
    PATTERN_FORMAT_LINES = 0,
    PATTERN_FORMAT_ESCAPED,
    PATTERN_FORMAT_HEX,
    PATTERN_FORMAT_TSV
} pattern_format;

/* Finds a format by its name; false when there is none of that name. */
bool pattern_format_find(const char *name, pattern_format *format);

typedef struct pattern_reading {
    pattern_format format;
    bool strip_cr;         /* a CR before the LF is not part of the line (--crlf) */
    bool case_insensitive; /* every pattern gets TRAWL_PATTERN_CASE_INSENSITIVE (-i) */
} pattern_reading;

/* What was read; every call adds to it, so begin with zeros. */
typedef struct pattern_counts {
    uint64_t lines;       /* all of them */
    uint64_t empty_lines; /* skipped ones, and with pattern_text_add empty texts */
} pattern_counts;

/* Adds the patterns of a file to the set. "-" is standard input. Files compressed with gzip, zstd
 * or xz are read through. `tally` may be NULL. */
trawl_status pattern_file_add(const char *path, const pattern_reading *reading,
                              trawl_patterns *patterns, pattern_counts *tally, trawl_error *error);

/* Adds the patterns of a text in memory as if it were the file `origin` (for messages only). This
 * is how grep's -e works: its argument is split at LF. The empty text has no line at all. */
trawl_status pattern_memory_add(const void *bytes, size_t length, const char *origin,
                                const pattern_reading *reading, trawl_patterns *patterns,
                                pattern_counts *tally, trawl_error *error);

/* Adds one pattern written in the format (for tsv: escaped), as the option -e of scan does: a LF
 * inside is part of the pattern. An empty one is an error. `origin` is for messages. */
trawl_status pattern_text_add(const char *text, const char *origin, const pattern_reading *reading,
                              trawl_patterns *patterns, trawl_error *error);

/* Writes bytes in the escaped format, which reads back as the same bytes: \n \r \t \\, and \xNN for
 * the other bytes outside 0x20..0x7e. Returns the number of characters, at most 4 * length; `text`
 * has room for them. No NUL is added. */
size_t pattern_escape(const uint8_t *bytes, size_t length, char *text);

#endif
