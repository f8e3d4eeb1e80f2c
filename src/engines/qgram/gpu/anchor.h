/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which bytes of a key are its samples. The last ones would do, but they may be frequent in texts
 * (zeros of a binary, the endings of words), and then samples of all places where they are would
 * have to be verified. So samples are taken where the key looks least like a text.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_ANCHOR_H
#define TRAWL_ENGINES_QGRAM_GPU_ANCHOR_H

#include "engines/qgram/gpu/format.h"

/* How often samples of like hashes are in a text. */
#define TRAWL_CUDA_QGRAM_COUNT_BITS 16u
typedef struct trawl_cuda_qgram_counts {
    uint16_t each[1u << TRAWL_CUDA_QGRAM_COUNT_BITS];
} trawl_cuda_qgram_counts;

static inline uint32_t trawl_cuda_qgram_counted(uint64_t hash) {
    return (uint32_t)hash >> (32 - TRAWL_CUDA_QGRAM_COUNT_BITS);
}

/* The hash of the tier's sample that ends before *end, with 16 bytes before it that may be read. */
uint64_t trawl_cuda_qgram_hash_before(const trawl_cuda_qgram_tier *tier, const uint8_t *end);

/* Counts a text's samples at all of its positions. */
void trawl_cuda_qgram_count(const trawl_cuda_qgram_tier *tier, const uint8_t *text, size_t length,
                            trawl_cuda_qgram_counts *counts);

/* At how many places a key of this length may have samples of the tier: they end 0, 1, ... bytes
 * before the key does. The key has room for a tier's `stride` of them. */
uint32_t trawl_cuda_qgram_places(const trawl_cuda_qgram_tier *tier, uint32_t length);

/* Their hashes, where `end` is the key's: 32 bytes before it may be read, of which those that are
 * not the key's do not matter. */
void trawl_cuda_qgram_hash_places(const trawl_cuda_qgram_tier *tier, const uint8_t *end,
                                  uint32_t places, uint64_t *hashes);

/* The same for a pattern, whose last bytes may be the first ones of the set. */
void trawl_cuda_qgram_hash_pattern(const trawl_cuda_qgram_tier *tier,
                                   const trawl_patterns *patterns, size_t id, uint32_t places,
                                   uint64_t *hashes);

/* sums[i]: how often the samples at the first i places are counted together. */
void trawl_cuda_qgram_sum(const trawl_cuda_qgram_counts *counts, const uint64_t *hashes,
                          uint32_t places, uint32_t sums[TRAWL_CUDA_QGRAM_ANCHOR_SLACK + 1]);

/* The first of those `stride` places that follow each other and are counted least, all together. */
uint32_t trawl_cuda_qgram_rarest(const uint32_t *sums, uint32_t places, uint32_t stride);

/* The hashes of a key's samples: hashes[a] for those `stride` values of a from the returned one on,
 * where a is how far before the key the sample ends. `reversed` are the key's bytes, the last one
 * first; of longer keys the first 32 are looked at. */
uint32_t trawl_cuda_qgram_anchor(const trawl_cuda_qgram_tier *tier,
                                 const trawl_cuda_qgram_counts *counts, const uint8_t *reversed,
                                 uint32_t length, uint64_t hashes[TRAWL_CUDA_QGRAM_ANCHOR_SLACK]);

#endif
