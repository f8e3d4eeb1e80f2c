/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What `trawl tune` says before and after it measures, in lines that begin with #. */
#ifndef CLI_TUNE_WORDS_H
#define CLI_TUNE_WORDS_H

#include "trawl/trawl_study.h"

/* Prints words to standard output, wrapped, each line after "# ", and flushes. */
void tune_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Say how measured costs differ from the built-in ones, and what that changes in plans. */
void tune_explain_costs(const trawl_costs *costs);
void tune_explain_device_costs(const trawl_device_costs *costs);

#endif
