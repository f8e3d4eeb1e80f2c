/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which bytes stand before the last ones of keys: for tiers whose filters are in vector registers
 * (engines/qgram/format.h).
 *
 * What such a filter lets through mostly has the last bytes of some key: names end alike. LEADS
 * knows the two bytes in front of these, and is asked first. It is small, as it has to be beside
 * the text in the first-level cache, and to ask it takes no branch. LONG LEADS is asked for what is
 * left, and knows hashes of four and of eight bytes in front.
 */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_PREFIX_SIGNATURES_H
#define TRAWL_ENGINES_QGRAM_VERIFY_PREFIX_SIGNATURES_H

#include "engines/qgram/format.h"

/* HASH has so many times the slots that LEADS has, as a power of two: ranges shall hardly ever
 * share a slot there. */
#define TRAWL_QGRAM_SPARSE_BITS 2u

/* An entry of LEADS, for keys whose last `tail` bytes are in its slot: a bit for what the lowest
 * five bits of a byte may be, so that letters of either case are the same. A shorter key, which has
 * no such byte, sets all of them. */
typedef struct trawl_prefix_signature {
    uint32_t nearer;  /* the byte before the tail */
    uint32_t further; /* the one before that */
} trawl_prefix_signature;

/* Whether an entry knows these two bytes, without a branch. */
static inline uint32_t trawl_prefix_signature_has(const trawl_prefix_signature *lead,
                                                  uint8_t nearer, uint8_t further) {
    return lead->nearer >> (nearer & 31) & lead->further >> (further & 31) & 1;
}

/* The same for the four and the eight bytes before the tail together: a bit for what their hash may
 * be, or all bits. */
typedef struct trawl_long_prefix_signature {
    uint64_t four, eight;
} trawl_long_prefix_signature;

/* `bytes` are the eight before the tail, the last one most significant. */
static inline uint32_t trawl_prefix_signature_hash(uint64_t bytes, uint32_t count) {
    return (uint32_t)((bytes >> (64 - 8 * count)) * TRAWL_QGRAM_MULTIPLIER >> 58);
}

static inline uint32_t trawl_long_prefix_signature_has(const trawl_long_prefix_signature *lead,
                                                       uint64_t bytes) {
    return (uint32_t)(lead->four >> trawl_prefix_signature_hash(bytes, 4) &
                      lead->eight >> trawl_prefix_signature_hash(bytes, 8) & 1);
}

/* `hash_bits` of the tier are those of LEADS before, and those of HASH behind it. */
trawl_status trawl_prefix_signatures_reserve(trawl_build *build, uint32_t part,
                                             trawl_qgram_tier *tier, const char *instead);
void trawl_prefix_signatures_fill(const trawl_build *build, uint32_t part,
                                  const trawl_qgram_tier *tier, const trawl_keys *keys);

/* Whether both tables have the size that walkers expect. */
bool trawl_prefix_signatures_sound(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier);

#endif
