/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What kernel hot costs apart from its automaton: used by its launch plan and by its price. */
#ifndef TRAWL_ENGINES_AC_DFA_HOT_WALK_H
#define TRAWL_ENGINES_AC_DFA_HOT_WALK_H

#include <stdint.h>

/* The share of rows of 16-bit entries that begin in the same bank of shared memory: 0 if 32
 * neighbouring rows begin in different banks, 1 if all rows begin in the same bank, as rows of
 * 64 columns do. Threads with the same byte and rows that begin in the same bank wait for each
 * other. */
double trawl_hot_bank_conflicts(uint32_t classes);

/* Returns the bytes of a strip, the text that a thread walks at once. Short strips give all threads
 * of blocks of `threads` work, but each walk begins `overlap` bytes before its strip. *cost (or
 * NULL): the time with this length, divided by that of enough strips without overlap. */
uint32_t trawl_hot_strip_bytes(uint64_t length, uint64_t overlap, uint32_t multiprocessors,
                               uint32_t threads, double *cost);

/* The share of steps in which a warp waits for the full table, if each of its threads reads it in
 * the share `elsewhere` of its steps. */
double trawl_hot_waits(double elsewhere);

#endif
