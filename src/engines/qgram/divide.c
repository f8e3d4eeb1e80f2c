/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/divide.h"

#include <math.h>

#include "base/cpu.h"
#include "base/fold.h"
#include "base/status.h"
#include "engines/qgram/anchor.h"
#include "engines/qgram/packed/format.h"
#include "engines/qgram/registers/format.h"
#include "engines/qgram/teddy/format.h"

#define CLASSES TRAWL_SURVEY_CLASSES
#define MOST_WINDOW 80u
#define BLOCK 16384u      /* bytes of text that a tier takes at a time (engines/qgram/tier.h) */
#define FURTHER_TIER 0.10 /* of the price of all, for each but the first: taking turns */
#define REGISTER_BLOOM_ALONE                                                                       \
    1.1 /* whole scans beside the filter alone, which is what costs say                            \
         */
#define REGISTER_BLOOM_TOGETHER 1.5 /* the same where other tiers want the caches as well */
#define PASSES_TOGETHER 1.7 /* the same for what passes: in real texts more of it is compared */
#define REGISTER_BLOOM_PIECES 32u /* of the text, in which a resident filter is tried */
#define REGISTER_BLOOM_PIECE ((size_t)512)
#define TEDDY_SAMPLE ((size_t)4096) /* making a filter takes time for each byte of it */
#define MOST_FILTERS 27u /* for the runs from one class on: sizes of a sample and strides */
#define SLACK_MARGIN 1.1 /* what windows that the text has chosen are expected to cost, more */
#define SLACK_WORTH_TRYING                                                                         \
    0.17 /* of what passes is what they are hoped to let through, at the least */
#define MOST_FILTER_BYTES (UINT64_C(32) << 20) /* a larger one is slow whatever it lets through */

/* The cheapest way found so far to filter a run of classes. Of `tier`, min_length, max_length and
 * folded are filled in at the end. */
typedef struct candidate {
    trawl_qgram_tier tier;
    trawl_tier_estimate estimate;
} candidate;

typedef struct division {
    const trawl_costs *costs;
    const trawl_qgram_survey *survey;
    uint64_t most_bytes;                       /* of a filter */
    bool permutes;                             /* tiers of kind resident are worth a try */
    double endings[CLASSES];                   /* trawl_survey_endings */
    double pairs;                              /* positions that end patterns of one or two bytes */
    candidate best[CLASSES + 1][CLASSES + 1];  /* [begin][end] */
    candidate plain[CLASSES + 1][CLASSES + 1]; /* the best one without a anchor_slack */
    bool validated[CLASSES + 1]
                  [CLASSES + 1]; /* the best one has a anchor_slack, and all turns say so */
} division;

/* What the patterns of a run have in common. */
typedef struct run {
    uint32_t min_length, max_length;
    uint64_t count;
    bool folded;
} run;

static run describe(const division *self, uint32_t begin, uint32_t end) {
    const trawl_qgram_survey *survey = self->survey;
    run described = {.min_length = survey->min_length[begin]};
    for (uint32_t class = begin; class < end; class ++) {
        described.count += survey->count[class];
        described.folded |= survey->folded[class];
        if (survey->max_length[class] > described.max_length) {
            described.max_length = survey->max_length[class];
        }
    }
    return described;
}

static bool is_empty(const division *self, uint32_t class) {
    return self->survey->count[class] == 0;
}

static bool is_better(const candidate *offered, const candidate *best) {
    return offered->estimate.nanoseconds < best->estimate.nanoseconds;
}

static void offer(division *self, uint32_t begin, uint32_t end, const candidate *offered) {
    candidate *best = &self->best[begin][end], *plain = &self->plain[begin][end];
    if (is_better(offered, best)) {
        *best = *offered;
    }
    if (offered->tier.anchor_slack == 0 && is_better(offered, plain)) {
        *plain = *offered;
    }
}

/* Where keys of a run may end, for filters in registers. Of one and two bytes all ends are. */
static double ends_of(const division *self, uint32_t begin, uint32_t end) {
    double ends = begin == 0 ? self->pairs : 0;
    for (uint32_t class = begin == 0 ? 1 : begin; class < end; class ++) {
        ends += self->endings[class];
    }
    return ends;
}

/* What passes a filter in registers, most of which costs little: no pattern ends there. */
static double price_of_passes(const division *self, double pass, double look_ups) {
    double ends = look_ups < pass ? look_ups : pass;
    return (pass - ends) * PASSES_TOGETHER * self->costs->register_bloom_candidate +
           ends * self->costs->teddy_candidate;
}

/* The filter of shuffles for the classes begin .. end - 1; all their patterns are in the survey. */
static double make_teddy(const division *self, uint32_t begin, uint32_t end, uint32_t max_length,
                         trawl_teddy *filter) {
    const trawl_qgram_survey *survey = self->survey;
    size_t length = survey->length < TEDDY_SAMPLE ? survey->length : TEDDY_SAMPLE;
    return trawl_teddy_make(survey->patterns, survey->ids + survey->first[begin],
                            survey->first[end] - survey->first[begin], max_length, survey->text,
                            length, filter);
}

/* Patterns of one and two bytes. */
static void try_direct(division *self) {
    const trawl_qgram_survey *survey = self->survey;
    double hits = trawl_survey_direct(survey, 1);
    self->pairs = hits;
    double nanoseconds = self->costs->direct;
    if (survey->count[0] <= TRAWL_TEDDY_PATTERNS) {
        trawl_teddy filter;
        double pass = make_teddy(self, 0, 1, survey->max_length[0], &filter);
        double shuffled =
            trawl_teddy_work(&filter) * self->costs->teddy + price_of_passes(self, pass, hits) / 2;
        nanoseconds = pass <= TRAWL_TEDDY_DENSE && shuffled < nanoseconds ? shuffled : nanoseconds;
    }
    candidate direct = {.tier = {.kind = TRAWL_TIER_DIRECT, .window = 1, .gram = 2, .stride = 1},
                        .estimate = {.nanoseconds = nanoseconds,
                                     .pass = hits,
                                     .look_ups = hits,
                                     .bytes = TRAWL_QGRAM_PAIRS * 4}};
    for (uint32_t end = 1; end <= CLASSES && survey->max_length[end - 1] <= 2; end++) {
        offer(self, 0, end, &direct);
    }
}

/* A hashed tier for the classes [filter->begin, end), or one without a price where a reach would
 * change nothing. */
static candidate hashed_candidate(const division *self, const trawl_survey_filter *filter,
                                  const trawl_survey_rates *rates, uint32_t end) {
    uint32_t window = filter->gram + filter->stride - 1;
    uint32_t more = describe(self, filter->begin, end).max_length - window;
    candidate hashed = {
        .tier = {.kind = TRAWL_TIER_BLOOM,
                 .window = window,
                 .gram = filter->gram,
                 .stride = filter->stride,
                 .anchor_slack = more < filter->anchor_slack ? more : filter->anchor_slack},
        .estimate = {.nanoseconds = INFINITY}};
    double endings = 0;
    for (uint32_t class = filter->begin; class < end; class ++) {
        endings += self->endings[class];
    }
    if (filter->anchor_slack == 0 || hashed.tier.anchor_slack != 0) {
        hashed.estimate = trawl_tier_price(self->costs, self->survey, filter, rates, end, endings,
                                           self->most_bytes);
        hashed.tier.row_bits = hashed.estimate.row_bits;
        /* A gain by windows that the text has chosen must be clear, also beside other engines. */
        hashed.estimate.nanoseconds *= hashed.tier.anchor_slack != 0 ? SLACK_MARGIN : 1;
    }
    return hashed;
}

static uint32_t most_anchor_slack(uint32_t stride) {
    uint32_t most = TRAWL_QGRAM_MOST_ENDS - stride;
    return most < TRAWL_QGRAM_MOST_ANCHOR_SLACK ? most : TRAWL_QGRAM_MOST_ANCHOR_SLACK;
}

static void offer_filter(division *self, const trawl_survey_filter *filter,
                         const trawl_survey_rates *rates) {
    for (uint32_t end = filter->begin + 1; end <= CLASSES; end++) {
        candidate hashed = hashed_candidate(self, filter, rates, end);
        offer(self, filter->begin, end, &hashed);
    }
}

/* What such a filter would cost at best if windows were chosen by the text, in proportion to what
 * was found so far for the same classes; `last` are the rates of the last windows. */
static double hope(const division *self, const trawl_survey_filter *filter,
                   const trawl_survey_rates *last) {
    trawl_survey_filter chosen = *filter;
    trawl_survey_rates rates = *last;
    chosen.anchor_slack = most_anchor_slack(filter->stride);
    double least = INFINITY;
    for (uint32_t end = filter->begin + 1; end <= CLASSES && chosen.anchor_slack != 0; end++) {
        if (is_empty(self, end - 1)) {
            continue;
        }
        rates.pass[end] *= SLACK_WORTH_TRYING;
        candidate hashed = hashed_candidate(self, &chosen, &rates, end);
        double cost =
            hashed.estimate.nanoseconds / self->best[filter->begin][end].estimate.nanoseconds;
        least = cost < least ? cost : least;
    }
    return least;
}

/* Windows chosen by the text, for those filters that promise something, first the most; one turn
 * judges. */
static void try_anchor_slack(division *self, const trawl_survey_filter *filters,
                             const trawl_survey_rates *rates, size_t count) {
    double costs[MOST_FILTERS];
    for (size_t i = 0; i < count; i++) {
        costs[i] = hope(self, &filters[i], &rates[i]);
    }
    for (size_t round = 0; round < count; round++) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++) {
            best = costs[i] < costs[best] ? i : best;
        }
        costs[best] = INFINITY;
        /* Others that were tried since may be better than all that it promised. */
        if (hope(self, &filters[best], &rates[best]) < 1) {
            trawl_survey_filter filter = filters[best];
            trawl_survey_rates validated;
            filter.anchor_slack = most_anchor_slack(filter.stride);
            filter.validated = true;
            trawl_survey_measure(self->survey, &filter, &validated);
            offer_filter(self, &filter, &validated);
        }
    }
}

/* Asks all turns about a tier with a reach that is about to be taken: of many that one turn judged
 * the best is the one that it flattered most. */
static void judge(division *self, uint32_t begin, uint32_t end) {
    candidate *best = &self->best[begin][end];
    const candidate *plain = &self->plain[begin][end];
    trawl_survey_filter filter = {.begin = begin,
                                  .gram = best->tier.gram,
                                  .stride = best->tier.stride,
                                  .anchor_slack = most_anchor_slack(best->tier.stride),
                                  .folded = describe(self, begin, CLASSES).folded,
                                  .validated = true};
    trawl_survey_rates mean;
    memset(&mean, 0, sizeof mean);
    self->validated[begin][end] = true;
    while (filter.validation_fold < TRAWL_ANCHOR_FOLDS && best->tier.anchor_slack != 0) {
        trawl_survey_rates rates;
        trawl_survey_measure(self->survey, &filter, &rates);
        double share = 1.0 / ++filter.validation_fold;
        mean.distances += share * (rates.distances - mean.distances);
        mean.pass[end] += share * (rates.pass[end] - mean.pass[end]);
        mean.grams[end] += share * (rates.grams[end] - mean.grams[end]);
        *best = hashed_candidate(self, &filter, &mean, end);
        *best = is_better(plain, best) ? *plain : *best;
    }
}

/* Sets of few letters. */
static void try_packed(division *self, uint32_t begin, uint32_t end) {
    const trawl_qgram_survey *survey = self->survey;
    const run described = describe(self, begin, end);
    if (trawl_survey_letters(survey, begin, end, described.folded) > 4) {
        return;
    }
    trawl_packed_letters letters;
    if (!trawl_packed_find_letters(survey->patterns, described.min_length, described.max_length,
                                   described.folded, &letters)) {
        return;
    }
    candidate packed = {.tier = {.kind = TRAWL_TIER_PACKED,
                                 .min_length = described.min_length,
                                 .max_length = described.max_length,
                                 .folded = described.folded,
                                 .letters = letters.shift}};
    trawl_packed_estimate estimate;
    trawl_packed_choose(described.count, letters.count, self->most_bytes, &packed.tier, &estimate);
    packed.estimate = (trawl_tier_estimate){.nanoseconds = estimate.nanoseconds,
                                            .pass = estimate.pass,
                                            .look_ups = estimate.look_ups,
                                            .bytes = estimate.bytes,
                                            .exact = trawl_packed_exact(&packed.tier)};
    offer(self, begin, end, &packed);
}

/* Few patterns. Making the filter takes time that grows with their number, so that runs of many are
 * tried only where they are what a set is about: its shortest patterns, or all from a length on. */
static void try_teddy(division *self, uint32_t begin, uint32_t end) {
    const trawl_qgram_survey *survey = self->survey;
    const run described = describe(self, begin, end);
    bool first = begin == 0 || survey->first[begin] == 0, last = end == CLASSES;
    uint64_t most = first && last ? 64 : first || last ? 32 : 0;
    if (described.count > most) {
        return;
    }
    uint32_t window = described.min_length;
    window = window < TRAWL_TEDDY_SUFFIX ? window : TRAWL_TEDDY_SUFFIX;
    trawl_teddy filter;
    double pass = make_teddy(self, begin, end, described.max_length, &filter);
    double work = trawl_teddy_work(&filter);
    double look_ups = ends_of(self, begin, end);
    candidate teddy = {
        .tier = {.kind = TRAWL_TIER_TEDDY, .window = window, .gram = 1, .stride = 1}};
    teddy.estimate = (trawl_tier_estimate){.nanoseconds = work * self->costs->teddy +
                                                          price_of_passes(self, pass, look_ups),
                                           .pass = pass,
                                           .look_ups = look_ups < pass ? look_ups : pass,
                                           .bytes = sizeof filter};
    offer(self, begin, end, &teddy);
}

/* What passes a resident filter, from pieces of all of the text: neighbours are too much alike. */
static double pass_resident(const trawl_register_bloom *filter, uint32_t gram, const uint8_t *text,
                            size_t length) {
    if (length <= REGISTER_BLOOM_PIECES * REGISTER_BLOOM_PIECE) {
        return trawl_register_bloom_pass(filter, gram, text, length);
    }
    double pass = 0;
    for (size_t i = 0; i < REGISTER_BLOOM_PIECES; i++) {
        const uint8_t *piece =
            text + (length - REGISTER_BLOOM_PIECE) * i / (REGISTER_BLOOM_PIECES - 1);
        pass += trawl_register_bloom_pass(filter, gram, piece, REGISTER_BLOOM_PIECE) /
                REGISTER_BLOOM_PIECES;
    }
    return pass;
}

/* Hundreds of patterns, on processors with the instructions for it. Wide banks are for whole sets,
 * which then need no other tier. */
static void try_resident(division *self, uint32_t begin, uint32_t end) {
    const trawl_qgram_survey *survey = self->survey;
    const run described = describe(self, begin, end);
    /* Those of one and two bytes have a filter of their own. */
    bool first = begin <= 1 || survey->first[begin] == survey->first[1], last = end == CLASSES;
    bool wide = trawl_register_bloom_is_wide(described.count);
    if (!self->permutes || !(wide ? first && last : first || last) ||
        described.count > TRAWL_REGISTER_BLOOM_PATTERNS ||
        described.count != survey->first[end] - survey->first[begin]) {
        return;
    }
    uint32_t gram = trawl_register_bloom_gram(described.min_length);
    trawl_register_bloom filter;
    trawl_register_bloom_clear(&filter, described.folded, wide);
    for (uint32_t i = survey->first[begin]; i < survey->first[end]; i++) {
        const uint8_t *past = trawl_pattern_bytes(survey->patterns, survey->ids[i] + 1);
        uint8_t reversed[TRAWL_REGISTER_BLOOM_BYTES];
        for (uint32_t distance = 0; distance < gram; distance++) {
            reversed[distance] = *(past - 1 - distance);
        }
        trawl_register_bloom_add(&filter, reversed, gram);
    }
    double pass = pass_resident(&filter, gram, survey->text, survey->length);
    if (pass > TRAWL_TEDDY_DENSE) { /* most of it would be compared */
        return;
    }
    double look_ups = ends_of(self, begin, end);
    uint32_t window = described.min_length;
    candidate register_bloom = {.tier = {.kind = TRAWL_TIER_REGISTERS,
                                         .window = window < TRAWL_REGISTER_BLOOM_WINDOW
                                                       ? window
                                                       : TRAWL_REGISTER_BLOOM_WINDOW,
                                         .gram = gram,
                                         .stride = 1}};
    register_bloom.estimate = (trawl_tier_estimate){
        .nanoseconds = (first && last ? REGISTER_BLOOM_ALONE : REGISTER_BLOOM_TOGETHER) *
                           trawl_register_bloom_work(gram, wide) * self->costs->register_bloom +
                       price_of_passes(self, pass, look_ups),
        .pass = pass,
        .look_ups = look_ups < pass ? look_ups : pass,
        .bytes = sizeof filter};
    offer(self, begin, end, &register_bloom);
}

/* All runs that begin with the class `begin`: the shortest patterns there say how long a window may
 * be, and so which q-grams and strides there are. */
static void try_run(division *self, uint32_t begin) {
    static const uint32_t grams[] = {1, 2, 3, 4, 5, 6, 8, 12, 16};
    const trawl_qgram_survey *survey = self->survey;
    uint32_t window = survey->min_length[begin];
    window = window < MOST_WINDOW ? window : MOST_WINDOW;
    bool folded = false;
    for (uint32_t class = begin; class < CLASSES; class ++) {
        folded |= survey->folded[class];
    }
    trawl_survey_filter filter = {.begin = begin, .folded = folded};
    _Static_assert(3 * sizeof grams / sizeof *grams <= MOST_FILTERS, "a filter for each stride");
    trawl_survey_filter tried[MOST_FILTERS];
    trawl_survey_rates rates[MOST_FILTERS];
    size_t filters = 0;
    for (size_t i = 0; i < sizeof grams / sizeof *grams && grams[i] <= window; i++) {
        filter.gram = grams[i];
        /* Few bytes say too little unless the patterns are that short. */
        if (filter.gram < 3 && filter.gram < window) {
            continue;
        }
        uint32_t stride = window - filter.gram + 1;
        stride = stride < TRAWL_QGRAM_MAX_STRIDE ? stride : TRAWL_QGRAM_MAX_STRIDE;
        /* A longer stride means fewer samples but more q-grams in the filter. */
        for (uint32_t part = 1; part <= 4 && (part == 1 || stride / part >= 2); part *= 2) {
            filter.stride = stride / part;
            tried[filters] = filter;
            trawl_survey_measure(survey, &filter, &rates[filters]);
            offer_filter(self, &filter, &rates[filters++]);
        }
    }
    for (uint32_t end = begin + 1; end <= CLASSES; end++) {
        if (!is_empty(self, end - 1) || end == CLASSES) {
            try_packed(self, begin, end);
            try_teddy(self, begin, end);
            try_resident(self, begin, end);
        }
    }
    if (survey->counts != NULL) {
        try_anchor_slack(self, tried, rates, filters);
    }
}

/* The cheapest sequence of runs that covers all classes; returns its number of tiers. */
static uint32_t cover(const division *self, uint32_t *begins, uint32_t *ends) {
    double least[CLASSES + 1]; /* for the classes from there on */
    uint32_t next[CLASSES + 1] = {0};
    uint32_t tiers[CLASSES + 1] = {0};
    least[CLASSES] = 0;
    for (uint32_t begin = CLASSES; begin-- > 0;) {
        if (is_empty(self, begin)) {
            least[begin] = least[begin + 1];
            next[begin] = begin + 1;
            tiers[begin] = tiers[begin + 1];
            continue;
        }
        least[begin] = INFINITY;
        for (uint32_t end = begin + 1; end <= CLASSES; end++) {
            double cost = self->best[begin][end].estimate.nanoseconds + least[end];
            if (cost < least[begin] && tiers[end] + 1 <= TRAWL_QGRAM_MAX_TIERS) {
                least[begin] = cost;
                next[begin] = end;
                tiers[begin] = tiers[end] + 1;
            }
        }
    }
    /* From the longest patterns to the shortest. */
    uint32_t count = tiers[0], found = 0;
    for (uint32_t begin = 0; begin < CLASSES; begin = next[begin]) {
        if (!is_empty(self, begin)) {
            found++;
            begins[count - found] = begin;
            ends[count - found] = next[begin];
        }
    }
    return count;
}

/* Tiers take turns, and what one reads while it works on a block drives the others' tables out of
 * the nearer caches: samples wait as if their filter were as large as all that is read. */
static double crowding(const division *self, const trawl_qgram_choice *choice) {
    double spread = self->survey->spread, read = 0, more = 0;
    for (uint32_t i = 0; i < choice->header.tiers; i++) {
        double lines = (double)BLOCK / choice->header.tier[i].stride;
        double bytes = choice->estimate[i].bytes * spread;
        read += bytes < 64 * lines ? bytes : 64 * lines;
    }
    for (uint32_t i = 0; i < choice->header.tiers; i++) {
        double bytes = choice->estimate[i].bytes * spread;
        if (choice->header.tier[i].kind == TRAWL_TIER_BLOOM && bytes < read) {
            more += (trawl_cost_at(self->costs->sample, read) -
                     trawl_cost_at(self->costs->sample, bytes)) /
                    choice->header.tier[i].stride;
        }
    }
    return more;
}

static void divide(division *self, trawl_qgram_choice *choice) {
    for (uint32_t begin = 0; begin <= CLASSES; begin++) {
        for (uint32_t end = 0; end <= CLASSES; end++) {
            self->best[begin][end].estimate.nanoseconds = INFINITY;
            self->plain[begin][end].estimate.nanoseconds = INFINITY;
            self->validated[begin][end] = false;
        }
    }
    trawl_survey_endings(self->survey, self->endings);
    if (!is_empty(self, 0)) {
        try_direct(self);
    }
    for (uint32_t begin = 0; begin < CLASSES; begin++) {
        if (!is_empty(self, begin)) {
            try_run(self, begin);
        }
    }
    uint32_t begins[CLASSES], ends[CLASSES];
    for (bool sure = false; !sure;) {
        choice->header.tiers = cover(self, begins, ends);
        sure = true;
        for (uint32_t i = 0; i < choice->header.tiers; i++) {
            if (self->best[begins[i]][ends[i]].tier.anchor_slack != 0 &&
                !self->validated[begins[i]][ends[i]]) {
                judge(self, begins[i], ends[i]);
                sure = false;
            }
        }
    }
    for (uint32_t i = 0; i < choice->header.tiers; i++) {
        const candidate *best = &self->best[begins[i]][ends[i]];
        const run described = describe(self, begins[i], ends[i]);
        trawl_qgram_tier *tier = &choice->header.tier[i];
        *tier = best->tier;
        tier->min_length = described.min_length;
        tier->max_length = described.max_length;
        tier->folded = described.folded;
        choice->estimate[i] = best->estimate;
        choice->nanoseconds += best->estimate.nanoseconds;
        choice->exact = (i == 0 || choice->exact) && best->estimate.exact;
    }
    choice->nanoseconds += crowding(self, choice);
    if (choice->header.tiers > 1) {
        choice->nanoseconds *= 1 + FURTHER_TIER * (choice->header.tiers - 1);
    }
    /* Work hides waiting for the text, as far as there is enough of it. */
    choice->nanoseconds = hypot(choice->nanoseconds, self->costs->memory);
}

/* Whether scans here will use such instructions. */
static bool can_permute(void) {
    trawl_cpu_set set;
    trawl_error ignored;
    return trawl_cpu_choose(&set, &ignored) == TRAWL_OK && set == TRAWL_CPU_AVX512_VBMI &&
           trawl_cpu_permutes();
}

trawl_status trawl_qgram_divide(const trawl_qgram_survey *survey,
                                const trawl_compile_options *options, trawl_qgram_choice *choice,
                                trawl_error *error) {
    (void)error;
    memset(choice, 0, sizeof *choice);
    division self = {.costs = options->costs,
                     .survey = survey,
                     .permutes = can_permute(),
                     .most_bytes = options->max_table_bytes < MOST_FILTER_BYTES
                                       ? options->max_table_bytes
                                       : MOST_FILTER_BYTES};
    divide(&self, choice);
    return TRAWL_OK;
}

trawl_status trawl_qgram_choose(const trawl_build *build, trawl_qgram_header *header) {
    *header = build->choice->header;
    return TRAWL_OK;
}
