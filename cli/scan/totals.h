/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Records of sums: the number of matches of a text (-c), and the most frequent patterns (--top). */
#ifndef CLI_SCAN_TOTALS_H
#define CLI_SCAN_TOTALS_H

#include "cli/scan/plan.h"

/* The line with the number of matches of a text, and its length. The caller frees it. */
char *count_line(const scan_plan *plan, const char *path, uint64_t matches, size_t *length);

/* Writes the most frequent patterns by plan->per_pattern, as many as the options ask for. */
void top_write(const scan_plan *plan);

#endif
