/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Anchor offsets: how many bytes before the end of each key its window ends, in tiers with a sample
 * filter and an anchor slack.
 *
 *   key      v a l u e _ t       "_t" is frequent in the text
 *   window   '-------'           the q-grams of "value" are rarer
 *                      <->       anchor offset 2
 *
 * The last bytes of a key may be frequent in texts (zeros of a binary, the endings of words), and
 * each place where they stand has to be verified. So the window ends where its q-grams are rarest
 * in a sample of the text, but at most the tier's anchor slack before the key's end.
 *
 * A window that was chosen to be rare in a sample is not as rare in other texts. So the sample's
 * pieces are divided into folds. The pass rate in one fold is measured with windows that were
 * chosen by the other three:
 *
 *   piece   0  1  2  3  4  5  6  7
 *   fold    0  1  2  3  0  1  2  3     fold 1 validates: pieces 0, 2, 3, 4, 6, 7 choose
 */
#ifndef TRAWL_ENGINES_QGRAM_ANCHOR_H
#define TRAWL_ENGINES_QGRAM_ANCHOR_H

#include "costs/cpu_constants.h"
#include "engines/qgram/format.h"
#include "pattern/keys.h"

/* Number of bytes of a sample of `length` bytes that are in one fold. */
static inline size_t trawl_anchor_validation_bytes(size_t length) {
    return length / (TRAWL_ANCHOR_FOLDS * TRAWL_ANCHOR_PIECE) * TRAWL_ANCHOR_PIECE;
}
/* Offset in the sample of the fold's byte with this number. */
static inline size_t trawl_anchor_validation_offset(uint32_t validation_fold, size_t number) {
    return (number / TRAWL_ANCHOR_PIECE * TRAWL_ANCHOR_FOLDS + validation_fold) *
               TRAWL_ANCHOR_PIECE +
           number % TRAWL_ANCHOR_PIECE;
}

/* How often the q-grams of a hash stand in the pieces that choose windows, up to 65,535. */
typedef struct trawl_anchor_counts {
    uint32_t gram; /* q; 0: nothing has been counted */
    bool folded;
    uint16_t each[1u << TRAWL_ANCHOR_COUNT_BITS];
} trawl_anchor_counts;

/* Counts the q-grams of all pieces but those of the validating fold; validation_fold =
 * TRAWL_ANCHOR_FOLDS counts all pieces. Of a sample shorter than TRAWL_ANCHOR_LEAST_SAMPLE nothing
 * is counted: trawl_anchor_choose then returns 0 for every key. */
void trawl_anchor_count(trawl_anchor_counts *counts, uint32_t gram, bool folded,
                        uint32_t validation_fold, const uint8_t *text, size_t length);

/* Returns the anchor offset of a key of `length` bytes before `end`, at most `anchor_slack`: that
 * of the window whose q-grams are rarest, the smallest offset if several are equal. The key has at
 * least gram + stride - 1 bytes, and stride + anchor_slack is at most TRAWL_QGRAM_MAX_ENDS. */
uint32_t trawl_anchor_choose(const trawl_anchor_counts *counts, const uint8_t *end, uint32_t length,
                             uint32_t stride, uint32_t anchor_slack);

/* The same for all keys of a tier, a byte each. The caller frees *offsets with trawl_release, also
 * after a failure. TRAWL_ERROR_MEMORY. */
trawl_status trawl_anchor_choose_all(const trawl_qgram_tier *tier, const trawl_keys *keys,
                                     const uint8_t *text, size_t length, uint8_t **offsets,
                                     trawl_error *error);

#endif
