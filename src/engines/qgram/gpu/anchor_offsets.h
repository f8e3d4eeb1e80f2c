/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which bytes of a key are its samples.
 *
 * The last bytes of a key may be frequent in texts (zeros of a binary, the endings of words), and
 * then every place that has them would be verified. So the samples of a key are taken from the
 * bytes that are rarest in a text. The anchor offset is how many bytes before the end of the key
 * its last sample ends:
 *
 *     key        x x x x x x x x x x x x x     stride 4, samples of 4 bytes
 *     samples          [ s 3 ]                 hashes[anchor + 3]
 *                        [ s 2 ]               hashes[anchor + 2]
 *                          [ s 1 ]             hashes[anchor + 1]
 *                            [ s 0 ]           hashes[anchor]
 *                                   |<---->|   anchor offset (here 3)
 *
 * Of `stride` neighbouring samples, exactly one is tested in every occurrence of the key.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_ANCHOR_OFFSETS_H
#define TRAWL_ENGINES_QGRAM_GPU_ANCHOR_OFFSETS_H

#include "engines/qgram/gpu/format.h"

/* Counts of a text's samples, by some bits of their hashes. */
#define TRAWL_CUDA_QGRAM_COUNT_BITS 16u
typedef struct trawl_cuda_qgram_counts {
    uint16_t each[1u << TRAWL_CUDA_QGRAM_COUNT_BITS];
} trawl_cuda_qgram_counts;

static inline uint32_t trawl_cuda_qgram_count_slot(uint64_t hash) {
    return (uint32_t)hash >> (32 - TRAWL_CUDA_QGRAM_COUNT_BITS);
}

/* The hash of the tier's sample that ends before *end. The 16 bytes before *end must be
 * readable. */
uint64_t trawl_cuda_qgram_hash_before(const trawl_cuda_qgram_tier *tier, const uint8_t *end);

/* Counts the samples at all positions of a text. */
void trawl_cuda_qgram_count(const trawl_cuda_qgram_tier *tier, const uint8_t *text, size_t length,
                            trawl_cuda_qgram_counts *counts);

/* The number of offsets at which a sample of a key of this length may end: 0, 1, ... bytes before
 * the end of the key. The key is long enough for `stride` samples. */
uint32_t trawl_cuda_qgram_offsets(const trawl_cuda_qgram_tier *tier, uint32_t length);

/* The hashes of the samples at offsets 0 to `offsets` - 1 from `end`, the end of a key. The 32
 * bytes before `end` must be readable; bytes that are not the key's do not change the result. */
void trawl_cuda_qgram_hash_offsets(const trawl_cuda_qgram_tier *tier, const uint8_t *end,
                                   uint32_t offsets, uint64_t *hashes);

/* The same for a pattern. It also works for the first patterns of the set, which do not have 32
 * bytes before their end. */
void trawl_cuda_qgram_hash_pattern(const trawl_cuda_qgram_tier *tier,
                                   const trawl_patterns *patterns, size_t id, uint32_t offsets,
                                   uint64_t *hashes);

/* sums[i]: the counts of the samples at offsets 0 to i - 1, added up. */
void trawl_cuda_qgram_sum(const trawl_cuda_qgram_counts *counts, const uint64_t *hashes,
                          uint32_t offsets, uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1]);

/* The offset from which on `stride` samples have the smallest sum of counts; the first one of
 * several. */
uint32_t trawl_cuda_qgram_rarest(const uint32_t *sums, uint32_t offsets, uint32_t stride);

/* Returns the anchor offset of a key, and the hashes of its samples: hashes[a] for a from the
 * anchor offset on, `stride` of them, where a is how many bytes before the end of the key the
 * sample ends. `reversed` has the bytes of the key, the last one first; of longer keys the first 32
 * are used. */
uint32_t trawl_cuda_qgram_anchor(const trawl_cuda_qgram_tier *tier,
                                 const trawl_cuda_qgram_counts *counts, const uint8_t *reversed,
                                 uint32_t length, uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK]);

#endif
