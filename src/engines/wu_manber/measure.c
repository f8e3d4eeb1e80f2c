/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/wu_manber/measure.h"

#include <math.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "constants/cpu.h"
#include "engines/wu_manber/format.h"

/* One window that moves over the sample. */
typedef struct walk {
    const trawl_patterns *patterns;
    const uint8_t *text;
    size_t length;
    uint32_t window, block, most; /* most: the largest shift */
    uint32_t tail;                /* last bytes that are looked up */
    uint32_t shift_bits, tail_bits;
    uint64_t case_bits;
    uint8_t *shift;  /* 1 << shift_bits entries */
    uint16_t *tails; /* for each hash of last bytes: the keys that have it; 1 << tail_bits */
    uint8_t *keys;   /* a bit for each hash of a key, 1 << tail_bits of them */
} walk;

/* The hash of the `tail` bytes before `end`. */
static size_t tail_slot(const walk *self, const uint8_t *end) {
    uint64_t word = 0;
    memcpy((uint8_t *)&word + sizeof word - self->tail, end - self->tail, self->tail);
    return (size_t)(((word | self->case_bits) * UINT64_C(0xd6e8feb86659fd93)) >>
                    (64 - self->tail_bits));
}

/* The hash of the last bytes of a pattern, of `most` at most. */
static uint64_t hash_end(const trawl_patterns *patterns, size_t id, uint32_t most) {
    uint32_t length = trawl_pattern_length(patterns, id);
    const uint8_t *past = trawl_pattern_end(patterns, id);
    uint64_t hash = length < most ? length : most;
    for (uint32_t i = 1; i <= length && i <= most; i++) {
        hash = (hash + past[-(ptrdiff_t)i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Whether the bit of a hash was 0; it is 1 then. */
static bool set_bit(uint8_t *bits, uint32_t log, uint64_t hash) {
    size_t bit = (size_t)(hash * UINT64_C(0xd6e8feb86659fd93) >> (64 - log));
    uint8_t mask = (uint8_t)(1u << bit % 8);
    bool is_new = (bits[bit / 8] & mask) == 0;
    bits[bit / 8] |= mask;
    return is_new;
}

/* Sets may have the same pattern many times: it is one key. */
static void add_pattern(const walk *self, size_t id) {
    const uint8_t *last = trawl_pattern_end(self->patterns, id) - 1;
    if (!set_bit(self->keys, self->tail_bits,
                 hash_end(self->patterns, id, TRAWL_TRIAL_END_BYTES))) {
        return;
    }
    for (uint32_t distance = 0; distance < self->most; distance++) {
        uint64_t value = trawl_wu_manber_block(last - distance, self->block, self->case_bits);
        uint8_t *shift = &self->shift[trawl_wu_manber_slot(value, self->shift_bits)];
        *shift = *shift < distance ? *shift : (uint8_t)distance;
    }
    uint16_t *keys = &self->tails[tail_slot(self, last + 1)];
    *keys = (uint16_t)(*keys + (*keys != UINT16_MAX));
}

/* `step`: one pattern in so many has been added. The first window may begin before the sample,
 * which may be shorter than a window: only its last bytes are looked at. */
static trawl_wu_manber_rates move_over_text(const walk *self, size_t step) {
    uint64_t windows = 0, zeros = 0, look_ups = 0;
    double steps = 0;
    const size_t first = (self->block > self->tail ? self->block : self->tail) - 1;
    for (size_t at = first; at < self->length; windows++) {
        uint64_t value = trawl_wu_manber_block(self->text + at, self->block, self->case_bits);
        uint32_t shift = self->shift[trawl_wu_manber_slot(value, self->shift_bits)];
        if (shift == 0) {
            uint16_t keys = self->tails[tail_slot(self, self->text + at + 1)];
            zeros++;
            look_ups += keys != 0;
            steps += keys != 0 ? log2(1 + (double)(keys - 1) * (double)step) : 0;
        }
        at += shift + (shift == 0);
    }
    double share = self->length <= first ? 0 : 1 / (double)(self->length - first);
    return (trawl_wu_manber_rates){(double)windows * share, (double)zeros * share,
                                   (double)look_ups * share, steps * share};
}

/* The number of different ends of the patterns, of as many bytes as a search window. Of large sets
 * it is estimated by one in `step` patterns. */
static double count_endings(const trawl_patterns *patterns, uint8_t *bits, size_t step) {
    uint32_t bytes = patterns->min_length < TRAWL_TRIAL_END_BYTES ? (uint32_t)patterns->min_length
                                                                  : TRAWL_TRIAL_END_BYTES;
    double different = 0, examined = 0;
    for (size_t id = 0; id < patterns->count; id += step, examined++) {
        different += set_bit(bits, TRAWL_WU_MANBER_ENDING_BITS, hash_end(patterns, id, bytes));
    }
    return different * (double)patterns->count / examined;
}

/* Decides block and sizes as the engine does; `step`: one pattern in so many is examined. */
static trawl_status prepare(walk *self, uint64_t most, uint32_t block, uint64_t max_table_bytes,
                            size_t *step, trawl_wu_manber_estimate *estimate, trawl_error *error) {
    const trawl_patterns *patterns = self->patterns;
    const uint64_t memory = max_table_bytes / TRAWL_WU_MANBER_MEMORY_DIVISOR;
    const size_t bytes = ((size_t)1 << TRAWL_WU_MANBER_ENDING_BITS) / 8;
    uint8_t *bits = trawl_allocate_zeroed(bytes, 1);
    if (bits == NULL) {
        return trawl_fail_memory(error, "planning", bytes);
    }
    size_t few = 1;
    while (patterns->count / few > (size_t)1 << (TRAWL_WU_MANBER_ENDING_BITS - 4)) {
        few *= 2;
    }
    uint32_t endings = (uint32_t)count_endings(patterns, bits, few);
    trawl_release(bits);
    self->window = (uint32_t)patterns->min_length;
    self->block = block;
    if (block == 0) {
        self->block = trawl_wu_manber_choose_block(endings, self->window,
                                                   trawl_endings_alphabet(patterns), memory);
    }
    self->block = self->block < self->window ? self->block : self->window;
    self->most = trawl_wu_manber_largest_shift(self->window, self->block);
    self->tail = self->window < TRAWL_WU_MANBER_TAIL ? self->window : TRAWL_WU_MANBER_TAIL;
    self->case_bits = trawl_wu_manber_case_bits(patterns->case_insensitive != 0);
    self->shift_bits = trawl_wu_manber_shift_bits(endings, self->window, self->block, memory);
    estimate->shift_bytes = (double)(UINT64_C(1) << self->shift_bits);
    estimate->block = self->block;
    /* Of many patterns some are examined, with a table that is smaller in proportion: by chance as
     * many blocks of the text meet its entries then. */
    for (*step = 1; patterns->count / *step * self->most > most;) {
        *step *= 2;
        self->shift_bits -= self->block > 2 && self->shift_bits > 8;
    }
    for (self->tail_bits = 8; UINT64_C(1) << self->tail_bits < 16 * patterns->count / *step;) {
        self->tail_bits++;
    }
    return TRAWL_OK;
}

trawl_status trawl_wu_manber_measure(const trawl_patterns *patterns, const uint8_t *text,
                                     size_t length, uint64_t most, uint32_t block,
                                     uint64_t max_table_bytes, trawl_wu_manber_estimate *estimate,
                                     trawl_error *error) {
    walk self = {.patterns = patterns, .text = text, .length = length};
    size_t step;
    trawl_status status = prepare(&self, most, block, max_table_bytes, &step, estimate, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const size_t shifts = (size_t)1 << self.shift_bits,
                 tails = sizeof *self.tails << self.tail_bits;
    const size_t keys = ((size_t)1 << self.tail_bits) / 8;
    self.tails = trawl_allocate(tails + shifts + keys, 1);
    if (self.tails == NULL) {
        return trawl_fail_memory(error, "planning", tails + shifts + keys);
    }
    self.shift = (uint8_t *)self.tails + tails;
    self.keys = self.shift + shifts;
    memset(self.shift, (int)self.most, shifts);
    memset(self.tails, 0, tails);
    memset(self.keys, 0, keys);
    size_t examined = (patterns->count + step - 1) / step;
    for (size_t i = 0; i < examined; i += 2) {
        add_pattern(&self, i * step);
    }
    estimate->half = move_over_text(&self, 2 * step);
    for (size_t i = 1; i < examined; i += 2) {
        add_pattern(&self, i * step);
    }
    estimate->all = move_over_text(&self, step);
    estimate->factor = (double)patterns->count / (double)examined;
    trawl_release(self.tails);
    return TRAWL_OK;
}
