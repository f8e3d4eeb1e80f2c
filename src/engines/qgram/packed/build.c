/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/packed/format.h"

#include <math.h>

#include "base/fold.h"
#include "base/status.h"
#include "engines/qgram/divide.h"

#define INSTEAD_OF_PACKED "try variant mixed, or engine ac-dfa"

/* ------------------------------------------------------------------ letters */

/* Gives each letter an index by two bits; false when two share one, or a letter's cases do not. */
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
            letters->letter[index] = sorted[0]; /* which has another index */
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

/* ------------------------------------------------------------------ choice of parameters */

/* Nanoseconds on Zen 3 with the AVX2 loops. With them the choices for sets that were measured are
 * within a few percent of the best ones found by trying (docs/notebook/2026-11-packed-filter.md).
 */
static const double pack_cost = 0.05;    /* a letter */
static const double pair_cost = 0.20;    /* a position, FILTER in the first-level cache */
static const double sample_cost = 0.8;   /* a sample, likewise */
static const double end_cost = 0.9;      /* an end that is tested with SECOND */
static const double note_cost = 1.5;     /* a sample or position that passes */
static const double look_up_cost = 40.0; /* an end that passes SECOND */

/* What a load adds when the table is larger than the first-level cache. */
static double load_cost(double bytes) {
    static const struct {
        double bytes, nanoseconds;
    } levels[] = {{16 << 10, 0}, {64 << 10, 0.5}, {512 << 10, 1.2}, {2 << 20, 4}, {32 << 20, 10}};
    enum { LEVELS = sizeof levels / sizeof *levels };
    for (size_t i = 1; i < LEVELS; i++) {
        if (bytes < levels[i].bytes) {
            double share =
                log2(bytes / levels[i - 1].bytes) / log2(levels[i].bytes / levels[i - 1].bytes);
            share = share < 0 ? 0 : share;
            return levels[i - 1].nanoseconds +
                   share * (levels[i].nanoseconds - levels[i - 1].nanoseconds);
        }
    }
    return 40;
}

/* The share of `places` that are taken after `count` have been drawn at random. */
static double taken(double count, double places) {
    return -expm1(-count / places);
}

/* The share of positions at which the text has the last letters of a pattern. */
static double tail_hits(double count, double letters, uint32_t min_length) {
    return taken(count, pow(letters, min_length));
}

static void offer(trawl_qgram_tier *tier, trawl_packed_estimate *best,
                  const trawl_packed_estimate *offered, uint32_t gram, uint32_t stride,
                  uint32_t row_bits) {
    if (offered->nanoseconds < best->nanoseconds) {
        *best = *offered;
        tier->gram = gram;
        tier->stride = stride;
        tier->row_bits = row_bits;
        tier->window = gram + stride - 1;
    }
}

static void try_pairs(double count, double letters, uint64_t most_bytes, trawl_qgram_tier *tier,
                      trawl_packed_estimate *best) {
    for (uint32_t gram = 1; gram <= tier->min_length && gram <= TRAWL_PACKED_MAX_PAIR_GRAM;
         gram++) {
        trawl_packed_estimate pairs = {.bytes = pow(4, gram - 1)};
        if (pairs.bytes > (double)most_bytes && gram > 1) {
            break;
        }
        bool exact = tier->max_length == gram;
        bool tails = tier->min_length > gram;
        pairs.pass = taken(count, pow(letters, gram));
        pairs.look_ups = exact   ? 0
                         : tails ? pairs.pass / 32 + tail_hits(count, letters, tier->min_length)
                                 : pairs.pass;
        pairs.nanoseconds = pack_cost + pair_cost + load_cost(pairs.bytes) / 2 +
                            (exact ? 0 : pairs.pass * (note_cost + (tails ? end_cost : 0))) +
                            pairs.look_ups * look_up_cost;
        offer(tier, best, &pairs, gram, 1, 0);
    }
}

static void try_samples(double count, double letters, uint64_t most_bytes, uint32_t gram,
                        uint32_t stride, trawl_qgram_tier *tier, trawl_packed_estimate *best) {
    double places = pow(letters, gram), share = taken(count * stride, places);
    for (uint32_t row_bits = 5; row_bits <= TRAWL_QGRAM_MAX_ROW_BITS; row_bits++) {
        trawl_packed_estimate samples = {.bytes = ldexp(4, (int)row_bits)};
        bool direct = 2 * gram <= row_bits + 5;
        if (samples.bytes > (double)most_bytes && row_bits > 10) {
            break;
        }
        samples.pass = direct ? share : taken(share * places, 8 * samples.bytes);
        samples.look_ups = samples.pass / 32 + tail_hits(count, letters, tier->min_length);
        samples.nanoseconds =
            pack_cost +
            (sample_cost + (stride % 4 == 0 ? 0 : 0.3) + load_cost(samples.bytes)) / stride +
            samples.pass * (note_cost / stride + end_cost) + samples.look_ups * look_up_cost;
        offer(tier, best, &samples, gram, stride, row_bits);
        if (direct) {
            break;
        }
    }
}

void trawl_packed_choose(uint64_t count, uint32_t letters, uint64_t most_bytes,
                         trawl_qgram_tier *tier, trawl_packed_estimate *estimate) {
    *estimate = (trawl_packed_estimate){.nanoseconds = INFINITY};
    try_pairs((double)count, letters, most_bytes, tier, estimate);
    for (uint32_t gram = 3; gram <= tier->min_length && gram <= TRAWL_QGRAM_MAX_GRAM; gram++) {
        uint32_t stride = tier->min_length - gram + 1;
        stride = stride < TRAWL_QGRAM_MAX_STRIDE ? stride : TRAWL_QGRAM_MAX_STRIDE;
        try_samples((double)count, letters, most_bytes, gram, stride, tier, estimate);
        for (stride &= ~UINT32_C(3); stride != 0; stride = stride / 2 & ~UINT32_C(3)) {
            try_samples((double)count, letters, most_bytes, gram, stride, tier, estimate);
        }
    }
}

/* ------------------------------------------------------------------ the variant of the name */

/* Lengths from which on a tier may begin. */
static const uint32_t bounds[] = {1,  2,  3,  4,  5,  6,  7,  8,  9, 10,
                                  11, 12, 14, 16, 20, 24, 32, 48, 64};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

typedef struct length_class {
    uint64_t count;
    uint32_t least, most;
} length_class;

static void classify(const trawl_patterns *patterns, length_class *classes) {
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        uint32_t class = BOUNDS - 1;
        while (bounds[class] > length) {
            class --;
        }
        length_class *own = &classes[class];
        own->least = own->count == 0 || length < own->least ? length : own->least;
        own->most = length > own->most ? length : own->most;
        own->count++;
    }
}

trawl_status trawl_packed_divide(const trawl_build *build, trawl_qgram_header *header) {
    const trawl_patterns *patterns = build->patterns;
    bool folded = patterns->case_insensitive != 0;
    trawl_packed_letters letters;
    if (!trawl_packed_find_letters(patterns, 1, UINT32_MAX, folded, &letters)) {
        return trawl_fail(build->error, TRAWL_ERROR_LIMIT,
                          "variant packed takes sets of at most 4 different letters that two "
                          "adjacent bits tell apart; " INSTEAD_OF_PACKED);
    }
    length_class classes[BOUNDS] = {{0}};
    classify(patterns, classes);
    /* The cheapest division of the classes from there on, and the first tier of it. */
    double least[BOUNDS + 1] = {0};
    uint32_t next[BOUNDS] = {0}, tiers[BOUNDS + 1] = {0};
    trawl_qgram_tier first[BOUNDS];
    for (uint32_t begin = BOUNDS; begin-- > 0;) {
        least[begin] = least[begin + 1];
        next[begin] = begin + 1;
        tiers[begin] = tiers[begin + 1];
        if (classes[begin].count == 0) {
            continue;
        }
        least[begin] = INFINITY;
        uint64_t count = 0;
        trawl_qgram_tier tier = {.kind = TRAWL_TIER_PACKED,
                                 .min_length = classes[begin].least,
                                 .folded = folded,
                                 .letters = letters.shift};
        for (uint32_t end = begin + 1; end <= BOUNDS; end++) {
            if (classes[end - 1].count == 0) {
                continue;
            }
            count += classes[end - 1].count;
            tier.max_length = classes[end - 1].most;
            trawl_packed_estimate estimate;
            trawl_packed_choose(count, letters.count, build->max_table_bytes / 2, &tier, &estimate);
            double cost = estimate.nanoseconds + least[end];
            if (cost < least[begin] && tiers[end] < TRAWL_QGRAM_MAX_TIERS) {
                least[begin] = cost;
                next[begin] = end;
                tiers[begin] = tiers[end] + 1;
                first[begin] = tier;
            }
        }
    }
    header->tiers = tiers[0];
    uint32_t left = header->tiers; /* from the longest patterns to the shortest */
    for (uint32_t begin = 0; begin < BOUNDS; begin = next[begin]) {
        if (classes[begin].count != 0) {
            header->tier[--left] = first[begin];
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ tables */

static uint64_t filter_bytes(const trawl_qgram_tier *tier) {
    return sizeof(trawl_packed_header) + (trawl_packed_pairs(tier)
                                              ? UINT64_C(1) << (2 * (tier->gram - 1))
                                              : UINT64_C(4) << tier->row_bits);
}

/* SECOND has 32 bits for each end that is worth a look-up. */
static uint32_t suffix_filter_bits(uint32_t ranges) {
    uint32_t bits = 4;
    while (bits < 24 && UINT64_C(1) << bits < ranges) {
        bits++;
    }
    return bits;
}

trawl_status trawl_packed_reserve(trawl_build *build, uint32_t part, trawl_qgram_tier *tier,
                                  const trawl_keys *keys, const char *instead) {
    bool exact = trawl_packed_exact(tier);
    tier->tail =
        tier->min_length < TRAWL_PACKED_MAX_TAIL ? tier->min_length : TRAWL_PACKED_MAX_TAIL;
    uint32_t ranges = trawl_endings_count(keys, tier->tail);
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

/* The number of the last `length` letters; `reversed` are a key's bytes, the last one first. */
static uint64_t last_letters(const uint8_t *reversed, uint32_t length, const void *context) {
    const trawl_packed_letters *letters = context;
    uint64_t number = 0;
    for (uint32_t i = 0; i < length; i++) {
        number = number << 2 | trawl_packed_code(letters, reversed[i]);
    }
    return number;
}

static void add_pairs(uint8_t *rows, uint32_t gram, uint64_t number) {
    uint64_t mask = trawl_packed_mask(gram - 1);
    rows[number >> 2] |= (uint8_t)(1u << (number & 3));
    rows[number & mask] |= (uint8_t)(16u << (number >> (2 * (gram - 1))));
}

static void fill_samples(const trawl_qgram_tier *tier, const trawl_packed_letters *letters,
                         const uint8_t *reversed, uint32_t shared, uint32_t *rows) {
    uint64_t multiplier = trawl_packed_multiplier(tier->gram, tier->row_bits);
    uint64_t mask = trawl_packed_mask(tier->gram);
    /* Samples that lie in what the key shares with the one before are there already. */
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

/* How many bits stand before each word. */
static uint32_t count_before(const uint64_t *bits, uint32_t words, uint32_t *before) {
    uint32_t sum = 0;
    for (uint32_t word = 0; word < words; word++) {
        before[word] = sum;
        sum += (uint32_t)__builtin_popcountll(bits[word]);
    }
    return sum;
}

static bool is_unit(const uint32_t *first, const uint8_t *verify, uint32_t keys) {
    bool unit = first[keys] == keys;
    for (uint32_t key = 0; key < keys; key++) {
        unit = unit && first[key] == key && verify[key] == 0;
    }
    return unit;
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
        const uint8_t *reversed = keys->bytes + keys->offsets[key];
        if (trawl_packed_pairs(tier)) {
            add_pairs((uint8_t *)(header + 1), tier->gram,
                      last_letters(reversed, tier->gram, letters));
        } else {
            fill_samples(tier, letters, reversed, key == 0 ? 0 : keys->common[key],
                         (uint32_t *)(header + 1));
        }
    }
    void *second = trawl_image_section(image, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part);
    if (trawl_packed_exact(tier)) {
        uint32_t words = trawl_packed_words(tier->gram);
        uint64_t *bits = second;
        memset(bits, 0, words * sizeof *bits);
        for (uint32_t key = 0; key < keys->count; key++) {
            uint64_t number = last_letters(keys->bytes + keys->offsets[key], tier->gram, letters);
            bits[number >> 6] |= UINT64_C(1) << (number & 63);
        }
        (void)count_before(bits, words, (uint32_t *)(bits + words));
        header->unit =
            is_unit(trawl_image_section(image, TRAWL_SECTION_KEY_FIRST, part),
                    trawl_image_section(image, TRAWL_SECTION_KEY_VERIFY, part), keys->count);
        return;
    }
    uint32_t *words = second;
    memset(words, 0, sizeof *words << tier->suffix_filter_bits);
    uint64_t multiplier = trawl_packed_second_multiplier(tier->tail);
    for (uint32_t key = 0; key < keys->count; key++) {
        if (key == 0 || keys->common[key] < tier->tail) {
            uint64_t number = last_letters(keys->bytes + keys->offsets[key], tier->tail, letters);
            uint64_t bit = trawl_packed_second_bit(number, multiplier, tier->suffix_filter_bits);
            words[bit >> 5] |= 1u << (bit & 31);
        }
    }
    trawl_endings_hash(keys, tier->tail, last_letters, letters, tier->hash_bits,
                       trawl_image_section(image, TRAWL_SECTION_QGRAM_HASH, part),
                       trawl_image_section(image, TRAWL_SECTION_QGRAM_RANGES, part));
}

/* ------------------------------------------------------------------ validation */

static trawl_status damaged(trawl_error *error, const char *what) {
    return trawl_fail(error, TRAWL_ERROR_FORMAT, "the database's packed %s", what);
}

static bool tier_sound(const trawl_qgram_tier *tier) {
    if (tier->gram == 0 || tier->stride == 0 || tier->gram > TRAWL_QGRAM_MAX_GRAM ||
        tier->stride > TRAWL_QGRAM_MAX_STRIDE || tier->window != tier->gram + tier->stride - 1 ||
        tier->window > tier->min_length || tier->tail == 0 || tier->tail > tier->min_length ||
        tier->tail > TRAWL_PACKED_MAX_TAIL) {
        return false;
    }
    if (trawl_packed_pairs(tier)) {
        bool exact = trawl_packed_exact(tier);
        return tier->gram <= TRAWL_PACKED_MAX_PAIR_GRAM && tier->stride == 1 &&
               (exact ? tier->suffix_filter_bits == 0 : tier->suffix_filter_bits != 0) &&
               tier->suffix_filter_bits <= TRAWL_QGRAM_MAX_ROW_BITS;
    }
    return tier->row_bits <= TRAWL_QGRAM_MAX_ROW_BITS && tier->suffix_filter_bits != 0 &&
           tier->suffix_filter_bits <= TRAWL_QGRAM_MAX_ROW_BITS;
}

static bool letters_sound(const trawl_packed_letters *letters) {
    bool sound = letters->shift <= 6;
    for (unsigned index = 0; index < 4; index++) {
        sound = sound && letters->code[index] < 4;
    }
    return sound;
}

/* That a rank is always a key, and that every position that passes has a rank. */
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
    bool sound = header->unit == 0 || is_unit(outputs.first, outputs.verify, outputs.keys);
    for (uint32_t word = 0; word < words; word++) {
        sound = sound && before[word] == sum;
        sum += (uint32_t)__builtin_popcountll(bits[word]);
    }
    const uint8_t *rows = (const uint8_t *)(header + 1);
    uint64_t mask = trawl_packed_mask(tier->gram - 1);
    for (uint64_t number = 0; number <= trawl_packed_mask(tier->gram); number++) {
        unsigned key = bits[number >> 6] >> (number & 63) & 1;
        unsigned even = rows[number >> 2] >> (number & 3) & 1;
        unsigned odd = rows[number & mask] >> (4 + (number >> (2 * (tier->gram - 1)))) & 1;
        sound = sound && key == even && key == odd;
    }
    for (uint32_t key = 0; key < outputs.keys; key++) {
        sound = sound && outputs.length[key] == tier->gram;
    }
    return sound && sum == outputs.keys ? TRAWL_OK : damaged(error, "numbers are damaged");
}

trawl_status trawl_packed_validate(const trawl_db *db, uint32_t part, const trawl_qgram_tier *tier,
                                   trawl_error *error) {
    if (!tier_sound(tier)) {
        return damaged(error, "tier is damaged");
    }
    uint64_t filter_size, suffix_filter_size, heads_size, ranges_size;
    const trawl_packed_header *header =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, &filter_size);
    if (filter_size != filter_bytes(tier) || !letters_sound(&header->letters)) {
        return damaged(error, "filter is damaged");
    }
    if (trawl_packed_exact(tier)) {
        return validate_exact(db, part, tier, header, error);
    }
    (void)trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, &suffix_filter_size);
    const uint32_t *heads = trawl_db_section(db, TRAWL_SECTION_QGRAM_HASH, part, &heads_size);
    const trawl_ending_range *ranges =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_RANGES, part, &ranges_size);
    if (suffix_filter_size != UINT64_C(4) << tier->suffix_filter_bits || header->unit != 0) {
        return damaged(error, "tables have inconsistent sizes");
    }
    return trawl_endings_validate(db, part, tier->tail, tier->hash_bits, heads, heads_size, ranges,
                                  ranges_size, error);
}
