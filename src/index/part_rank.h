/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Ranks in a sorted part of the text: how often a byte occurs in the first rows of its
 * Burrows-Wheeler transform. The arrays are as in the index file (index/format.h), but exist only
 * while two parts are merged. A merge computes a rank for each symbol, so counts are stored for
 * shorter distances.
 *
 *     bwt      the byte before each row's suffix; `filler` where that is a border
 *     borders  a bit for each row: the symbol before the suffix is a border
 *     near     for each 128 rows, of each letter: how often in the rows before it, since the last
 *              multiple of 65,536
 *     far      for each 65,536 rows, of each letter: how often in all rows before
 *
 * Bytes for a row: 1 + 1/8 + letters / 64 + letters / 16,384.
 */
#ifndef TRAWL_INDEX_PART_RANK_H
#define TRAWL_INDEX_PART_RANK_H

#include "base/team.h"
#include "index/format.h"

enum {
    TRAWL_PART_NEAR = 128,
    TRAWL_PART_FAR = 1 << 16 /* `near` counts in 16 bits */
};

typedef struct trawl_part_rank {
    const uint16_t *text; /* of the part */
    const int32_t *suffixes;
    uint32_t rows;
    uint16_t columns[256]; /* the column of each byte in `near` and `far` */
    uint32_t letters;      /* different bytes of the whole text */
    uint8_t filler;        /* a byte that is rare in the whole text */
    uint32_t first[257];   /* the first row whose suffix begins with each byte */
    uint8_t *bwt;
    uint64_t *borders;
    uint16_t *near;
    uint32_t *far;
} trawl_part_rank;

/* Makes first, bwt, borders, near and far; the caller has set the other members. False: out of
 * memory. In either case trawl_part_rank_release frees what has been allocated. */
bool trawl_part_rank_make(trawl_part_rank *part, trawl_team *team, uint32_t members);

void trawl_part_rank_release(trawl_part_rank *part);

/* How many of the first `length` bytes of a block of 128 are `byte`. All 128 are compared: a loop
 * that ended at `length` would mispredict its last branch nearly each time. */
static inline uint32_t trawl_part_rank_count(const uint8_t *block, uint32_t length, uint8_t byte) {
    typedef int8_t bytes16 __attribute__((vector_size(16)));
    bytes16 wanted, limit, sums = {0}, some;
    const bytes16 lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    uint64_t halves[2];
    memset(&wanted, byte, sizeof wanted);
    memset(&limit, (int)length, sizeof limit);
    for (size_t at = 0; at < TRAWL_PART_NEAR; at += sizeof some) {
        memcpy(&some, block + at, sizeof some);
        sums -= (some == wanted) & (lanes < limit);
        limit -= (int8_t)sizeof some; /* -128 or more at the end */
    }
    memcpy(halves, &sums, sizeof halves);
    return (uint32_t)((halves[0] + halves[1]) * UINT64_C(0x0101010101010101) >> 56);
}

/* One step of backward search. Given that `row` suffixes of the part are smaller than some string
 * S, returns how many are smaller than the string of `byte` and S. */
static inline uint32_t trawl_part_rank_step(const trawl_part_rank *part, uint8_t byte,
                                            uint32_t row) {
    const uint32_t near = row / TRAWL_PART_NEAR, begin = near * TRAWL_PART_NEAR;
    const size_t column = part->columns[byte];
    uint32_t count = part->far[(size_t)(row / TRAWL_PART_FAR) * part->letters + column] +
                     part->near[(size_t)near * part->letters + column] +
                     trawl_part_rank_count(part->bwt + begin, row - begin, byte);
    if (byte == part->filler) {
        for (uint32_t at = begin; at < row; at++) {
            count -= (uint32_t)(part->borders[at / 64] >> at % 64 & 1);
        }
    }
    return part->first[byte] + count;
}

/* Prefetches what a step from `row` reads. */
static inline void trawl_part_rank_prefetch(const trawl_part_rank *part, uint8_t byte,
                                            uint32_t row) {
    const uint32_t near = row / TRAWL_PART_NEAR;
    __builtin_prefetch(&part->near[(size_t)near * part->letters + part->columns[byte]]);
    __builtin_prefetch(&part->bwt[(size_t)near * TRAWL_PART_NEAR]);
    __builtin_prefetch(&part->bwt[row]);
}

#endif
