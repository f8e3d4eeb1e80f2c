/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/cost.h"

#include <math.h>

#include "constants/gpu.h"
#include "engines/qgram/gpu/fuse_filter.h"

/* The probability that a sample which is not in the filter is a candidate. The number of samples of
 * the set in a word of the filter is Poisson-distributed. A sample with two bits leaves a given bit
 * of its word unset with probability (31/32)^2. So the probability that both bits of another sample
 * are set is the mean of (1 - (31/32)^(2 samples))^2 over that distribution. If a word has few
 * samples, this is far more than the square of the share of bits that are set. */
double trawl_cuda_qgram_false_rate(uint32_t ones, double samples, uint32_t words) {
    double each = samples / words;
    if (ones == 1) {
        return 1 - exp(-each / 32);
    }
    double twice = 31.0 / 32 * 31 / 32;
    double clear = exp(-each * (1 - twice)), both_clear = exp(-each * (1 - twice * twice));
    return 1 - 2 * clear + both_clear;
}

/* What a tier with a filter of some size adds to the price. */
typedef struct price {
    double filtering;  /* while the text is read */
    double verifying;  /* afterwards */
    double candidates; /* for a byte of text */
} price;

/* The price of listing candidates. A warp writes one list entry for each thread that has candidates
 * in a batch; at a stride of 1, in half of a batch. */
static double listing(double candidates, uint32_t stride) {
    double halves = stride == 1 ? 2 : 1;
    return TRAWL_GPU_CANDIDATE_LIST * halves *
           (1 - exp(-TRAWL_GPU_BATCH_BYTES * candidates / halves));
}

/* The false candidate rate of an option. By cores, a sample has two bits, each in a word of its
 * own. A fuse filter without room for its samples excludes nothing. */
static double false_rate(const trawl_cuda_qgram_option *option, uint32_t words) {
    const trawl_cuda_qgram_tier *tier = &option->tier;
    if (tier->fuse_range != 0) {
        return trawl_fuse_has_room(option->samples, words) ? 1.0 / 256 : 1;
    }
    return tier->cores != 0
               ? fmin(1,
                      option->chance * trawl_cuda_qgram_false_rate(1, 2 * option->samples, words))
               : trawl_cuda_qgram_false_rate(tier->filter_bits, option->samples, words);
}

/* The price of a test of one sample. */
static double testing(const trawl_cuda_qgram_tier *tier) {
    if (tier->cores != 0) {
        return TRAWL_GPU_SAMPLE_CORE;
    }
    return TRAWL_GPU_SAMPLE + TRAWL_GPU_SAMPLE_WORD * (trawl_cuda_qgram_words(tier) - 1) +
           TRAWL_GPU_SAMPLE_BIT * (tier->filter_bits - 1) +
           (tier->fuse_range != 0 ? TRAWL_GPU_SAMPLE_FUSE : 0) +
           (tier->place == TRAWL_CUDA_QGRAM_GLOBAL ? TRAWL_GPU_L2_LOOK_UP : 0);
}

/* The ends of keys for a byte of text to which true candidates lead. */
static double ends_of(const trawl_cuda_qgram_option *option) {
    double each =
        option->tier.anchors != 0 || option->tier.stride == 1 ? 1 : TRAWL_GPU_ENDS_PER_CANDIDATE;
    return each * option->true_rate / option->tier.stride;
}

/* The ends to which a true candidate leads beyond those above: of so many keys that have its
 * sample, each ends at one of the offsets. */
static double other_ends(const trawl_cuda_qgram_option *option) {
    const double offsets = TRAWL_CUDA_QGRAM_ANCHOR_SLACK;
    const double keys = option->keys * option->tier.stride / fmax(option->samples, 1);
    return fmax(offsets * (1 - exp(-keys / offsets)) - TRAWL_GPU_ENDS_PER_CANDIDATE, 0);
}

/* The price of verifying candidates of free anchors. In a crowded bucket each distance from the end
 * of a key, of the mean length, may have a key, which is looked up by its ending. */
static double verifying_anchors(const trawl_cuda_qgram_option *option, double candidates) {
    const double stride = option->tier.stride;
    const double ends = fmin(option->length - option->tier.gram + 1, TRAWL_ANCHORS_MOST_ENTRIES);
    const double bucket = option->bucket * (option->general ? TRAWL_GPU_GENERAL_BUCKET : 1);
    const double compared =
        option->compared * (TRAWL_GPU_BUCKET_KEY + TRAWL_GPU_KEY_BYTE * option->bytes);
    return candidates * bucket + (option->true_rate + option->further) / stride * compared +
           option->further / stride * TRAWL_GPU_BUCKET_ENTRY +
           option->crowded / stride * ends * (TRAWL_GPU_LOOK_UP + TRAWL_GPU_KEY_HIT);
}

static price price_of(const trawl_cuda_qgram_option *option, uint32_t words) {
    const trawl_cuda_qgram_tier *tier = &option->tier;
    double chance = false_rate(option, words);
    double true_candidates = option->true_rate / tier->stride;
    double key_hit = TRAWL_GPU_KEY_HIT + TRAWL_GPU_KEY_BYTE * option->length +
                     TRAWL_GPU_SEARCH_STEP * option->search_steps;
    double false_candidates = (1 - option->true_rate) * chance / tier->stride;
    price result = {.candidates = true_candidates + false_candidates};
    result.filtering = TRAWL_GPU_TIER + testing(tier) / tier->stride +
                       listing(result.candidates, tier->stride) +
                       (tier->folded != 0 ? TRAWL_GPU_FOLDED : 0);
    if (tier->anchors != 0) {
        result.verifying = verifying_anchors(option, result.candidates);
    } else if (tier->stride == 1) {
        result.verifying = ends_of(option) * key_hit + false_candidates * TRAWL_GPU_LOOK_UP;
    } else {
        result.verifying =
            result.candidates * TRAWL_GPU_LOOK_UP + ends_of(option) * key_hit +
            true_candidates * other_ends(option) * TRAWL_GPU_LOOK_UP +
            false_candidates / TRAWL_GPU_END_OFFSET_ENTRIES_PER_SAMPLE * TRAWL_GPU_LOOK_UP;
    }
    return result;
}

void trawl_cuda_qgram_price_alone(trawl_cuda_qgram_option *option, uint32_t words) {
    if (option->tier.place == TRAWL_CUDA_QGRAM_GLOBAL) {
        double wanted =
            ceil(option->samples * TRAWL_GPU_FILTER_BITS / 32 / TRAWL_GPU_FILTER_UNIT_WORDS);
        words = (uint32_t)fmin(fmax(wanted, 1) * TRAWL_GPU_FILTER_UNIT_WORDS,
                               TRAWL_GPU_GLOBAL_FILTER_WORDS);
        option->tier.filter_words = words;
    }
    price alone = price_of(option, words);
    option->price_alone = alone.filtering + alone.verifying;
}

/* A division of the shared memory among the tiers, in units of TRAWL_GPU_FILTER_UNIT_WORDS. It is
 * improved by moving units from one tier to another as long as the price falls. */
typedef struct sharing {
    trawl_cuda_qgram_option *const *options;
    uint32_t count;
    bool direct;
    uint32_t units[TRAWL_GPU_MOST_TIERS + 1]; /* of each tier; the last entry is unused memory */
    price prices[TRAWL_GPU_MOST_TIERS + 1];   /* of each tier with these units */
    /* The prices with `step` fewer and `step` more units, if they have been computed. */
    uint32_t step;
    price less[TRAWL_GPU_MOST_TIERS + 1], more[TRAWL_GPU_MOST_TIERS + 1];
    bool has_less[TRAWL_GPU_MOST_TIERS + 1], has_more[TRAWL_GPU_MOST_TIERS + 1];
} sharing;

static bool is_shared(const trawl_cuda_qgram_option *option) {
    return option->tier.place == TRAWL_CUDA_QGRAM_SHARED;
}

static price price_with(const sharing *self, uint32_t tier, uint32_t units) {
    if (tier == self->count) {
        return (price){.filtering = 0};
    }
    const trawl_cuda_qgram_option *option = self->options[tier];
    uint32_t words = units * TRAWL_GPU_FILTER_UNIT_WORDS;
    return price_of(option, is_shared(option) ? words : option->tier.filter_words);
}

/* The price of a scan. The filter step and reading memory overlap, but not completely. */
static double price_together(const sharing *self) {
    price sum = {.filtering = self->direct ? TRAWL_GPU_TIER + TRAWL_GPU_PAIR : 0};
    double filled = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        uint32_t words = self->units[i] * TRAWL_GPU_FILTER_UNIT_WORDS;
        sum.filtering += self->prices[i].filtering;
        sum.verifying += self->prices[i].verifying;
        sum.candidates += self->prices[i].candidates;
        filled += is_shared(self->options[i]) ? words * TRAWL_GPU_FILTER_WORD_COPY : 0;
    }
    return fmax(sum.filtering, TRAWL_GPU_READ) +
           TRAWL_GPU_NOT_OVERLAPPED * fmin(sum.filtering, TRAWL_GPU_READ) + sum.verifying + filled;
}

static void forget_neighbours(sharing *self, uint32_t tier) {
    self->has_less[tier] = self->has_more[tier] = false;
}

/* Moves `step` units from one tier to another if that lowers the price. */
static bool move_units(sharing *self, uint32_t from, uint32_t to, double *now) {
    const price price_from = self->prices[from], price_to = self->prices[to];
    if (!self->has_less[from]) {
        self->less[from] = price_with(self, from, self->units[from] - self->step);
        self->has_less[from] = true;
    }
    if (!self->has_more[to]) {
        self->more[to] = price_with(self, to, self->units[to] + self->step);
        self->has_more[to] = true;
    }
    self->units[from] -= self->step;
    self->units[to] += self->step;
    self->prices[from] = self->less[from];
    self->prices[to] = self->more[to];
    double then = price_together(self);
    if (then < *now) {
        *now = then;
        forget_neighbours(self, from);
        forget_neighbours(self, to);
        return true;
    }
    self->units[from] += self->step;
    self->units[to] -= self->step;
    self->prices[from] = price_from;
    self->prices[to] = price_to;
    return false;
}

double trawl_cuda_qgram_share_memory(trawl_cuda_qgram_option *const *options, uint32_t count,
                                     bool direct, uint32_t words) {
    sharing self = {.options = options, .count = count, .direct = direct};
    uint32_t least[TRAWL_GPU_MOST_TIERS + 1] = {0};
    uint32_t all = words / TRAWL_GPU_FILTER_UNIT_WORDS, tiers = 0;
    double samples = 0;
    for (uint32_t i = 0; i < count; i++) {
        least[i] = is_shared(options[i]);
        samples += least[i] != 0 ? options[i]->samples : 0;
        tiers += least[i];
    }
    if (all < tiers) {
        return INFINITY;
    }
    /* Starts with about the same load for all filters, and moves units as long as that pays: first
     * many at a time, in the end single ones. */
    self.units[count] = all - tiers;
    for (uint32_t i = 0; i < count; i++) {
        if (least[i] != 0) {
            uint32_t more = (uint32_t)((all - tiers) * fmin(options[i]->samples / samples, 1));
            more = more < self.units[count] ? more : self.units[count];
            self.units[i] = 1 + more;
            self.units[count] -= more;
        }
        self.prices[i] = price_with(&self, i, self.units[i]);
    }
    double now = price_together(&self);
    for (uint32_t step = TRAWL_GPU_FIRST_EXCHANGE; step != 0; step /= TRAWL_GPU_EXCHANGE_RATIO) {
        self.step = step;
        for (uint32_t i = 0; i <= count; i++) {
            forget_neighbours(&self, i);
        }
        bool better;
        do {
            better = false;
            for (uint32_t from = 0; from <= count; from++) {
                for (uint32_t to = 0; to <= count; to++) {
                    bool takes = to == count || least[to] != 0;
                    if (from != to && takes && self.units[from] >= least[from] + step) {
                        better |= move_units(&self, from, to, &now);
                    }
                }
            }
        } while (better);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (least[i] != 0) {
            options[i]->tier.filter_words = self.units[i] * TRAWL_GPU_FILTER_UNIT_WORDS;
        }
    }
    return now;
}

double trawl_cuda_qgram_candidate_rate(trawl_cuda_qgram_option *const *options, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += price_of(options[i], options[i]->tier.filter_words).candidates;
    }
    return sum;
}

double trawl_cuda_qgram_end_rate(trawl_cuda_qgram_option *const *options, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += ends_of(options[i]);
    }
    return sum;
}
