/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The parts of an index file that have an entry for each row, made from the sorted suffixes: the
 * steps of trawl_index_write between sorting and writing. One array of n positions holds first the
 * suffixes, then the documents, then `previous`; each is written to the file before the next
 * replaces it.
 */
#ifndef TRAWL_INDEX_ROWS_H
#define TRAWL_INDEX_ROWS_H

#include "base/team.h"
#include "index/builder.h"
#include "index/format.h"

typedef struct trawl_index_rows {
    const trawl_index_builder *text;
    trawl_index_header *header;
    trawl_index_layout *layout;
    trawl_team *team;
    uint32_t members;
    void *positions; /* W[n] */
    uint8_t *bwt;    /* of rows [bwt_begin, bwt_end) */
    uint64_t bwt_begin, bwt_end;
    uint64_t *borders;
    void *counts;      /* W[blocks][letters] */
    uint16_t *columns; /* the column of each byte in `counts` */
} trawl_index_rows;

/* Reads and writes element `at` of an array of 4 or 8 bytes each. */
static inline uint64_t trawl_index_get(const void *array, uint32_t width, uint64_t at) {
    return width == 4 ? ((const uint32_t *)array)[at] : ((const uint64_t *)array)[at];
}
static inline void trawl_index_set(void *array, uint32_t width, uint64_t at, uint64_t value) {
    if (width == 4) {
        ((uint32_t *)array)[at] = (uint32_t)value;
    } else {
        ((uint64_t *)array)[at] = value;
    }
}

/* Makes the BWT and the borders of rows [bwt_begin, bwt_end), and counts the bytes of each block of
 * 1,024 rows. Both limits are multiples of 1,024, but for the end of the text. */
void trawl_index_make_bwt(trawl_index_rows *rows);

/* Adds up the counts from block to block, after all blocks have been counted: `counts` as in
 * index/format.h. */
void trawl_index_add_counts(trawl_index_rows *rows);

/* Replaces each position by its document. `directory` is from trawl_index_make_directory. */
void trawl_index_make_documents(trawl_index_rows *rows, const uint32_t *directory);

/* For every 2^TRAWL_INDEX_DIRECTORY positions the document of the first of them. The caller frees
 * it; NULL: out of memory. */
enum { TRAWL_INDEX_DIRECTORY = 8 };
uint32_t *trawl_index_make_directory(const trawl_index_rows *rows);

/* Replaces each document by `previous`. last[] has an element for each document, 0 at first. */
void trawl_index_make_previous(trawl_index_rows *rows, uint64_t *last);

/* Fills W[n / 32 + 1] and W[levels][blocks]. */
void trawl_index_make_minima(trawl_index_rows *rows, void *minima, void *sparse);

#endif
