/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Flags that say which patterns to search for. */
#ifndef CLI_FLAGS_PATTERNS_H
#define CLI_FLAGS_PATTERNS_H

#include "cli/flags/arguments.h"
#include "io/pattern_file.h"
#include "trawl/trawl.h"

enum {
    FLAG_PATTERN_FILE = 1000,
    FLAG_PATTERN,
    FLAG_PATTERN_FORMAT,
    FLAG_CRLF,
    FLAG_IGNORE_CASE,
    FLAG_WORD
};

extern const flag pattern_flags[];        /* -f, -e */
extern const flag pattern_format_flags[]; /* --pattern-format, lines by default */
extern const flag pattern_crlf_flags[];   /* --crlf */
extern const flag pattern_match_flags[];  /* -i, -w */

typedef struct pattern_input {
    const char *text; /* a file name or a pattern, borrowed from argv */
    bool is_file;
} pattern_input;

typedef struct pattern_options {
    pattern_input *inputs; /* in the order given; pattern ids follow it */
    size_t count;
    size_t capacity;
    pattern_reading reading;
    bool format_given; /* --pattern-format */
} pattern_options;

int pattern_options_take(pattern_options *options, const arguments *arguments, int id);

/* Takes the value of --pattern-format: FLAG_TAKEN or FLAG_REFUSED. */
int pattern_format_take(pattern_format *format, const arguments *arguments);

/* Reads all inputs into a new set, which the caller frees. `tally` may be NULL. False after
 * reporting. An empty set is not an error here: the command decides. */
bool pattern_options_load(const pattern_options *options, trawl_patterns **patterns,
                          pattern_counts *tally);

/* Prints a note on standard error if a file that has been read seems to be of another format: lines
 * that all end in CR, or columns of a .tsv file that were read as lines although no format was
 * given. */
void pattern_note(const char *path, const pattern_reading *reading, bool format_given,
                  const pattern_counts *counts);

/* True when standard input is among the pattern files. */
bool pattern_options_use_stdin(const pattern_options *options);

void pattern_options_release(pattern_options *options);

#endif
