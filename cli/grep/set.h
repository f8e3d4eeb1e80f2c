/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The compiled patterns of `trawl grep`, and the rules of -w and -x about which matches are
 * accepted.
 */
#ifndef CLI_GREP_SET_H
#define CLI_GREP_SET_H

#include "cli/grep/options.h"
#include "trawl/trawl.h"

typedef struct grep_set {
    trawl_db *db;       /* NULL: no pattern except perhaps the empty one */
    bool empty_pattern; /* the patterns have an empty line, which matches everywhere */
    bool only_empty;    /* there is no other pattern */
    bool whole_words;
    bool whole_lines; /* excludes whole_words */
    bool parts;       /* matching parts of lines are wanted */
    uint8_t line_end;
    trawl_scan_options scan;
    pattern_counts *counts; /* of each source of patterns; NULL: a database */
    bool borrowed;          /* `db` belongs to another set */
    bool chosen;            /* with `parts`: the matches of `db` are the parts, no others */
    size_t longest;         /* pattern, in bytes */

    /* private */
    bool own_conditions; /* the patterns had conditions before -w */
    bool ends_in_word;   /* a pattern ends with a word character */
    bool begins_outside; /* a pattern begins with another character */
    bool several;        /* patterns differ from each other */
    uint64_t text_bytes; /* of all files together; 0: not known */
} grep_set;

/* Reads and compiles the patterns. With `parts` the set finds which parts of a line match, not only
 * whether one does. False after reporting. The caller closes the set in any case. */
bool grep_set_open(grep_set *set, const grep_options *options, bool parts);
void grep_set_close(grep_set *set);

/* A copy for another thread, to be closed before the set. `threads` of its own scan each block. */
grep_set grep_set_copy(const grep_set *set, unsigned threads);

/* Prints a note about each pattern file that seems to be of another format. */
void grep_set_note(const grep_set *set, const grep_options *options);

/* Whether the set reports every match although fewer matches, a cover, would select the same lines
 * and the same parts: the leftmost-longest matches, or with -w those that are words, or end as
 * words do. */
bool grep_set_may_cover(const grep_set *set);

/* Compiles the set for a cover (above). Nested patterns have many fewer matches then: the patterns
 * a, aa, ... up to 2,000 bytes have 2,000 matches at each position of a line of a's. False after
 * reporting. */
bool grep_set_cover(grep_set *set);

/* Whether -w and -x accept the match [start, end). The lines begin at `text`. */
bool grep_set_accepts(const grep_set *set, const uint8_t *text, const uint8_t *start,
                      const uint8_t *end);

/* The same for a match after an accepted one in its line. As in GNU grep, with -w a part may begin
 * where the part before it ends, whatever byte is there: only the end is tested. */
bool grep_set_accepts_part(const grep_set *set, const uint8_t *end);

/* Whether -w accepts a match that begins at `start`. The lines begin at `text`. */
bool grep_set_accepts_start(const grep_set *set, const uint8_t *text, const uint8_t *start);

/* Whether -w and -x accept the empty pattern in [line, end), a line with its line end. */
bool grep_set_accepts_empty(const grep_set *set, const uint8_t *line, const uint8_t *end);

#endif
