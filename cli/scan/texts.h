/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The texts of a scan, in order: the operands, and the files that -r finds. */
#ifndef CLI_SCAN_TEXTS_H
#define CLI_SCAN_TEXTS_H

#include <time.h>

#include "cli/scan/options.h"

typedef struct scan_entry {
    char *path;
    uint64_t stored_bytes; /* size of the file, 0 if unknown */
    uint64_t begin;        /* bytes [begin, end) are scanned; 0 and UINT64_MAX: all */
    uint64_t end;
    struct timespec changed; /* of a regular file */
    bool alone;              /* large or of unknown size: all threads scan it together */
} scan_entry;

typedef struct scan_texts {
    scan_entry *items;
    size_t count;
    size_t capacity;
    bool several;          /* there are several, or there may be: counts have their names */
    uint64_t stored_bytes; /* of all; 0 if one is unknown */
    bool failed;           /* an error while listing was reported */
    bool refused;          /* the output would replace one, which was reported */
} scan_texts;

/* Smaller files are scanned side by side, each by one thread. */
#define SCAN_SMALL_TEXT ((uint64_t)4 << 20)

void scan_texts_collect(scan_texts *texts, const scan_options *options);
void scan_texts_release(scan_texts *texts);

#endif
