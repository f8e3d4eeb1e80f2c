/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scans one text: reads the file, and passes matches to the record writer or to counters. */
#ifndef CLI_SCAN_TEXT_H
#define CLI_SCAN_TEXT_H

#include <stdatomic.h>
#include <sys/types.h>

#include "cli/scan/by_record.h"
#include "io/output_file.h"
#include "io/text_file.h"
#include "trawl/trawl_study.h"

/* The state of a thread that scans texts one after the other. */
typedef struct text_scanner {
    const trawl_db *db;
    trawl_scan_options options;
    trawl_study_scan_options study; /* room for what options.study points to */
    record_writer *writer;          /* NULL: only count */
    uint64_t *per_pattern;          /* one counter for each pattern, to be added to; or NULL */
    output_file *output;            /* flushed while the scan waits for a slow text; NULL: not */
    bool has_output_file;           /* standard output is this file, which is not scanned: */
    dev_t output_device;
    ino_t output_inode;
    void (*poll)(
        void); /* called every few megabytes of a range, by the thread that scans; or NULL */
    atomic_bool *told;     /* of the text: see report_once; or NULL */
    const record_cut *cut; /* NULL: texts are not divided by --records */
    by_record records;     /* private */
    uint8_t *buffer;       /* private */
    uint32_t *gathered;    /* private: ids of matches of a short text; with per_pattern */
} text_scanner;

typedef struct text_result {
    uint64_t bytes;
    uint64_t matches;
    bool failed; /* an error was reported; the text before it was scanned */
} text_result;

/* `path` "-" is standard input. */
void text_scanner_run(text_scanner *scanner, const char *path, text_result *result);

/* Whether the file is the standard output of this process. */
bool text_scanner_is_output(const text_scanner *scanner, const text_file *file);

void text_scanner_release(text_scanner *scanner);

#endif
