/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Reads patterns of files, standard input and the command line, in five formats.
 *
 *   lines    raw bytes, one pattern a line. Only LF ends a line: a CR belongs to the pattern
 *            unless strip_cr is set
 *   escaped  one pattern a line, with \n \r \t \\ \0 and \xNN
 *   hex      one pattern a line as an even number of hexadecimal digits
 *   tsv      name, flags and escaped pattern, separated by tabs; flags are `i` (case-insensitive)
 *            or `-` (none). There may be three more columns: conditions (io/condition_text.h),
 *            the number of a group or `-`, and a value, escaped; a line without this column has
 *            no value, an empty column is an empty value
 *   map      a pattern and its value, both escaped, with a tab between
 *
 * A last line without LF is a line. Empty lines give no pattern and no id, but are counted: for
 * grep an empty line is a pattern that matches every line.
 *
 * The sentence of an error begins with the place: "pattern file FILE:LINE: what was expected".
 * Patterns of the lines before are in the set.
 */
#ifndef TRAWL_IO_PATTERN_FILE_H
#define TRAWL_IO_PATTERN_FILE_H

#include "trawl/trawl.h"

typedef enum pattern_format {
    PATTERN_FORMAT_LINES = 0,
    PATTERN_FORMAT_ESCAPED,
    PATTERN_FORMAT_HEX,
    PATTERN_FORMAT_TSV,
    PATTERN_FORMAT_MAP
} pattern_format;

/* Bytes of a line without its LF, at most. A pattern of 65,536 bytes that are all written as \xNN
 * has 256 KiB, which leaves room for a name. */
enum { PATTERN_LINE_LIMIT = 1 << 20 };

/* Whether a file of patterns in format lines or tsv that begins with these bytes would be taken for
 * a compressed file, a database or an index. Further bytes than PATTERN_FILE_BEGIN do not matter.
 */
enum { PATTERN_FILE_BEGIN = 16 };
bool pattern_file_is_misread(const void *bytes, size_t length);

/* Finds a format by its name; false if there is none of that name. */
bool pattern_format_find(const char *name, pattern_format *format);

typedef struct pattern_reading {
    pattern_format format;
    bool strip_cr;         /* a CR before the LF is not part of the line (--crlf) */
    bool case_insensitive; /* every pattern gets TRAWL_PATTERN_CASE_INSENSITIVE (-i) */
    bool exact;       /* for an index: patterns that ignore case or have conditions are refused */
    bool whole_words; /* boundaries of TRAWL_CLASS_WORD where a pattern has none (-w) */
} pattern_reading;

/* What has been read so far. Every call adds to it; all members are 0 at first. */
typedef struct pattern_counts {
    uint64_t lines;         /* all lines */
    uint64_t empty_lines;   /* lines without a pattern */
    uint64_t cr_lines;      /* patterns whose line ends in a CR that was not removed */
    uint64_t inner_crs;     /* patterns whose line has a CR before its last byte */
    uint64_t tab_lines;     /* patterns whose line has a tab */
    uint64_t two_columns;   /* those of them with one tab */
    uint64_t greater_lines; /* patterns whose line begins with >, as the names in FASTA do */
    uint64_t grouped;       /* patterns with a group */
    uint64_t marks;         /* files that begin with a byte order mark of UTF-8 or UTF-16 */
    uint64_t wide;          /* files whose first line has a zero at every other byte, as UTF-16 */
} pattern_counts;

/* Adds the patterns of a file to the set. "-" is standard input. Files compressed with gzip, zstd
 * or xz are read through. `counts` may be NULL. */
trawl_status pattern_file_add(const char *path, const pattern_reading *reading,
                              trawl_patterns *patterns, pattern_counts *counts, trawl_error *error);

/* Adds the patterns of a text in memory as if it were a file, such as the argument of grep's -e,
 * which may have several lines. `origin` is its name in messages, which name the line if there are
 * several. The empty text has no line. */
trawl_status pattern_memory_add(const void *bytes, size_t length, const char *origin,
                                const pattern_reading *reading, trawl_patterns *patterns,
                                pattern_counts *counts, trawl_error *error);

/* Adds one pattern that is written in the format (for tsv and map, in the escaped format), as
 * option -e of `trawl scan` does. A LF in it is part of the pattern; an empty pattern is an error.
 * `origin` is its name in messages. */
trawl_status pattern_text_add(const char *text, const char *origin, const pattern_reading *reading,
                              trawl_patterns *patterns, trawl_error *error);

/* Writes bytes in the escaped format: \n \r \t \\, and \xNN for all other bytes outside 0x20..0x7e.
 * Returns the number of characters, at most 4 * length, for which `text` has room. No NUL is added.
 */
size_t pattern_escape(const uint8_t *bytes, size_t length, char *text);

#endif
