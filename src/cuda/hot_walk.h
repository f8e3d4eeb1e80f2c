/* What kernel hot's steps depend on besides the automaton, for those who price it. */
#ifndef TRAWL_CUDA_HOT_WALK_H
#define TRAWL_CUDA_HOT_WALK_H

#include <stdint.h>

/* From 0, where the rows of different states begin in different banks, to 1, where all begin in the
 * same one, as rows of 64 columns do: threads with the same byte then wait for each other. */
double trawl_hot_bank_conflicts(uint32_t classes);

/* Bytes walked for a byte of a long text: parts begin before what they own. */
double trawl_hot_bytes_walked(uint64_t longest, uint32_t multiprocessors);

/* The share of steps in which a warp waits for a thread that asks the full table, where a thread
 * does so in a share `elsewhere` of its own. */
double trawl_hot_waits(double elsewhere);

#endif
