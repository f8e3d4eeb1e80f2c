/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The choice of a sparse tier's anchors. A key has several places for each residue of the stride,
 * one stride apart. The nearest one to its end is taken unless it is periodic or the sample of the
 * text has it: then the one of the next few that is rarest there.
 */
#ifndef TRAWL_ENGINES_QGRAM_SPARSE_CHOOSE_H
#define TRAWL_ENGINES_QGRAM_SPARSE_CHOOSE_H

#include "engines/qgram/sparse/format.h"

/* How often q-grams are in a sample of the text, by their hash. */
typedef struct trawl_sparse_counts {
    uint8_t *counts; /* 1 << TRAWL_SPARSE_COUNT_BITS */
    uint64_t case_bits;
} trawl_sparse_counts;

/* The bytes of a sample as two words. */
typedef struct trawl_sparse_gram {
    uint64_t first, last;
} trawl_sparse_gram;

/* Makes counts of a text; free counts->counts with trawl_release. Returns false without memory. */
bool trawl_sparse_counts_open(trawl_sparse_counts *self, bool folded);

/* Counts all q-grams of a piece of the text. */
void trawl_sparse_counts_add(trawl_sparse_counts *self, const uint8_t *text, size_t length);

/* Reads the q-gram at `bytes`. */
static inline trawl_sparse_gram trawl_sparse_read(const uint8_t *bytes, uint64_t case_bits) {
    trawl_sparse_gram gram;
    memcpy(&gram.first, bytes, sizeof gram.first);
    memcpy(&gram.last, bytes + 8, sizeof gram.last);
    gram.first = trawl_qgram_fold(gram.first, case_bits);
    gram.last = trawl_qgram_fold(gram.last, case_bits);
    return gram;
}

/* What an anchor there costs: how often samples meet it, or more if it is periodic. Periodic
 * q-grams may be anywhere in another text, and are in many patterns. */
uint32_t trawl_sparse_cost(const trawl_sparse_counts *self, trawl_sparse_gram gram);

/* Strides by which an anchor may be further from its key's end than the nearest place: places that
 * are tried at most. Chosen, not measured. */
#define TRAWL_SPARSE_PLACES 8u

#endif
