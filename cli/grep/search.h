/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The search of one file: finds the selected lines and prints them with their context.
 */
#ifndef CLI_GREP_SEARCH_H
#define CLI_GREP_SEARCH_H

#include "cli/grep/blocks.h"
#include "cli/grep/options.h"
#include "cli/grep/parts.h"
#include "cli/grep/print.h"
#include "cli/grep/set.h"

typedef struct grep_search {
    const grep_options *options;
    grep_set *set;
    grep_printer *printer;
    grep_blocks *blocks;
    bool quiet;         /* no lines are printed, only counted */
    bool stop_at_first; /* one selected line is enough */
    bool parts;         /* the matching parts of lines are needed */
    bool flush_blocks;  /* the output is a terminal: flush after every block */

    /* private: of the whole run */
    bool group_printed;       /* or a line of a binary file was selected */
    grep_parts found;         /* parts of `line`, the matching line being collected */
    grep_parts context_found; /* parts of a matching line of context */

    /* private: of the current block */
    uint64_t most_matches; /* that may still be reported; 0: any number, or the limit is reached */

    /* private: of the current file */
    bool file_quiet, file_stop_at_first;
    uint64_t selected;
    uint64_t remaining;         /* of --max-count */
    uint64_t pending;           /* lines of context still to print */
    const uint8_t *handled;     /* lines before this have been selected or skipped */
    const uint8_t *printed_end; /* end of the last line printed; NULL: it is not in the buffer */
    const uint8_t *numbered;    /* `line_number` lines end before this */
    uint64_t line_number;
    const uint8_t *line, *line_end; /* matching line whose parts are collected; NULL: none */
    uint64_t selected_end;          /* offset after the last selected line */
    bool done;                      /* the rest of the file cannot change the output */
    bool failed;                    /* an error has been reported */
} grep_search;

typedef struct grep_result {
    uint64_t selected;
    bool max_count_reached; /* --max-count lines were selected */
    uint64_t selected_end;  /* offset after the last selected line */
    bool binary_hidden;     /* lines were selected but not printed because the file is binary */
    bool decompressed;      /* offsets are not those of the file */
    bool binary;            /* a NUL was found before the end of the range */
    bool skipped;           /* by -I, since the search came to a NUL: nothing was selected */
    uint64_t lines;         /* of the range, if line numbers are printed and the search went on to
                               its end */
    bool failed;            /* the search failed, which has been reported */
} grep_result;

/* Searches a file from the descriptor's position on, or a range of a file. The printer has its name
 * already. */
grep_result grep_search_file(grep_search *search, int descriptor, const struct stat *information,
                             const grep_range *range);

void grep_search_release(grep_search *search);

#endif
