/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How many keys end alike: an end of the text is looked up by its last bytes, and found by a binary
 * search among the keys that have these. */
#include <math.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "costs/prefix_hash.h"
#include "engines/qgram/gpu/division.h"
#include "engines/qgram/look_up_word.h"

/* Patterns of which endings are counted, at most. Two patterns in the same of four times as many
 * slots are taken to end alike. Chosen, not measured. */
#define MOST_COUNTED 65536u
#define SLOT_BITS 18u

static uint32_t slot_of(const trawl_cuda_division *self, uint32_t at, uint32_t bytes, bool folded) {
    const trawl_cuda_qgram_samples *samples = self->samples;
    const uint8_t *end =
        trawl_pattern_end(samples->patterns, samples->order[self->order[at]]) - bytes;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < bytes; i++) {
        hash = trawl_prefix_extend(hash, folded ? trawl_fold(end[i]) : end[i]);
    }
    return (uint32_t)(trawl_prefix_spread(hash) >> (64 - SLOT_BITS));
}

/* Of the patterns of the groups from `from` on: the mean number of steps of the search for one of
 * them. */
static double steps_from(const trawl_cuda_division *self, size_t from, bool folded,
                         uint32_t *slots) {
    const uint32_t bytes = trawl_qgram_look_up_bytes(self->least_length[from]);
    const uint32_t begin = self->begin[from], end = self->begin[self->groups];
    const uint32_t step = 1 + (end - begin) / MOST_COUNTED;
    double sum = 0, counted = 0;
    memset(slots, 0, sizeof *slots << SLOT_BITS);
    for (uint32_t at = begin; at < end; at += step) {
        slots[slot_of(self, at, bytes, folded)]++;
    }
    for (uint32_t at = begin; at < end; at += step, counted++) {
        const uint32_t others = slots[slot_of(self, at, bytes, folded)] - 1;
        sum += log2(1 + (double)others * step);
    }
    return sum / counted;
}

trawl_status trawl_cuda_division_count_alike(trawl_cuda_division *self, trawl_error *error) {
    const size_t bytes = sizeof(uint32_t) << SLOT_BITS;
    uint32_t *slots = trawl_allocate(1, bytes);
    if (slots == NULL) {
        return trawl_fail_memory(error, "choosing tiers", bytes);
    }
    bool folded = false;
    for (size_t from = self->groups; from-- > 0;) {
        folded |= self->folded[from];
        self->search_steps[from] = steps_from(self, from, folded, slots);
    }
    trawl_release(slots);
    return TRAWL_OK;
}
