/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Searches texts in segments, into a folder with a journal: --journal. */
#ifndef CLI_GREP_JOURNALED_H
#define CLI_GREP_JOURNALED_H

#include "cli/grep/search.h"
#include "cli/parts/run.h"

/* Searches the segments that the folder of the options does not have yet. The caller has set
 * options, set and settings of `search`, and the names, sizes and times of *texts; the other
 * members are set here. False after reporting. Sets *matched if a line is selected, now or in an
 * earlier run. */
bool grep_journaled(const grep_search *search, bool with_file_name, parts_run *texts,
                    bool *matched);

#endif
