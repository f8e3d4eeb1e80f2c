/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Rows of the sample filter by fields: the lowest bits of each byte of a sample, side by side,
 * instead of a product of all bytes (engines/qgram/format.h has a picture).
 *
 * A product spreads any set evenly over the rows, but takes a multiplication, a shift and a copy of
 * the number. x86 extracts fields by one instruction (BMI2: PEXT), so that a sample costs a quarter
 * less. Similar q-grams have rows near each other, so that text reads fewer cache lines of a large
 * table; and a table with a row for every value of the fields has no collisions. On the other hand,
 * bytes that differ only in their upper bits are the same to fields. Both ways are priced with a
 * sample of the text.
 * Measured: docs/notebook/2026-11-sample-filter.md, "Later steps".
 */
#ifndef TRAWL_ENGINES_QGRAM_BLOOM_FIELDS_H
#define TRAWL_ENGINES_QGRAM_BLOOM_FIELDS_H

#include "database/endings.h"
#include "engines/qgram/format.h"

/* How the place of a sample, the index of its bit in the filter, follows from its number. With
 * fields: byte i of the number is moved down by shift[i], and the bits mask[i] of that are taken.
 *
 *   place   | row                    | bit in the row, 5 bits | */
typedef struct trawl_qgram_placing {
    uint32_t bytes; /* 0: rows by products */
    bool wide;      /* a sample has more than eight bytes: the bit is by the product too */
    uint32_t row_bits;
    uint64_t multiplier;
    trawl_qgram_sample_fold fold; /* of a product of at most eight bytes; longer samples are folded
                                     before they are joined */
    uint64_t mask[TRAWL_QGRAM_FIELD_BYTES];
    uint32_t shift[TRAWL_QGRAM_FIELD_BYTES];
} trawl_qgram_placing;

trawl_qgram_placing trawl_qgram_placing_of(const trawl_qgram_tier *tier);

/* The price of a sample, in nanoseconds; `by_fields` is that of one whose row is found by fields.
 */
double trawl_qgram_placing_price(const trawl_costs *costs, const trawl_qgram_tier *tier,
                                 double by_fields);

/* Returns the place of a sample: its bytes, or its number if it has more than eight. */
static inline uint64_t trawl_qgram_place(const trawl_qgram_placing *self, uint64_t number) {
    if (self->wide) {
        return (uint64_t)trawl_qgram_row(number, self->multiplier,
                                         self->row_bits + TRAWL_QGRAM_ROW_BIT);
    }
    if (self->bytes == 0) {
        number = trawl_qgram_fold_sample(number, self->fold);
        return (uint64_t)trawl_qgram_row(number, self->multiplier, self->row_bits)
                   << TRAWL_QGRAM_ROW_BIT |
               (number & 31);
    }
    uint64_t place = 0;
    for (uint32_t byte = 0; byte < self->bytes; byte++) {
        place |= number >> self->shift[byte] & self->mask[byte];
    }
    return place;
}

/* Chooses between fields and products, and how products fold. Sets tier->fields, row_bits if fields
 * make the table smaller or larger, and fold_all. Fields need a processor with fast PEXT.
 * The tier is complete otherwise. `text` is a sample, which may be empty. TRAWL_ERROR_MEMORY. */
trawl_status trawl_qgram_choose_fields(const trawl_keys *keys, const trawl_costs *costs,
                                       const uint8_t *text, size_t length, trawl_qgram_tier *tier,
                                       trawl_error *error);

/* Fields of row_bits + 5 bits together, spread evenly over the bytes of a sample; 0 if there are
 * none with so many bits, or the last byte would have none. */
uint32_t trawl_qgram_spread_fields(uint32_t gram, uint32_t row_bits, bool folded);

/* Whether the fields of a loaded tier fit its other numbers. */
bool trawl_qgram_fields_are_valid(const trawl_qgram_tier *tier);

#endif
