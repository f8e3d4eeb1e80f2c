/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scanning one text: from the file to the record writer or the counters. */
#ifndef CLI_SCAN_TEXT_H
#define CLI_SCAN_TEXT_H

#include <sys/types.h>

#include "cli/scan/records.h"
#include "io/output_file.h"
#include "trawl/trawl.h"

/* What one thread of the command needs to scan texts, one after the other. */
typedef struct text_scanner {
    const trawl_db *db;
    trawl_scan_options options;
    record_writer *writer; /* NULL: only count */
    uint64_t *per_pattern; /* NULL, or counters that are added to */
    output_file *output;   /* flushed when the text comes slowly; NULL: not */
    bool has_output_file;  /* the next two name the file that is written, which is no text */
    dev_t output_device;
    ino_t output_inode;
    uint8_t *buffer;  /* private */
    uint64_t counted; /* private */
} text_scanner;

typedef struct text_result {
    uint64_t bytes;
    uint64_t matches;
    bool failed; /* reported; what could be read has been scanned */
} text_result;

/* `path` "-" is standard input. */
void text_scanner_run(text_scanner *scanner, const char *path, text_result *result);

void text_scanner_release(text_scanner *scanner);

#endif
