/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The text of `trawl bench`. */
#ifndef CLI_BENCH_TEXT_H
#define CLI_BENCH_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "cli/bench/options.h"

/* The text of all rows: the files joined. */
typedef struct bench_text {
    uint8_t *bytes; /* NULL if only other processes need the text */
    size_t length;
} bench_text;

/* Reads the texts that the options name, up to their limit. False after reporting. The caller frees
 * text->bytes in any case. */
bool bench_text_read(const bench_options *options, bench_text *text);

#endif
