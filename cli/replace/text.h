/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Replacing the matches in one text after the other. */
#ifndef CLI_REPLACE_TEXT_H
#define CLI_REPLACE_TEXT_H

#include "cli/replace/options.h"
#include "io/output_file.h"
#include "io/text_file.h"

typedef struct text_replacer {
    trawl_replacer *replacer;
    bool in_place;
    bool to_standard_output; /* which may be the text itself */
    bool several_threads;    /* of the replacer */
    trawl_on_bytes on_bytes; /* takes the results, unless they are in place */
    void *context;
    output_file *output; /* flushed while the thread waits for a slow text; NULL: not */
    /* private */
    uint8_t *buffer; /* a piece of a text; NULL before the first text */
    uint8_t *result; /* of a small text in place */
    size_t result_length, result_capacity;
} text_replacer;

/* A larger text is replaced while it is read. */
#define REPLACE_SMALL_TEXT ((uint64_t)4 << 20)

void text_replacer_release(text_replacer *self);

/* Replaces the matches of a text and sets *replaced to their number. False after reporting. */
bool text_replacer_run(text_replacer *self, const char *path, uint64_t *replaced);

#endif
