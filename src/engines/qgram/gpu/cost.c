/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/cost.h"

#include <math.h>

#include "costs/gpu_constants.h"

/*
 * A word is hit by some of the samples, by a number of them that is Poisson-distributed; each
 * leaves a given bit alone with 31/32 for each bit that it sets. So the chance that two bits asked
 * for are both set is the mean of (1 - (31/32)^(2 samples))^2, which is far more than the square of
 * the load where samples are few.
 */
double trawl_cuda_qgram_chance(uint32_t ones, double samples, uint32_t words) {
    double each = samples / words;
    if (ones == 1) {
        return 1 - exp(-each / 32);
    }
    double twice = 31.0 / 32 * 31 / 32;
    double clear = exp(-each * (1 - twice)), both_clear = exp(-each * (1 - twice * twice));
    return 1 - 2 * clear + both_clear;
}

/* What a tier with a FILTER of so many words adds. */
typedef struct price {
    double sieving;   /* while the text is read */
    double verifying; /* afterwards */
    double candidates;
} price;

/* A warp lists what its threads have in a window, of which it has 2 KB, or in half of one. */
static double listing(double candidates, uint32_t stride) {
    double halves = stride == 1 ? 2 : 1;
    return TRAWL_GPU_CANDIDATE_LIST * halves *
           (1 - exp(-TRAWL_GPU_BATCH_BYTES * candidates / halves));
}

static price price_of(const trawl_cuda_qgram_offer *offer, uint32_t words) {
    const trawl_cuda_qgram_tier *tier = &offer->tier;
    double chance = trawl_cuda_qgram_chance(tier->filter_ones, offer->samples, words);
    double real = offer->rate / tier->stride;
    double vain = (1 - offer->rate) * chance / tier->stride;
    double sample = TRAWL_GPU_SAMPLE + TRAWL_GPU_SAMPLE_WORD * (trawl_cuda_qgram_words(tier) - 1) +
                    TRAWL_GPU_SAMPLE_BIT * (tier->filter_ones - 1) +
                    (tier->place == TRAWL_CUDA_QGRAM_GLOBAL ? TRAWL_GPU_L2_LOOK_UP : 0);
    price result = {.candidates = real + vain};
    result.sieving = TRAWL_GPU_TIER + sample / tier->stride +
                     listing(result.candidates, tier->stride) +
                     (tier->folded != 0 ? TRAWL_GPU_FOLDED : 0);
    if (tier->stride == 1) {
        result.verifying = real * TRAWL_GPU_KEY_HIT + vain * TRAWL_GPU_KEY_MISS;
    } else {
        result.verifying = result.candidates * TRAWL_GPU_END_OFFSET_LOOK_UP +
                           real * TRAWL_GPU_ENDS_PER_CANDIDATE * TRAWL_GPU_KEY_HIT +
                           vain * TRAWL_GPU_END_OFFSET_LOAD * TRAWL_GPU_KEY_MISS;
    }
    return result;
}

void trawl_cuda_qgram_price_alone(trawl_cuda_qgram_offer *offer, uint32_t words) {
    if (offer->tier.place == TRAWL_CUDA_QGRAM_GLOBAL) {
        double wanted =
            ceil(offer->samples * TRAWL_GPU_GLOBAL_FILTER_BITS / 32 / TRAWL_GPU_FILTER_UNIT_WORDS);
        words = (uint32_t)fmin(fmax(wanted, 1) * TRAWL_GPU_FILTER_UNIT_WORDS,
                               TRAWL_GPU_GLOBAL_FILTER_WORDS);
        offer->tier.filter_words = words;
    }
    price alone = price_of(offer, words);
    offer->least = alone.sieving + alone.verifying;
}

/* Shared memory as it is given to tiers, in units. */
typedef struct sharing {
    trawl_cuda_qgram_offer *const *offers;
    uint32_t count;
    bool direct;
    uint32_t units[TRAWL_GPU_MOST_TIERS + 1]; /* of each; the last one is what no tier has */
    price prices[TRAWL_GPU_MOST_TIERS + 1];   /* what each one adds with them */
    /* With so many less, and with so many more, once that has been asked for. */
    uint32_t step;
    price less[TRAWL_GPU_MOST_TIERS + 1], more[TRAWL_GPU_MOST_TIERS + 1];
    bool has_less[TRAWL_GPU_MOST_TIERS + 1], has_more[TRAWL_GPU_MOST_TIERS + 1];
} sharing;

static bool is_shared(const trawl_cuda_qgram_offer *offer) {
    return offer->tier.place == TRAWL_CUDA_QGRAM_SHARED;
}

static price price_with(const sharing *self, uint32_t tier, uint32_t units) {
    if (tier == self->count) {
        return (price){.sieving = 0};
    }
    const trawl_cuda_qgram_offer *offer = self->offers[tier];
    uint32_t words = units * TRAWL_GPU_FILTER_UNIT_WORDS;
    return price_of(offer, is_shared(offer) ? words : offer->tier.filter_words);
}

/* The price of a scan: all of the sieve's work happens while memory is read. */
static double price_together(const sharing *self) {
    price sum = {.sieving = self->direct ? TRAWL_GPU_TIER + TRAWL_GPU_PAIR : 0};
    double filled = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        uint32_t words = self->units[i] * TRAWL_GPU_FILTER_UNIT_WORDS;
        sum.sieving += self->prices[i].sieving;
        sum.verifying += self->prices[i].verifying;
        sum.candidates += self->prices[i].candidates;
        filled += is_shared(self->offers[i]) ? words * TRAWL_GPU_FILTER_WORD_COPY : 0;
    }
    return fmax(sum.sieving, TRAWL_GPU_READ) +
           TRAWL_GPU_NOT_OVERLAPPED * fmin(sum.sieving, TRAWL_GPU_READ) + sum.verifying + filled;
}

static void forget_neighbours(sharing *self, uint32_t tier) {
    self->has_less[tier] = self->has_more[tier] = false;
}

/* Lets a step's units change hands if the price falls by that. */
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

double trawl_cuda_qgram_share(trawl_cuda_qgram_offer *const *offers, uint32_t count, bool direct,
                              uint32_t words) {
    sharing self = {.offers = offers, .count = count, .direct = direct};
    uint32_t least[TRAWL_GPU_MOST_TIERS + 1] = {0};
    uint32_t all = words / TRAWL_GPU_FILTER_UNIT_WORDS, tiers = 0;
    double samples = 0;
    for (uint32_t i = 0; i < count; i++) {
        least[i] = is_shared(offers[i]);
        samples += least[i] != 0 ? offers[i]->samples : 0;
        tiers += least[i];
    }
    if (all < tiers) {
        return INFINITY;
    }
    /* From equal loads on, units change hands as long as that pays: first many, in the end one. */
    self.units[count] = all - tiers;
    for (uint32_t i = 0; i < count; i++) {
        if (least[i] != 0) {
            uint32_t more = (uint32_t)((all - tiers) * fmin(offers[i]->samples / samples, 1));
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
        for (bool better = true; better;) {
            better = false;
            for (uint32_t from = 0; from <= count; from++) {
                for (uint32_t to = 0; to <= count; to++) {
                    bool takes = to == count || least[to] != 0;
                    if (from != to && takes && self.units[from] >= least[from] + step) {
                        better |= move_units(&self, from, to, &now);
                    }
                }
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (least[i] != 0) {
            offers[i]->tier.filter_words = self.units[i] * TRAWL_GPU_FILTER_UNIT_WORDS;
        }
    }
    return now;
}

double trawl_cuda_qgram_passing(trawl_cuda_qgram_offer *const *offers, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += price_of(offers[i], offers[i]->tier.filter_words).candidates;
    }
    return sum;
}
