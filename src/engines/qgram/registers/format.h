/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The q-gram engine's filter for hundreds of patterns: Bloom's (1970) in tables that vector
 * registers hold.
 *
 * The last bytes of every pattern, up to six, are hashed three times to a byte. Four banks of 1,024
 * bits each are asked for seven bits of sums of these bytes, which say which of 128 bytes, and for
 * three of the last one, which say which bit, the same in all banks. A position passes when all
 * four have it. Wide banks, for more patterns, have twice as many bits, and ask for all eight.
 * Processors that permute bytes of two registers (AVX-512 VBMI) look up 64 positions in a bank at
 * once, and those that multiply a byte by a matrix of bits (GFNI) hash 64 bytes: a hash is the sum
 * of such products, one matrix for each place before the end. So every position of a text is tested
 * in a few dozen instructions for 64, whatever the patterns' lengths, where nibbles
 * (engines/qgram/teddy/format.h) would let nearly everything through, and samples of short patterns
 * (engines/qgram/format.h) are many.
 */
#ifndef TRAWL_ENGINES_QGRAM_REGISTERS_FORMAT_H
#define TRAWL_ENGINES_QGRAM_REGISTERS_FORMAT_H

#include "engines/qgram/format.h"
#include "pattern/patterns.h"

#define TRAWL_REGISTER_BLOOM_BYTES 6u
#define TRAWL_REGISTER_BLOOM_WINDOW                                                                \
    16u /* last bytes by which an end that passed is known, at most */
#define TRAWL_REGISTER_BLOOM_HASHES 3u
#define TRAWL_REGISTER_BLOOM_BANKS 4u
#define TRAWL_REGISTER_BLOOM_BANK 256u   /* bytes; 128 are used where banks are not wide */
#define TRAWL_REGISTER_BLOOM_NARROW 384u /* patterns: one position in 100 passes by chance then */
#define TRAWL_REGISTER_BLOOM_PATTERNS 1280u /* one in 22 then, by wide banks */

/* The section QGRAM_FILTER of resident tiers; `gram` bytes are hashed. */
typedef struct trawl_register_bloom {
    uint32_t index_mask; /* bytes of a bank - 1: 255 where they are wide, else 127 */
    uint32_t reserved;
    uint8_t bank[TRAWL_REGISTER_BLOOM_BANKS][TRAWL_REGISTER_BLOOM_BANK];
    /* For processors without such instructions, what each byte adds to the three hashes, the first
     * one lowest; by its distance from the end. */
    uint32_t hash[TRAWL_REGISTER_BLOOM_BYTES][256];
} trawl_register_bloom;

/* The matrix of a byte's hash, as GFNI takes it. In folded tiers the bit by which letters of either
 * case differ is left out. */
uint64_t trawl_register_bloom_matrix(uint32_t hash, uint32_t distance, bool folded);

/* Which byte of a bank three hashes ask for, and which bit of it. The byte is one that does not
 * depend on the hash that says the bit, by itself. */
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

static inline bool trawl_register_bloom_test(const trawl_register_bloom *filter, uint32_t hashes) {
    uint32_t pass = 1;
    for (uint32_t bank = 0; bank < TRAWL_REGISTER_BLOOM_BANKS; bank++) {
        pass &= (uint32_t)filter->bank[bank][trawl_register_bloom_index(filter, hashes, bank)] >>
                trawl_register_bloom_bit(hashes);
    }
    return pass & 1;
}

/* Whether so many patterns get wide banks. */
static inline bool trawl_register_bloom_is_wide(uint64_t patterns) {
    return patterns > TRAWL_REGISTER_BLOOM_NARROW;
}

/* Before any pattern is added. */
void trawl_register_bloom_clear(trawl_register_bloom *filter, bool folded, bool wide);

/* `reversed` is a pattern's end, the last byte first. */
void trawl_register_bloom_add(trawl_register_bloom *filter, const uint8_t *reversed, uint32_t gram);

/* Work for a byte of text: 1 where four bytes are hashed and banks are not wide. */
double trawl_register_bloom_work(uint32_t gram, bool wide);

/* Where patterns of this length and more are in a tier. */
uint32_t trawl_register_bloom_gram(uint32_t min_length);

/* The share of a text's positions that pass. */
double trawl_register_bloom_pass(const trawl_register_bloom *filter, uint32_t gram,
                                 const uint8_t *text, size_t length);

/* The only tier of variant `resident`, or a refusal (TRAWL_ERROR_LIMIT). */
trawl_status trawl_register_bloom_tier(const trawl_patterns *patterns, trawl_qgram_header *header,
                                       trawl_error *error);

/* Whether a walker can use it. */
bool trawl_register_bloom_sound(const trawl_register_bloom *filter, uint64_t size, bool folded);

#endif
