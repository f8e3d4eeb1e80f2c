/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A sample filter with 9.4 bits for each sample that excludes 255 of 256 other samples: a binary
 * fuse filter (Graf and Lemire 2022) of bytes. A Bloom filter of that size excludes 19 of 20. It
 * takes three look-ups instead of one, so it is for long strides, which have few samples.
 *
 *     hash of a sample ─► three bytes of the filter, in neighbouring segments, and a fingerprint
 *
 *     segment     |    0    |    1    |    2    |    3    |   ...
 *     bytes             a         b         c                      a ^ b ^ c == fingerprint
 */
#ifndef TRAWL_ENGINES_QGRAM_GPU_FUSE_FILTER_H
#define TRAWL_ENGINES_QGRAM_GPU_FUSE_FILTER_H

#include "engines/qgram/gpu/format.h"

#define TRAWL_FUSE_SEGMENT_BITS 10u
#define TRAWL_FUSE_SEGMENT_BYTES (1u << TRAWL_FUSE_SEGMENT_BITS)

/* The place of a sample in the filter. */
typedef struct trawl_fuse_place {
    uint32_t at[3];
    uint32_t fingerprint; /* its lowest byte counts */
} trawl_fuse_place;

/* `range`: how many bytes may be the first one of a sample, a multiple of the bytes of a segment;
 * plus the number of the hash function, which is less than these. */
TRAWL_BOTH trawl_fuse_place trawl_fuse_place_of(uint64_t hash, uint32_t range) {
    const uint32_t within = TRAWL_FUSE_SEGMENT_BYTES - 1;
    const uint32_t factor = TRAWL_CUDA_QGRAM_FACTOR_2 + 2 * (range & within);
    const uint32_t mixed = (uint32_t)(hash >> 32) * factor;
    const uint32_t first = trawl_cuda_qgram_word_index(hash, range & ~within);
    const trawl_fuse_place place = {
        {first, (first + TRAWL_FUSE_SEGMENT_BYTES) ^ (mixed >> (32 - TRAWL_FUSE_SEGMENT_BITS)),
         (first + 2 * TRAWL_FUSE_SEGMENT_BYTES) ^
             (mixed >> (32 - 2 * TRAWL_FUSE_SEGMENT_BITS) & within)},
        mixed >> (24 - 2 * TRAWL_FUSE_SEGMENT_BITS)};
    return place;
}

/* Whether a filter of so many different samples and 32-bit words can nearly always be made. */
bool trawl_fuse_has_room(double samples, uint32_t words);

/* Makes a filter of `words` 32-bit words, all of them 0 before. Sorts `hashes`, which may repeat
 * each other. *range: see above; 0 if no filter was found: then the filter is 0 everywhere.
 * TRAWL_ERROR_MEMORY. */
trawl_status trawl_fuse_make(uint64_t *hashes, size_t count, uint32_t words, uint32_t *filter,
                             uint32_t *range, trawl_error *error);

#endif
