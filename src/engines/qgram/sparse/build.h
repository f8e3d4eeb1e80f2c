/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Building a sparse tier, in two steps like all tables. */
#ifndef TRAWL_ENGINES_QGRAM_SPARSE_BUILD_H
#define TRAWL_ENGINES_QGRAM_SPARSE_BUILD_H

#include "database/endings.h"
#include "engines/qgram/sparse/format.h"

/* The anchors of a tier's keys. */
typedef struct trawl_sparse_made {
    uint16_t *distances; /* keys * stride: from the anchor with that number to the key's end */
    uint32_t *counts;    /* keys of each bucket */
    trawl_sparse_header header;
} trawl_sparse_made;

/* Chooses the anchors of all keys with a sample of the text, which may be empty. Sets
 * tier->suffix_filter_bits. Call trawl_sparse_release also after a failure. TRAWL_ERROR_MEMORY. */
trawl_status trawl_sparse_make(trawl_qgram_tier *tier, const trawl_keys *keys, const uint8_t *text,
                               size_t length, trawl_sparse_made *made, trawl_error *error);
void trawl_sparse_release(trawl_sparse_made *made);

/* Where the tables of a tier are written. */
typedef struct trawl_sparse_tables {
    uint32_t *filter;  /* 1 << tier->row_bits words */
    uint32_t *heads;   /* (1 << tier->suffix_filter_bits) + 2 */
    uint64_t *entries; /* made->header.entries */
} trawl_sparse_tables;

/* Writes filter and buckets. Uses up made->counts. */
void trawl_sparse_write(const trawl_qgram_tier *tier, const trawl_keys *keys,
                        const trawl_sparse_made *made, const trawl_sparse_tables *tables);

/* Reserves the tier's buckets; writes filter and buckets into the database. */
trawl_status trawl_sparse_reserve(trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                                  const trawl_sparse_made *made, const char *instead);
void trawl_sparse_fill(trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                       const trawl_keys *keys, const trawl_sparse_made *made);

/* Whether the buckets of a loaded tier with `keys` keys are in order. */
bool trawl_sparse_is_valid(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                           uint32_t keys);

#endif
