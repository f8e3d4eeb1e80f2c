/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sparse tiers: long patterns, of which the text is sampled so seldom that most of its cache lines
 * are never read. A sample has 16 bytes. Each key has one such q-gram, its anchor, for each residue
 * of the stride s, so one sample of each occurrence is an anchor:
 *
 *   key of 256 bytes, s = 240   [anchor of residue 0][............ 224 others, overlapping ...]
 *   text                        ......|16|..............................|16|...................
 *                                     sample                            sample, 240 bytes on
 *
 * An anchor is as near to its key's end as the text allows: nearest are the 16 + s - 1 last bytes;
 * q-grams that are periodic or in the planner's sample of the text give way to others s bytes
 * before (sparse/build.c).
 *
 *   sample -> hash -> filter: two bits of a word -> bucket: entries {key, end, tag} -> whole key
 *
 * The filter is a blocked Bloom filter (Putze, Sanders and Singler 2007) of all anchors. The hash
 * of a sample names a word and two bits of the filter, a bucket, and 16 bits that entries have as
 * their tag. So a sample that is no anchor is compared with a key once in 65,536 look-ups.
 */
#ifndef TRAWL_ENGINES_QGRAM_SPARSE_FORMAT_H
#define TRAWL_ENGINES_QGRAM_SPARSE_FORMAT_H

#include "engines/qgram/format.h"

#define TRAWL_SPARSE_GRAM 16u /* bytes of a sample: two words of eight */

/* The longest stride: a longer one would leave few samples in a block (TRAWL_SPARSE_BLOCK), each of
 * which costs as much as a hundred bytes of text anyway. And the largest distance from an anchor's
 * first byte to its key's end: samples so far before a block are tested once more with it. */
#define TRAWL_SPARSE_MAX_STRIDE 1024u
#define TRAWL_SPARSE_MAX_REACH 4096u

/* The smallest and the largest filter, as powers of two of its words of 32 bits: a cache line, and
 * TRAWL_QGRAM_MAX_ROW_BITS. */
#define TRAWL_SPARSE_MIN_ROW_BITS 4u

/* An entry of a bucket:
 *
 *    63     48 47     32 31          0
 *    | tag    | end     | key        |     end: distance from the anchor to the key's end
 */
TRAWL_BOTH uint64_t trawl_sparse_entry(uint32_t key, uint32_t end, uint32_t tag) {
    return (uint64_t)tag << 48 | (uint64_t)end << 32 | key;
}

/* Section QGRAM_BUCKETS: this header; uint32_t heads[(1 << suffix_filter_bits) + 2], of which the
 * last one is 0; uint64_t entries[]. The entries of bucket b are heads[b] .. heads[b + 1] - 1,
 * without the bit TRAWL_SPARSE_CROWDED, at most TRAWL_SPARSE_MOST_ENTRIES of them.
 *
 * A crowded bucket, which would have more, has that bit in heads[b] and one word instead of
 * entries: bit i says that a key may end i * step + 1 .. (i + 1) * step bytes behind the sample
 * (trawl_sparse_step). Such ends are looked up by their last bytes. So the work for a sample is
 * bounded, whatever the patterns have in common. */
typedef struct trawl_sparse_header {
    uint32_t entries; /* words of crowded buckets are among them */
    uint32_t crowded; /* buckets */
    uint32_t reach;   /* the largest distance from an anchor to its key's end */
    uint32_t reserved[5];
} trawl_sparse_header;

#define TRAWL_SPARSE_CROWDED UINT32_C(0x80000000)
#define TRAWL_SPARSE_MOST_ENTRIES 16u

/* Buckets as a power of two, with so many entries each at most on average: hardly one in 10^10 is
 * crowded by chance. */
#define TRAWL_SPARSE_ENTRIES_PER_BUCKET 2u
#define TRAWL_SPARSE_MIN_BUCKET_BITS 4u
#define TRAWL_SPARSE_MAX_BUCKET_BITS 26u

/* Bytes of a step of a crowded bucket's word. */
TRAWL_BOTH uint32_t trawl_sparse_step(uint32_t reach) {
    return (reach + 63) / 64;
}

/* The hash of a sample: two words of eight bytes, with their case bits (trawl_qgram_fold). */
TRAWL_BOTH uint64_t trawl_sparse_hash(uint64_t first, uint64_t last) {
    uint64_t product = trawl_qgram_join_words(first, last) * TRAWL_QGRAM_MULTIPLIER;
    return (product ^ product >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* The fields of the hash:
 *
 *     field    bits                                   used by
 *     word     the highest row_bits                   the sample filter: the word of a row
 *     mask     0 .. 4 and 5 .. 9                      the sample filter: two bits of that word
 *     bucket   bucket_bits of them, from bit 12 on    the table of buckets
 *     tag      38 .. 53                               an entry of a bucket
 *
 * Only the word shares bits: with the tag if row_bits is 11 or more, with the bucket if it is more
 * than 26. That matters little, as few entries of a bucket are of the sample's own word. */
TRAWL_BOTH size_t trawl_sparse_word(uint64_t hash, uint32_t row_bits) {
    return (size_t)(hash >> (64 - row_bits));
}
TRAWL_BOTH uint32_t trawl_sparse_mask(uint64_t hash) {
    return UINT32_C(1) << (hash & 31) | UINT32_C(1) << (hash >> 5 & 31);
}
TRAWL_BOTH size_t trawl_sparse_bucket(uint64_t hash, uint32_t bucket_bits) {
    return (size_t)(hash >> 12) & (((size_t)1 << bucket_bits) - 1);
}
TRAWL_BOTH uint32_t trawl_sparse_tag(uint64_t hash) {
    return (uint32_t)(hash >> 38) & 0xffff;
}

#endif
