/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The register Bloom filter: for up to 1,280 patterns, on processors with AVX-512 VBMI, VBMI2 and
 * GFNI. With more than 64 patterns Teddy's tables of nibbles saturate, and a filter in memory costs
 * a load for each sample. Here the bits of a Bloom filter (Bloom 1970) stay in vector registers.
 *
 * For 64 positions at a time:
 * 1. Hash the last `gram` bytes (up to six) of each position to three bytes h0, h1, h2. A hash is
 *    the sum (XOR) of products of the bytes with 8 x 8 matrices of bits, one for each distance
 *    (GFNI).
 * 2. Look up four banks of 1,024 bits, two registers each (VBMI permutes bytes of two registers):
 *
 *      bank    0     1     2          3
 *      byte    h0    h1    h0 ^ h1    h0 ^ h1 ^ h2     its lowest 7 bits: which of 128 bytes
 *      bit     the lowest 3 bits of h2, the same in all banks
 *
 * 3. A position is a candidate if all four bits are set.
 * Wide banks, for more than 384 patterns, have 2,048 bits in four registers: all 8 bits of an index
 * count.
 *
 * False candidates: 1 position in 220 with 300 patterns; with wide banks 1 in 45 with 1,000. A few
 * dozen instructions test 64 positions, whatever the lengths of the patterns are. On other
 * processors the same hashes come from tables, slowly.
 * Measured: docs/notebook/2026-11-register-filter-candidates.md.
 */
#ifndef TRAWL_ENGINES_QGRAM_REGISTERS_FORMAT_H
#define TRAWL_ENGINES_QGRAM_REGISTERS_FORMAT_H

#include "constants/cpu.h"
#include "engines/qgram/format.h"
#include "pattern/patterns.h"

#define TRAWL_REGISTER_BLOOM_BYTES 6u   /* the most bytes that are hashed; chosen, not measured */
#define TRAWL_REGISTER_BLOOM_WINDOW 16u /* last bytes that the suffix filter tests, at most */
#define TRAWL_REGISTER_BLOOM_HASHES 3u
#define TRAWL_REGISTER_BLOOM_BANKS 4u  /* 16 of the 32 vector registers if they are wide */
#define TRAWL_REGISTER_BLOOM_BANK 256u /* bytes; banks that are not wide use the first 128 */

/* Section QGRAM_SAMPLE_FILTER of tiers of this kind. */
typedef struct trawl_register_bloom {
    uint32_t index_mask; /* bytes of a bank - 1: 255 if banks are wide, else 127 */
    uint32_t reserved;
    uint8_t bank[TRAWL_REGISTER_BLOOM_BANKS][TRAWL_REGISTER_BLOOM_BANK];
    /* For processors without GFNI: hash[distance][byte] has the three products of a byte, that for
     * h0 in the lowest byte. */
    uint32_t hash[TRAWL_REGISTER_BLOOM_BYTES][256];
} trawl_register_bloom;

/* The matrix for a hash and a distance, as GF2P8AFFINEQB expects it. In folded tiers the column of
 * the bit by which letters of either case differ is 0. */
uint64_t trawl_register_bloom_matrix(uint32_t hash, uint32_t distance, bool folded);

/* The index of a byte in a bank, and of a bit in this byte. `hashes`: h0 in the lowest byte, h1 and
 * h2 above it. */
static inline uint32_t trawl_register_bloom_index(const trawl_register_bloom *filter,
                                                  uint32_t hashes, uint32_t bank) {
    uint32_t first = hashes, second = hashes >> 8, third = hashes >> 16;
    const uint32_t index[TRAWL_REGISTER_BLOOM_BANKS] = {first, second, first ^ second,
                                                        first ^ second ^ third};
    return index[bank] & filter->index_mask;
}
static inline uint32_t trawl_register_bloom_bit(uint32_t hashes) {
    return hashes >> 16 & 7;
}

/* Whether a position with these hashes is a candidate. */
static inline bool trawl_register_bloom_test(const trawl_register_bloom *filter, uint32_t hashes) {
    uint32_t all = 1;
    for (uint32_t bank = 0; bank < TRAWL_REGISTER_BLOOM_BANKS; bank++) {
        all &= (uint32_t)filter->bank[bank][trawl_register_bloom_index(filter, hashes, bank)] >>
               trawl_register_bloom_bit(hashes);
    }
    return all & 1;
}

/* Whether a set of `patterns` patterns gets wide banks. */
static inline bool trawl_register_bloom_is_wide(uint64_t patterns) {
    return patterns > TRAWL_REGISTER_BLOOM_NARROW;
}

/* Makes an empty filter. */
void trawl_register_bloom_clear(trawl_register_bloom *filter, bool folded, bool wide);

/* Adds a pattern; `reversed` has its last `gram` bytes, the last one first. */
void trawl_register_bloom_add(trawl_register_bloom *filter, const uint8_t *reversed, uint32_t gram);

/* Work for a byte of text, as a multiple of that with four hashed bytes and banks that are not
 * wide. */
double trawl_register_bloom_work(uint32_t gram, bool wide);

/* How many bytes are hashed in a tier whose shortest pattern has this length. */
uint32_t trawl_register_bloom_gram(uint32_t min_length);

/* Counts the candidates in a text; returns the pass rate. */
double trawl_register_bloom_pass_rate(const trawl_register_bloom *filter, uint32_t gram,
                                      const uint8_t *text, size_t length);

/* Makes the only tier of variant registers. TRAWL_ERROR_LIMIT: too many patterns. */
trawl_status trawl_register_bloom_make_tier(const trawl_patterns *patterns,
                                            trawl_qgram_header *header, trawl_error *error);

/* Whether a loaded filter of `size` bytes has the hash tables that trawl_register_bloom_clear
 * writes, and a valid width. */
bool trawl_register_bloom_is_valid(const trawl_register_bloom *filter, uint64_t size, bool folded);

#endif
