/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Searches texts in segments, into a folder with a journal: --journal. */
#ifndef CLI_GREP_JOURNALED_H
#define CLI_GREP_JOURNALED_H

#include "cli/grep/search.h"
#include "cli/parts/run.h"

/* Searches what the folder of the options lacks. `search` has options, set and settings; of *texts
 * the names, sizes and times are set, and the rest is done here. False after reporting. Sets
 * *matched if a line is selected, now or before. */
bool grep_journaled(const grep_search *search, bool with_file_name, parts_run *texts,
                    bool *matched);

#endif
