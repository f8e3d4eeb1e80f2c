/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/registers/format.h"

#include "base/status.h"
#include "constants/cpu.h"

/* The matrices, by hash and distance: random ones that can be inverted, and whose rank falls by one
 * only when the bit by which letters of either case differ is ignored. A byte for each row, the row
 * of the result's highest bit in the lowest byte (the order that GF2P8AFFINEQB expects). */
static const uint64_t matrices[TRAWL_REGISTER_BLOOM_HASHES][TRAWL_REGISTER_BLOOM_BYTES] = {
    {UINT64_C(0x44222d9edf333807), UINT64_C(0x446f76e4aa96ef70), UINT64_C(0xf0a0a12c3d9aff0b),
     UINT64_C(0xe99c7fbb7b1ebe91), UINT64_C(0xc2f1147f43a8104e), UINT64_C(0xc7fb9ea61be1db6d)},
    {UINT64_C(0x2408920f60db63c1), UINT64_C(0x13ef6348a197aa5f), UINT64_C(0xe48b159c0d4c4252),
     UINT64_C(0xa33dd25f7d05e4d3), UINT64_C(0x5a7cd6e29780c54b), UINT64_C(0xf6f9563be6ff3071)},
    {UINT64_C(0xc10d651a257601b8), UINT64_C(0xa10f097b3096836a), UINT64_C(0x0bef56e72c41678e),
     UINT64_C(0x730e431c8bc7c568), UINT64_C(0x4dcbb6e86a7796b0), UINT64_C(0x040274b0faf0a469)},
};

/* Clears bit 0x20 in each row of a matrix: letters of either case then have the same product. */
#define WITHOUT_CASE UINT64_C(0xdfdfdfdfdfdfdfdf)

uint64_t trawl_register_bloom_matrix(uint32_t hash, uint32_t distance, bool folded) {
    return matrices[hash][distance] & (folded ? WITHOUT_CASE : ~UINT64_C(0));
}

/* The product of a matrix and a byte, as GF2P8AFFINEQB computes it. */
static uint32_t product(uint64_t matrix, uint8_t byte) {
    uint32_t result = 0;
    for (uint32_t bit = 0; bit < 8; bit++) {
        uint8_t row = (uint8_t)(matrix >> (8 * (7 - bit)));
        result |= (uint32_t)__builtin_parity(row & byte) << bit;
    }
    return result;
}

void trawl_register_bloom_clear(trawl_register_bloom *filter, bool folded, bool wide) {
    filter->index_mask = wide ? TRAWL_REGISTER_BLOOM_BANK - 1 : TRAWL_REGISTER_BLOOM_BANK / 2 - 1;
    filter->reserved = 0;
    memset(filter->bank, 0, sizeof filter->bank);
    for (uint32_t distance = 0; distance < TRAWL_REGISTER_BLOOM_BYTES; distance++) {
        uint32_t *hash = filter->hash[distance];
        hash[0] = 0;
        for (uint32_t byte = 1; byte < 256; byte++) {
            uint32_t rest = byte & (byte - 1);
            if (rest != 0) { /* products are linear: that of a XOR is the XOR of the products */
                hash[byte] = hash[rest] ^ hash[byte ^ rest];
                continue;
            }
            hash[byte] = 0;
            for (uint32_t i = 0; i < TRAWL_REGISTER_BLOOM_HASHES; i++) {
                uint64_t matrix = trawl_register_bloom_matrix(i, distance, folded);
                hash[byte] |= product(matrix, (uint8_t)byte) << (8 * i);
            }
        }
    }
}

void trawl_register_bloom_add(trawl_register_bloom *filter, const uint8_t *reversed,
                              uint32_t gram) {
    uint32_t hashes = 0;
    for (uint32_t distance = 0; distance < gram; distance++) {
        hashes ^= filter->hash[distance][reversed[distance]];
    }
    for (uint32_t bank = 0; bank < TRAWL_REGISTER_BLOOM_BANKS; bank++) {
        filter->bank[bank][trawl_register_bloom_index(filter, hashes, bank)] |=
            (uint8_t)(1u << trawl_register_bloom_bit(hashes));
    }
}

/* Instructions for 64 positions. */
static double instructions(uint32_t gram, bool wide) {
    return TRAWL_REGISTER_BLOOM_BYTE_WORK * gram +
           (wide ? TRAWL_REGISTER_BLOOM_WIDE_WORK : TRAWL_REGISTER_BLOOM_NARROW_WORK);
}

double trawl_register_bloom_work(uint32_t gram, bool wide) {
    return instructions(gram, wide) / instructions(4, false);
}

uint32_t trawl_register_bloom_gram(uint32_t min_length) {
    return min_length < TRAWL_REGISTER_BLOOM_BYTES ? min_length : TRAWL_REGISTER_BLOOM_BYTES;
}

double trawl_register_bloom_pass_rate(const trawl_register_bloom *filter, uint32_t gram,
                                      const uint8_t *text, size_t length) {
    size_t candidates = 0;
    for (size_t last = gram - 1; last < length; last++) {
        uint32_t hashes = 0;
        for (uint32_t distance = 0; distance < gram; distance++) {
            hashes ^= filter->hash[distance][text[last - distance]];
        }
        candidates += trawl_register_bloom_test(filter, hashes);
    }
    return length < gram ? 1 : (double)candidates / (double)(length - gram + 1);
}

trawl_status trawl_register_bloom_make_tier(const trawl_patterns *patterns,
                                            trawl_qgram_header *header, trawl_error *error) {
    if (patterns->count > TRAWL_REGISTER_BLOOM_PATTERNS) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "qgram: variant registers takes at most %u patterns, and these are %zu; "
                          "variant mixed takes them, and engine ac-dfa does",
                          TRAWL_REGISTER_BLOOM_PATTERNS, patterns->count);
    }
    uint32_t least = (uint32_t)patterns->min_length;
    header->tiers = 1;
    header->tier[0] = (trawl_qgram_tier){
        .kind = TRAWL_TIER_REGISTERS,
        .min_length = least,
        .max_length = (uint32_t)patterns->max_length,
        .window = least < TRAWL_REGISTER_BLOOM_WINDOW ? least : TRAWL_REGISTER_BLOOM_WINDOW,
        .gram = trawl_register_bloom_gram(least),
        .stride = 1,
        .folded = patterns->case_insensitive != 0};
    return TRAWL_OK;
}

bool trawl_register_bloom_is_valid(const trawl_register_bloom *filter, uint64_t size, bool folded) {
    trawl_register_bloom expected;
    if (size != sizeof *filter || (filter->index_mask != TRAWL_REGISTER_BLOOM_BANK - 1 &&
                                   filter->index_mask != TRAWL_REGISTER_BLOOM_BANK / 2 - 1)) {
        return false;
    }
    trawl_register_bloom_clear(&expected, folded, false);
    return memcmp(filter->hash, expected.hash, sizeof expected.hash) == 0;
}
