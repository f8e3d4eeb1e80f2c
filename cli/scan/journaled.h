/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scans segment by segment into a folder with a journal: --journal. */
#ifndef CLI_SCAN_JOURNALED_H
#define CLI_SCAN_JOURNALED_H

#include "cli/parts/journal.h"
#include "cli/scan/plan.h"
#include "cli/scan/texts.h"

/* Scans the segments that the folder of the options does not have yet. Sets the sums of the plan:
 * bytes of this process, matches of all segments. Returns the exit status. */
int scan_journaled(scan_plan *plan, const scan_texts *texts);

#endif
