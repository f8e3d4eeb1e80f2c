/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sets of bytes, and the search for the first or last byte of a text that is in a set. */
#ifndef TRAWL_BASE_BYTE_SET_H
#define TRAWL_BASE_BYTE_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"

/* A byte with the high nibble h and the low nibble l is in the set if bit h % 8 of rows[h / 8][l]
 * is set. So each half of the set is a table for byte shuffles, which look up 16 or 32 low nibbles
 * at once. */
typedef struct trawl_byte_set {
    uint8_t rows[2][16];
} trawl_byte_set;

static inline bool trawl_byte_set_has(const trawl_byte_set *set, uint8_t byte) {
    return (set->rows[byte >> 7][byte & 15] >> (byte >> 4 & 7) & 1) != 0;
}

static inline void trawl_byte_set_add(trawl_byte_set *set, uint8_t byte) {
    set->rows[byte >> 7][byte & 15] |= (uint8_t)(1u << (byte >> 4 & 7));
}

/* The number of bytes in the set. */
unsigned trawl_byte_set_count(const trawl_byte_set *set);

/* The smallest byte of a set that is not empty. */
uint8_t trawl_byte_set_smallest(const trawl_byte_set *set);

/* The search for bytes of a set. Each function returns the place of the first or last byte of
 * text[0, length) that is in the set, or NULL. */
typedef struct trawl_byte_finder trawl_byte_finder;
struct trawl_byte_finder {
    const uint8_t *(*first)(const trawl_byte_finder *finder, const uint8_t *text, size_t length);
    const uint8_t *(*last)(const trawl_byte_finder *finder, const uint8_t *text, size_t length);
    trawl_byte_set set;
    uint8_t byte; /* the only one of a set of one byte */
};

/* The finder for a set that is not empty, with functions for an instruction set. A set of one byte
 * is left to the C library. */
trawl_byte_finder trawl_byte_finder_for(const trawl_byte_set *set, trawl_cpu_set cpu);

#endif
