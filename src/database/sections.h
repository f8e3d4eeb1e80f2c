/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_DATABASE_SECTIONS_H
#define TRAWL_DATABASE_SECTIONS_H

#include "database/image.h"

/* trawl_db_section (database/database.h) for a block without a handle, whose section table is
 * sound. */
const void *trawl_block_section(const uint8_t *block, trawl_section_kind kind, uint32_t part,
                                uint64_t *size);

#endif
