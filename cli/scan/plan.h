/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_SCAN_PLAN_H
#define CLI_SCAN_PLAN_H

#include "cli/scan/options.h"
#include "cli/scan/records.h"
#include "cli/scan/text.h"
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
    bool several;          /* counts have the name of their text */
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
    return plan->options->kind == RECORD_MATCHES;
}

#endif
