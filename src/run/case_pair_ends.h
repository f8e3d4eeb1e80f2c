/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Steps that both walkers of a pair (run/case_pair.h) share: they take the longest matches that its
 * automata have found in a piece of text. */
#ifndef TRAWL_RUN_CASE_PAIR_ENDS_H
#define TRAWL_RUN_CASE_PAIR_ENDS_H

#include "run/case_pair.h"

/* `flush` of a piece's sink, which has room for all matches of a database that is not forged. */
trawl_status trawl_case_pair_refuse(trawl_sink *sink);

/* The next end of the matches in the two sinks, of which at[0] and at[1] have been taken; takes
 * those that end there, and sets the key of each automaton, or TRAWL_NO_KEY. False: there are no
 * more. */
bool trawl_case_pair_next(const trawl_case_pair *pair, const trawl_sink of[2], size_t at[2],
                          uint64_t *end, uint32_t keys[2]);

#endif
