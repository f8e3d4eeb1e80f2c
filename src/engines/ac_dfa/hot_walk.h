/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What kernel hot's steps depend on besides the automaton, for those who price it. */
#ifndef TRAWL_ENGINES_AC_DFA_HOT_WALK_H
#define TRAWL_ENGINES_AC_DFA_HOT_WALK_H

#include <stdint.h>

/* From 0, where the rows of different states begin in different banks, to 1, where all begin in the
 * same one, as rows of 64 columns do: threads with the same byte then wait for each other. */
double trawl_hot_bank_conflicts(uint32_t classes);

/* How long the parts of a text are, one of which a thread walks at a time: short ones give all
 * threads of blocks of `threads` work, but begin `overlap` bytes before what they own. *cost: the
 * time that this choice takes, relative to enough parts without overlap; or NULL. */
uint32_t trawl_hot_strip_bytes(uint64_t length, uint64_t overlap, uint32_t multiprocessors,
                               uint32_t threads, double *cost);

/* The share of steps in which a warp waits for a thread that asks the full table, where a thread
 * does so in a share `elsewhere` of its own. */
double trawl_hot_waits(double elsewhere);

#endif
