/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/bloom/fields.h"

#include <math.h>

#include "base/allocate.h"
#include "base/cpu.h"
#include "base/status.h"
#include "engines/qgram/cost.h"

#define SAMPLES 8192u /* of the text that are looked at */
#define SLOT_BITS 14u
#define SLOTS ((size_t)1 << SLOT_BITS)
#define HINT_BITS 17u /* as many as a near cache holds: one in sixteen or less is set */
#define MOST_GRAMS (UINT64_C(1) << 21) /* of the keys: more of them tell nothing new */
#define PRODUCT_WORK 1.3               /* a sample by a product, where bits are extracted at once */
#define MOST_MORE_BITS 2u              /* of a row's number, than products would have */
#define PLACES_OF_A_LINE 512u
#define LEAST_FIELD 3u /* without a text, fewer bits of a byte are not trusted */

/* The places in FILTER that samples of the text ask for: how many ask, until a key is found to have
 * it. And the cache lines that these are in. */
typedef struct place_table {
    uint64_t place[SLOTS]; /* and 1 above it; 0: none */
    uint16_t asked[SLOTS];
    uint64_t line[SLOTS];
    uint16_t read[SLOTS];
    uint64_t hints[1u << (HINT_BITS - 6)]; /* a bit for the hash of each place that is there */
} place_table;

static uint64_t hash_of(uint64_t number) {
    return number * TRAWL_QGRAM_MULTIPLIER;
}

static size_t slot_of(const uint64_t *numbers, uint64_t number) {
    size_t slot = (size_t)(hash_of(number) >> (64 - SLOT_BITS));
    while (numbers[slot] != 0 && numbers[slot] != number + 1) {
        slot = (slot + 1) & (SLOTS - 1);
    }
    return slot;
}

trawl_qgram_placing trawl_qgram_placing_of(const trawl_qgram_tier *tier) {
    trawl_qgram_placing made = {.row_bits = tier->row_bits,
                                .multiplier = trawl_qgram_multiplier(tier->gram)};
    uint32_t at = 0, fields = tier->fields;
    for (; fields != 0; fields >>= 4, made.bytes++) {
        uint32_t width = trawl_qgram_field(fields, 0);
        made.mask[made.bytes] = ((UINT64_C(1) << width) - 1) << at;
        made.shift[made.bytes] = 8 * made.bytes - at;
        at += width;
    }
    return made;
}

/* The samples of a set and of a text that are compared. */
typedef struct comparison {
    const trawl_keys *keys;
    const uint8_t *distances;
    const trawl_costs *costs;
    const uint8_t *text;
    size_t length;
} comparison;

/* The share of the text's samples that would pass. Where the text has chosen the set's, they are
 * more in others, but by as much however rows are found. */
static double passing(const comparison *self, const trawl_qgram_tier *tier, place_table *table) {
    const trawl_keys *keys = self->keys;
    const trawl_qgram_placing rule = trawl_qgram_placing_of(tier);
    uint32_t unused = 64 - 8 * tier->gram; /* bits of a number */
    uint64_t case_bits = trawl_qgram_case_bits(tier->folded != 0) >> unused;
    size_t room = self->length - 8, samples = room < SAMPLES ? room : SAMPLES;
    memset(table, 0, sizeof *table);
    for (size_t i = 0; i < samples; i++) {
        uint64_t number;
        memcpy(&number, self->text + room * i / samples, sizeof number);
        uint64_t place = trawl_qgram_place(&rule, (number << unused >> unused) | case_bits);
        size_t slot = slot_of(table->place, place);
        table->place[slot] = place + 1;
        table->asked[slot]++;
        uint64_t hint = hash_of(place) >> (64 - HINT_BITS);
        table->hints[hint / 64] |= UINT64_C(1) << hint % 64;
        slot = slot_of(table->line, place / PLACES_OF_A_LINE);
        table->line[slot] = place / PLACES_OF_A_LINE + 1;
        table->read[slot]++;
    }
    uint64_t step = (uint64_t)keys->count * tier->stride / MOST_GRAMS + 1, passed = 0;
    for (uint64_t key = 0; key < keys->count; key += step) {
        const uint8_t *reversed =
            keys->bytes + keys->offsets[key] + (self->distances == NULL ? 0 : self->distances[key]);
        for (uint32_t distance = 0; distance < tier->stride; distance++) {
            uint64_t number = trawl_ending_eight(reversed + distance) >> unused | case_bits;
            uint64_t place = trawl_qgram_place(&rule, number);
            uint64_t hint = hash_of(place) >> (64 - HINT_BITS);
            if ((table->hints[hint / 64] >> hint % 64 & 1) != 0) {
                size_t slot = slot_of(table->place, place);
                passed += table->asked[slot]; /* nothing where the slot is free */
                table->asked[slot] = 0;
            }
        }
    }
    return (double)passed / (double)samples;
}

/* What a look at FILTER costs: text asks for some lines again and again, and fields of q-grams that
 * are alike are near each other. Nine in ten samples find theirs in a cache that holds the lines of
 * so many; the others wait as if all were asked for alike. */
static double cost_of_rows(const trawl_costs *costs, const place_table *table, double bytes) {
    uint32_t lines_read[SAMPLES + 1] = {0}; /* so many times */
    uint64_t samples = 0, covered = 0, lines = 0;
    for (size_t slot = 0; slot < SLOTS; slot++) {
        lines_read[table->read[slot]] += table->read[slot] != 0;
        samples += table->read[slot];
    }
    for (size_t times = SAMPLES; times != 0 && 10 * covered < 9 * samples; times--) {
        covered += times * lines_read[times];
        lines += lines_read[times];
    }
    /* Of more lines than half the samples, most have been read once: that tells nothing. */
    double most =
        2 * lines > samples || 64.0 * (double)lines > bytes ? bytes : 64.0 * (double)lines;
    return 0.9 * trawl_cost_at(costs->sample, most) + 0.1 * trawl_cost_at(costs->sample, bytes);
}

/* What a sample costs, in nanoseconds, with what follows where it passes. */
static double cost_of(const comparison *self, const trawl_qgram_tier *tier, place_table *table) {
    double pass = passing(self, tier, table);
    return cost_of_rows(self->costs, table, ldexp(4, (int)tier->row_bits)) *
               (tier->fields == 0 ? PRODUCT_WORK : 1) +
           pass * self->costs->end;
}

/* As many bits of each byte as of the others, up to `bits` in all. */
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

static uint32_t all_bits(uint32_t fields) {
    uint32_t bits = 0;
    for (uint32_t byte = 0; byte < TRAWL_QGRAM_FIELD_BYTES; byte++) {
        bits += trawl_qgram_field(fields, byte);
    }
    return bits;
}

trawl_status trawl_qgram_choose_fields(const trawl_keys *keys, const uint8_t *distances,
                                       const trawl_costs *costs, const uint8_t *text, size_t length,
                                       trawl_qgram_tier *tier, trawl_error *error) {
    tier->fields = 0;
    if (!trawl_cpu_extracts() || tier->gram > TRAWL_QGRAM_FIELD_BYTES) {
        return TRAWL_OK;
    }
    /* The bit by which letters of either case differ is not looked at. */
    uint32_t most = tier->folded != 0 ? TRAWL_QGRAM_ROW_BIT : TRAWL_QGRAM_MOST_FIELD;
    place_table *table = NULL;
    if (length > 2 * TRAWL_QGRAM_FIELD_BYTES) {
        table = trawl_allocate(1, sizeof *table);
        if (table == NULL) {
            return trawl_fail_memory(error, "planning qgram", sizeof *table);
        }
    }
    const comparison self = {keys, distances, costs, text, length};
    trawl_qgram_tier best = *tier;
    double least = table == NULL ? 0 : cost_of(&self, tier, table);
    for (uint32_t more = 0; more <= MOST_MORE_BITS; more++) {
        trawl_qgram_tier offered = *tier;
        uint32_t bits = tier->row_bits + more + TRAWL_QGRAM_ROW_BIT;
        offered.fields = spread_bits(tier->gram, bits, most);
        offered.row_bits = all_bits(offered.fields) - TRAWL_QGRAM_ROW_BIT;
        uint32_t last = trawl_qgram_field(offered.fields, tier->gram - 1);
        if (last == 0 || offered.row_bits == 0 || offered.row_bits > TRAWL_QGRAM_MAX_ROW_BITS ||
            (more != 0 && offered.row_bits < tier->row_bits + more)) {
            continue; /* bytes that nothing would be known of, or nothing more to know */
        }
        if (table == NULL) {
            best = last >= LEAST_FIELD && more == 0 ? offered : best;
            continue;
        }
        double cost = cost_of(&self, &offered, table);
        if (cost < least) {
            least = cost;
            best = offered;
        }
    }
    trawl_release(table);
    *tier = best;
    return TRAWL_OK;
}

bool trawl_qgram_fields_sound(const trawl_qgram_tier *tier) {
    uint32_t fields = tier->fields;
    if (fields == 0) {
        return true;
    }
    uint32_t most = tier->folded != 0 ? TRAWL_QGRAM_ROW_BIT : TRAWL_QGRAM_MOST_FIELD;
    bool sound = tier->kind == TRAWL_TIER_BLOOM && tier->gram <= TRAWL_QGRAM_FIELD_BYTES &&
                 trawl_qgram_field(fields, 0) >= TRAWL_QGRAM_ROW_BIT &&
                 all_bits(fields) == tier->row_bits + TRAWL_QGRAM_ROW_BIT;
    for (uint32_t byte = 0; byte < TRAWL_QGRAM_FIELD_BYTES; byte++) {
        uint32_t width = trawl_qgram_field(fields, byte);
        sound = sound && width <= most && (width != 0) == (byte < tier->gram);
    }
    return sound;
}
