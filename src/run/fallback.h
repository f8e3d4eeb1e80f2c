/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The fallback automaton: for texts so full of candidates that an engine's filter saves nothing. */
#ifndef TRAWL_RUN_FALLBACK_H
#define TRAWL_RUN_FALLBACK_H

#include "scan/contract.h"

/* Opens a walker of an automaton for the patterns of `db`, or of a pair (run/case_pair.h) if the
 * set needs one. This is the open_fallback of scan/contract.h. The first call compiles the
 * automaton, which belongs to the database and is freed with it. *walker is NULL, which is no
 * error, if there is no memory, or the set has bases (pattern/offsets.h), as automata of so many
 * bytes have too many states: the engine then goes on with its filter. Any number of threads may
 * call it at once. */
trawl_status trawl_fallback_open(const trawl_db *db, trawl_walker **walker, trawl_error *error);

/* Sets open_fallback of a walker, and what the planner expects of the automaton. */
void trawl_fallback_offer(trawl_walker *walker);

/* Compiles an automaton for the patterns: a DFA if it is not too large, else an NFA. The caller
 * frees *automaton. TRAWL_ERROR_MEMORY, TRAWL_ERROR_LIMIT. */
trawl_status trawl_fallback_compile(const trawl_patterns *patterns, trawl_match_kind matches,
                                    trawl_db **automaton, trawl_error *error);

#endif
