/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef TRAWL_INDEX_NUMBERS_H
#define TRAWL_INDEX_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts numbers below 2^48 in ascending order, in time proportional to their count. `scratch` has
 * room for as many. */
void trawl_sort_numbers(uint64_t *numbers, uint64_t *scratch, size_t count);

#endif
