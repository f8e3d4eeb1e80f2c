/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One file at a time: which of its lines are selected, and their output with context.
 */
#ifndef CLI_GREP_SEARCH_H
#define CLI_GREP_SEARCH_H

#include "cli/grep/blocks.h"
#include "cli/grep/options.h"
#include "cli/grep/print.h"
#include "cli/grep/set.h"

typedef struct grep_search {
    const grep_options *options;
    const grep_set *set;
    grep_printer *printer;
    grep_blocks *blocks;
    bool quiet;         /* no lines are printed, only counted */
    bool stop_at_first; /* one selected line is enough */
    bool parts;         /* which parts of a line match is wanted */
    bool flush_blocks;  /* somebody watches: write out after every block */

    /* private: of the whole run */
    bool group_printed;
    grep_spans spans;         /* of the matching line that is being gathered */
    grep_spans context_spans; /* of a matching line that is context */

    /* private: of the current file */
    bool file_quiet, file_stop_at_first;
    uint64_t selected;
    uint64_t remaining;         /* of --max-count */
    uint64_t pending;           /* lines of context still to print */
    const uint8_t *judged;      /* lines before this have been dealt with */
    const uint8_t *printed_end; /* end of the last line printed; NULL: it is not in the buffer */
    const uint8_t *numbered;    /* `line_number` lines end before this */
    uint64_t line_number;
    const uint8_t *line, *line_end; /* matching line that is being gathered; NULL: none */
    uint64_t selected_end;          /* offset behind the last selected line */
    bool done;                      /* nothing that follows can matter */
    bool failed;                    /* and an error has been reported */
} grep_search;

typedef struct grep_result {
    uint64_t selected;
    bool max_count_reached; /* --max-count lines were selected, and */
    uint64_t selected_end;  /* the last one ends at this offset */
    bool binary_hidden;     /* lines were selected but not printed because the file is binary */
    int read_error;         /* errno, 0: none */
    bool failed;            /* the search itself failed, and that has been reported */
} grep_result;

/* Searches what follows in the descriptor. The printer knows the file's name already. */
grep_result grep_search_file(grep_search *search, int descriptor, const struct stat *information);

void grep_search_release(grep_search *search);

#endif
