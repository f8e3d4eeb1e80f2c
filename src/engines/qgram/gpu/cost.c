/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/cost.h"

#include <math.h>

/*
 * What things cost, in picoseconds of a whole H200 for a byte of text, a sample, or a case of what
 * is rarer. Only their proportions matter, and they are near enough for other devices.
 *
 * The filter's loop alone was measured with one tier and nothing verified
 * (docs/notebook/2026-11-gpu-qgram-steps.md): 4,300 GB/s at a stride of 4 with two bits, 3,600 at a
 * stride of 2 and 2,100 at a stride of 1 with one bit. That is what READING, ALONGSIDE, PER_TIER,
 * PER_SAMPLE and PER_ONE make of it; three tiers were measured at 976 GB/s, which is why each of
 * them pays PER_TIER. A look-up in the L2 cache is 160 G/s. What follows FILTER is near to what the
 * second step took (docs/notebook/2026-11-gpu-qgram-steps.md): 32 picoseconds for a candidate that
 * is there by chance, of which there are half as many as this model expects, and 41 to 50 where
 * keys or their beginnings are.
 */
#define READING 0.215   /* a byte, out of device memory */
#define ALONGSIDE 0.1   /* of the shorter one of reading and computing: what does not overlap */
#define PER_TIER 0.08   /* going over a byte for a tier */
#define PER_SAMPLE 0.36 /* a sample of one word and one bit */
#define PER_WORD 0.09   /* each further word of it */
#define PER_ONE 0.1     /* the second bit */
#define PER_PAIR 0.55
#define PER_FOLDED_BYTE 0.03
#define PER_GLOBAL 6.25      /* a look-up in the L2 cache instead of shared memory */
#define PER_BUNDLE 0.0135    /* listing candidates: 25 instructions for what a warp has at once */
#define PER_QUESTION 10.0    /* the second one: bytes of the text, and a look-up in the L2 cache */
#define PER_MISS 10.0        /* the third one, where the hash table has no such ending */
#define PER_END 30.0         /* where it has, mostly */
#define PER_WORD_FILLED 9e-8 /* a word of FILTER that all blocks copy, once for 1 GiB of text */

/* Of candidates that are there by chance, how many pass the second question (qgram_choose.c). */
#define ALIGN_LOAD 0.125

/* FILTERs in device memory have so many bits for a sample, and at most so many words. */
#define GLOBAL_BITS 24.0
#define MOST_GLOBAL_WORDS (UINT32_C(1) << 22)

#define MOST_TIERS 3u

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
    return PER_BUNDLE * halves * (1 - exp(-2048 * candidates / halves));
}

static price price_of(const trawl_cuda_qgram_offer *offer, uint32_t words) {
    const trawl_cuda_qgram_tier *tier = &offer->tier;
    double chance = trawl_cuda_qgram_chance(tier->filter_ones, offer->samples, words);
    double real = offer->rate / tier->stride;
    double vain = (1 - offer->rate) * chance / tier->stride;
    double sample = PER_SAMPLE + PER_WORD * (trawl_cuda_qgram_words(tier) - 1) +
                    PER_ONE * (tier->filter_ones - 1) +
                    (tier->place == TRAWL_CUDA_QGRAM_GLOBAL ? PER_GLOBAL : 0);
    price result = {.candidates = real + vain};
    result.sieving = PER_TIER + sample / tier->stride + listing(result.candidates, tier->stride) +
                     (tier->folded != 0 ? PER_FOLDED_BYTE : 0);
    if (tier->stride == 1) {
        result.verifying = real * PER_END + vain * PER_MISS;
    } else {
        result.verifying =
            result.candidates * PER_QUESTION + real * 1.2 * PER_END + vain * ALIGN_LOAD * PER_MISS;
    }
    return result;
}

void trawl_cuda_qgram_price_alone(trawl_cuda_qgram_offer *offer, uint32_t words) {
    if (offer->tier.place == TRAWL_CUDA_QGRAM_GLOBAL) {
        double wanted = ceil(offer->samples * GLOBAL_BITS / 32 / TRAWL_CUDA_QGRAM_UNIT_WORDS);
        words = (uint32_t)fmin(fmax(wanted, 1) * TRAWL_CUDA_QGRAM_UNIT_WORDS, MOST_GLOBAL_WORDS);
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
    uint32_t units[MOST_TIERS + 1]; /* of each; the last one is what no tier has */
    price prices[MOST_TIERS + 1];   /* what each one adds with them */
    /* With so many less, and with so many more, once that has been asked for. */
    uint32_t step;
    price less[MOST_TIERS + 1], more[MOST_TIERS + 1];
    bool has_less[MOST_TIERS + 1], has_more[MOST_TIERS + 1];
} sharing;

static bool is_shared(const trawl_cuda_qgram_offer *offer) {
    return offer->tier.place == TRAWL_CUDA_QGRAM_SHARED;
}

static price price_with(const sharing *self, uint32_t tier, uint32_t units) {
    if (tier == self->count) {
        return (price){.sieving = 0};
    }
    const trawl_cuda_qgram_offer *offer = self->offers[tier];
    uint32_t words = units * TRAWL_CUDA_QGRAM_UNIT_WORDS;
    return price_of(offer, is_shared(offer) ? words : offer->tier.filter_words);
}

/* The price of a scan: all of the sieve's work happens while memory is read. */
static double price_together(const sharing *self) {
    price sum = {.sieving = self->direct ? PER_TIER + PER_PAIR : 0};
    double filled = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        uint32_t words = self->units[i] * TRAWL_CUDA_QGRAM_UNIT_WORDS;
        sum.sieving += self->prices[i].sieving;
        sum.verifying += self->prices[i].verifying;
        sum.candidates += self->prices[i].candidates;
        filled += is_shared(self->offers[i]) ? words * PER_WORD_FILLED : 0;
    }
    return fmax(sum.sieving, READING) + ALONGSIDE * fmin(sum.sieving, READING) + sum.verifying +
           filled;
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
    uint32_t least[MOST_TIERS + 1] = {0};
    uint32_t all = words / TRAWL_CUDA_QGRAM_UNIT_WORDS, tiers = 0;
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
    for (uint32_t step = 64; step != 0; step /= 4) {
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
            offers[i]->tier.filter_words = self.units[i] * TRAWL_CUDA_QGRAM_UNIT_WORDS;
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
