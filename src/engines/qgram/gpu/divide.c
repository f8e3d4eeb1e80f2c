/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/divide.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "costs/gpu_constants.h"
#include "engines/qgram/gpu/cost.h"

#define SEEN_ONES 2u /* bits that a sample has in the FILTER where it is tried */

#define CLASSES TRAWL_CUDA_QGRAM_CLASSES
#define LAST_BYTES ((size_t)TRAWL_CUDA_QGRAM_SEEN_WORDS * 32)

/* Kinds of samples. */
static const struct {
    uint32_t stride, words;
} shapes[] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 3}, {8, 2}, {8, 3}, {16, 4}};
#define SHAPES (sizeof shapes / sizeof *shapes)
#define OFFERS (2 * SHAPES)

/* What one tier may be that has certain classes of lengths, the cheapest first. */
typedef struct offers {
    trawl_cuda_qgram_offer each[OFFERS];
    uint32_t count;
} offers;

typedef struct chooser {
    trawl_cuda_qgram_samples *samples;
    const uint8_t *walked;          /* by pattern: 1: it is none of this division's; or NULL */
    uint32_t *place;                /* in samples->order, of this division's patterns, by class */
    uint32_t begin[CLASSES + 1];    /* of each class in it; classes are not empty */
    uint32_t least_length[CLASSES]; /* its shortest pattern */
    uint32_t most_length[CLASSES];  /* its longest one */
    bool folded[CLASSES];
    size_t classes;
    uint32_t most_tiers;
    bool direct;                    /* there are patterns of one and two bytes */
    uint8_t *last;                  /* for each bit that samples have: see first_of; zeros */
    uint32_t words;                 /* of shared memory, for FILTERs */
    offers (*offered)[CLASSES + 1]; /* [from][past]: one tier for these classes */
    double least[CLASSES + 1];      /* what the classes from this one on cost at least */
    trawl_cuda_qgram_offer *now[TRAWL_GPU_MOST_TIERS];
    trawl_cuda_qgram_tier best[TRAWL_GPU_MOST_TIERS]; /* of rising lengths */
    size_t best_from[TRAWL_GPU_MOST_TIERS + 1];       /* the classes where they begin */
    uint32_t best_count;
    double best_price, best_passing;
} chooser;

/* ------------------------------------------------------------------ classes of lengths */

/* Leaves out what is walked, and classes of which nothing is left. */
static trawl_status divide(chooser *self, trawl_error *error) {
    const trawl_cuda_qgram_samples *samples = self->samples;
    const trawl_patterns *patterns = samples->patterns;
    const size_t places = samples->begin[samples->classes];
    self->place = trawl_allocate(places, sizeof *self->place);
    if (self->place == NULL) {
        return trawl_fail_memory(error, "dividing the patterns", places * sizeof *self->place);
    }
    uint32_t count = 0;
    for (uint32_t class = 0; class < samples->classes; class ++) {
        uint32_t least = UINT32_MAX, most = 0;
        bool folded = false;
        const uint32_t before = count;
        for (uint32_t place = samples->begin[class]; place < samples->begin[class + 1]; place++) {
            uint32_t id = samples->order[place], length = trawl_pattern_length(patterns, id);
            if (self->walked != NULL && self->walked[id] != 0) {
                continue;
            }
            self->place[count++] = place;
            least = length < least ? length : least;
            most = length > most ? length : most;
            folded |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        }
        if (count != before) {
            self->least_length[self->classes] = least;
            self->most_length[self->classes] = most;
            self->folded[self->classes] = folded;
            self->begin[++self->classes] = count;
        }
    }
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ trying a kind of sample */

/*
 * Samples are put into a FILTER class by class, for tiers that begin with any of them at once: for
 * each bit there is the last class that has set it, so that it is set for the tiers that begin with
 * this class or an earlier one. Classes are counted from 1, so 0 is a bit that nobody has set.
 */
static uint8_t *first_of(uint8_t *last, uint32_t mark) {
    return &last[trawl_cuda_qgram_mark_word(mark) * 32 + trawl_cuda_qgram_mark_first(mark)];
}
static uint8_t *second_of(uint8_t *last, uint32_t mark) {
    return &last[trawl_cuda_qgram_mark_word(mark) * 32 + trawl_cuda_qgram_mark_second(mark)];
}

/* Adds a class. samples[from]: how many were new, for tiers that begin with that class. */
static void add_class(const chooser *self, const trawl_cuda_qgram_tier *tier,
                      const trawl_cuda_qgram_kind *kind, size_t class, uint32_t *samples) {
    uint32_t room[TRAWL_CUDA_QGRAM_MOST_STRIDE];
    uint32_t seen[CLASSES + 1] = {0}; /* by the last class that had them, as it seems */
    uint8_t *last = self->last, now = (uint8_t)(class + 1);
    const uint32_t *places = self->place, end = self->begin[class + 1], stride = tier->stride;
    for (uint32_t i = self->begin[class]; i < end; i++) {
        const uint32_t *marks =
            kind->marks == NULL ? trawl_cuda_qgram_end_offsets(self->samples, tier, places[i], room)
                                : kind->marks + (size_t)(places[i] - kind->from) * stride;
        for (uint32_t j = 0; j < stride; j++) {
            uint8_t *first = first_of(last, marks[j]), *second = second_of(last, marks[j]);
            seen[*first < *second ? *first : *second]++;
            *first = *second = now;
        }
    }
    uint32_t new = 0;
    for (size_t from = 0; from <= class; from++) {
        new += seen[from]; /* had by classes before this one only, or by none */
        samples[from] += new;
    }
}

/* passed[from]: how many of the text's samples are among those of a tier that begins there. */
static void ask(const chooser *self, const trawl_cuda_qgram_kind *kind, size_t *passed) {
    size_t seen[CLASSES + 1] = {0}, sum = 0;
    for (size_t i = 0; i < kind->asked_count; i++) {
        uint8_t first = *first_of(self->last, kind->asked[i]);
        uint8_t second = *second_of(self->last, kind->asked[i]);
        seen[first < second ? first : second]++;
    }
    for (size_t from = CLASSES; from-- > 0;) {
        sum += seen[from + 1];
        passed[from] = sum;
    }
}

/* The share of samples of the text that are among `samples` of the set. */
static double rate_of(size_t passed, size_t asked, uint32_t samples) {
    double chance = trawl_cuda_qgram_chance(SEEN_ONES, samples, TRAWL_CUDA_QGRAM_SEEN_WORDS);
    double rate = asked == 0 ? 0 : ((double)passed / (double)asked - chance) / (1 - chance);
    return rate > 0 ? rate : 0;
}

/* Keeps an offer: a range's are few, and in order; of equal ones the shorter stride is first. */
static void keep(const chooser *self, offers *kept, trawl_cuda_qgram_offer offer) {
    trawl_cuda_qgram_price_alone(&offer, self->words);
    uint32_t at = kept->count++;
    for (; at > 0; at--) {
        const trawl_cuda_qgram_offer *before = &kept->each[at - 1];
        if (before->least < offer.least ||
            (before->least <= offer.least && before->tier.stride <= offer.tier.stride)) {
            break;
        }
        kept->each[at] = *before;
    }
    kept->each[at] = offer;
}

/* What a tier for the classes [from, past) would be, whose samples have been tried. */
static void make_offers(chooser *self, size_t from, size_t past, trawl_cuda_qgram_tier tier,
                        uint32_t samples, double rate) {
    tier.min_length = self->least_length[from];
    if (tier.stride != 1) { /* entries of ALIGN, of which one in eight is used */
        tier.align_bits = 8;
        while (tier.align_bits < 26 &&
               (UINT64_C(1) << tier.align_bits) <
                   TRAWL_GPU_END_OFFSET_ENTRIES_PER_SAMPLE * (uint64_t)samples) {
            tier.align_bits++;
        }
    }
    trawl_cuda_qgram_offer offer = {.tier = tier, .samples = samples, .rate = rate};
    offers *kept = &self->offered[from][past];
    keep(self, kept, offer);
    if (tier.stride == 1) {
        offer.tier.filter_ones = 1;
        keep(self, kept, offer);
    } else if (tier.stride >= 4) {
        offer.tier.place = TRAWL_CUDA_QGRAM_GLOBAL;
        keep(self, kept, offer);
    }
}

/* Tries one kind of sample for all tiers that begin with one of these classes, of which `first` is
 * the first one. */
static void try_samples(chooser *self, const trawl_cuda_qgram_tier *tier, size_t first,
                        const bool *begins) {
    const trawl_cuda_qgram_kind *kind = trawl_cuda_qgram_kind_of(self->samples, tier);
    uint32_t samples[CLASSES] = {0};
    size_t passed[CLASSES];
    for (size_t class = first; class < self->classes; class ++) {
        const size_t past = class + 1;
        add_class(self, tier, kind, class, samples);
        /* Of two tiers at most, one begins with the first class or the other ends with the last. */
        bool any = past == self->classes || self->most_tiers > 2;
        if (!any && (first != 0 || !begins[0])) {
            continue;
        }
        ask(self, kind, passed);
        for (size_t from = first; from <= class && (any || from == 0); from++) {
            if (begins[from]) {
                double rate = rate_of(passed[from], kind->asked_all, samples[from]);
                make_offers(self, from, past, *tier, samples[from], rate);
            }
        }
    }
    memset(self->last, 0, (size_t)kind->words * 32);
}

/* The bytes of samples of a shape, in tiers that begin with a class; 0: there are none. */
static uint32_t gram_of(const chooser *self, size_t from, size_t shape) {
    uint32_t stride = shapes[shape].stride, words = shapes[shape].words;
    if (self->least_length[from] < stride + 1) {
        return 0;
    }
    uint32_t gram = self->least_length[from] - stride + 1;
    gram = gram < 4 * words ? gram : 4 * words;
    return gram > 4 * (words - 1) && gram >= 2 ? gram : 0;
}

/* Tries all samples of so many bytes. */
static trawl_status try_gram(chooser *self, uint32_t gram, bool folded, trawl_error *error) {
    trawl_cuda_qgram_tier tier[SHAPES];
    bool begins[SHAPES][CLASSES];
    size_t first[SHAPES], count = 0;
    uint32_t from_place[SHAPES];
    for (size_t shape = 0; shape < SHAPES; shape++) {
        bool any_folded = false;
        first[count] = self->classes;
        for (size_t from = self->classes; from-- > 0;) {
            any_folded |= self->folded[from];
            begins[count][from] = any_folded == folded && gram_of(self, from, shape) == gram;
            first[count] = begins[count][from] ? from : first[count];
        }
        if (first[count] != self->classes) {
            from_place[count] = self->place[self->begin[first[count]]];
            tier[count++] = (trawl_cuda_qgram_tier){.place = TRAWL_CUDA_QGRAM_SHARED,
                                                    .stride = shapes[shape].stride,
                                                    .gram = gram,
                                                    .filter_ones = SEEN_ONES,
                                                    .folded = folded};
        }
    }
    trawl_status status =
        trawl_cuda_qgram_samples_read(self->samples, tier, from_place, count, error);
    for (size_t i = 0; status == TRAWL_OK && i < count; i++) {
        try_samples(self, &tier[i], first[i], begins[i]);
    }
    return status;
}

static trawl_status try_all(chooser *self, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    for (uint32_t gram = 2; status == TRAWL_OK && gram <= TRAWL_CUDA_QGRAM_MOST_GRAM; gram++) {
        status = try_gram(self, gram, false, error);
        if (status == TRAWL_OK) {
            status = try_gram(self, gram, true, error);
        }
    }
    return status;
}

/* ------------------------------------------------------------------ putting tiers together */

/* Prices the tiers in `now`, which begin with the classes `begins`. */
static void weigh(chooser *self, const size_t *begins, uint32_t count) {
    double price = trawl_cuda_qgram_share(self->now, count, self->direct, self->words);
    if (price < self->best_price) {
        self->best_price = price;
        self->best_passing = trawl_cuda_qgram_passing(self->now, count);
        self->best_count = count;
        for (uint32_t i = 0; i < count; i++) {
            self->best[i] = self->now[i]->tier;
            self->best_from[i] = begins[i];
        }
        self->best_from[count] = self->classes;
    }
}

/* Tries all tiers for the classes from begins[depth] on, behind `depth` tiers that cost `before` at
 * least, leaving out what cannot become the best. */
static void divide_further(chooser *self, size_t *begins, uint32_t depth, double before) {
    size_t from = begins[depth];
    for (size_t past = self->classes; past > from; past--) {
        if (past < self->classes && depth + 1 == self->most_tiers) {
            return;
        }
        offers *offered = &self->offered[from][past];
        for (uint32_t i = 0; i < offered->count; i++) {
            double sum = before + offered->each[i].least;
            if (sum + self->least[past] >= self->best_price) {
                break;
            }
            self->now[depth] = &offered->each[i];
            if (past == self->classes) {
                weigh(self, begins, depth + 1);
            } else if (depth + 1 <
                       TRAWL_GPU_MOST_TIERS) { /* always: compilers do not see it from above */
                begins[depth + 1] = past;
                divide_further(self, begins, depth + 1, sum);
            }
        }
    }
}

/* The cheapest division; tiers of longer patterns come first. */
static void put_together(chooser *self, trawl_cuda_qgram_layout *layout) {
    for (size_t from = self->classes; from-- > 0;) {
        self->least[from] = INFINITY;
        for (size_t past = from + 1; past <= self->classes; past++) {
            const offers *offered = &self->offered[from][past];
            double least = offered->count == 0 ? INFINITY : offered->each[0].least;
            self->least[from] = fmin(self->least[from], least + self->least[past]);
        }
    }
    size_t begins[TRAWL_GPU_MOST_TIERS] = {0};
    divide_further(self, begins, 0, 0);
    for (uint32_t i = self->best_count; i-- > 0;) {
        trawl_cuda_qgram_tier *tier = &layout->tier[layout->tiers++];
        *tier = self->best[i];
        tier->folded = 0;
        for (size_t class = self->best_from[i]; class < self->best_from[i + 1]; class ++) {
            uint32_t longest = self->most_length[class];
            tier->max_length = longest > tier->max_length ? longest : tier->max_length;
            tier->folded |= self->folded[class];
        }
    }
}

static void release(chooser *self) {
    if (self != NULL) {
        trawl_release(self->place);
        trawl_release(self->last);
        trawl_release(self->offered);
        trawl_release(self);
    }
}

static trawl_status fail_shared(size_t needed, size_t shared_bytes, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_LIMIT,
                      "qgram's tables need %zu bytes of the device's shared memory, and there is "
                      "room for %zu; engine ac-dfa needs less",
                      needed, shared_bytes);
}

static trawl_status prepare(chooser *self, trawl_error *error) {
    size_t bytes = CLASSES * sizeof *self->offered;
    self->last = trawl_allocate_zeroed(LAST_BYTES, 1);
    self->offered = trawl_allocate_zeroed(1, bytes);
    if (self->last == NULL || self->offered == NULL) {
        return trawl_fail_memory(error, "choosing tiers", bytes + LAST_BYTES);
    }
    self->best_price = INFINITY;
    return divide(self, error);
}

static trawl_status choose(chooser *self, size_t shared_bytes, trawl_cuda_qgram_layout *layout,
                           trawl_error *error) {
    const trawl_patterns *patterns = self->samples->patterns;
    bool folded = false;
    for (size_t id = 0; id < patterns->count; id++) {
        bool walked = self->walked != NULL && self->walked[id] != 0;
        if (trawl_pattern_length(patterns, id) < 3 && !walked) {
            self->direct = true;
            folded |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        }
    }
    size_t pairs = self->direct ? 4 * (size_t)TRAWL_CUDA_QGRAM_PAIR_WORDS : 0;
    if (pairs > shared_bytes) {
        return fail_shared(pairs, shared_bytes, error);
    }
    self->words = (uint32_t)((shared_bytes - pairs) / 4);
    trawl_status status = prepare(self, error);
    if (status == TRAWL_OK) {
        status = try_all(self, error);
    }
    layout->tiers = 0;
    layout->price = trawl_cuda_qgram_share(NULL, 0, self->direct, self->words);
    if (status == TRAWL_OK && self->classes != 0) {
        put_together(self, layout);
        layout->price = self->best_price;
        layout->candidates = self->best_passing;
        if (layout->tiers == 0) {
            return fail_shared(pairs + 4 * TRAWL_GPU_FILTER_UNIT_WORDS, shared_bytes, error);
        }
    }
    if (self->direct) {
        layout->tier[layout->tiers++] = (trawl_cuda_qgram_tier){.place = TRAWL_CUDA_QGRAM_DIRECT,
                                                                .min_length = 1,
                                                                .max_length = 2,
                                                                .stride = 1,
                                                                .gram = 2,
                                                                .folded = folded};
    }
    return status;
}

trawl_status trawl_cuda_qgram_divide(trawl_cuda_qgram_samples *samples, const uint8_t *walked,
                                     size_t shared_bytes, trawl_cuda_qgram_layout *layout,
                                     trawl_error *error) {
    chooser *self = trawl_allocate_zeroed(1, sizeof *self);
    if (self == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *self);
    }
    self->samples = samples;
    self->walked = walked;
    self->most_tiers = walked == NULL ? TRAWL_GPU_MOST_TIERS : TRAWL_GPU_MOST_TIERS_WITH_AUTOMATON;
    memcpy(layout->common, samples->text, samples->picking_length);
    layout->common_length = samples->picking_length;
    trawl_status status = choose(self, shared_bytes, layout, error);
    layout->filtered = layout->tiers;
    release(self);
    return status;
}
