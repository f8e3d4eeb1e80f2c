/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which bytes of a key are its samples.
 *
 * The last bytes of a key may be frequent in texts (zeros of a binary, the endings of words). Then
 * every place that has them would have to be verified. So the samples of a key are taken from those
 * of its last bytes that are rarest in a text. The anchor offset is how many bytes before the end
 * of the key its last sample ends:
 *
 *     key        x x x x x x x x x x x x x     stride 4, samples of 4 bytes
 *     samples          [ s 3 ]                 hashes[anchor + 3]
 *                        [ s 2 ]               hashes[anchor + 2]
 *                          [ s 1 ]             hashes[anchor + 1]
 *                            [ s 0 ]           hashes[anchor]
 *                                   |<---->|   anchor offset (here 3)
 *
 * Any `stride` neighbouring samples of the key will do: in every occurrence of the key exactly one
 * of them is at a multiple of the stride, and is tested.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_ANCHOR_OFFSETS_H
#define TRAWL_ENGINES_QGRAM_GPU_ANCHOR_OFFSETS_H

#include "engines/qgram/gpu/format.h"

/* Counts of a text's samples, by the highest bits of the lower half of their hashes. 1 << 16
 * counters of 16 bits: chosen, not measured. */
#define TRAWL_CUDA_QGRAM_COUNT_BITS 16u
typedef struct trawl_cuda_qgram_counts {
    uint16_t each[1u << TRAWL_CUDA_QGRAM_COUNT_BITS];
} trawl_cuda_qgram_counts;

static inline uint32_t trawl_cuda_qgram_count_slot(uint64_t hash) {
    return (uint32_t)hash >> (32 - TRAWL_CUDA_QGRAM_COUNT_BITS);
}

/* Returns the hash of the tier's sample that ends before *end. Reads the 16 bytes before *end. */
uint64_t trawl_cuda_qgram_hash_before(const trawl_cuda_qgram_tier *tier, const uint8_t *end);

/* Counts the samples that end at all positions of a text. */
void trawl_cuda_qgram_count(const trawl_cuda_qgram_tier *tier, const uint8_t *text, size_t length,
                            trawl_cuda_qgram_counts *counts);

/* The number of anchor offsets that samples of a key of this length may have: 0, 1, ... bytes
 * before the end of the key. The key is long enough for `stride` samples. */
uint32_t trawl_cuda_qgram_offsets(const trawl_cuda_qgram_tier *tier, uint32_t length);

/* Computes the hashes of the samples that end 0 to `offsets` - 1 bytes before `end`, the end of a
 * key. Reads the 32 bytes before `end`; bytes that are not the key's do not change the result. */
void trawl_cuda_qgram_hash_offsets(const trawl_cuda_qgram_tier *tier, const uint8_t *end,
                                   uint32_t offsets, uint64_t *hashes);

/* The same for a pattern, also for the first patterns of the set, which do not have 32 bytes of
 * other patterns before their end. */
void trawl_cuda_qgram_hash_pattern(const trawl_cuda_qgram_tier *tier,
                                   const trawl_patterns *patterns, size_t id, uint32_t offsets,
                                   uint64_t *hashes);

/* Sets sums[i] to the sum of the counts of the samples at offsets 0 to i - 1. */
void trawl_cuda_qgram_sum(const trawl_cuda_qgram_counts *counts, const uint64_t *hashes,
                          uint32_t offsets, uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1]);

/* Returns the offset from which on `stride` neighbouring samples have the smallest sum of counts,
 * the smallest offset if several have it. */
uint32_t trawl_cuda_qgram_rarest(const uint32_t *sums, uint32_t offsets, uint32_t stride);

/* Returns the anchor offset of a key, and the hashes of its samples: hashes[a] is that of the
 * sample which ends a bytes before the end of the key; its samples are the `stride` hashes from the
 * anchor offset on. `reversed` has the bytes of the key, the last one first; of longer keys the
 * last 32 are used. */
uint32_t trawl_cuda_qgram_anchor(const trawl_cuda_qgram_tier *tier,
                                 const trawl_cuda_qgram_counts *counts, const uint8_t *reversed,
                                 uint32_t length, uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK]);

#endif
