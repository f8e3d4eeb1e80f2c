/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/rabin_karp/measure.h"

#include <math.h>

#include "base/allocate.h"
#include "base/status.h"
#include "constants/cpu.h"

/* Places of `known`, as a power of two: 16 for each pattern that is searched for. */
#define KNOWN_BITS (TRAWL_RABIN_KARP_TRIAL_LOG + 4)

/* An end of patterns. Of two ends with one place the first one stays. */
typedef struct known_end {
    uint16_t tag;  /* bits of its hash, and 1 */
    uint16_t keys; /* that end so; 0: the place is free */
} known_end;

/* One pass over the sample. */
typedef struct trial {
    const trawl_patterns *patterns;
    const uint8_t *text;
    size_t length;
    uint32_t shortest, past; /* lengths of the patterns of this pass: shortest .. past - 1 */
    uint32_t window;
    uint64_t count; /* patterns of this pass */
    trawl_rolling rolling;
    trawl_rolling_table table;
    known_end *known; /* 1 << KNOWN_BITS */
    uint8_t *keys;    /* a bit for each hash of a key: sets may have a pattern many times */
} trial;

/* Bytes of `known` and `keys`. */
#define TRIAL_BYTES ((sizeof(known_end) << KNOWN_BITS) + ((size_t)1 << (KNOWN_BITS - 3)))

/* A place in `known`. */
static size_t known_place(uint64_t hash) {
    return (size_t)(hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - KNOWN_BITS));
}

static uint16_t tag_of(uint64_t hash) {
    return (uint16_t)(hash >> 8 | 1);
}

/* Whether no pattern before had the same last bytes and the same length, up to
 * TRAWL_TRIAL_END_BYTES. */
static bool is_new_key(const trial *self, const uint8_t *past, uint32_t length) {
    uint64_t hash = length < TRAWL_TRIAL_END_BYTES ? length : TRAWL_TRIAL_END_BYTES;
    for (uint32_t i = 1; i <= length && i <= TRAWL_TRIAL_END_BYTES; i++) {
        hash = (hash + past[-(ptrdiff_t)i] + 1) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    size_t place = known_place(hash);
    bool is_new = (self->keys[place / 8] >> place % 8 & 1) == 0;
    self->keys[place / 8] |= (uint8_t)(1u << place % 8);
    return is_new;
}

/* Enters the ends of every `step`-th pattern of the pass (a power of two), from number `first` on.
 * Returns the number of ends that are new. */
static uint64_t add_ends(const trial *self, uint64_t first, uint64_t step) {
    uint64_t number = 0, added = 0;
    for (size_t id = 0; id < self->patterns->count; id++) {
        uint32_t length = trawl_pattern_length(self->patterns, id);
        if (length < self->shortest || length >= self->past || (number++ & (step - 1)) != first) {
            continue;
        }
        const uint8_t *past = trawl_pattern_end(self->patterns, id);
        uint64_t hash =
            trawl_rolling_hash(&self->rolling, &self->table, past - self->window, self->window);
        known_end *end = &self->known[known_place(hash)];
        bool is_new = is_new_key(self, past, length);
        if (end->keys == 0) {
            *end = (known_end){.tag = tag_of(hash), .keys = 1};
            added++;
        } else if (end->tag == tag_of(hash)) {
            end->keys = (uint16_t)(end->keys + (is_new && end->keys != UINT16_MAX));
        } else {
            added += is_new;
        }
    }
    return added;
}

/* Returns the share of the windows of the sample that are known. *steps: of binary searches, for a
 * window; one pattern in `step` has been added. */
static double search(const trial *self, uint64_t step, double *steps) {
    *steps = 0;
    if (self->length < self->window) {
        return 0;
    }
    uint64_t found = 0, hash = 0;
    for (size_t i = 0; i < self->length; i++) {
        hash = trawl_rolling_step(&self->rolling, hash, self->table.entering[self->text[i]]);
        const known_end *end = &self->known[known_place(hash)];
        if (end->keys != 0 && end->tag == tag_of(hash) && i + 1 >= self->window) {
            found++;
            *steps += log2(1 + (double)(end->keys - 1) * (double)step);
        }
    }
    double windows = (double)(self->length - self->window + 1);
    *steps /= windows;
    return (double)found / windows;
}

/* Sets the numbers of one pass, and adds its rates to the estimate. */
static void measure_pass(trial *self, uint32_t pass, trawl_rabin_karp_estimate *estimate) {
    uint64_t step = 1;
    while (self->count / step > UINT64_C(1) << TRAWL_RABIN_KARP_TRIAL_LOG) {
        step *= 2;
    }
    self->rolling = trawl_rolling_make(0, 0, self->window);
    trawl_rolling_table_make(&self->rolling, self->window, self->patterns->case_insensitive != 0,
                             &self->table);
    memset(self->known, 0, TRIAL_BYTES);
    uint64_t different = add_ends(self, 0, 2 * step);
    double steps, half = search(self, 2 * step, &steps), factor = (double)step;
    different += add_ends(self, step, 2 * step);
    double all = search(self, step, &steps);
    double exponent = half > 0 ? log2(all / half) : 1;
    double look_ups = all * pow(factor, exponent < 1 ? exponent : 1);
    look_ups = look_ups < 1 ? look_ups : 1;
    double ends = (double)different * factor;
    uint32_t bits = trawl_rabin_karp_filter_bits(ends < UINT32_MAX ? (uint32_t)ends : UINT32_MAX);
    double by_chance = -expm1(-ends / ldexp(1, (int)bits));
    estimate->filter_bytes[pass] = ldexp(1, (int)bits) / 8;
    estimate->look_ups += look_ups;
    estimate->steps += all > 0 ? steps * look_ups / all : 0;
    estimate->candidates += look_ups + (1 - look_ups) * by_chance;
}

trawl_status trawl_rabin_karp_measure(const trawl_patterns *patterns, const uint8_t *text,
                                      size_t length, trawl_rabin_karp_estimate *estimate,
                                      trawl_error *error) {
    *estimate = (trawl_rabin_karp_estimate){.passes = 0};
    trial self = {.patterns = patterns, .text = text, .length = length};
    uint32_t *counts = trawl_allocate_zeroed(patterns->max_length + 1, sizeof *counts);
    self.known = trawl_allocate(TRIAL_BYTES, 1);
    if (counts == NULL || self.known == NULL) {
        trawl_release(counts);
        trawl_release(self.known);
        return trawl_fail_memory(error, "planning", (uint64_t)TRIAL_BYTES);
    }
    self.keys = (uint8_t *)(self.known + ((size_t)1 << KNOWN_BITS));
    for (size_t id = 0; id < patterns->count; id++) {
        counts[trawl_pattern_length(patterns, id)]++;
    }
    uint32_t shortest[TRAWL_RABIN_KARP_MAX_PASSES], windows[TRAWL_RABIN_KARP_MAX_PASSES];
    estimate->passes = trawl_rabin_karp_group(patterns, counts, shortest, windows);
    for (uint32_t pass = 0; pass < estimate->passes; pass++) {
        self.shortest = shortest[pass];
        self.past = pass + 1 < estimate->passes ? shortest[pass + 1] : UINT32_MAX;
        self.window = windows[pass];
        self.count = 0;
        for (size_t i = self.shortest; i <= patterns->max_length && i < self.past; i++) {
            self.count += counts[i];
        }
        measure_pass(&self, pass, estimate);
    }
    trawl_release(counts);
    trawl_release(self.known);
    return TRAWL_OK;
}
