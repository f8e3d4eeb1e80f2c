/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sums: what scans report (--stats), the number of matches of a text (-c), and the most frequent
 * patterns (--top). */
#ifndef CLI_SCAN_TOTALS_H
#define CLI_SCAN_TOTALS_H

#include "cli/scan/plan.h"

/* Makes the next scan of a text report into *done, if --stats is given: without a report the
 * library scans small texts with a scanner that it keeps. */
void scan_want_report(const scan_plan *plan, text_scanner *scanner, scan_done *done);

/* Ends that, and adds *done to the sums. */
void scan_add_report(const scan_plan *plan, text_scanner *scanner, const scan_done *done,
                     scan_done *sums);

/* The line with the number of matches of a text, and its length. The caller frees it. */
char *count_line(const scan_plan *plan, const char *path, uint64_t matches, size_t *length);

/* Writes the most frequent patterns by plan->per_pattern, as many as the options ask for. */
void top_write(const scan_plan *plan);

/* A pattern and its number of matches. */
typedef struct top_row {
    uint64_t count;
    uint32_t id;
} top_row;

/* What follows the number in the line of a pattern. The caller frees it. */
typedef char *(*top_label)(const void *context, uint32_t id, size_t *length);

/* Sorts rows, and writes as many as the options ask for. */
void top_write_rows(const scan_plan *plan, top_row *rows, size_t count, top_label label_of,
                    const void *context);

#endif
