/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Hashes of the prefixes of patterns, each from the one that is a byte shorter. */
#ifndef TRAWL_COSTS_PREFIX_HASH_H
#define TRAWL_COSTS_PREFIX_HASH_H

#include <stdint.h>

/* The hash of a prefix with one more byte; that of the empty one is 0. */
static inline uint64_t trawl_prefix_extend(uint64_t hash, uint8_t byte) {
    hash = (hash + byte + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Mixes the bits of such a hash, which are not random enough. */
static inline uint64_t trawl_prefix_spread(uint64_t hash) {
    hash *= UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 29;
}

#endif
