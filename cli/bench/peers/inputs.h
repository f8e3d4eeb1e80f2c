/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What processes get to work on, as files in memory. */
#ifndef CLI_BENCH_PEERS_INPUTS_H
#define CLI_BENCH_PEERS_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "trawl/trawl.h"

/* Patterns and text as files in memory that processes inherit. */
typedef struct bench_inputs {
    int patterns; /* descriptors; -1: none */
    int text;
    size_t length; /* of the text */
} bench_inputs;

/* False after one line. */
bool bench_inputs_make(const trawl_patterns *patterns, const void *text, size_t length,
                       bench_inputs *inputs);
void bench_inputs_release(bench_inputs *inputs);

/* What inputs->patterns or a like file holds, as a set; false with a sentence in `error`. */
bool bench_inputs_read_patterns(int file, trawl_patterns **patterns, trawl_error *error);

/* A file in memory that children inherit; -1 after one line. */
int bench_memory_file(const char *name);

/* Appends; false after one line. */
bool bench_memory_file_write(int file, const void *bytes, size_t length);

#endif
