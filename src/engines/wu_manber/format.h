/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Wu-Manber's tables, and the hash functions with which they are filled and read.
 *
 * m is the length of the shortest pattern. A search window has m bytes and moves from left to
 * right.
 *
 * Variant `paper` (B = 3, B' = 2):
 *
 *     text    . . . [ w w . . . . . x y z ] . . .
 *                     B' bytes        B bytes
 *
 *     1. SHIFT[hash of the last B bytes] is the number of bytes by which the window moves.
 *     2. If it is 0, HASH has the list of patterns whose first m bytes end with such B bytes.
 *     3. Those of them whose PREFIX is the hash of the window's first B' bytes
 *     4. are compared with the text, byte by byte.
 *
 * Variant `tuned` compares the window with the last m bytes of the patterns, so that matches are
 * found in order of their ends and nothing has to be sorted, and computes B from the set. Where
 * SHIFT is 0, the window's last bytes (up to 8) are looked up as one number: HASH lists the ranges
 * of keys that end with these bytes (database/endings.h).
 */
#ifndef TRAWL_ENGINES_WU_MANBER_FORMAT_H
#define TRAWL_ENGINES_WU_MANBER_FORMAT_H

#include <string.h>

#include "database/endings.h"

enum { TRAWL_WU_MANBER_TUNED = 0, TRAWL_WU_MANBER_PAPER = 1 };

/* Bytes of a block at most: two words of 64 bits in `tuned`. In `paper`, and if the caller sets the
 * length, at most 4: SHIFT of 4 bytes already has 21,760 entries; chosen, not measured. */
#define TRAWL_WU_MANBER_MAX_BLOCK 16u
#define TRAWL_WU_MANBER_MAX_CHOSEN_BLOCK 4u

#define TRAWL_WU_MANBER_MAX_SHIFT 255u /* bytes; tuned: an entry is a byte */
#define TRAWL_WU_MANBER_TAIL 8u        /* bytes: one word */

typedef struct trawl_wu_manber_header {
    uint32_t variant;
    uint32_t window;     /* m: bytes of the shortest pattern */
    uint32_t block;      /* B */
    uint32_t prefix;     /* paper: B' */
    uint32_t tail;       /* tuned: last bytes that are looked up as one number */
    uint32_t shift_bits; /* tuned: SHIFT has 1 << shift_bits entries */
    uint32_t hash_bits;  /* tuned: HASH has 1 << hash_bits slots */
    uint32_t entries;    /* paper: entries of SHIFT, and slots of HASH */
} trawl_wu_manber_header;

/* Sections        tuned                             paper
 * SHIFT           uint8_t[1 << shift_bits]          uint32_t[entries]
 * HASH            uint32_t[(1 << hash_bits) + 1]    uint32_t[entries + 1]: into IDS
 * PREFIX          trawl_ending_range[]              uint16_t[patterns]
 * IDS             -                                 uint32_t[patterns]
 * and in `tuned` the outputs. */

/* Returns the block length of `tuned`, for a set whose patterns have `endings` different ends of
 * `window` bytes and an effective alphabet of `alphabet` bytes (trawl_endings_alphabet). SHIFT has
 * at most `memory` bytes. */
uint32_t trawl_wu_manber_choose_block(uint32_t endings, uint32_t window, double alphabet,
                                      uint64_t memory);

/* The largest shift of `tuned`, and the bits of its SHIFT. */
uint32_t trawl_wu_manber_largest_shift(uint32_t window, uint32_t block);
uint32_t trawl_wu_manber_shift_bits(uint32_t endings, uint32_t window, uint32_t block,
                                    uint64_t memory);

/* In folded databases, both cases of a letter must have the same hash. Setting bit 5 of every byte
 * achieves this. It also makes a few other bytes equal, which causes look-ups but no wrong
 * matches. */
TRAWL_BOTH uint64_t trawl_wu_manber_case_bits(bool folded) {
    return folded ? UINT64_C(0x2020202020202020) : 0;
}

/* Maps two numbers of eight bytes to one. */
TRAWL_BOTH uint64_t trawl_wu_manber_mix(uint64_t first, uint64_t second) {
    return first * UINT64_C(0xd6e8feb86659fd93) ^ second;
}

/* The block of `block` bytes that ends with *last, as a number; reads no other bytes. */
TRAWL_BOTH uint64_t trawl_wu_manber_block(const uint8_t *last, uint32_t block, uint64_t case_bits) {
    uint64_t first, second;
    uint32_t begin, end;
    uint16_t pair;
    if (block > 8) { /* 9 to 16: the first and the last eight, mixed into one number */
        memcpy(&first, last + 1 - block, sizeof first);
        memcpy(&second, last - 7, sizeof second);
        return trawl_wu_manber_mix(first | case_bits, second | case_bits);
    }
    switch (block) {
    case 1:
        return last[0] | case_bits;
    case 2:
        memcpy(&pair, last - 1, sizeof pair);
        return pair | case_bits;
    case 3:
        memcpy(&pair, last - 2, sizeof pair);
        return (uint64_t)pair | (uint64_t)last[0] << 16 | case_bits;
    case 4:
        memcpy(&end, last - 3, sizeof end);
        return end | case_bits;
    default: /* 5 to 8: the first four and the last four, which may overlap */
        memcpy(&begin, last + 1 - block, sizeof begin);
        memcpy(&end, last - 3, sizeof end);
        return (uint64_t)end << 32 | begin | case_bits;
    }
}

/* Returns trawl_wu_manber_block of the last `block` bytes of before:word (16 bytes of text), for
 * callers that read whole words. Up to 8 bytes lie in `word` alone, and `before` is ignored. */
TRAWL_BOTH uint64_t trawl_wu_manber_block_of(uint64_t before, uint64_t word, uint32_t block,
                                             uint64_t case_bits) {
    if (block > 8) {
        uint32_t missing = 8 * (16 - block); /* bits of `before` that are not in the block */
        uint64_t first = missing == 0 ? before : before >> missing | word << (64 - missing);
        return trawl_wu_manber_mix(first | case_bits, word | case_bits);
    }
    uint64_t bytes = word >> (64 - 8 * block);
    if (block > 4) {
        bytes = word >> 32 << 32 | (bytes & 0xffffffffu);
    }
    return bytes | case_bits;
}

/* The entry of SHIFT for a block's number (tuned). */
TRAWL_BOTH size_t trawl_wu_manber_slot(uint64_t value, uint32_t shift_bits) {
    return (size_t)((value * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - shift_bits));
}

/* h1 and h2 of the paper: shift to the left by two bits, add a byte. */
TRAWL_BOTH uint32_t trawl_wu_manber_add(uint32_t hash, uint8_t byte) {
    return (hash << 2) + byte;
}

#endif
