/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The texts of a scan: what the operands and -r come to, in order. */
#ifndef CLI_SCAN_TEXTS_H
#define CLI_SCAN_TEXTS_H

#include "cli/scan/options.h"

typedef struct scan_entry {
    char *path;
    uint64_t stored_bytes; /* 0: not known */
    bool alone;            /* large or without a known size: all threads work on it */
} scan_entry;

typedef struct scan_texts {
    scan_entry *items;
    size_t count;
    size_t capacity;
    uint64_t stored_bytes; /* of all; 0 when one is not known */
    bool failed;           /* something could not be listed, and was reported */
} scan_texts;

/* Texts up to this many stored bytes are scanned side by side, each by one thread. */
#define SCAN_SMALL_TEXT ((uint64_t)4 << 20)

void scan_texts_collect(scan_texts *texts, const scan_options *options);
void scan_texts_release(scan_texts *texts);

#endif
