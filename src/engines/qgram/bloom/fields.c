/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/bloom/fields.h"

#include <math.h>

#include "base/allocate.h"
#include "base/cpu.h"
#include "base/status.h"
#include "base/text_pieces.h"
#include "constants/cpu.h"
#include "engines/qgram/cost.h"

#define SAMPLES ((size_t)1 << TRAWL_FIELDS_SAMPLES_LOG)
#define SLOT_BITS (TRAWL_FIELDS_SAMPLES_LOG + 1) /* half of the slots stay free */
#define SLOTS ((size_t)1 << SLOT_BITS)
/* Bits of the hint that excludes most q-grams of keys, as a power of two: 16 KiB, for the
 * first-level cache. It was meant to make trying fields 5 times as fast, and was measured only
 * together with other steps (docs/notebook/2026-11-building.md). */
#define HINT_BITS 17u
#define PLACES_OF_A_LINE 512u /* bits of a cache line of 64 bytes */

/* Two hash tables with open addressing: the places of the text's samples in a filter, and the cache
 * lines that these places are in. Keys are stored plus 1; 0 is a free slot. */
typedef struct place_table {
    uint64_t place[SLOTS];
    uint16_t samples[SLOTS]; /* samples with this place; 0 once a key was found to have it too */
    uint64_t line[SLOTS];
    uint16_t reads[SLOTS]; /* samples whose place is in this line */
    /* A Bloom filter of the places with one hash: excludes most places of keys. */
    uint64_t hints[1u << (HINT_BITS - 6)];
} place_table;

static uint64_t hash_of(uint64_t number) {
    return number * TRAWL_QGRAM_MULTIPLIER;
}

/* The slot of a number, or a free one. */
static size_t slot_of(const uint64_t *numbers, uint64_t number) {
    size_t slot = (size_t)(hash_of(number) >> (64 - SLOT_BITS));
    while (numbers[slot] != 0 && numbers[slot] != number + 1) {
        slot = (slot + 1) & (SLOTS - 1);
    }
    return slot;
}

trawl_qgram_placing trawl_qgram_placing_of(const trawl_qgram_tier *tier) {
    trawl_qgram_placing made = {.wide = tier->gram > 8,
                                .row_bits = tier->row_bits,
                                .multiplier = trawl_qgram_multiplier(tier->gram)};
    if (tier->gram <= 8) {
        made.fold = trawl_qgram_sample_fold_of(tier);
    }
    uint32_t at = 0, fields = tier->fields;
    for (; fields != 0; fields >>= 4, made.bytes++) {
        uint32_t width = trawl_qgram_field(fields, 0);
        made.mask[made.bytes] = ((UINT64_C(1) << width) - 1) << at;
        made.shift[made.bytes] = 8 * made.bytes - at;
        at += width;
    }
    return made;
}

double trawl_qgram_placing_price(const trawl_costs *costs, const trawl_qgram_tier *tier,
                                 double by_fields) {
    if (tier->fields != 0) {
        return by_fields;
    }
    bool letters = trawl_qgram_sample_fold_of(tier).letters != 0;
    return by_fields * TRAWL_FIELDS_PRODUCT_WORK +
           (letters ? costs->sample[0] * TRAWL_FIELDS_LETTERS_WORK : 0);
}

/* The keys and the text with which products and fields of different widths are compared. */
typedef struct comparison {
    const trawl_keys *keys;
    const trawl_costs *costs;
    const uint8_t *text;
    size_t length;
} comparison;

/* Returns the number of samples whose places the key's q-grams have, and drops these samples.
 * `reversed`: the key's bytes, the last one first. */
static uint32_t count_candidates(const trawl_qgram_tier *tier, const uint8_t *reversed,
                                 const trawl_qgram_placing *placing, place_table *table) {
    uint32_t unused = 64 - 8 * tier->gram, candidates = 0;
    for (uint32_t distance = 0; distance < tier->stride; distance++) {
        uint64_t number = trawl_ending_eight(reversed + distance) >> unused;
        uint64_t place = trawl_qgram_place(placing, number);
        uint64_t hint = hash_of(place) >> (64 - HINT_BITS);
        if ((table->hints[hint / 64] >> hint % 64 & 1) != 0) {
            size_t slot = slot_of(table->place, place);
            candidates += table->samples[slot]; /* 0 where the slot is free */
            table->samples[slot] = 0;
        }
    }
    return candidates;
}

/* Measures the pass rate on the text. Of large sets only some keys are placed, and the rate is
 * extrapolated by what the second half of them adds to the first. */
static double measure_pass_rate(const comparison *self, const trawl_qgram_tier *tier,
                                place_table *table) {
    const trawl_keys *keys = self->keys;
    const trawl_qgram_placing placing = trawl_qgram_placing_of(tier);
    uint32_t unused = 64 - 8 * tier->gram; /* highest bits of a number */
    size_t room = self->length - 8, samples = room < SAMPLES ? room : SAMPLES;
    memset(table, 0, sizeof *table);
    for (size_t i = 0; i < samples; i++) {
        uint64_t number;
        memcpy(&number, self->text + trawl_sample_place(i, samples, room), sizeof number);
        uint64_t place = trawl_qgram_place(&placing, number << unused >> unused);
        size_t slot = slot_of(table->place, place);
        table->place[slot] = place + 1;
        table->samples[slot]++;
        uint64_t hint = hash_of(place) >> (64 - HINT_BITS);
        table->hints[hint / 64] |= UINT64_C(1) << hint % 64;
        slot = slot_of(table->line, place / PLACES_OF_A_LINE);
        table->line[slot] = place / PLACES_OF_A_LINE + 1;
        table->reads[slot]++;
    }
    uint64_t step = (uint64_t)keys->count * tier->stride / TRAWL_FIELDS_MAX_GRAMS + 1;
    double candidates = 0, half = 0;
    for (uint64_t i = 0; i < 2; i++) { /* every other one of the keys first */
        half = candidates;
        for (uint64_t key = i * step; key < keys->count; key += 2 * step) {
            candidates += count_candidates(tier, trawl_key_bytes(keys, key), &placing, table);
        }
    }
    half = trawl_survey_amount(half, (double)samples);
    double all = trawl_survey_amount(candidates, (double)samples);
    return -expm1(-trawl_cost_extrapolate(half, all, (double)step));
}

/* The price of reading a row. Text reads some lines again and again, and fields put similar q-grams
 * near each other. So nine in ten samples are priced as if the table consisted of the lines that
 * these samples read most often, and the others as if all lines were read equally often. */
static double price_rows(const trawl_costs *costs, const place_table *table, double bytes) {
    enum { NEAR = TRAWL_FIELDS_NEAR_SHARE_TENTHS, FAR = 10 - NEAR };
    uint32_t lines_read[SAMPLES + 1] = {0}; /* by the number of reads */
    uint64_t samples = 0, covered = 0, lines = 0;
    for (size_t slot = 0; slot < SLOTS; slot++) {
        lines_read[table->reads[slot]] += table->reads[slot] != 0;
        samples += table->reads[slot];
    }
    for (size_t times = SAMPLES; times != 0 && 10 * covered < NEAR * samples; times--) {
        covered += times * lines_read[times];
        lines += lines_read[times];
    }
    /* If there are more lines than half the samples, most were read once: then nothing is known
     * about which lines are read often. */
    double most =
        2 * lines > samples || 64.0 * (double)lines > bytes ? bytes : 64.0 * (double)lines;
    return NEAR / 10.0 * trawl_cost_at(costs->sample, most) +
           FAR / 10.0 * trawl_cost_at(costs->sample, bytes);
}

/* The price of a sample in nanoseconds; if it is a candidate, with its end offsets. */
static double price_sample(const comparison *self, const trawl_qgram_tier *tier,
                           place_table *table) {
    double pass = measure_pass_rate(self, tier, table);
    double by_fields = price_rows(self->costs, table, ldexp(4, (int)tier->row_bits));
    return trawl_qgram_placing_price(self->costs, tier, by_fields) +
           pass * self->costs->sample_candidate;
}

/* Takes a tier as the best one if its samples are cheaper. */
static void take_cheaper(const comparison *self, const trawl_qgram_tier *offered,
                         place_table *table, double *least, trawl_qgram_tier *best) {
    double cost = price_sample(self, offered, table);
    if (cost < *least) {
        *least = cost;
        *best = *offered;
    }
}

/* Fields of `bits` bits together, spread evenly over the bytes, each at most `most` bits wide. */
static uint32_t spread_bits(uint32_t gram, uint32_t bits, uint32_t most) {
    uint32_t width[TRAWL_QGRAM_FIELD_BYTES] = {TRAWL_QGRAM_ROW_BIT}, fields = 0;
    uint32_t used = width[0];
    for (uint32_t level = 1; level <= most; level++) {
        for (uint32_t byte = 0; byte < gram && used < bits; byte++) {
            used += width[byte] < level;
            width[byte] += width[byte] < level;
        }
    }
    for (uint32_t byte = 0; byte < gram; byte++) {
        fields |= width[byte] << (4 * byte);
    }
    return fields;
}

/* The width of all fields together. */
static uint32_t all_bits(uint32_t fields) {
    uint32_t bits = 0;
    for (uint32_t byte = 0; byte < TRAWL_QGRAM_FIELD_BYTES; byte++) {
        bits += trawl_qgram_field(fields, byte);
    }
    return bits;
}

uint32_t trawl_qgram_spread_fields(uint32_t gram, uint32_t row_bits, bool folded) {
    uint32_t most = folded ? TRAWL_QGRAM_ROW_BIT : TRAWL_QGRAM_MAX_FIELD;
    uint32_t fields = 0;
    if (gram <= TRAWL_QGRAM_FIELD_BYTES) {
        fields = spread_bits(gram, row_bits + TRAWL_QGRAM_ROW_BIT, most);
    }
    return fields != 0 && trawl_qgram_field(fields, gram - 1) != 0 &&
                   all_bits(fields) == row_bits + TRAWL_QGRAM_ROW_BIT
               ? fields
               : 0;
}

trawl_status trawl_qgram_choose_fields(const trawl_keys *keys, const trawl_costs *costs,
                                       const uint8_t *text, size_t length, trawl_qgram_tier *tier,
                                       trawl_error *error) {
    tier->fields = tier->fold_all = 0;
    if (tier->gram > TRAWL_QGRAM_FIELD_BYTES || (!trawl_cpu_extracts() && tier->folded == 0)) {
        return TRAWL_OK;
    }
    /* The bit by which letters of either case differ must not be in a field. */
    uint32_t most = tier->folded != 0 ? TRAWL_QGRAM_ROW_BIT : TRAWL_QGRAM_MAX_FIELD;
    place_table *table = NULL;
    if (length > 2 * TRAWL_QGRAM_FIELD_BYTES) {
        table = trawl_allocate(1, sizeof *table);
        if (table == NULL) {
            return trawl_fail_memory(error, "planning qgram", sizeof *table);
        }
    }
    const comparison self = {keys, costs, text, length};
    trawl_qgram_tier best = *tier;
    double least = table == NULL ? 0 : price_sample(&self, tier, table);
    if (table != NULL && tier->folded != 0) {
        trawl_qgram_tier offered = *tier;
        offered.fold_all = 1;
        take_cheaper(&self, &offered, table, &least, &best);
    }
    for (uint32_t more = 0; more <= TRAWL_FIELDS_MAX_MORE_BITS && trawl_cpu_extracts(); more++) {
        trawl_qgram_tier offered = *tier;
        uint32_t bits = tier->row_bits + more + TRAWL_QGRAM_ROW_BIT;
        offered.fields = spread_bits(tier->gram, bits, most);
        offered.row_bits = all_bits(offered.fields) - TRAWL_QGRAM_ROW_BIT;
        uint32_t last = trawl_qgram_field(offered.fields, tier->gram - 1);
        if (last == 0 || offered.row_bits == 0 || offered.row_bits > TRAWL_QGRAM_MAX_ROW_BITS ||
            (more != 0 && offered.row_bits < tier->row_bits + more)) {
            continue; /* the last byte would have no field; or all fields are as wide as allowed */
        }
        if (table == NULL) {
            best = last >= TRAWL_FIELDS_LEAST_BLIND_BITS && more == 0 ? offered : best;
            continue;
        }
        take_cheaper(&self, &offered, table, &least, &best);
    }
    trawl_release(table);
    *tier = best;
    return TRAWL_OK;
}

bool trawl_qgram_fields_are_valid(const trawl_qgram_tier *tier) {
    uint32_t fields = tier->fields;
    if (fields == 0) {
        return true;
    }
    uint32_t most = tier->folded != 0 ? TRAWL_QGRAM_ROW_BIT : TRAWL_QGRAM_MAX_FIELD;
    bool valid = (tier->kind == TRAWL_TIER_BLOOM || tier->kind == TRAWL_TIER_ANCHORS) &&
                 tier->gram <= TRAWL_QGRAM_FIELD_BYTES &&
                 trawl_qgram_field(fields, 0) >= TRAWL_QGRAM_ROW_BIT &&
                 all_bits(fields) == tier->row_bits + TRAWL_QGRAM_ROW_BIT;
    for (uint32_t byte = 0; byte < TRAWL_QGRAM_FIELD_BYTES; byte++) {
        uint32_t width = trawl_qgram_field(fields, byte);
        valid = valid && width <= most && (width != 0) == (byte < tier->gram);
    }
    return valid;
}
