/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What an index file has for each row, made of the sorted suffixes: the steps of
 * trawl_index_write between sorting and writing. One array of n positions is suffixes first, then
 * documents, then `previous`: each is written before it is replaced.
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
    uint16_t *columns; /* of each byte */
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

/* Makes the BWT of rows [bwt_begin, bwt_end), blocks of 1,024 each but for the last, their borders,
 * and how many of each byte every block has. */
void trawl_index_make_bwt(trawl_index_rows *rows);

/* Adds up the counts of blocks. */
void trawl_index_add_counts(trawl_index_rows *rows);

/* Replaces positions by documents; `directory` from trawl_index_make_directory. */
void trawl_index_make_documents(trawl_index_rows *rows, const uint32_t *directory);

/* For each 2^TRAWL_INDEX_DIRECTORY positions the document of the first; caller frees. NULL: out of
 * memory. */
enum { TRAWL_INDEX_DIRECTORY = 8 };
uint32_t *trawl_index_make_directory(const trawl_index_rows *rows);

/* Replaces documents by `previous`; last[] has a zero for each document. */
void trawl_index_make_previous(trawl_index_rows *rows, uint64_t *last);

/* Fills W[n / 32 + 1] and W[levels][blocks]. */
void trawl_index_make_minima(trawl_index_rows *rows, void *minima, void *sparse);

#endif
