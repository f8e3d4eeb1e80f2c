/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The database of a scan. */
#ifndef CLI_SCAN_PREPARE_H
#define CLI_SCAN_PREPARE_H

#include "cli/scan/options.h"
#include "cli/scan/texts.h"

/* The text to plan for: --sample, or the first text that is a regular file and not empty; or NULL.
 */
const char *scan_sample_of(const scan_options *options, const scan_texts *texts);

/* Loads or compiles the database; false after reporting. *seconds is the time of building tables.
 * *ignored says why a profile of costs was ignored, if one was. */
bool scan_get_database(const scan_options *options, const scan_texts *texts, trawl_db **db,
                       double *seconds, trawl_error *ignored);

#endif
