/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* --records: texts are cut into records, each of which is scanned by itself. */
#ifndef CLI_SCAN_BY_RECORD_H
#define CLI_SCAN_BY_RECORD_H

#include "cli/scan/records.h"
#include "io/text_file.h"
#include "trawl/trawl_records.h"

/* What --records asks for. */
typedef struct record_cut {
    bool wanted;
    bool counts;    /* -c: the matches of each record that has any, instead of the matches */
    uint8_t last;   /* the last byte of each record, which does not belong to it */
    uint64_t bytes; /* 0; or of each record, which then has no such byte */
} record_cut;

/* The state of a thread. Begins as zeros. */
typedef struct by_record {
    trawl_record_scanner *scanner;
    uint8_t *buffer;
    size_t capacity, filled;
    uint64_t *offsets, *counts;
    size_t offsets_capacity, counts_capacity;
} by_record;

/* Called after each piece of a text: bytes of the file that have been read, bytes and matches of
 * the piece. `waits`: no more of the text has come yet. */
typedef void (*by_record_progress)(void *context, uint64_t stored, uint64_t bytes, uint64_t matches,
                                   bool waits);

/* Scans the rest of a file. TRAWL_STOPPED if the writer stopped. */
trawl_status by_record_scan(by_record *self, const trawl_db *db, const trawl_scan_options *options,
                            const record_cut *cut, text_file *file, record_writer *writer,
                            by_record_progress progress, void *context, trawl_error *error);

void by_record_release(by_record *self);

#endif
