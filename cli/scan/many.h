/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Many small texts side by side, one thread each, with their records in the order of the texts and
 * memory bounded: a text whose records outgrow its buffer waits for its turn and then writes
 * straight to the output; no thread begins a text that is far ahead of the one whose turn it is.
 */
#ifndef CLI_SCAN_MANY_H
#define CLI_SCAN_MANY_H

#include "cli/base/report.h"
#include "cli/scan/options.h"
#include "cli/scan/records.h"
#include "cli/scan/text.h"
#include "cli/scan/texts.h"
#include "io/output_file.h"
#include "trawl/trawl.h"

/* What all texts of a scan share. */
typedef struct scan_plan {
    const scan_options *options;
    const record_labels *labels;
    output_file *output;
    text_scanner scanner; /* a pattern for each thread's own; its writer and buffer are NULL */
    unsigned threads;
    bool several;          /* count lines name the file */
    uint64_t *per_pattern; /* RECORD_TOP: the sums */
    size_t patterns;
    /* what came out */
    uint64_t bytes;
    uint64_t matches;
    bool failed;
    trawl_scan_report report; /* sums over the texts that were scanned alone */
} scan_plan;

/* True when records are written, false when only numbers are. */
static inline bool scan_plan_has_records(const scan_plan *plan) {
    return plan->options->format == RECORD_TSV || plan->options->format == RECORD_JSONL;
}

/* The line that --format count writes for a text, in new memory with its length. */
char *scan_count_line(const scan_plan *plan, const char *path, uint64_t matches, size_t *length);

/* Scans entries[0 .. count). */
void scan_many(scan_plan *plan, const scan_entry *entries, size_t count);

#endif
