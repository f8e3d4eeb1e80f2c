/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Scans many small texts side by side, one thread each, and writes their records in the order of
 * the texts. Memory is bounded: a thread whose buffer is full waits until its text is the next to
 * be written and then writes to the output itself; and no thread begins a text that is far after
 * the one being written.
 */
#ifndef CLI_SCAN_MANY_H
#define CLI_SCAN_MANY_H

#include "cli/base/report.h"
#include "cli/scan/options.h"
#include "cli/scan/records.h"
#include "cli/scan/text.h"
#include "cli/scan/texts.h"
#include "cli/target/choice.h"
#include "io/output_file.h"
#include "trawl/trawl.h"

/* What the scans of all texts share. */
typedef struct scan_plan {
    const scan_options *options;
    const record_labels *labels;
    output_file *output;
    text_scanner scanner; /* each thread gets a copy; its writer and buffer are NULL */
    unsigned threads;
    bool several;          /* lines of --format count have the name of the text */
    uint64_t *per_pattern; /* RECORD_TOP: the sums */
    size_t patterns;
    /* Results. */
    uint64_t bytes;
    uint64_t matches;
    bool failed;
    scan_done report; /* sums over all texts */
} scan_plan;

/* True if records are written, false if only counts are. */
static inline bool scan_plan_has_records(const scan_plan *plan) {
    return record_format_has_matches(plan->options->format);
}

/* The line of --format count for a text, and its length. The caller frees it. */
char *scan_count_line(const scan_plan *plan, const char *path, uint64_t matches, size_t *length);

/* Scans entries[0 .. count). */
void scan_many(scan_plan *plan, const scan_entry *entries, size_t count);

#endif
