/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Prefix signatures: which bytes stand before the last ones of keys. They verify candidates of
 * filters in vector registers. Most of these candidates have the last bytes of some key, since
 * names end alike, but seldom the same bytes before them.
 *
 *   key   i d e n t i f i e r
 *         | | '-------------'   the last look_up_bytes, min(m, 8): their hash selects a slot
 *         | nearer              slot: for each of these two bytes a set of 32 bits,
 *         further                     indexed by the byte's lowest 5 bits
 *
 *   long  four    a set of 64 bits, indexed by a hash of the four bytes before the tail
 *         eight   the same for the eight bytes before the tail
 *
 *   slot of the table                       slot of the table of long signatures
 *   31         0 31          0              63            0 63            0
 *   | nearer    | further     |             | four         | eight         |
 *
 * 1. Hash the last look_up_bytes before the end, the tail: the slot.
 * 2. The candidate is kept if both bytes before the tail have their bits in the slot's sets.
 * 3. Candidates that are kept are tested by the long signatures in the same way.
 * A key that is too short to have such bytes sets all bits of the set. A slot has eight bytes, so
 * that the table stays in the first-level cache, and no test takes a branch.
 * Measured: docs/notebook/2026-11-register-filter-candidates.md, second round.
 */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_PREFIX_SIGNATURES_H
#define TRAWL_ENGINES_QGRAM_VERIFY_PREFIX_SIGNATURES_H

#include "engines/qgram/format.h"

/* HASH has 1 << 2 times as many slots as without signatures, so that ranges hardly ever share one:
 * 1.04 and 1.12 times as fast (the same page, first round). */
#define TRAWL_QGRAM_SPARSE_BITS 2u

/* Letters of either case have the same lowest five bits, so folded tiers need nothing else. */
typedef struct trawl_prefix_signature {
    uint32_t nearer;  /* the byte before the last look_up_bytes */
    uint32_t further; /* the byte before that */
} trawl_prefix_signature;

/* 1 if the slot has the bits of both bytes. */
static inline uint32_t trawl_prefix_signature_has(const trawl_prefix_signature *slot,
                                                  uint8_t nearer, uint8_t further) {
    return slot->nearer >> (nearer & 31) & slot->further >> (further & 31) & 1;
}

typedef struct trawl_long_prefix_signature {
    uint64_t four, eight;
} trawl_long_prefix_signature;

/* Index of the bit for the last `count` of eight bytes; the last byte is the most significant. */
static inline uint32_t trawl_prefix_signature_hash(uint64_t bytes, uint32_t count) {
    return (uint32_t)((bytes >> (64 - 8 * count)) * TRAWL_QGRAM_MULTIPLIER >> 58);
}

/* 1 if the slot has the bits of these eight bytes and of the last four of them. */
static inline uint32_t trawl_long_prefix_signature_has(const trawl_long_prefix_signature *slot,
                                                       uint64_t bytes) {
    return (uint32_t)(slot->four >> trawl_prefix_signature_hash(bytes, 4) &
                      slot->eight >> trawl_prefix_signature_hash(bytes, 8) & 1);
}

/* Reserves both tables. tier->hash_bits are those of the signatures before the call, and those of
 * HASH after it. */
trawl_status trawl_prefix_signatures_reserve(trawl_build *build, uint32_t part,
                                             trawl_qgram_tier *tier, const char *instead);
/* Writes both tables. */
void trawl_prefix_signatures_fill(const trawl_build *build, uint32_t part,
                                  const trawl_qgram_tier *tier, const trawl_keys *keys);

/* Whether both tables have the size that walkers expect. */
bool trawl_prefix_signatures_are_valid(const trawl_db *db, uint32_t part,
                                       const trawl_qgram_tier *tier);

#endif
