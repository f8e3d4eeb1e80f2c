/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Random numbers for tests: small, fast, and the same on every machine for a seed.
 */
#ifndef TRAWL_TESTS_RANDOM_H
#define TRAWL_TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct random_source {
    uint64_t state;
} random_source;

/* A source for case number `index` of a run with `seed`. Any case can be made without making the
 * ones before it. */
random_source random_for_case(uint64_t seed, uint64_t index);

uint64_t random_bits(random_source *source);

/* Uniform in [0, bound); bound is at least 1. */
size_t random_below(random_source *source, size_t bound);

/* Uniform in [low, high]. */
size_t random_between(random_source *source, size_t low, size_t high);

/* True `numerator` times in `denominator`. */
int random_chance(random_source *source, size_t numerator, size_t denominator);

/* One of the first so many lower-case letters; 256: any byte. */
uint8_t random_letter(random_source *source, size_t letters);

/* The seed of this run: TRAWL_TEST_SEED, else a fixed one, so that a default run repeats. */
uint64_t random_seed(void);

#endif
