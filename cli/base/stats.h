/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What --stats writes to standard error: a JSON object on one line; on a terminal, a line for each
 * of its members. */
#ifndef CLI_BASE_STATS_H
#define CLI_BASE_STATS_H

#include <stdio.h>

typedef struct stats {
    FILE *file; /* write the object here, from '{' to '}' */
    char *text; /* private */
    size_t length;
} stats;

void stats_begin(stats *stats);

/* Writes the object, and frees it. */
void stats_end(stats *stats);

#endif
