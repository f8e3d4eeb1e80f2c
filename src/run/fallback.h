/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The automaton that helps a filtering engine out where the text defeats its filter. */
#ifndef TRAWL_RUN_FALLBACK_H
#define TRAWL_RUN_FALLBACK_H

#include "scan/contract.h"

/* Opens a walker of an automaton engine over the patterns of `db`; the automaton is built when it
 * is first needed and kept with the database. Leaves *walker NULL, which is no error, where no
 * automaton fits into memory: the engine then has to go on by itself. Thread safe. */
trawl_status trawl_fallback_open(const trawl_db *db, trawl_walker **walker, trawl_error *error);

#endif
