/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Teddy: the filter for up to 128 patterns, after the one by G. Langdale for Hyperscan. It is for
 * sets with few or short patterns, whose strides would be too small for samples to pay.
 *
 * Patterns are divided among eight buckets. A bucket is one bit of a byte. A probe is one distance
 * from a pattern's end. For 16 to 64 positions at a time:
 * 1. Load the bytes at the probe's distance before the positions.
 * 2. By the low nibble of each byte, select a byte of bucket bits from a table of 16 with a byte
 *    shuffle. Some probes also select one by the high nibble.
 * 3. AND the bits of all probes: a position is a candidate if a bucket is left.
 *
 *   byte 'r' = 0x72   low table[2]   0110 0001   buckets with a pattern that has x2 there
 *                     high table[7]  0100 1001   buckets with a pattern that has 7x there
 *                     AND            0100 0001   buckets 0 and 6 are left
 *
 * Hyperscan's Teddy tests both nibbles of one to four neighbouring bytes. Here a probe may be any
 * of the last 32 bytes, and the high nibble is optional: the low one alone costs half as much and
 * excludes more than half. Probes and buckets are chosen for the least expected cost on a sample of
 * the text. False candidates: 0.05 % of positions with ten English words, 2.8 % with a hundred
 * words (docs/notebook/2026-11-teddy.md).
 *
 * A single pattern has one byte at each distance, and so have several patterns that end alike. Then
 * comparing two bytes of each position with the pattern's takes less than table look-ups do, and
 * this pair may replace the probes.
 */
#ifndef TRAWL_ENGINES_QGRAM_TEDDY_FORMAT_H
#define TRAWL_ENGINES_QGRAM_TEDDY_FORMAT_H

#include "constants/cpu.h"
#include "engines/qgram/format.h"
#include "pattern/patterns.h"

#define TRAWL_TEDDY_BUCKETS 8u /* bits of a byte */
#define TRAWL_TEDDY_PROBES 8u  /* at most; chosen, not measured */

/* Probes are among so many last bytes. With 16 a pattern that ends in 16 zeros lets every run of
 * zeros pass: 1.4 instead of 11.9 GB/s for 23 patterns cut out of captures
 * (docs/notebook/2026-11-regret.md). Making the filter takes time for each. */
#define TRAWL_TEDDY_SUFFIX 32u

/* Bytes that all patterns have. A candidate is where both stand. */
typedef struct trawl_teddy_pair {
    uint8_t before[2]; /* distance from the pattern's last byte, plus 1; 0: the pair is not used */
    uint8_t byte[2];
} trawl_teddy_pair;

/* Section QGRAM_SAMPLE_FILTER of Teddy tiers, and the end of that section in direct tiers. */
typedef struct trawl_teddy {
    uint32_t probes; /* 1 or more; 0 in a direct tier that is scanned without Teddy */
    uint32_t both;   /* the first `both` probes test both nibbles, the others the low one */
    uint32_t ascii;  /* 1: no pattern has a byte from 0x80 on, and probes reject these bytes */
    trawl_teddy_pair pair;
    uint32_t distance[TRAWL_TEDDY_PROBES]; /* of the probe's byte from the pattern's last one */
    uint8_t low[TRAWL_TEDDY_PROBES][16];   /* bucket bits by nibble; 0 if unused */
    uint8_t high[TRAWL_TEDDY_PROBES][16];
} trawl_teddy;

static inline bool trawl_teddy_has_pair(const trawl_teddy *filter) {
    return filter->pair.before[0] != 0;
}

/* Bytes of text up to and including a position that the filter reads. */
static inline uint32_t trawl_teddy_reach(const trawl_teddy *filter) {
    uint32_t reach = 1;
    for (uint32_t probe = 0; probe < filter->probes; probe++) {
        reach = filter->distance[probe] < reach ? reach : filter->distance[probe] + 1;
    }
    for (uint32_t i = 0; i < 2; i++) {
        reach = filter->pair.before[i] < reach ? reach : filter->pair.before[i];
    }
    return reach;
}

/* The buckets, a bit each, that accept this byte at this probe. */
static inline uint8_t trawl_teddy_test(const trawl_teddy *filter, uint32_t probe, uint8_t byte) {
    if (filter->ascii != 0 && byte >= 0x80) {
        return 0;
    }
    uint8_t low = filter->low[probe][byte & 15];
    return probe < filter->both ? low & filter->high[probe][byte >> 4] : low;
}

/* Makes the filter for the patterns whose ids are listed, 1 to TRAWL_TEDDY_PATTERNS, by their last
 * `suffix_bytes` bytes at most. A probe before the first byte of a shorter pattern accepts any
 * byte. Returns the expected pass rate: as counted in pieces from all over the sample of the text
 * if they have more than a few candidates; otherwise, also with `length` 0, as computed from the
 * frequencies of bytes. The pair is used where it is expected to be cheaper than the probes. Takes
 * well under a millisecond for ten patterns, a few milliseconds for a hundred. */
double trawl_teddy_make(const trawl_patterns *patterns, const uint32_t *ids, uint32_t count,
                        uint32_t suffix_bytes, const uint8_t *sample, size_t length,
                        trawl_teddy *filter);

/* Work for a byte of text without candidates: a probe of the low nibble is 1. */
double trawl_teddy_work(const trawl_teddy *filter);

/* Makes the only tier of variant teddy. TRAWL_ERROR_LIMIT: too many patterns. */
trawl_status trawl_teddy_make_tier(const trawl_patterns *patterns, trawl_qgram_header *header,
                                   trawl_error *error);

/* Whether a loaded filter of `size` bytes reads at most `suffix_bytes` bytes of text up to and
 * including a position. */
bool trawl_teddy_is_valid(const trawl_teddy *filter, uint64_t size, uint32_t suffix_bytes);

#endif
