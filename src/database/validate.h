/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Checking a block of bytes of which nothing is known before anything in it is believed. */
#ifndef TRAWL_DATABASE_VALIDATE_H
#define TRAWL_DATABASE_VALIDATE_H

#include "database/database.h"

/* Checks magic, version, size and checksum, the section table, and the patterns: what
 * trawl_db_adopt needs. `block` is aligned to 8 bytes at least. `name` begins the sentence of a
 * failure. */
trawl_status trawl_validate_block(const uint8_t *block, uint64_t size, const char *name,
                                  trawl_error *error);

/* The checksum that a block of that size should have in its header. */
uint64_t trawl_block_checksum(const uint8_t *block, uint64_t size);

#endif
