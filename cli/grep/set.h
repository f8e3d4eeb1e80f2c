/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The patterns of `trawl grep`, compiled, and the rules -w and -x by which a match counts.
 */
#ifndef CLI_GREP_SET_H
#define CLI_GREP_SET_H

#include "cli/grep/options.h"
#include "cli/grep/print.h"
#include "trawl/trawl.h"

typedef struct grep_set {
    trawl_db *db;       /* NULL: no pattern but perhaps the empty one */
    bool empty_pattern; /* an empty line among the patterns, which is everywhere */
    bool only_empty;    /* and no other pattern */
    bool whole_words;
    bool whole_lines; /* which makes whole_words meaningless */
    uint8_t line_end;
    trawl_scan_options scan;
} grep_set;

/* Reads and compiles the patterns. With `parts` the set can say which parts of a line match, not
 * only whether it does. False after reporting; release the set in both cases. */
bool grep_set_open(grep_set *set, const grep_options *options, bool parts);
void grep_set_close(grep_set *set);

/* Whether the match [start, end) in the whole lines from `text` on counts. */
bool grep_set_accepts(const grep_set *set, const uint8_t *text, const uint8_t *start,
                      const uint8_t *end);

/* Whether it may be one of the parts of a line that has an accepted match before it: with -w, what
 * stands before a part does not matter where the part before it ends there (as in grep). */
bool grep_set_accepts_part(const grep_set *set, const uint8_t *end);

/* Whether the empty pattern matches the line [line, end), its end included. */
bool grep_set_accepts_empty(const grep_set *set, const uint8_t *line, const uint8_t *end);

void grep_spans_add(grep_spans *spans, const uint8_t *start, const uint8_t *end);

/* Reduces the matches of a line, in any order, to what -o prints: the leftmost one, of those the
 * longest, and so on behind it. */
void grep_set_resolve(const grep_set *set, const uint8_t *line, grep_spans *spans);

/* The parts of one line, its end included, that match. False after reporting. */
bool grep_set_parts(const grep_set *set, const uint8_t *line, const uint8_t *end,
                    grep_spans *spans);

#endif
