/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The patterns and the text that processes work on, as files in memory. */
#ifndef CLI_BENCH_PEERS_INPUTS_H
#define CLI_BENCH_PEERS_INPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "trawl/trawl.h"

/* Files in memory, which child processes inherit. */
typedef struct bench_inputs {
    int patterns; /* descriptors; -1: none */
    int text;
    size_t length; /* of the text */
} bench_inputs;

/* Makes both files. False after reporting. */
bool bench_inputs_make(const trawl_patterns *patterns, const void *text, size_t length,
                       bench_inputs *inputs);
void bench_inputs_release(bench_inputs *inputs);

/* Reads the patterns of such a file into a new set. False with the reason in `error`. */
bool bench_inputs_read_patterns(int file, trawl_patterns **patterns, trawl_error *error);

/* Creates a file in memory that child processes inherit. -1 after reporting. */
int bench_memory_file(const char *name);

/* Appends bytes. False after reporting. */
bool bench_memory_file_write(int file, const void *bytes, size_t length);

#endif
