/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Lists of positions made of vectors' results: marks first, a word of bits each, then what is in
 * them. Both without a branch for a position, which could not be predicted. */
#ifndef TRAWL_ENGINES_QGRAM_TEDDY_POSITION_MARKS_H
#define TRAWL_ENGINES_QGRAM_TEDDY_POSITION_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAWL_SPARE_POSITIONS 2 /* that are written behind a list for nothing, at most */

typedef struct position_mark {
    uint64_t bits; /* positions that pass, from the first of them on */
    size_t position;
} position_mark;

/* Returns where the next one goes. */
static inline __attribute__((always_inline)) position_mark *set_mark(uint64_t bits, size_t position,
                                                                     position_mark *next) {
    next->bits = bits;
    next->position = position;
    return next + (bits != 0);
}

/* Takes marks apart; returns the end of the list. Where many positions pass (dense), how many a
 * mark has cannot be predicted: some of them are written in any case, and marks may have none. */
static inline __attribute__((always_inline)) uint32_t *
list_end_offsets(const position_mark *mark, const position_mark *past, uint32_t *next, bool dense) {
    for (; mark != past; mark++) {
        uint64_t bits = mark->bits;
        if (dense) {
            uint32_t *from = next;
            next += __builtin_popcountll(bits);
            for (unsigned i = 0; i < TRAWL_SPARE_POSITIONS; i++) {
                uint64_t last = bits | UINT64_C(1) << 63; /* there is no number of no bits */
                *from++ = (uint32_t)(mark->position + (size_t)__builtin_ctzll(last));
                bits &= bits - 1;
            }
            for (; bits != 0; bits &= bits - 1) {
                *from++ = (uint32_t)(mark->position + (size_t)__builtin_ctzll(bits));
            }
        } else {
            do {
                *next++ = (uint32_t)(mark->position + (size_t)__builtin_ctzll(bits));
                bits &= bits - 1;
            } while (bits != 0);
        }
    }
    return next;
}

#endif
