/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/divide.h"

#include <math.h>

#include "base/cpu.h"
#include "base/fold.h"
#include "base/status.h"
#include "base/text_pieces.h"
#include "engines/qgram/anchors/divide.h"
#include "engines/qgram/packed/format.h"
#include "engines/qgram/registers/format.h"
#include "engines/qgram/sparse/divide.h"
#include "engines/qgram/teddy/format.h"

#define CLASSES TRAWL_SURVEY_CLASSES

/* A way to filter the classes [begin, end). tier.min_length, max_length and folded are filled in at
 * the end, by divide(). */
typedef struct offer {
    trawl_qgram_tier tier;
    trawl_tier_estimate estimate;
} offer;

typedef struct division {
    const trawl_costs *costs;
    const trawl_qgram_survey *survey;
    uint64_t most_bytes;             /* of a filter */
    bool has_register_bloom;         /* the processor has the instructions of such filters */
    trawl_survey_ends ends[CLASSES]; /* trawl_survey_measure_endings */
    double pairs;                    /* share of positions that end patterns of one or two bytes */
    offer best[CLASSES + 1][CLASSES + 1]; /* the cheapest offer so far, by [begin][end] */
    trawl_anchors_trials trials;
    trawl_effort *effort;
} division;

/* What the patterns of some neighbouring classes have in common. */
typedef struct class_range {
    uint32_t min_length, max_length;
    uint64_t count;
    bool folded;
} class_range;

static class_range describe(const division *self, uint32_t begin, uint32_t end) {
    const trawl_qgram_survey *survey = self->survey;
    class_range described = {.min_length = survey->min_length[begin]};
    for (uint32_t length_class = begin; length_class < end; length_class++) {
        described.count += survey->count[length_class];
        described.folded |= survey->folded[length_class];
        if (survey->max_length[length_class] > described.max_length) {
            described.max_length = survey->max_length[length_class];
        }
    }
    return described;
}

static bool is_empty(const division *self, uint32_t length_class) {
    return self->survey->count[length_class] == 0;
}

/* The least price of the classes before `end`, with the offers so far. */
static double cover_before(const division *self, uint32_t end) {
    double least[CLASSES + 1];
    least[0] = 0;
    for (uint32_t past = 1; past <= end; past++) {
        least[past] = is_empty(self, past - 1) ? least[past - 1] : INFINITY;
        for (uint32_t begin = 0; begin < past; begin++) {
            least[past] =
                fmin(least[past], least[begin] + self->best[begin][past].estimate.nanoseconds);
        }
    }
    return least[end];
}

/* Whether it pays to try a tier that begins with class `begin`, takes at least `least` nanoseconds
 * for a byte of text, and `trial` nanoseconds to try. As long as no tier covers all patterns, the
 * first one has to be tried. */
static bool pays(const division *self, trawl_effort_kind kind, uint32_t begin, double least,
                 double trial) {
    double others = cover_before(self, begin), ends = 0, keys = 0;
    for (uint32_t length_class = begin; length_class < CLASSES; length_class++) {
        ends += self->ends[length_class].share;
        keys += (double)self->survey->count[length_class];
    }
    /* Where patterns end, keys are compared, whatever the filter is. */
    least += ends * TRAWL_ANCHORS_KEY_SHARE * trawl_cost_look_up(self->costs, self->survey, keys);
    return trawl_effort_pays(self->effort, kind, others + least, trial) ||
           !(cover_before(self, CLASSES) < INFINITY);
}

/* Takes the offer if it is the cheapest so far. */
static void consider(division *self, uint32_t begin, uint32_t end, const offer *offered) {
    offer *best = &self->best[begin][end];
    if (offered->estimate.nanoseconds < best->estimate.nanoseconds) {
        *best = *offered;
        double whole = cover_before(self, CLASSES);
        if (whole < INFINITY) {
            trawl_effort_found(self->effort, whole);
        }
    }
}

/* The share of positions at which a key of the classes may end, for filters in vector registers.
 * For class 0, patterns of one and two bytes, it has been measured with the patterns themselves. */
static double sum_endings(const division *self, uint32_t begin, uint32_t end) {
    double ends = begin == 0 ? self->pairs : 0;
    for (uint32_t length_class = begin == 0 ? 1 : begin; length_class < end; length_class++) {
        ends += self->ends[length_class].share;
    }
    return ends;
}

/* The price of candidates of a filter in vector registers. At most of them no pattern ends: those
 * are excluded by prefix signatures, which costs less than a look-up. `end`: nanoseconds for each
 * of the others. */
static double price_candidates(const division *self, double pass, double ends, double end) {
    return (pass - ends) * TRAWL_DIVIDE_REGISTERS_CANDIDATE *
               self->costs->register_bloom_candidate +
           ends * end;
}

/* Nanoseconds for a candidate of such a filter at which one of `patterns` patterns ends. It costs
 * as much as a look-up and comparison behind a sample filter: teddy_candidate alone is measured
 * with four patterns of four bytes, whose branches are predicted better than those of real sets (35
 * to 50 ns instead of 7: docs/notebook/2026-11-regret.md). */
static double price_end(const division *self, double patterns) {
    double compared = trawl_cost_look_up(self->costs, self->survey, patterns);
    return compared > self->costs->teddy_candidate ? compared : self->costs->teddy_candidate;
}

/* Makes Teddy's filter for the classes begin .. end - 1, all of whose patterns are in the survey;
 * returns its pass rate. */
static double make_teddy(const division *self, uint32_t begin, uint32_t end, uint32_t max_length,
                         trawl_teddy *filter) {
    const trawl_qgram_survey *survey = self->survey;
    return trawl_teddy_make(survey->patterns, survey->ids + survey->first[begin],
                            survey->first[end] - survey->first[begin], max_length, survey->text,
                            survey->length, filter);
}

/* Prices a table of pairs for the patterns of one and two bytes: behind Teddy if few positions are
 * candidates there, else alone. make_teddy of engines/qgram/build.c decides in the same way. */
static void try_pairs(division *self) {
    const trawl_qgram_survey *survey = self->survey;
    double hits = trawl_survey_measure_pairs(survey);
    self->pairs = hits;
    double nanoseconds = self->costs->direct;
    if (survey->count[0] <= TRAWL_TEDDY_PATTERNS) {
        trawl_teddy filter;
        double pass = make_teddy(self, 0, 1, survey->max_length[0], &filter);
        if (pass <= TRAWL_DIVIDE_MAX_PASS_RATE) {
            nanoseconds = trawl_teddy_work(&filter) * self->costs->teddy +
                          TRAWL_DIVIDE_PAIR_CANDIDATE *
                              price_candidates(self, pass, hits < pass ? hits : pass,
                                               self->costs->teddy_candidate);
        }
    }
    offer pairs = {.tier = {.kind = TRAWL_TIER_DIRECT, .window = 1, .gram = 2, .stride = 1},
                   .estimate = {.nanoseconds = nanoseconds,
                                .pass = hits,
                                .look_ups = hits,
                                .bytes = TRAWL_QGRAM_PAIRS * 4}};
    for (uint32_t end = 1; end <= CLASSES && survey->max_length[end - 1] <= 2; end++) {
        consider(self, 0, end, &pairs);
    }
}

/* Offers a sample filter for each range of classes that begins with filter->begin. */
static void offer_filter(division *self, const trawl_survey_filter *filter) {
    trawl_survey_rates rates;
    trawl_survey_measure(self->survey, filter, &rates);
    trawl_survey_ends ends = {.share = 0};
    for (uint32_t end = filter->begin + 1; end <= CLASSES; end++) {
        ends.share += self->ends[end - 1].share;
        ends.steps += self->ends[end - 1].steps;
        offer bloom = {.tier = {.kind = TRAWL_TIER_BLOOM,
                                .window = filter->gram + filter->stride - 1,
                                .gram = filter->gram,
                                .stride = filter->stride}};
        bloom.estimate = trawl_tier_price(self->costs, self->survey, filter, &rates, end, ends,
                                          self->most_bytes);
        bloom.tier.row_bits = bloom.estimate.row_bits;
        consider(self, filter->begin, end, &bloom);
    }
}

/* Adds the ends that the sample has beyond those of random text, which the price of a packed tier
 * assumes. An exact tier looks none of them up. */
static void add_endings(trawl_packed_estimate *estimate, const trawl_qgram_tier *tier,
                        double ends) {
    const double more = ends - estimate->look_ups;
    if (more > 0 && !trawl_packed_is_exact(tier)) {
        estimate->look_ups += more;
        estimate->pass += more;
        estimate->nanoseconds +=
            more * (2 * TRAWL_PACKED_CANDIDATE_COST + TRAWL_PACKED_LOOK_UP_COST);
    }
}

/* Prices a packed tier, for patterns of at most four letters. */
static void try_packed(division *self, uint32_t begin, uint32_t end) {
    const trawl_qgram_survey *survey = self->survey;
    const class_range described = describe(self, begin, end);
    if (trawl_survey_count_letters(survey, begin, end, described.folded) > 4) {
        return;
    }
    trawl_packed_letters letters;
    if (!trawl_packed_find_letters(survey->patterns, described.min_length, described.max_length,
                                   described.folded, &letters)) {
        return;
    }
    offer packed = {.tier = {.kind = TRAWL_TIER_PACKED,
                             .min_length = described.min_length,
                             .max_length = described.max_length,
                             .folded = described.folded,
                             .letters = letters.shift}};
    trawl_packed_estimate estimate;
    trawl_packed_choose(described.count, letters.count, self->most_bytes, &packed.tier, &estimate);
    add_endings(&estimate, &packed.tier, sum_endings(self, begin, end));
    packed.estimate = (trawl_tier_estimate){.nanoseconds = estimate.nanoseconds,
                                            .pass = estimate.pass,
                                            .look_ups = estimate.look_ups,
                                            .bytes = estimate.bytes,
                                            .exact = trawl_packed_is_exact(&packed.tier)};
    consider(self, begin, end, &packed);
}

/* Prices a Teddy tier. The time to make the filter grows with the patterns. So many patterns are
 * tried only as a whole set, or as the shortest or the longest patterns of a set. */
static void try_teddy(division *self, uint32_t begin, uint32_t end) {
    const trawl_qgram_survey *survey = self->survey;
    const class_range described = describe(self, begin, end);
    bool first = begin == 0 || survey->first[begin] == 0, last = end == CLASSES;
    uint64_t most = first && last   ? TRAWL_TEDDY_PATTERNS
                    : first || last ? TRAWL_DIVIDE_TEDDY_PART
                                    : 0;
    if (described.count > most || !pays(self, TRAWL_EFFORT_REGISTERS, begin, self->costs->teddy,
                                        TRAWL_EFFORT_TEDDY_PATTERN * (double)described.count)) {
        return;
    }
    uint32_t window = described.min_length;
    window = window < TRAWL_TEDDY_SUFFIX ? window : TRAWL_TEDDY_SUFFIX;
    trawl_teddy filter;
    double pass = make_teddy(self, begin, end, described.max_length, &filter);
    double work = trawl_teddy_work(&filter);
    double ends = sum_endings(self, begin, end);
    double look_ups = ends < pass ? ends : pass;
    offer teddy = {.tier = {.kind = TRAWL_TIER_TEDDY, .window = window, .gram = 1, .stride = 1}};
    teddy.estimate = (trawl_tier_estimate){
        .nanoseconds =
            work * self->costs->teddy +
            price_candidates(self, pass, look_ups, price_end(self, (double)described.count)),
        .pass = pass,
        .look_ups = look_ups,
        .bytes = sizeof filter};
    consider(self, begin, end, &teddy);
}

/* Measures the pass rate of a register Bloom filter on pieces from all over the text, as many as of
 * Teddy. On the first 8 KiB of a sample 0.05 % of the positions were candidates where 0.30 % are
 * (docs/notebook/2026-11-sample-filter.md). */
static double measure_register_bloom(const trawl_register_bloom *filter, uint32_t gram,
                                     const uint8_t *text, size_t length) {
    const size_t bytes = TRAWL_TEDDY_SAMPLE_PIECE, pieces = TRAWL_TEDDY_SAMPLE_BYTES / bytes;
    if (length <= TRAWL_TEDDY_SAMPLE_BYTES) {
        return trawl_register_bloom_pass_rate(filter, gram, text, length);
    }
    double pass = 0;
    for (size_t i = 0; i < pieces; i++) {
        const uint8_t *piece = text + trawl_sample_place(i, pieces, length - bytes);
        pass += trawl_register_bloom_pass_rate(filter, gram, piece, bytes) / (double)pieces;
    }
    return pass;
}

/* Adds the last bytes of all patterns of the classes to the filter. */
static void fill_register_bloom(const trawl_qgram_survey *survey, uint32_t begin, uint32_t end,
                                uint32_t gram, trawl_register_bloom *filter) {
    for (uint32_t i = survey->first[begin]; i < survey->first[end]; i++) {
        const uint8_t *past = trawl_pattern_end(survey->patterns, survey->ids[i]);
        uint8_t reversed[TRAWL_REGISTER_BLOOM_BYTES];
        for (uint32_t distance = 0; distance < gram; distance++) {
            reversed[distance] = *(past - 1 - distance);
        }
        trawl_register_bloom_add(filter, reversed, gram);
    }
}

/* Prices a tier with a register Bloom filter, on processors with the instructions for it: for a
 * whole set, or for its shortest or longest patterns. Wide banks are only for whole sets. */
static void try_register_bloom(division *self, uint32_t begin, uint32_t end) {
    const trawl_qgram_survey *survey = self->survey;
    const class_range described = describe(self, begin, end);
    /* Patterns of one and two bytes, class 0, have a tier of their own beside this one. */
    bool first = begin <= 1 || survey->first[begin] == survey->first[1], last = end == CLASSES;
    bool wide = trawl_register_bloom_is_wide(described.count);
    if (!self->has_register_bloom || !(wide ? first && last : first || last) ||
        described.count > TRAWL_REGISTER_BLOOM_PATTERNS ||
        described.count != survey->first[end] - survey->first[begin] ||
        !pays(self, TRAWL_EFFORT_REGISTERS, begin, self->costs->register_bloom,
              TRAWL_EFFORT_BYTE * (double)TRAWL_TEDDY_SAMPLE_BYTES)) {
        return;
    }
    uint32_t gram = trawl_register_bloom_gram(described.min_length);
    trawl_register_bloom filter;
    trawl_register_bloom_clear(&filter, described.folded, wide);
    fill_register_bloom(survey, begin, end, gram, &filter);
    double pass = measure_register_bloom(&filter, gram, survey->text, survey->length);
    if (pass > TRAWL_DIVIDE_MAX_PASS_RATE) { /* comparison with keys would cost most of the time */
        return;
    }
    double ends = sum_endings(self, begin, end);
    double look_ups = ends < pass ? ends : pass;
    uint32_t window = described.min_length;
    offer register_bloom = {.tier = {.kind = TRAWL_TIER_REGISTERS,
                                     .window = window < TRAWL_REGISTER_BLOOM_WINDOW
                                                   ? window
                                                   : TRAWL_REGISTER_BLOOM_WINDOW,
                                     .gram = gram,
                                     .stride = 1}};
    register_bloom.estimate = (trawl_tier_estimate){
        .nanoseconds =
            TRAWL_DIVIDE_REGISTERS_WHOLE * trawl_register_bloom_work(gram, wide) *
                self->costs->register_bloom +
            price_candidates(self, pass, look_ups, price_end(self, (double)described.count)),
        .pass = pass,
        .look_ups = look_ups,
        .bytes = sizeof filter};
    consider(self, begin, end, &register_bloom);
}

/* Prices a tier of free anchors for all patterns from class `begin` on. */
static void try_anchors(division *self, uint32_t begin) {
    const trawl_qgram_survey *survey = self->survey;
    uint64_t before = 0, all = survey->patterns->count;
    for (uint32_t length_class = 1; length_class < begin; length_class++) {
        before += survey->count[length_class];
    }
    if (survey->min_length[begin] < 3 || before * TRAWL_ANCHORS_FEW_BEFORE > all) {
        return;
    }
    double endings = 0;
    for (uint32_t length_class = begin; length_class < CLASSES; length_class++) {
        endings += self->ends[length_class].share;
    }
    offer anchors = {.tier = {.kind = TRAWL_TIER_ANCHORS}};
    anchors.estimate =
        trawl_anchors_try(&self->trials, begin, describe(self, begin, CLASSES).folded, endings,
                          cover_before(self, begin), self->most_bytes, &anchors.tier);
    anchors.estimate.nanoseconds *= TRAWL_DIVIDE_ANCHOR_MARGIN;
    consider(self, begin, CLASSES, &anchors);
}

/* Prices all tiers that begin with the class `begin`. Its shortest patterns limit the window, and
 * so the q-grams and strides. */
static void try_tiers(division *self, uint32_t begin) {
    const uint32_t *grams = trawl_divide_grams;
    const size_t count = sizeof trawl_divide_grams / sizeof *trawl_divide_grams;
    const trawl_qgram_survey *survey = self->survey;
    uint32_t window = survey->min_length[begin];
    const class_range described = describe(self, begin, CLASSES);
    bool all_examined = described.count == survey->first[CLASSES] - survey->first[begin];
    trawl_survey_filter filter = {.begin = begin, .folded = described.folded};
    for (size_t i = 0; i < count; i++) {
        filter.gram = grams[i];
        /* A single pattern may have the one byte that a text mostly consists of. */
        if (filter.gram > window || (filter.gram == 1 && !all_examined)) {
            continue;
        }
        uint32_t stride = window - filter.gram + 1;
        stride = stride < TRAWL_QGRAM_MAX_STRIDE ? stride : TRAWL_QGRAM_MAX_STRIDE;
        filter.stride = stride;
        if (pays(self, TRAWL_EFFORT_SURVEYS, begin, self->costs->sample[0] / stride,
                 trawl_survey_effort(survey, begin, stride))) {
            offer_filter(self, &filter);
        }
    }
    for (uint32_t end = begin + 1; end <= CLASSES; end++) {
        if (!is_empty(self, end - 1) || end == CLASSES) {
            try_packed(self, begin, end);
            try_teddy(self, begin, end);
            try_register_bloom(self, begin, end);
        }
    }
    try_anchors(self, begin);
}

/* Finds the cheapest sequence of at most TRAWL_QGRAM_MAX_TIERS tiers that covers all classes, from
 * the longest patterns to the shortest; returns their number. There is one of two tiers at most:
 * pairs for class 0, a sample filter for the others. */
static uint32_t cover_classes(const division *self, uint32_t *begins, uint32_t *ends) {
    /* The least price of the classes from `begin` on with at most `tiers` tiers: [tiers][begin]. */
    double least[TRAWL_QGRAM_MAX_TIERS + 1][CLASSES + 1];
    uint32_t next[TRAWL_QGRAM_MAX_TIERS + 1][CLASSES + 1];
    for (uint32_t tiers = 0; tiers <= TRAWL_QGRAM_MAX_TIERS; tiers++) {
        least[tiers][CLASSES] = 0;
        for (uint32_t begin = CLASSES; begin-- > 0;) {
            bool empty = is_empty(self, begin);
            least[tiers][begin] = empty ? least[tiers][begin + 1] : INFINITY;
            next[tiers][begin] = begin + 1;
            for (uint32_t end = begin + 1; !empty && tiers > 0 && end <= CLASSES; end++) {
                double cost = self->best[begin][end].estimate.nanoseconds + least[tiers - 1][end];
                if (cost < least[tiers][begin]) {
                    least[tiers][begin] = cost;
                    next[tiers][begin] = end;
                }
            }
        }
    }

    uint32_t tier_begins[TRAWL_QGRAM_MAX_TIERS], count = 0;
    uint32_t tier_ends[TRAWL_QGRAM_MAX_TIERS];
    for (uint32_t begin = 0; begin < CLASSES;) {
        uint32_t end = next[TRAWL_QGRAM_MAX_TIERS - count][begin];
        if (!is_empty(self, begin)) {
            tier_begins[count] = begin;
            tier_ends[count++] = end;
        }
        begin = end;
    }
    for (uint32_t i = 0; i < count; i++) {
        begins[i] = tier_begins[count - 1 - i];
        ends[i] = tier_ends[count - 1 - i];
    }
    return count;
}

/* The additional cost of several tiers: block by block they evict each other's tables from the
 * nearer caches. A sample then waits as if its filter were as large as everything that the tiers
 * read in a block. */
static double price_eviction(const division *self, const trawl_qgram_choice *choice) {
    double read = 0, more = 0, tier_bytes[TRAWL_QGRAM_MAX_TIERS];
    for (uint32_t i = 0; i < choice->header.tiers; i++) {
        const trawl_qgram_tier *tier = &choice->header.tier[i];
        double lines = (double)TRAWL_QGRAM_BLOCK / tier->stride;
        double bytes = choice->estimate[i].bytes * trawl_survey_spread(self->survey, tier->gram);
        tier_bytes[i] = bytes;
        read += bytes < 64 * lines ? bytes : 64 * lines;
    }
    for (uint32_t i = 0; i < choice->header.tiers; i++) {
        double bytes = tier_bytes[i];
        uint32_t kind = choice->header.tier[i].kind;
        if ((kind == TRAWL_TIER_BLOOM || kind == TRAWL_TIER_ANCHORS) && bytes < read) {
            more += (trawl_cost_at(self->costs->sample, read) -
                     trawl_cost_at(self->costs->sample, bytes)) /
                    choice->header.tier[i].stride;
        }
    }
    return more;
}

/* Prices every kind of tier for every range of neighbouring classes. */
static void try_all(division *self) {
    for (uint32_t begin = 0; begin <= CLASSES; begin++) {
        for (uint32_t end = 0; end <= CLASSES; end++) {
            self->best[begin][end].estimate.nanoseconds = INFINITY;
        }
    }
    trawl_survey_measure_endings(self->survey, self->ends);
    if (!is_empty(self, 0)) {
        try_pairs(self);
    }
    for (uint32_t begin = 0; begin < CLASSES; begin++) {
        if (!is_empty(self, begin)) {
            try_tiers(self, begin);
        }
    }
}

static void divide(division *self, trawl_qgram_choice *choice) {
    uint32_t begins[CLASSES], ends[CLASSES];
    try_all(self);
    choice->header.tiers = cover_classes(self, begins, ends);
    for (uint32_t i = 0; i < choice->header.tiers; i++) {
        const offer *best = &self->best[begins[i]][ends[i]];
        const class_range described = describe(self, begins[i], ends[i]);
        trawl_qgram_tier *tier = &choice->header.tier[i];
        *tier = best->tier;
        tier->min_length = described.min_length;
        tier->max_length = described.max_length;
        tier->folded = described.folded;
        choice->estimate[i] = best->estimate;
        choice->nanoseconds += best->estimate.nanoseconds;
        choice->exact = (i == 0 || choice->exact) && best->estimate.exact;
    }
    choice->nanoseconds += price_eviction(self, choice);
    if (choice->header.tiers > 1) {
        choice->nanoseconds *= 1 + TRAWL_DIVIDE_FURTHER_TIER * (choice->header.tiers - 1);
    }
    /* Computing and waiting for the text overlap, but not completely: the root of the sum of
     * squares. That formula was chosen, not measured. */
    choice->nanoseconds = hypot(choice->nanoseconds, self->costs->memory);
}

/* Whether scans on this machine will use the instructions of register Bloom filters. */
static bool can_use_register_bloom(void) {
    trawl_cpu_set set;
    trawl_error ignored;
    return trawl_cpu_choose(&set, &ignored) == TRAWL_OK && set == TRAWL_CPU_AVX512_VBMI &&
           trawl_cpu_permutes();
}

trawl_status trawl_qgram_divide(const trawl_qgram_survey *survey,
                                const trawl_compile_settings *options, trawl_effort *effort,
                                trawl_qgram_choice *choice, trawl_error *error) {
    memset(choice, 0, sizeof *choice);
    division self = {.costs = options->costs,
                     .survey = survey,
                     .effort = effort,
                     .has_register_bloom = can_use_register_bloom(),
                     .most_bytes = options->max_table_bytes < TRAWL_DIVIDE_MAX_FILTER_BYTES
                                       ? options->max_table_bytes
                                       : TRAWL_DIVIDE_MAX_FILTER_BYTES};
    trawl_status status =
        trawl_anchors_trials_open(&self.trials, options->costs, survey, effort, error);
    if (status == TRAWL_OK) {
        divide(&self, choice);
        status = trawl_sparse_offer(survey, options, effort, choice, error);
    }
    trawl_anchors_trials_close(&self.trials);
    return status;
}

double trawl_qgram_divide_effort(const trawl_qgram_survey *survey) {
    double least = 0;
    for (uint32_t begin = 0; begin < CLASSES; begin++) {
        least += survey->count[begin] == 0 ? 0 : 2 * trawl_survey_effort(survey, begin, 1);
        least += trawl_survey_endings_effort(survey, begin);
    }
    return least;
}
