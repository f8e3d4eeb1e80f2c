/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lists of positions from vector comparisons: first a list of masks of up to 64 positions, then the
 * positions themselves. Branches on single positions are avoided: they would be mispredicted. */
#ifndef TRAWL_ENGINES_QGRAM_TEDDY_POSITION_MASKS_H
#define TRAWL_ENGINES_QGRAM_TEDDY_POSITION_MASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAWL_SPARE_POSITIONS 2 /* entries behind a list that may be overwritten */

typedef struct position_mask {
    uint64_t bits; /* bit i: position + i is a candidate */
    size_t position;
} position_mask;

/* Writes a mask, and keeps it if it has bits. Returns where the next mask is to be written. */
static inline __attribute__((always_inline)) position_mask *
append_mask(uint64_t bits, size_t position, position_mask *next) {
    next->bits = bits;
    next->position = position;
    return next + (bits != 0);
}

/* Lists the positions of masks; returns the end of the list. `dense`: the number of a mask's bits
 * cannot be predicted, so some entries are always written, and masks may have no bits. Otherwise
 * every mask has a bit. */
static inline __attribute__((always_inline)) uint32_t *
list_positions(const position_mask *mask, const position_mask *past, uint32_t *next, bool dense) {
    for (; mask != past; mask++) {
        uint64_t bits = mask->bits;
        if (dense) {
            uint32_t *from = next;
            next += __builtin_popcountll(bits);
            for (unsigned i = 0; i < TRAWL_SPARE_POSITIONS; i++) {
                uint64_t last = bits | UINT64_C(1) << 63; /* ctz of 0 is undefined */
                *from++ = (uint32_t)(mask->position + (size_t)__builtin_ctzll(last));
                bits &= bits - 1;
            }
            for (; bits != 0; bits &= bits - 1) {
                *from++ = (uint32_t)(mask->position + (size_t)__builtin_ctzll(bits));
            }
        } else {
            do {
                *next++ = (uint32_t)(mask->position + (size_t)__builtin_ctzll(bits));
                bits &= bits - 1;
            } while (bits != 0);
        }
    }
    return next;
}

#endif
