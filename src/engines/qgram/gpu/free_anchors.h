/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Free anchors on a GPU (engines/qgram/anchors/format.h): the choice and the buckets are those of
 * the CPU, the filter is the GPU's. A sample is the `gram` bytes before a multiple of the stride.
 * So a key has an anchor for each residue of the end offset, the distance from the anchor's end to
 * the key's end, modulo the stride; an occurrence has exactly one of them on the grid.
 *
 *     key        n a t i o n a l i z e      stride 1, gram 4
 *     anchor             [a l i z]|<->|     end offset 1
 *
 * A bucket that is not crowded has all keys that have an anchor there. In the entries of a GPU,
 * `shift` has flags besides, and the first entry of a crowded bucket has a bit for each end offset
 * in its value.
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_FREE_ANCHORS_H
#define TRAWL_ENGINES_QGRAM_GPU_FREE_ANCHORS_H

#include <math.h>

#include "constants/gpu.h"
#include "engines/qgram/anchors/choose.h"
#include "engines/qgram/gpu/format.h"

/* The words of a sample as trawl_cuda_qgram_hash takes them. `number`: the sample's bytes, the
 * first one lowest, with case bits; bytes behind the sample do not count. */
static inline uint64_t trawl_cuda_qgram_anchor_hash(uint64_t number, uint32_t gram) {
    uint64_t bytes = number << (64 - 8 * gram);
    const uint32_t words[4] = {(uint32_t)(bytes >> 32), (uint32_t)bytes, 0, 0};
    return trawl_cuda_qgram_hash(words);
}

/* The two bits of an anchor in a filter by cores: 32 times the word, and the bit. */
static inline void trawl_cuda_qgram_find_cores(uint64_t number, uint32_t filter_words,
                                               uint32_t found[2]) {
    uint32_t bytes = (uint32_t)number;
    found[0] = trawl_cuda_qgram_core_word(bytes >> 8, filter_words) * 32 +
               trawl_cuda_qgram_core_bit(bytes);
    found[1] = trawl_cuda_qgram_core_word(bytes, filter_words) * 32 +
               trawl_cuda_qgram_core_bit(bytes >> 24);
}

/* Entries for each bucket of a tier with so many anchors, on average. */
static inline double trawl_cuda_qgram_bucket_load(uint64_t anchors) {
    double room = TRAWL_GPU_BUCKET_CACHE_SHARE * (double)TRAWL_GPU_USUAL_CACHE_BYTES;
    double load = (double)anchors * (double)sizeof(trawl_anchors_bucket) / room;
    return fmin(fmax(load, TRAWL_GPU_BUCKET_LEAST_LOAD), TRAWL_GPU_BUCKET_MOST_LOAD);
}

/* The filter of a tier as the choice of anchors sees it. */
trawl_anchors_filter trawl_cuda_qgram_anchor_filter(const trawl_cuda_qgram_tier *tier);

/* The tier as the choice of anchors and the buckets need it. */
trawl_qgram_tier trawl_cuda_qgram_anchor_tier(const trawl_cuda_qgram_tier *tier);

#endif
