/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/verify/prefix_signatures.h"

/* Number of slots, as a power of two. */
static uint32_t slot_bits(const trawl_qgram_tier *tier) {
    return tier->hash_bits - TRAWL_QGRAM_SPARSE_BITS;
}

trawl_status trawl_prefix_signatures_reserve(trawl_build *build, uint32_t part,
                                             trawl_qgram_tier *tier, const char *instead) {
    uint64_t slots = UINT64_C(1) << tier->hash_bits;
    tier->hash_bits += TRAWL_QGRAM_SPARSE_BITS;
    trawl_status status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_PREFIX_SIGNATURES, part,
                                              slots, sizeof(trawl_prefix_signature), instead);
    if (status == TRAWL_OK) {
        status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_LONG_PREFIX_SIGNATURES, part, slots,
                                     sizeof(trawl_long_prefix_signature), instead);
    }
    return status;
}

/* A set of 32 values that has the key's byte at this distance from its end, by its lowest five
 * bits; all values if the key is too short. `reversed` has the key's bytes, the last one first. */
static uint32_t byte_bits(const uint8_t *reversed, uint32_t length, uint32_t distance) {
    return distance < length ? UINT32_C(1) << (reversed[distance] & 31) : UINT32_MAX;
}

/* The same for 64 values and the hash of `count` bytes, the last of which is at this distance. */
static uint64_t hash_bits(const uint8_t *reversed, uint32_t length, uint32_t distance,
                          uint32_t count) {
    return distance + count <= length ? UINT64_C(1) << trawl_prefix_signature_hash(
                                            trawl_ending_eight(reversed + distance), count)
                                      : UINT64_MAX;
}

void trawl_prefix_signatures_fill(const trawl_build *build, uint32_t part,
                                  const trawl_qgram_tier *tier, const trawl_keys *keys) {
    trawl_prefix_signature *signatures =
        trawl_image_section(build->image, TRAWL_SECTION_QGRAM_PREFIX_SIGNATURES, part);
    trawl_long_prefix_signature *long_signatures =
        trawl_image_section(build->image, TRAWL_SECTION_QGRAM_LONG_PREFIX_SIGNATURES, part);
    uint32_t bits = slot_bits(tier), bytes = tier->look_up_bytes;
    memset(signatures, 0, sizeof *signatures << bits);
    memset(long_signatures, 0, sizeof *long_signatures << bits);
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        uint32_t length = trawl_key_length(keys, key);
        size_t slot = trawl_ending_slot(trawl_ending_number(reversed, bytes), bits);
        signatures[slot].nearer |= byte_bits(reversed, length, bytes);
        signatures[slot].further |= byte_bits(reversed, length, bytes + 1);
        long_signatures[slot].four |= hash_bits(reversed, length, bytes, 4);
        long_signatures[slot].eight |= hash_bits(reversed, length, bytes, 8);
    }
}

bool trawl_prefix_signatures_are_valid(const trawl_db *db, uint32_t part,
                                       const trawl_qgram_tier *tier) {
    uint64_t size, long_size;
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_PREFIX_SIGNATURES, part, &size);
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_LONG_PREFIX_SIGNATURES, part, &long_size);
    return tier->hash_bits > TRAWL_QGRAM_SPARSE_BITS &&
           tier->hash_bits <= TRAWL_QGRAM_MAX_ROW_BITS &&
           size == sizeof(trawl_prefix_signature) << slot_bits(tier) &&
           long_size == sizeof(trawl_long_prefix_signature) << slot_bits(tier);
}
