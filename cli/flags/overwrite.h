/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Outputs that would replace what a command reads. */
#ifndef CLI_FLAGS_OVERWRITE_H
#define CLI_FLAGS_OVERWRITE_H

#include "cli/flags/files.h"
#include "cli/flags/patterns.h"

/* True, after reporting it, if the output (NULL or "-": standard output) is a file that is named as
 * a text or as a file of patterns, by any of its names. Devices and pipes may be both. Either of
 * the last two may be NULL. */
bool output_overwrites(const char *output, const file_options *files,
                       const pattern_options *patterns);

#endif
