/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Seeded random numbers, the same on every machine: SplitMix64 (Steele, Lea & Flood 2014). */
#ifndef CLI_REPRODUCE_RANDOM_H
#define CLI_REPRODUCE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state) {
    uint64_t value = *state += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* A number below `limit`, which is at least 1 and below 2^32. */
static inline uint64_t random_below(uint64_t *state, uint64_t limit) {
    return (random_next(state) >> 32) * limit >> 32;
}

/* A number from 0 to less than 1. */
static inline double random_share(uint64_t *state) {
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

#endif
