/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How many random cases a test runs, and which:
 *
 *     TRAWL_TEST_SEED    the run's seed (printed)
 *     TRAWL_TEST_CASES   number of cases
 *     TRAWL_TEST_CASE    run this one case of the seed only
 */
#ifndef TRAWL_TESTS_RANDOM_CASES_H
#define TRAWL_TESTS_RANDOM_CASES_H

#include <stddef.h>
#include <stdint.h>

/* The number in a variable of the environment, or `otherwise`. */
uint64_t number_from(const char *variable, uint64_t otherwise);

/* Calls `check` with the seed and the number of each case; `usual`: cases unless the environment
 * says how many. */
void random_cases_run(size_t usual, void (*check)(uint64_t seed, size_t index));

#endif
