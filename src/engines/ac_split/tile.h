/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How kernel p2 stores its tile (Tran et al., 4.3, Fig. 10): a row for each thread, W = S_thread /
 * 4 words long. If rows were stored in order, the words that the threads of a warp read together, W
 * apart from each other, would be in no more than 32 / g of the 32 banks, where g is the largest
 * power of two, up to 32, that divides W: bank t * W mod 32 is the same for threads 32 / g apart.
 * So words are moved within groups of g, along a diagonal: word w of row t is stored in place (w +
 * t / (32 / g)) mod g of its group. For W = 8, so g = 8, with the words of each row from place 0
 * on:
 *
 *     rows  0 to  3   0 1 2 3 4 5 6 7
 *     rows  4 to  7   7 0 1 2 3 4 5 6
 *     rows  8 to 11   6 7 0 1 2 3 4 5
 *     ...
 *
 * Every 32 / g rows the words move by one bank, and after 32 rows all banks have been used once.
 * The words that a warp stores together are 32 neighbours in the text, whole groups, and moving
 * them within their groups keeps them in 32 different banks. For an odd W, g is 1 and nothing is
 * moved (Theorem 1 of Zha & Sahni 2011). The paper has W = 8; its Fig. 10 and its earlier work show
 * W = 32, where each row is a group and moves by one word.
 */
#ifndef TRAWL_ENGINES_AC_SPLIT_TILE_H
#define TRAWL_ENGINES_AC_SPLIT_TILE_H

#include "base/compiler.h"
#include "constants/gpu.h"

typedef struct trawl_split_rows {
    uint32_t words; /* W: of a row */
    uint32_t mask;  /* g - 1; 0: no diagonal */
    uint32_t shift; /* log2 of 32 / g */
} trawl_split_rows;

TRAWL_BOTH trawl_split_rows trawl_split_rows_of(uint32_t words, bool diagonal) {
    trawl_split_rows rows;
    rows.words = words;
    /* The lowest bit set in W is the largest power of two that divides it; none below 32 is 32. */
    rows.mask =
        diagonal ? ((words & (0u - words) & (TRAWL_GPU_BANKS - 1)) - 1) & (TRAWL_GPU_BANKS - 1) : 0;
    rows.shift = trawl_leading_zeros(rows.mask + 1) - trawl_leading_zeros(TRAWL_GPU_BANKS);
    return rows;
}

/* The place of word `index` of the tile, which is in row `row`. A row is a whole number of groups,
 * so that the word's place in its group follows from its index. */
TRAWL_BOTH uint32_t trawl_split_place(const trawl_split_rows *rows, uint32_t index, uint32_t row) {
    uint32_t moved = (index + (row >> rows->shift)) & rows->mask;
    return (index & ~rows->mask) | moved;
}

/* Accesses of shared memory that one read of a warp takes whose threads each read word `column` of
 * their row, from row `first` on: the most of these words that are in one bank. 1: no conflict. */
static inline uint32_t trawl_split_bank_accesses(const trawl_split_rows *rows, uint32_t first,
                                                 uint32_t column) {
    uint32_t in_bank[TRAWL_GPU_BANKS] = {0}, most = 0;
    for (uint32_t row = first; row < first + TRAWL_GPU_BANKS; row++) {
        uint32_t place = trawl_split_place(rows, row * rows->words + column, row);
        uint32_t words = ++in_bank[place % TRAWL_GPU_BANKS];
        most = words > most ? words : most;
    }
    return most;
}

#endif
