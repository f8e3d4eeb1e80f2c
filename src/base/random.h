/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Pseudo-random numbers for text that is made up: equal on all machines, so that plans are too. */
#ifndef TRAWL_BASE_RANDOM_H
#define TRAWL_BASE_RANDOM_H

#include <stdint.h>

/* Advances *state, which must not be 0, and returns its new value: Marsaglia's xorshift, 2003. */
static inline uint64_t trawl_random_next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
