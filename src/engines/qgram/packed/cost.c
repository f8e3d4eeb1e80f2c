/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Prices of packed tiers, and the division of a set into such tiers alone. */
#include <math.h>

#include "base/status.h"
#include "constants/cpu.h"
#include "engines/qgram/divide.h"
#include "engines/qgram/packed/format.h"

#define INSTEAD_OF_PACKED "try variant mixed, or engine ac-dfa"

/* What a load from a table of `bytes` bytes costs more than one from the first-level cache. */
static double price_load(double bytes) {
    const size_t count = sizeof trawl_packed_load_costs / sizeof *trawl_packed_load_costs;
    for (size_t i = 1; i < count; i++) {
        double least = trawl_packed_load_costs[i - 1].bytes,
               most = trawl_packed_load_costs[i].bytes;
        double cost = trawl_packed_load_costs[i - 1].nanoseconds;
        if (bytes < most) {
            double share = log2(bytes / least) / log2(most / least);
            share = share < 0 ? 0 : share;
            return cost + share * (trawl_packed_load_costs[i].nanoseconds - cost);
        }
    }
    return trawl_packed_load_costs[count - 1].nanoseconds;
}

/* The expected share of `places` that are taken after `count` random draws. */
static double taken(double count, double places) {
    return -expm1(-count / places);
}

/* The share of positions at which random text has the last min_length letters of some pattern. */
static double share_of_endings(double count, double letters, uint32_t min_length) {
    return taken(count, pow(letters, min_length));
}

/* Takes the offer if it is the cheapest so far. */
static void consider(trawl_qgram_tier *tier, trawl_packed_estimate *best,
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
        bool longer = tier->min_length > gram;
        pairs.pass = taken(count, pow(letters, gram));
        pairs.look_ups = exact    ? 0
                         : longer ? share_of_endings(count, letters, tier->min_length)
                                  : pairs.pass;
        pairs.nanoseconds =
            TRAWL_PACKED_LETTER_COST + TRAWL_PACKED_PAIR_COST + price_load(pairs.bytes) / 2 +
            (exact ? 0 : pairs.pass * (longer ? 2 : 1) * TRAWL_PACKED_CANDIDATE_COST) +
            pairs.look_ups * TRAWL_PACKED_LOOK_UP_COST;
        consider(tier, best, &pairs, gram, 1, 0);
    }
}

static void try_samples(double count, double letters, uint64_t most_bytes, uint32_t gram,
                        uint32_t stride, trawl_qgram_tier *tier, trawl_packed_estimate *best) {
    double places = pow(letters, gram), share = taken(count * stride, places);
    for (uint32_t row_bits = TRAWL_COST_LEAST_ROW_BITS; row_bits <= TRAWL_QGRAM_MAX_ROW_BITS;
         row_bits++) {
        trawl_packed_estimate samples = {.bytes = ldexp(4, (int)row_bits)};
        bool exact = 2 * gram <= row_bits + 5; /* a bit for each number: 5 select one of a row */
        if (samples.bytes > (double)most_bytes) {
            break;
        }
        samples.pass = exact ? share : taken(share * places, 8 * samples.bytes);
        samples.look_ups = share_of_endings(count, letters, tier->min_length);
        samples.nanoseconds =
            TRAWL_PACKED_LETTER_COST +
            (TRAWL_PACKED_SAMPLE_COST + (stride % 4 == 0 ? 0 : TRAWL_PACKED_UNALIGNED_COST) +
             price_load(samples.bytes)) /
                stride +
            samples.pass * (1.0 / stride + 1) * TRAWL_PACKED_CANDIDATE_COST +
            samples.look_ups * TRAWL_PACKED_LOOK_UP_COST;
        consider(tier, best, &samples, gram, stride, row_bits);
        if (exact) {
            break;
        }
    }
}

void trawl_packed_choose(uint64_t count, uint32_t letters, uint64_t most_bytes,
                         trawl_qgram_tier *tier, trawl_packed_estimate *estimate) {
    *estimate = (trawl_packed_estimate){.nanoseconds = INFINITY};
    try_pairs((double)count, letters, most_bytes, tier, estimate);
    for (uint32_t gram = TRAWL_PACKED_LEAST_SAMPLE;
         gram <= tier->min_length && gram <= TRAWL_QGRAM_MAX_GRAM; gram++) {
        uint32_t stride = tier->min_length - gram + 1;
        stride = stride < TRAWL_QGRAM_MAX_STRIDE ? stride : TRAWL_QGRAM_MAX_STRIDE;
        try_samples((double)count, letters, most_bytes, gram, stride, tier, estimate);
        for (stride &= ~UINT32_C(3); stride != 0; stride = stride / 2 & ~UINT32_C(3)) {
            try_samples((double)count, letters, most_bytes, gram, stride, tier, estimate);
        }
    }
}

/* ------------------------------------------------------------------ variant packed */

#define CLASSES TRAWL_SURVEY_CLASSES

/* The patterns of a class of lengths. */
typedef struct length_class {
    uint64_t count;
    uint32_t least, most;
} length_class;

static void count_classes(const trawl_patterns *patterns, length_class *classes) {
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        uint32_t last = CLASSES - 1;
        while (trawl_survey_class_begins[last] > length) {
            last--;
        }
        length_class *own = &classes[last];
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
    length_class classes[CLASSES] = {{0}};
    count_classes(patterns, classes);
    /* The cheapest division of the classes from `begin` on: its cost, where its first tier ends,
     * its number of tiers, and its first tier. */
    double least[CLASSES + 1] = {0};
    uint32_t next[CLASSES] = {0}, tiers[CLASSES + 1] = {0};
    trawl_qgram_tier first[CLASSES];
    for (uint32_t begin = CLASSES; begin-- > 0;) {
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
        for (uint32_t end = begin + 1; end <= CLASSES; end++) {
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
    for (uint32_t begin = 0; begin < CLASSES; begin = next[begin]) {
        if (classes[begin].count != 0) {
            header->tier[--left] = first[begin];
        }
    }
    return TRAWL_OK;
}
