/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which bytes of a key a hashed tier takes samples of. The last ones would do, but they may be
 * frequent in texts (zeros of a binary, the endings of words), and then each place where they are
 * has to be verified. So a tier may have a reach: a window ends up to so many bytes before its key
 * does, at the distance where the window's q-grams are rarest in a sample of the text.
 *
 * What is chosen to be rare in a text is not as rare in others. Therefore the pieces of the sample
 * judge in turns: what lets through how much of one in four pieces is asked of windows that the
 * other three chose.
 */
#ifndef TRAWL_ENGINES_QGRAM_ANCHOR_H
#define TRAWL_ENGINES_QGRAM_ANCHOR_H

#include "engines/qgram/format.h"
#include "pattern/keys.h"

#define TRAWL_ANCHOR_FOLDS 4u
#define TRAWL_ANCHOR_PIECE ((size_t)4096)           /* bytes */
#define TRAWL_ANCHOR_LEAST (8 * TRAWL_ANCHOR_PIECE) /* of a sample that may choose */

/* The bytes that judge in a turn, and where in the sample the one of that number is. */
static inline size_t trawl_anchor_judging(size_t length) {
    return length / (TRAWL_ANCHOR_FOLDS * TRAWL_ANCHOR_PIECE) * TRAWL_ANCHOR_PIECE;
}
static inline size_t trawl_anchor_validates(uint32_t validation_fold, size_t number) {
    return (number / TRAWL_ANCHOR_PIECE * TRAWL_ANCHOR_FOLDS + validation_fold) *
               TRAWL_ANCHOR_PIECE +
           number % TRAWL_ANCHOR_PIECE;
}

/* How often q-grams of like hashes are in the pieces that choose; large counts stay what they are.
 */
#define TRAWL_ANCHOR_COUNT_BITS 16u
typedef struct trawl_anchor_counts {
    uint32_t gram; /* 0: nothing has been counted */
    bool folded;
    uint16_t each[1u << TRAWL_ANCHOR_COUNT_BITS];
} trawl_anchor_counts;

/* Counts a sample but for the pieces that judge in this turn; with TRAWL_ANCHOR_FOLDS, all of it.
 * Nothing chooses when it is shorter than TRAWL_ANCHOR_LEAST. */
void trawl_anchor_count(trawl_anchor_counts *counts, uint32_t gram, bool folded,
                        uint32_t validation_fold, const uint8_t *text, size_t length);

/* How many bytes before `end` the window of a key of `length` bytes ends, at most `reach`: the
 * least such number of those that are best. The key has at least gram + stride - 1 bytes, and
 * stride + reach is at most TRAWL_QGRAM_MOST_ENDS. */
uint32_t trawl_anchor_choose(const trawl_anchor_counts *counts, const uint8_t *end, uint32_t length,
                             uint32_t stride, uint32_t anchor_slack);

/* The same of all keys of a tier with a anchor_slack, a byte each. The caller frees *distances with
 * trawl_release. TRAWL_ERROR_MEMORY. */
trawl_status trawl_anchor_keys(const trawl_qgram_tier *tier, const trawl_keys *keys,
                               const uint8_t *text, size_t length, uint8_t **distances,
                               trawl_error *error);

#endif
