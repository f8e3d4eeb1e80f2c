/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The q-gram engine's filter for few patterns: sets of bytes by nibbles in vector registers, after
 * Teddy (Geoff Langdale, for Hyperscan).
 *
 * Patterns are divided among eight buckets, a bit each. A probe looks at one byte of every
 * pattern, at one distance from its end: the byte's low nibble selects from a table of sixteen the
 * buckets that have a pattern with such a byte there, its high nibble from another one, and a
 * bucket passes where all its bits are set. A shuffle of bytes is sixteen such selections or more.
 *
 * Which bytes are looked at is free, and so is whether the high nibble is: the low one alone costs
 * half as much and says more than half. The probes are chosen for the least expected cost.
 */
#ifndef TRAWL_ENGINES_QGRAM_TEDDY_FORMAT_H
#define TRAWL_ENGINES_QGRAM_TEDDY_FORMAT_H

#include "engines/qgram/format.h"
#include "pattern/patterns.h"

#define TRAWL_TEDDY_BUCKETS 8u
#define TRAWL_TEDDY_PROBES 8u
#define TRAWL_TEDDY_SUFFIX 16u    /* last bytes of the patterns among which probes are */
#define TRAWL_TEDDY_PATTERNS 128u /* more than that pass nearly everywhere */

/* A share of positions that pass, beyond which tiers do without a filter in registers. */
#define TRAWL_TEDDY_DENSE 0.08

/* The section QGRAM_FILTER of shuffle tiers; that of direct ones ends with it. */
typedef struct trawl_teddy {
    uint32_t probes; /* 1 or more; direct tiers: 0 where it lets too much through */
    uint32_t both;   /* the first so many of them look at both nibbles, the others at the low one */
    uint32_t ascii; /* 1: bytes from 0x80 on pass no probe, as none of the patterns has one there */
    uint32_t reserved;
    uint32_t back[TRAWL_TEDDY_PROBES];   /* where a probe looks: bytes before the pattern's last */
    uint8_t low[TRAWL_TEDDY_PROBES][16]; /* buckets, by nibble; of unused probes and nibbles 0 */
    uint8_t high[TRAWL_TEDDY_PROBES][16];
} trawl_teddy;

/* The buckets that a byte passes at a probe. */
static inline uint8_t trawl_teddy_test(const trawl_teddy *filter, uint32_t probe, uint8_t byte) {
    if (filter->ascii != 0 && byte >= 0x80) {
        return 0;
    }
    uint8_t low = filter->low[probe][byte & 15];
    return probe < filter->both ? low & filter->high[probe][byte >> 4] : low;
}

/* Makes the filter for the patterns whose ids are listed, 1 to TRAWL_TEDDY_PATTERNS, of which it
 * looks at the last `reach` bytes at most; before a shorter one it takes any byte. Returns the
 * share of text positions that are expected to pass: as counted in a sample of the text where that
 * is more than a few, else (also with `length` 0) as computed from the frequencies of bytes. Takes
 * well under a millisecond for ten patterns, a few for a hundred. */
double trawl_teddy_make(const trawl_patterns *patterns, const uint32_t *ids, uint32_t count,
                        uint32_t suffix_bytes, const uint8_t *sample, size_t length,
                        trawl_teddy *filter);

/* Work for a byte of text besides what passes, in shuffles of low nibbles: a probe is 1. */
double trawl_teddy_work(const trawl_teddy *filter);

/* The only tier of variant `shuffle`, or a refusal (TRAWL_ERROR_LIMIT). */
trawl_status trawl_teddy_tier(const trawl_patterns *patterns, trawl_qgram_header *header,
                              trawl_error *error);

/* Whether a walker can use it, at positions behind which there are `reach` bytes of text; it has
 * `size` bytes. */
bool trawl_teddy_sound(const trawl_teddy *filter, uint64_t size, uint32_t suffix_bytes);

#endif
