/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "random_cases.h"

#include "random.h"

#include <stdio.h>
#include <stdlib.h>

uint64_t number_from(const char *variable, uint64_t otherwise) {
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

void random_cases_run(size_t usual, void (*check)(uint64_t seed, size_t index)) {
    uint64_t seed = random_seed();
    size_t one = number_from("TRAWL_TEST_CASE", SIZE_MAX);
    size_t cases = number_from("TRAWL_TEST_CASES", usual);
    printf("seed %llu\n", (unsigned long long)seed);
    if (one != SIZE_MAX)
        check(seed, one);
    for (size_t i = 0; one == SIZE_MAX && i < cases; i++)
        check(seed, i);
}
