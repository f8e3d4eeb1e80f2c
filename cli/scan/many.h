/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scans many small texts side by side, one thread each, and writes their records in the order of
 * the texts. */
#ifndef CLI_SCAN_MANY_H
#define CLI_SCAN_MANY_H

#include "cli/scan/plan.h"
#include "cli/scan/texts.h"

/* Scans entries[0 .. count). */
void scan_many(scan_plan *plan, const scan_entry *entries, size_t count);

#endif
