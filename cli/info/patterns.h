/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The patterns of a database, written as a pattern file. */
#ifndef CLI_INFO_PATTERNS_H
#define CLI_INFO_PATTERNS_H

#include "io/pattern_file.h"
#include "trawl/trawl.h"

/* Writes all patterns to standard output in the order of their ids, so that --pattern-format of the
 * same name reads them again. The format tsv can say everything; the others have no names. Returns
 * the exit status: an error if a pattern cannot be written in the format. */
int info_write_patterns(const trawl_db *db, pattern_format format);

#endif
