/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Building a tier of free anchors, in two steps like all tables: what is chosen decides how large
 * they are. */
#ifndef TRAWL_ENGINES_QGRAM_ANCHORS_BUILD_H
#define TRAWL_ENGINES_QGRAM_ANCHORS_BUILD_H

#include "database/endings.h"
#include "engines/qgram/anchors/choose.h"

/* The anchors of a tier's keys. */
typedef struct trawl_anchors_made {
    uint8_t *distances; /* keys * stride: trawl_anchors_choose */
    uint32_t *counts;   /* keys of each bucket; trawl_anchors_fill uses them up */
    trawl_anchors_header header;
} trawl_anchors_made;

/* Chooses the anchors of all keys with a sample of the text, which may be empty. Sets
 * tier->suffix_filter_bits. `filter`: NULL for the rows of the tier. Call trawl_anchors_release
 * also after a failure. TRAWL_ERROR_MEMORY. */
trawl_status trawl_anchors_make(trawl_qgram_tier *tier, const trawl_anchors_filter *filter,
                                const trawl_keys *keys, const uint8_t *text, size_t length,
                                trawl_anchors_made *made, trawl_error *error);

void trawl_anchors_release(trawl_anchors_made *made);

/* Reserves and writes the tier's tags and buckets. */
trawl_status trawl_anchors_reserve(trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                                   const trawl_anchors_made *made, const char *instead);
void trawl_anchors_fill(trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                        const trawl_keys *keys, const trawl_anchors_made *made);

/* Writes the buckets, and behind them the further entries. Uses up made->counts. */
void trawl_anchors_fill_buckets(const trawl_qgram_tier *tier, const trawl_keys *keys,
                                const trawl_anchors_made *made, trawl_anchors_bucket *buckets);

/* The buckets that this takes: further entries are two of one. */
static inline uint64_t trawl_anchors_units(const trawl_anchors_header *header) {
    return (uint64_t)header->buckets + ((uint64_t)header->further + 1) / 2;
}

/* The hash of the anchor that begins so many bytes before the end of a key, whose bytes are given
 * the last one first. */
uint64_t trawl_anchors_hash_at(const trawl_qgram_tier *tier, const uint8_t *reversed,
                               uint32_t distance);

/* Whether the tables of a loaded tier with `keys` keys fit its header. */
bool trawl_anchors_are_valid(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                             uint32_t keys);

#endif
