/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The text of `trawl bench`. */
#ifndef CLI_BENCH_TEXT_H
#define CLI_BENCH_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "cli/bench/options.h"

/* The text of all rows: the files one after the other, as one text. */
typedef struct bench_text {
    uint8_t *bytes; /* NULL when only other processes need it */
    size_t length;
} bench_text;

/* Reads the texts that the options name, up to their limit. False after one line. The caller frees
 * text->bytes in both cases. */
bool bench_text_read(const bench_options *options, bench_text *text);

#endif
