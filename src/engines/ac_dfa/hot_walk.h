/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The time of kernel hot apart from the automaton: for its launch plan and for its price. */
#ifndef TRAWL_ENGINES_AC_DFA_HOT_WALK_H
#define TRAWL_ENGINES_AC_DFA_HOT_WALK_H

#include <stdint.h>

/* How much the rows of different states share banks of shared memory: 0 if they begin in different
 * banks, 1 if all begin in the same one, as rows of 64 columns do. Threads with the same byte then
 * wait for each other. */
double trawl_hot_bank_conflicts(uint32_t classes);

/* Bytes of a strip, the text that a thread walks at once: short strips give all threads of blocks
 * of `threads` work, but each walk begins `overlap` bytes before its strip. *cost: the time with
 * this length, relative to enough strips without overlap; or NULL. */
uint32_t trawl_hot_strip_bytes(uint64_t length, uint64_t overlap, uint32_t multiprocessors,
                               uint32_t threads, double *cost);

/* The fraction of steps in which a warp waits for a thread that asks the full table, if a thread
 * asks it in the fraction `elsewhere` of its steps. */
double trawl_hot_waits(double elsewhere);

#endif
