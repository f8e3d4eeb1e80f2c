/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The description of the scan for cli/parts, which divides texts into shards and segments. */
#ifndef CLI_SCAN_DESCRIBE_H
#define CLI_SCAN_DESCRIBE_H

#include "cli/parts/run.h"
#include "cli/scan/plan.h"
#include "cli/scan/texts.h"

/* Describes the scan; identity.segment is what --journal-segment says, or 0. False after reporting
 * that a text is not a regular file, or could not be listed: its size must be known. Release the
 * run in any case. */
bool scan_describe(parts_run *run, const scan_plan *plan, const scan_texts *texts);

/* Replaces the texts by the parts of them that --shard names. False after reporting. */
bool scan_take_shard(scan_texts *texts, const scan_plan *plan);

#endif
