/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Tiers of free anchors: each key has one q-gram for each residue of the stride, its anchors, which
 * may stand anywhere in its last 64 bytes, or 255 if these are a run. Anchors are chosen so that
 * few samples of the text meet their bits in the sample filter (engines/qgram/anchors/choose.h).
 *
 *   key     n a t i o n a l i z e      stride 1, q = 4: one anchor; "aliz" is rarer than "tion"
 *                     '-----'          distance from the anchor's first byte to the key's end: 5
 *
 *   stride 2: an anchor at an even distance from the key's beginning, and one at an odd distance.
 *   An occurrence has exactly one of the two on the grid of the samples, so it is found once.
 *
 * A sample that passes the filter of bits is tested with a table of tags, and then compared with
 * the entries of one bucket. An entry has eight bytes of its key around the anchor; keys of at most
 * eight bytes are known then, longer ones are compared whole.
 *
 *   bucket, 32 bytes    | entry, 16 bytes | entry, 16 bytes |
 *   entry, 16 bytes     | value 8 | key 4 | end 1 | from 1 | shift 1 | more 1 |
 *
 * The hash of a sample says which bucket is its own.
 */
#ifndef TRAWL_ENGINES_QGRAM_ANCHORS_FORMAT_H
#define TRAWL_ENGINES_QGRAM_ANCHORS_FORMAT_H

#include "engines/qgram/format.h"

/* The largest distance from an anchor's first byte to its key's end. REACH: in all cases, as an
 * entry has a byte for it; it is for keys that end with a long run of one byte, whose anchor should
 * stand before the run. NEAR: for keys whose last NEAR bytes have a place for an anchor that is not
 * a run. */
#define TRAWL_ANCHORS_REACH 255u
#define TRAWL_ANCHORS_NEAR 64u

/* The shortest q-gram. The longest one: a sample is one word. And the longest stride, so that a key
 * that reaches far has a choice of several places for each residue. */
#define TRAWL_ANCHORS_LEAST_GRAM 3u
#define TRAWL_ANCHORS_MAX_GRAM 8u
#define TRAWL_ANCHORS_MAX_STRIDE 16u

typedef struct trawl_anchors_entry {
    uint64_t value; /* eight bytes of the key, folded in folded tiers; of a shorter key all of them,
                       in the highest bytes */
    uint32_t key;
    uint8_t end;   /* distance from the sample to the key's end: gram <= end <= reach */
    int8_t from;   /* distance from the sample to the first byte of the value, 0 or negative */
    uint8_t shift; /* 64 - 8 * bytes of the value */
    uint8_t more;  /* what the bucket has besides, see below; 0 in a second entry of a key */
} trawl_anchors_entry;

/* The distance from the first byte of the value to the key's end, of a key with more than eight
 * bytes: the value begins two bytes before the anchor, if the key has these and eight from there
 * on. `distance`: from the anchor to the key's end. */
TRAWL_BOTH uint32_t trawl_anchors_value_distance(uint32_t distance, uint32_t length) {
    const uint32_t from = distance + 2 < length ? distance + 2 : length;
    return from < 8 ? 8 : from;
}

/* A bucket of up to two keys has them in its entries; a free entry has the key TRAWL_NO_KEY. With
 * more keys the second entry has none: `key` is the index of the first of `more` further entries,
 * and `value` has their neighbours (trawl_anchors_neighbours_fit), without which none is read.
 * A crowded bucket has no keys at all: bit (d - 1) / TRAWL_ANCHORS_STEP of the first entry's
 * `value` says that some key ends d bytes behind the sample; the ends of such a step are looked up
 * by their last bytes. So no sample takes more than TRAWL_ANCHORS_MOST_ENTRIES comparisons,
 * whatever the patterns have in common. */
typedef struct trawl_anchors_bucket {
    trawl_anchors_entry entry[2];
} trawl_anchors_bucket;

/* 16 instead: on a CPU 15 of 282 random sets have other tables, 0.86 times as fast in the mean
 * (0.50 to 1.08, docs/notebook/2026-11-more-entries.md); on a GPU, 16 beside 32, up to four times
 * as slow (docs/notebook/2026-11-gpu-candidates.md). */
#define TRAWL_ANCHORS_MOST_ENTRIES 64u
#define TRAWL_ANCHORS_STEP 4u
#define TRAWL_ANCHORS_CROWDED 255u /* `more` of the first entry */

/* The neighbours of further entries: which bytes stand before and behind their anchors, by the
 * lowest five bits of these bytes, which letters of either case share:
 *
 *   63                            32 31                             0
 *   | bit b: some key has b behind  | bit b: some key has b before  |
 *
 * All bits of a half are set if one of the keys begins or ends there. A sample of eight bytes
 * takes its last byte as the one behind, since no byte behind it can be read; there all bits are
 * set always. */
TRAWL_BOTH uint32_t trawl_anchors_behind(uint32_t gram) {
    return gram < TRAWL_ANCHORS_MAX_GRAM ? gram : gram - 1;
}
TRAWL_BOTH bool trawl_anchors_neighbours_fit(uint64_t neighbours, uint8_t before, uint8_t behind) {
    return (neighbours >> (before & 31) & neighbours >> 32 >> (behind & 31) & 1) != 0;
}

/* Entries for each bucket on average: 13 % of the buckets have more than two then, if anchors are
 * spread by chance. */
#define TRAWL_ANCHORS_ENTRIES_PER_BUCKET 1.25

/* Section QGRAM_BUCKETS: this header, buckets, further entries. */
typedef struct trawl_anchors_header {
    uint32_t buckets;
    uint32_t further; /* entries */
    uint32_t crowded; /* buckets */
    uint32_t reach;   /* the largest distance from an anchor to its key's end, or more; at least
                         the tier's gram */
    uint32_t reserved[4];
} trawl_anchors_header;

/* Section QGRAM_TAGS: uint16_t[1 << suffix_filter_bits], a Bloom filter of the anchors with one bit
 * for each: two words of 16 bits for each anchor, so that 1 sample in 32 passes by chance. It
 * excludes most samples before a bucket has to be waited for. */
#define TRAWL_ANCHORS_TAGS_PER_ENTRY 2u
#define TRAWL_ANCHORS_TAG_MIN_BITS 8u
#define TRAWL_ANCHORS_TAG_MAX_BITS 24u

/* The hash of a sample by which it has a tag and a bucket. `number`: the bytes from the sample on,
 * with their case bits (trawl_qgram_fold); `multiplier`: trawl_qgram_multiplier. */
TRAWL_BOTH uint64_t trawl_anchors_hash(uint64_t number, uint64_t multiplier) {
    uint64_t product = number * multiplier;
    return (product ^ product >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}
TRAWL_BOTH size_t trawl_anchors_tag(uint64_t hash, uint32_t tag_bits) {
    return (size_t)(hash >> (64 - tag_bits));
}
TRAWL_BOTH uint32_t trawl_anchors_tag_bit(uint64_t hash) {
    return (uint32_t)(hash >> 28) & 15;
}
TRAWL_BOTH size_t trawl_anchors_bucket_of(uint64_t hash, uint32_t buckets) {
    return (size_t)(((hash & UINT32_MAX) * buckets) >> 32);
}

#endif
