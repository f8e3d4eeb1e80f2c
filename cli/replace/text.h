/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Replacing the matches in one text after the other. */
#ifndef CLI_REPLACE_TEXT_H
#define CLI_REPLACE_TEXT_H

#include "cli/replace/options.h"
#include "io/output_file.h"
#include "io/text_file.h"

typedef struct text_replacer {
    const replace_options *options;
    trawl_replacer *replacer;
    output_file *output; /* of all texts; NULL: in place, or nowhere */
    uint8_t *buffer;     /* a piece of a text */
    uint64_t replaced;   /* in all texts */
    bool failed;         /* an error was reported */
    /* the text at hand */
    uint8_t *result; /* of a small text in place */
    size_t result_length, result_capacity;
} text_replacer;

void text_replacer_open(text_replacer *self, const replace_options *options,
                        trawl_replacer *replacer, output_file *output);
void text_replacer_close(text_replacer *self);

/* Replaces the matches of a text and sets *replaced to their number. False after reporting. */
bool text_replacer_run(text_replacer *self, const char *path, uint64_t *replaced);

#endif
