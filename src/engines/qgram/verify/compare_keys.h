/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Verifying candidates of Teddy and of the register Bloom filter: by prefix signatures, then by
 * comparison with keys.
 *
 * Tiers with these filters have few keys, whose endings are all in the first-level cache. Comparing
 * them takes no longer than testing the suffix filter, which only has hashes, and often finds the
 * key at once.
 */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_COMPARE_KEYS_H
#define TRAWL_ENGINES_QGRAM_VERIFY_COMPARE_KEYS_H

#include "engines/qgram/tier.h"

/* Bytes before an end that comparison and the register Bloom filter may read, rounded up. */
#define TRAWL_COMPARE_KEYS_REACH 16u

/* The function for an instruction set. It takes the candidates lists->samples[0 .. count - 1],
 * ascending positions that may hold a key's last byte, and writes the ends behind those that may be
 * one to lists->ends[from] on, and to lists->keys for each end the longest key that ends there, or
 * TRAWL_NO_KEY where it is to be looked up. The first end is at least TRAWL_COMPARE_KEYS_REACH.
 * Returns the number of ends. Overwrites lists->samples and lists->possible_ends. */
trawl_compare_keys trawl_compare_keys_for(trawl_cpu_set set);

#endif
