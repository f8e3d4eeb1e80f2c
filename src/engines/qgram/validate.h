/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Checking the q-gram engine's tables of a loaded database. */
#ifndef TRAWL_ENGINES_QGRAM_VALIDATE_H
#define TRAWL_ENGINES_QGRAM_VALIDATE_H

#include "database/database.h"
#include "engines/qgram/format.h"

/* Words of four bytes in a tier's filter; not for packed tiers. */
uint64_t trawl_qgram_filter_words(const trawl_qgram_tier *tier);

/* Checks every number by which a walker finds its way (database/engine.h). TRAWL_ERROR_FORMAT. */
trawl_status trawl_qgram_validate(const trawl_db *db, trawl_error *error);

#endif
