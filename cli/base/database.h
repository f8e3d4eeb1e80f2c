/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_BASE_DATABASE_H
#define CLI_BASE_DATABASE_H

#include "trawl/trawl.h"

/* Loads a database file: as trawl_db_load, or with `copy` into memory that no change of the file
 * can reach, whoever owns it (--db-copy). */
trawl_status database_load(const char *path, bool copy, trawl_db **db, trawl_error *error);

#endif
