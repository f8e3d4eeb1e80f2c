/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Checks of a block of bytes that may be anything: a damaged file, or a *forged* one, which
 * somebody has built to do harm, with a right checksum. Checking makes sure that no walk reads or
 * writes outside of the block or goes on for ever. It does not make sure that a forged automaton
 * finds what its patterns say; walkers that rely on that have a test where the word `forged`
 * stands.
 */
#ifndef TRAWL_DATABASE_VALIDATE_H
#define TRAWL_DATABASE_VALIDATE_H

#include "database/database.h"

/* Checks magic, version, size and checksum, the section table, and the patterns: what
 * trawl_db_adopt relies on. The engine's sections are checked by its `validate`
 * (database/engine.h). `block` is aligned to at least 8 bytes. The sentence of a failure begins
 * with `name`. */
trawl_status trawl_validate_block(const uint8_t *block, uint64_t size, const char *name,
                                  trawl_error *error);

/* Checks that the sections of engines are those of the database's engine, and that none has a part
 * beyond those of the header: the engine's `validate` has seen all that is there. */
trawl_status trawl_validate_tables(const trawl_db *db, trawl_error *error);

/* Checks magic, byte order, version, and that the block has `size` bytes. At most `size` bytes of
 * the header are read. */
trawl_status trawl_validate_header(const trawl_image_header *header, uint64_t size,
                                   const char *name, trawl_error *error);

/* The checksum that a block of that size should have in its header. */
uint64_t trawl_block_checksum(const uint8_t *block, uint64_t size);

#endif
