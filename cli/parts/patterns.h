/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_PARTS_PATTERNS_H
#define CLI_PARTS_PATTERNS_H

#include "trawl/trawl.h"

/* A checksum of all that results depend on: bytes, flags, names, conditions, groups and values of
 * the patterns, in the order of their ids. */
uint64_t parts_patterns_checksum(const trawl_db *db);

#endif
