/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Folding: ASCII letters become lower case. trawl knows no other letter case. */
#ifndef TRAWL_BASE_FOLD_H
#define TRAWL_BASE_FOLD_H

#include <stddef.h>

#include "base/compiler.h"

TRAWL_BOTH bool trawl_is_letter(uint8_t byte) {
    return (uint8_t)((byte | 0x20) - 'a') < 26;
}

/* A-Z become a-z; every other byte stays. */
TRAWL_BOTH uint8_t trawl_fold(uint8_t byte) {
    return (uint8_t)(byte - 'A') < 26 ? (uint8_t)(byte | 0x20) : byte;
}

/* trawl_fold for the eight bytes of a word. */
TRAWL_BOTH uint64_t trawl_fold_word(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t low = word & (ones * 0x7f);
    uint64_t from_a = low + ones * (0x80 - 'A'); /* top bit of a byte: not below 'A' */
    uint64_t past_z = low + ones * (0x7f - 'Z'); /* top bit of a byte: above 'Z' */
    uint64_t upper = from_a & ~past_z & ~word & (ones * 0x80);
    return word | upper >> 2;
}

/* Whether two strings are equal after folding. */
static inline bool trawl_equal_folded(const uint8_t *left, const uint8_t *right, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (trawl_fold(left[i]) != trawl_fold(right[i])) {
            return false;
        }
    }
    return true;
}

#endif
