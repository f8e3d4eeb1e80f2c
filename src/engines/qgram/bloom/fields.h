/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Which bits of a sample say its row in FILTER, where no product does.
 *
 * A product of all bytes of a sample spreads any set evenly over the rows, but takes a
 * multiplication, a shift and a copy of the number. x86 has an instruction that brings chosen bits
 * of a number together (BMI2: PEXT), and the lowest bits of each byte are most of what there is to
 * know about it: with as many of them as rows need, a sample costs a quarter less, q-grams that are
 * alike stand near each other, so that fewer lines of a large table are read, and a table of all
 * these bits lets nothing through by chance. Where few bits of many bytes are taken, more may pass
 * than by a product; both are tried with a sample of the text.
 */
#ifndef TRAWL_ENGINES_QGRAM_BLOOM_FIELDS_H
#define TRAWL_ENGINES_QGRAM_BLOOM_FIELDS_H

#include "database/endings.h"
#include "engines/qgram/format.h"

/* How row and bit of a sample, in one number, follow from its bytes: of each of so many bytes these
 * bits, moved down to their place. */
typedef struct trawl_qgram_placing {
    uint32_t bytes; /* 0: rows by products */
    uint32_t row_bits;
    uint64_t multiplier;
    uint64_t mask[TRAWL_QGRAM_FIELD_BYTES];
    uint32_t shift[TRAWL_QGRAM_FIELD_BYTES];
} trawl_qgram_placing;

trawl_qgram_placing trawl_qgram_placing_of(const trawl_qgram_tier *tier);

/* The row's number above TRAWL_QGRAM_ROW_BIT bits that say which of its bits. */
static inline uint64_t trawl_qgram_place(const trawl_qgram_placing *self, uint64_t number) {
    if (self->bytes == 0) {
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

/* Sets tier->fields, and row_bits where the bytes have no more bits to tell, or leaves both as they
 * are where products are better. The tier is complete otherwise. `distances` are those of
 * engines/qgram/anchor.h, NULL where the tier has no reach. `text` is a sample, which may be empty.
 * TRAWL_ERROR_MEMORY. */
trawl_status trawl_qgram_choose_fields(const trawl_keys *keys, const uint8_t *distances,
                                       const trawl_costs *costs, const uint8_t *text, size_t length,
                                       trawl_qgram_tier *tier, trawl_error *error);

/* Whether a damaged database cannot have them. */
bool trawl_qgram_fields_sound(const trawl_qgram_tier *tier);

#endif
