/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/packed/format.h"

#include "base/fold.h"
#include "base/status.h"

/* ------------------------------------------------------------------ letters */

/* Uses two bits of each letter as its index. Returns false if two letters have the same index, or
 * the two cases of a letter different ones. */
static bool place_letters(const uint8_t *sorted, uint32_t count, bool folded, uint32_t shift,
                          trawl_packed_letters *letters) {
    bool used[4] = {false};
    *letters = (trawl_packed_letters){.shift = shift, .count = count};
    for (uint32_t i = 0; i < count; i++) {
        uint8_t letter = sorted[i];
        bool cases = folded && trawl_is_letter(letter);
        unsigned index = letter >> shift & 3;
        if (used[index] || (cases && ((letter ^ 0x20) >> shift & 3) != index)) {
            return false;
        }
        used[index] = true;
        letters->letter[index] = letter;
        letters->fold[index] = cases ? 0x20 : 0;
        letters->code[index] = (uint8_t)i;
    }
    for (unsigned index = 0; index < 4; index++) {
        if (!used[index]) {
            letters->letter[index] = sorted[0]; /* no byte equals this letter and has this index */
        }
    }
    return true;
}

bool trawl_packed_find_letters(const trawl_patterns *patterns, uint32_t min_length,
                               uint32_t max_length, bool folded, trawl_packed_letters *letters) {
    bool seen[256] = {false};
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
        for (uint32_t i = 0; length >= min_length && length <= max_length && i < length; i++) {
            seen[bytes[i]] = true;
        }
    }
    uint8_t sorted[4];
    uint32_t count = 0;
    for (unsigned byte = 0; byte < 256; byte++) {
        bool other_case = folded && trawl_is_letter((uint8_t)byte) && seen[byte ^ 0x20];
        if ((!seen[byte] && !other_case) || (folded && trawl_fold((uint8_t)byte) != byte)) {
            continue;
        }
        if (count == 4) {
            return false;
        }
        sorted[count++] = (uint8_t)byte;
    }
    for (uint32_t shift = 0; shift <= 6; shift++) {
        if (place_letters(sorted, count, folded, shift, letters)) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ tables */

static uint64_t filter_bytes(const trawl_qgram_tier *tier) {
    return sizeof(trawl_packed_header) + (trawl_packed_is_pairs(tier)
                                              ? UINT64_C(1) << (2 * (tier->gram - 1))
                                              : UINT64_C(4) << tier->row_bits);
}

/* The suffix filter has at least 32 bits, a word, for each range of keys with the same ending, up
 * to its limit. */
static uint32_t suffix_filter_bits(uint32_t ranges) {
    uint32_t bits = TRAWL_SUFFIX_FILTER_MIN_BITS;
    while (bits < TRAWL_SUFFIX_FILTER_MAX_BITS && UINT64_C(1) << bits < ranges) {
        bits++;
    }
    return bits;
}

trawl_status trawl_packed_reserve(trawl_build *build, uint32_t part, trawl_qgram_tier *tier,
                                  const trawl_keys *keys, const char *instead) {
    bool exact = trawl_packed_is_exact(tier);
    tier->look_up_bytes = tier->min_length < TRAWL_PACKED_MAX_LOOK_UP_LETTERS
                              ? tier->min_length
                              : TRAWL_PACKED_MAX_LOOK_UP_LETTERS;
    uint32_t ranges = trawl_endings_count(keys, tier->look_up_bytes);
    tier->suffix_filter_bits = exact ? 0 : suffix_filter_bits(ranges);
    tier->hash_bits = exact ? 0 : trawl_ending_bits(ranges);
    trawl_status status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part,
                                              filter_bytes(tier), 1, instead);
    if (status == TRAWL_OK) {
        status = exact ? trawl_build_reserve(build, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part,
                                             trawl_packed_words(tier->gram), 12, instead)
                       : trawl_build_reserve(build, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part,
                                             UINT64_C(1) << tier->suffix_filter_bits, 4, instead);
    }
    if (status == TRAWL_OK && !exact) {
        status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_HASH, part,
                                     (UINT64_C(1) << tier->hash_bits) + 1, 4, instead);
    }
    if (status == TRAWL_OK && !exact) {
        status = trawl_build_reserve(build, TRAWL_SECTION_QGRAM_RANGES, part, ranges,
                                     sizeof(trawl_ending_range), instead);
    }
    return status;
}

/* The number of a key's last `length` letters; `reversed` has the key's bytes, the last one first.
 * The earliest letter is in the lowest two bits. */
static uint64_t last_letters(const uint8_t *reversed, uint32_t length, const void *context) {
    const trawl_packed_letters *letters = context;
    uint64_t number = 0;
    for (uint32_t i = 0; i < length; i++) {
        number = number << 2 | trawl_packed_code(letters, reversed[i]);
    }
    return number;
}

/* Sets the two bits of a window's number (engines/qgram/packed/format.h). */
static void add_pairs(uint8_t *rows, uint32_t gram, uint64_t number) {
    uint64_t mask = trawl_packed_mask(gram - 1);
    rows[number >> 2] |= (uint8_t)(1u << (number & 3));
    rows[number & mask] |= (uint8_t)(16u << (number >> (2 * (gram - 1))));
}

/* Adds the samples of a key, whose last `shared` letters are also those of the key before it. */
static void add_samples(const trawl_qgram_tier *tier, const trawl_packed_letters *letters,
                        const uint8_t *reversed, uint32_t shared, uint32_t *rows) {
    uint64_t multiplier = trawl_packed_multiplier(tier->gram, tier->row_bits);
    uint64_t mask = trawl_packed_mask(tier->gram);
    /* Samples inside the shared letters have been added with the key before. */
    uint32_t from = shared < tier->gram ? 0 : shared - tier->gram + 1;
    if (from >= tier->stride) {
        return;
    }
    uint64_t number = last_letters(reversed + from, tier->gram, letters);
    for (uint32_t distance = from;; distance++) {
        rows[(number * multiplier) >> (64 - tier->row_bits)] |= 1u << (number & 31);
        if (distance + 1 == tier->stride) {
            break;
        }
        number = (number << 2 | trawl_packed_code(letters, reversed[distance + tier->gram])) & mask;
    }
}

/* Counts the bits before each word. */
static uint32_t count_before(const uint64_t *bits, uint32_t words, uint32_t *before) {
    uint32_t sum = 0;
    for (uint32_t word = 0; word < words; word++) {
        before[word] = sum;
        sum += (uint32_t)__builtin_popcountll(bits[word]);
    }
    return sum;
}

/* Whether each key has exactly one pattern, with the key's own number, and no pattern needs
 * verification of letter case. */
static bool all_are_one_match(const uint32_t *first, const uint8_t *verify, uint32_t keys) {
    bool one_match = first[keys] == keys;
    for (uint32_t key = 0; key < keys; key++) {
        one_match = one_match && first[key] == key && verify[key] == 0;
    }
    return one_match;
}

void trawl_packed_fill(const trawl_build *build, uint32_t part, const trawl_qgram_tier *tier,
                       const trawl_keys *keys) {
    const trawl_image *image = build->image;
    trawl_packed_header *header =
        trawl_image_section(image, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part);
    memset(header, 0, filter_bytes(tier));
    (void)trawl_packed_find_letters(build->patterns, tier->min_length, tier->max_length,
                                    tier->folded != 0, &header->letters);
    const trawl_packed_letters *letters = &header->letters;
    for (uint32_t key = 0; key < keys->count; key++) {
        const uint8_t *reversed = trawl_key_bytes(keys, key);
        if (trawl_packed_is_pairs(tier)) {
            add_pairs((uint8_t *)(header + 1), tier->gram,
                      last_letters(reversed, tier->gram, letters));
        } else {
            add_samples(tier, letters, reversed, key == 0 ? 0 : keys->common[key],
                        (uint32_t *)(header + 1));
        }
    }
    void *suffix_filter = trawl_image_section(image, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part);
    if (trawl_packed_is_exact(tier)) {
        uint32_t words = trawl_packed_words(tier->gram);
        uint64_t *bits = suffix_filter;
        memset(bits, 0, words * sizeof *bits);
        for (uint32_t key = 0; key < keys->count; key++) {
            uint64_t number = last_letters(trawl_key_bytes(keys, key), tier->gram, letters);
            bits[number >> 6] |= UINT64_C(1) << (number & 63);
        }
        (void)count_before(bits, words, (uint32_t *)(bits + words));
        header->one_match = all_are_one_match(
            trawl_image_section(image, TRAWL_SECTION_KEY_FIRST, part),
            trawl_image_section(image, TRAWL_SECTION_KEY_VERIFY, part), keys->count);
        return;
    }
    uint32_t *words = suffix_filter;
    memset(words, 0, sizeof *words << tier->suffix_filter_bits);
    uint64_t multiplier = trawl_packed_suffix_multiplier(tier->look_up_bytes);
    for (uint32_t key = 0; key < keys->count; key++) {
        if (key == 0 || keys->common[key] < tier->look_up_bytes) {
            uint64_t number =
                last_letters(trawl_key_bytes(keys, key), tier->look_up_bytes, letters);
            uint64_t bit = trawl_packed_suffix_bit(number, multiplier, tier->suffix_filter_bits);
            words[bit >> 5] |= 1u << (bit & 31);
        }
    }
    trawl_endings_hash(keys, tier->look_up_bytes, last_letters, letters, tier->hash_bits,
                       trawl_image_section(image, TRAWL_SECTION_QGRAM_HASH, part),
                       trawl_image_section(image, TRAWL_SECTION_QGRAM_RANGES, part));
}

/* ------------------------------------------------------------------ validation */

static trawl_status damaged(trawl_error *error, const char *what) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's packed %s", what);
}

static bool tier_is_valid(const trawl_qgram_tier *tier) {
    if (tier->gram == 0 || tier->stride == 0 || tier->gram > TRAWL_QGRAM_MAX_GRAM ||
        tier->stride > TRAWL_QGRAM_MAX_STRIDE || tier->window != tier->gram + tier->stride - 1 ||
        tier->window > tier->min_length || tier->look_up_bytes == 0 ||
        tier->look_up_bytes > tier->min_length ||
        tier->look_up_bytes > TRAWL_PACKED_MAX_LOOK_UP_LETTERS) {
        return false;
    }
    if (trawl_packed_is_pairs(tier)) {
        bool exact = trawl_packed_is_exact(tier);
        return tier->gram <= TRAWL_PACKED_MAX_PAIR_GRAM && tier->stride == 1 &&
               (exact ? tier->suffix_filter_bits == 0 : tier->suffix_filter_bits != 0) &&
               tier->suffix_filter_bits <= TRAWL_QGRAM_MAX_ROW_BITS;
    }
    return tier->row_bits <= TRAWL_QGRAM_MAX_ROW_BITS && tier->suffix_filter_bits != 0 &&
           tier->suffix_filter_bits <= TRAWL_QGRAM_MAX_ROW_BITS;
}

static bool letters_are_valid(const trawl_packed_letters *letters) {
    bool valid = letters->shift <= 6;
    for (unsigned index = 0; index < 4; index++) {
        valid = valid && letters->code[index] < 4;
    }
    return valid;
}

/* Checks that the table of pairs has exactly the numbers of the bit table, and that each rank of a
 * number is a key. */
static trawl_status validate_exact(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                                   const trawl_packed_header *header, trawl_error *error) {
    uint64_t size;
    const uint64_t *bits = trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, &size);
    uint32_t words = trawl_packed_words(tier->gram), sum = 0;
    if (size != (uint64_t)words * 12) {
        return damaged(error, "numbers have another size than they must");
    }
    trawl_status status = trawl_outputs_validate(db, part, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_outputs outputs;
    trawl_outputs_view(db, part, &outputs);
    const uint32_t *before = (const uint32_t *)(bits + words);
    bool valid =
        header->one_match == 0 || all_are_one_match(outputs.first, outputs.verify, outputs.keys);
    for (uint32_t word = 0; word < words; word++) {
        valid = valid && before[word] == sum;
        sum += (uint32_t)__builtin_popcountll(bits[word]);
    }
    const uint8_t *rows = (const uint8_t *)(header + 1);
    uint64_t mask = trawl_packed_mask(tier->gram - 1);
    for (uint64_t number = 0; number <= trawl_packed_mask(tier->gram); number++) {
        unsigned key = bits[number >> 6] >> (number & 63) & 1;
        unsigned even = rows[number >> 2] >> (number & 3) & 1;
        unsigned odd = rows[number & mask] >> (4 + (number >> (2 * (tier->gram - 1)))) & 1;
        valid = valid && key == even && key == odd;
    }
    for (uint32_t key = 0; key < outputs.keys; key++) {
        valid = valid && outputs.length[key] == tier->gram;
    }
    return valid && sum == outputs.keys ? TRAWL_OK : damaged(error, "numbers are damaged");
}

trawl_status trawl_packed_validate(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                                   trawl_error *error) {
    if (!tier_is_valid(tier)) {
        return damaged(error, "tier is damaged");
    }
    uint64_t filter_size, suffix_filter_size, heads_size, ranges_size;
    const trawl_packed_header *header =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, &filter_size);
    if (filter_size != filter_bytes(tier) || !letters_are_valid(&header->letters)) {
        return damaged(error, "filter is damaged");
    }
    if (trawl_packed_is_exact(tier)) {
        return validate_exact(db, part, tier, header, error);
    }
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, &suffix_filter_size);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_QGRAM_HASH, part, &heads_size);
    const trawl_ending_range *ranges =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_RANGES, part, &ranges_size);
    if (suffix_filter_size != UINT64_C(4) << tier->suffix_filter_bits || header->one_match != 0) {
        return damaged(error, "tables have inconsistent sizes");
    }
    return trawl_endings_validate(db, part, tier->look_up_bytes, tier->hash_bits, heads, heads_size,
                                  ranges, ranges_size, error);
}
