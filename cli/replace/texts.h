/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Replacing the matches in all texts: large ones one after the other, each with all threads, small
 * ones side by side. Results and counts come in the order of the texts. */
#ifndef CLI_REPLACE_TEXTS_H
#define CLI_REPLACE_TEXTS_H

#include "cli/replace/options.h"
#include "io/output_file.h"

typedef struct replacing {
    const replace_options *options;
    const trawl_db *db;
    unsigned threads;
    size_t patterns;
    output_file *output;   /* of the texts, or with -c and --dry-run of the counts */
    uint64_t *per_pattern; /* of --dry-run, else NULL: replaced matches, to be added to */
    /* results */
    uint64_t replaced;
    bool failed; /* an error was reported */
} replacing;

/* Opens a replacer for `threads` threads. False after reporting. */
bool replacing_open(const replacing *job, unsigned threads, uint64_t *per_pattern,
                    trawl_replacer **replacer);

/* The texts, in order. */
typedef struct replacing_texts replacing_texts;

/* Lists the texts, which the caller frees. To be called before the output is opened, whose
 * temporary file is in a folder that may be searched. */
replacing_texts *replacing_list(replacing *job);
void replacing_texts_free(replacing_texts *texts);

/* Replaces in all texts. */
void replacing_run(replacing *job, const replacing_texts *texts);

#endif
