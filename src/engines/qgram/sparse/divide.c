/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/sparse/divide.h"

#include <math.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "engines/qgram/anchors/divide.h"
#include "engines/qgram/sparse/choose.h"

#define GRAM TRAWL_SPARSE_GRAM
#define RUN_STEP (2 * GRAM)

/* ------------------------------------------------------------------ variant sparse */

/* Words of a filter with at least so many bits for each anchor. */
static uint32_t row_bits_for(double anchors, double bits_per_anchor) {
    uint32_t bits = TRAWL_SPARSE_MIN_ROW_BITS;
    while (bits < TRAWL_QGRAM_MAX_ROW_BITS && ldexp(32, (int)bits) < bits_per_anchor * anchors) {
        bits++;
    }
    return bits;
}

/* Sets the stride to the best one up to `most`: to an odd multiple of a sample's length, if it is
 * not short. No sample is in two lines then, and the lines use all sets of a cache, not a half or a
 * quarter of them. */
static void set_stride(trawl_qgram_tier *tier, uint32_t most) {
    uint32_t samples = most / GRAM;
    bool is_long = most >= TRAWL_SPARSE_LEAST_STRIDE;
    tier->stride = is_long ? (samples - (samples % 2 == 0)) * GRAM : most;
    tier->window = tier->stride + GRAM - 1;
}

/* The longest stride for patterns of at least so many bytes. */
static uint32_t longest_stride(uint32_t shortest) {
    uint32_t stride = shortest - GRAM + 1;
    return stride < TRAWL_SPARSE_MAX_STRIDE ? stride : TRAWL_SPARSE_MAX_STRIDE;
}

void trawl_sparse_divide(const trawl_patterns *patterns, trawl_qgram_header *header) {
    trawl_qgram_tier tier = {
        .kind = TRAWL_TIER_SPARSE, .min_length = UINT32_MAX, .gram = GRAM, .row_bits = 0};
    uint64_t count = 0;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        if (length >= GRAM) {
            tier.min_length = length < tier.min_length ? length : tier.min_length;
            tier.max_length = length > tier.max_length ? length : tier.max_length;
            tier.folded |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
            count++;
        }
    }
    if (count != 0) {
        set_stride(&tier, longest_stride(tier.min_length));
        tier.row_bits = row_bits_for((double)count * tier.stride, TRAWL_SPARSE_BITS_PER_ANCHOR);
        header->tier[header->tiers++] = tier;
    }
    trawl_anchors_divide(patterns, GRAM, header);
}

/* ------------------------------------------------------------------ trials */

/* Anchors with one hash; of two hashes with one slot the later one stays. */
typedef struct trial_slot {
    uint32_t hash; /* lowest bits, of which the last one is set; 0: the slot is free */
    uint32_t anchors;
} trial_slot;

/* A trial: the anchors of some patterns. */
typedef struct trial {
    const trawl_qgram_survey *survey;
    trawl_sparse_counts counts;
    trial_slot *slots; /* 1 << TRAWL_SPARSE_TRIAL_BITS */
    /* Patterns with runs of one byte, in which their anchors may have to be: texts have runs too.
     */
    uint32_t runs[TRAWL_ANCHORS_RUNS];
    uint32_t run_count, all_runs; /* listed, and in the set */
} trial;

/* For a position of the text: how often it is an anchor, of how many keys and distances, and how
 * many ends are looked up because the anchor's bucket is crowded. */
typedef struct trial_rates {
    double hits, entries, marked;
} trial_rates;

/* Whether a pattern has a run of one byte of RUN_STEP bytes and more: it has one in the words at
 * two neighbouring multiples of RUN_STEP, or nearly. */
static bool has_run(const trawl_patterns *patterns, size_t id) {
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    uint32_t length = trawl_pattern_length(patterns, id);
    uint64_t before = 0, word;
    bool was_run = false;
    for (uint32_t at = 0; at + sizeof word <= length; at += RUN_STEP) {
        memcpy(&word, bytes + at, sizeof word);
        bool is_run = word == (word << 8 | word >> 56);
        if (is_run && was_run && word == before) {
            return true;
        }
        was_run = is_run;
        before = word;
    }
    return false;
}

static void list_runs(trial *self) {
    const trawl_patterns *patterns = self->survey->patterns;
    for (size_t id = 0; id < patterns->count; id++) {
        if (has_run(patterns, id)) {
            self->all_runs++;
            if (self->run_count < TRAWL_ANCHORS_RUNS) {
                self->runs[self->run_count++] = (uint32_t)id;
            }
        }
    }
}

static trial_slot *slot_of(const trial *self, uint64_t hash) {
    return &self->slots[hash >> (64 - TRAWL_SPARSE_TRIAL_BITS)];
}

/* Counts the q-grams of the pieces of the text with which anchors are chosen. */
static void count_half(trial *self) {
    const trawl_qgram_survey *survey = self->survey;
    for (size_t begin = 0; begin < survey->length; begin += 2 * TRAWL_ANCHORS_PIECE) {
        size_t left = survey->length - begin;
        trawl_sparse_counts_add(&self->counts, survey->text + begin,
                                left < TRAWL_ANCHORS_PIECE ? left : TRAWL_ANCHORS_PIECE);
    }
}

/* Adds a hit of an anchor that `anchors` of the patterns tried have, one in `factor` of all. If two
 * or more of them have it, `factor` times as many of all patterns are expected to have it. */
static void add_hit(trial_rates *rates, double anchors, double factor, uint32_t reach) {
    const double expected = anchors == 1 ? 1 : anchors * factor;
    rates->hits++;
    if (expected <= TRAWL_SPARSE_MOST_ENTRIES) {
        rates->entries += expected;
    } else {
        const double ends = expected * trawl_sparse_step(reach);
        rates->marked += ends < reach ? ends : reach;
    }
}

/* The largest distance from an anchor to the end of its pattern. */
static uint32_t reach_of(const trawl_qgram_survey *survey) {
    const uint64_t longest = survey->patterns->max_length;
    return longest < TRAWL_SPARSE_MAX_REACH ? (uint32_t)longest : TRAWL_SPARSE_MAX_REACH;
}

/* Examines the other half. `factor`: patterns of the set for each one tried. */
static trial_rates validate(const trial *self, double factor) {
    const trawl_qgram_survey *survey = self->survey;
    const uint32_t reach = reach_of(survey);
    uint64_t all = 0;
    trial_rates rates = {0};
    size_t begin = survey->length > 2 * TRAWL_ANCHORS_PIECE ? TRAWL_ANCHORS_PIECE : 0;
    for (; begin + GRAM < survey->length; begin += 2 * TRAWL_ANCHORS_PIECE) {
        size_t left = survey->length - begin - GRAM;
        size_t bytes = left < TRAWL_ANCHORS_PIECE ? left : TRAWL_ANCHORS_PIECE;
        all += bytes;
        for (size_t i = begin; i < begin + bytes; i++) {
            trawl_sparse_gram gram = trawl_sparse_read(survey->text + i, self->counts.case_bits);
            uint64_t hash = trawl_sparse_hash(gram.first, gram.last);
            const trial_slot *slot = slot_of(self, hash);
            if (slot->hash == (uint32_t)(hash | 1)) {
                add_hit(&rates, slot->anchors, factor, reach);
            }
        }
    }
    const double share = 1 / (double)all;
    return all == 0
               ? (trial_rates){1, 1, 0}
               : (trial_rates){rates.hits * share, rates.entries * share, rates.marked * share};
}

/* Chooses the anchors of a pattern, as sparse/build.c does for a key. */
static void choose_one(trial *self, uint32_t id, uint32_t stride) {
    const trawl_patterns *patterns = self->survey->patterns;
    uint32_t length = trawl_pattern_length(patterns, id);
    const uint8_t *past = trawl_pattern_end(patterns, id);
    uint32_t most = length < TRAWL_SPARSE_MAX_REACH ? length : TRAWL_SPARSE_MAX_REACH;
    for (uint32_t nearest = GRAM; nearest < GRAM + stride; nearest++) {
        uint32_t least = UINT32_MAX;
        trawl_sparse_gram best = {0, 0};
        for (uint32_t i = 0, at = nearest; i < TRAWL_SPARSE_PLACES && at <= most && least != 0;
             i++, at += stride) {
            trawl_sparse_gram gram = trawl_sparse_read(past - at, self->counts.case_bits);
            uint32_t cost = trawl_sparse_cost(&self->counts, gram);
            best = cost < least ? gram : best;
            least = cost < least ? cost : least;
        }
        uint64_t hash = trawl_sparse_hash(best.first, best.last);
        trial_slot *slot = slot_of(self, hash);
        bool is_same = slot->hash == (uint32_t)(hash | 1);
        *slot = (trial_slot){(uint32_t)(hash | 1), is_same ? slot->anchors + 1 : 1};
    }
}

/* Measures the rates with some of the patterns. The number of hits is extrapolated; how much
 * follows a hit on average is taken to stay the same. */
static trial_rates measure(trial *self, double patterns, uint32_t stride) {
    const trawl_qgram_survey *survey = self->survey;
    uint32_t examined = survey->first[TRAWL_SURVEY_CLASSES];
    uint32_t most = (UINT32_C(1) << (TRAWL_SPARSE_TRIAL_BITS - 2)) / stride;
    uint32_t chosen = examined < most ? examined : most;
    const double factor = patterns / chosen;
    trial_rates half = {0};
    memset(self->slots, 0, sizeof *self->slots << TRAWL_SPARSE_TRIAL_BITS);
    for (uint32_t i = 0; i < chosen; i++) {
        half = i == chosen / 2 ? validate(self, 2 * factor) : half;
        choose_one(self, survey->ids[(uint64_t)examined * i / chosen], stride);
    }
    const trial_rates all = validate(self, factor);
    const double hits = fmin(1, trawl_cost_extrapolate(half.hits, all.hits, factor));
    const double growth = all.hits > 0 ? hits / all.hits : 1;
    trial_rates rates = {hits, growth * all.entries, growth * all.marked};
    if (self->run_count != 0) {
        const trial_rates without = validate(self, 1);
        for (uint32_t i = 0; i < self->run_count; i++) {
            choose_one(self, self->runs[i], stride);
        }
        const trial_rates with = validate(self, 1);
        const double share = (double)self->all_runs / self->run_count;
        rates.hits += with.hits - without.hits;
        /* Hits and marked ends are not multiplied: runs of one byte have the same anchors. */
        rates.entries += share * fmax(0, with.entries - without.entries);
        rates.marked += with.marked - without.marked;
    }
    rates.hits = fmin(rates.hits, 1);
    rates.entries = fmin(rates.entries, stride);
    rates.marked = fmin(rates.marked, reach_of(survey));
    return rates;
}

/* ------------------------------------------------------------------ prices */

/* The share of other samples that pass a filter with so many anchors for each word: those that have
 * both bits of a sample. The number of anchors of a word has a Poisson distribution. */
static double pass_by_chance(double anchors_per_word) {
    double pass = 0, share = exp(-anchors_per_word), without = 1;
    for (unsigned i = 0; i < 64; i++) {
        pass += share * (1 - without) * (1 - without);
        share *= anchors_per_word / (i + 1);
        without *= (31.0 / 32) * (31.0 / 32);
    }
    return pass;
}

/* Prices a tier of `patterns` patterns, complete but for its lengths. */
static trawl_tier_estimate price(const trawl_costs *costs, const trawl_qgram_tier *tier,
                                 double patterns, trial_rates rates) {
    double anchors = patterns * tier->stride, rows = ldexp(1, (int)tier->row_bits);
    double heads = 4 * anchors / TRAWL_SPARSE_ENTRIES_PER_BUCKET, entries = 8 * anchors;
    double pass = rates.hits + pass_by_chance(anchors / rows);
    /* A candidate takes as long as one of other filters, besides waiting for the tables: a
     * mispredicted branch and two loads. A marked end takes as long too: most of them are no key's.
     * Entries are priced as look-ups in random order: long keys are compared, of which more lines
     * are read than of others. */
    double sample =
        TRAWL_SPARSE_LINE_BYTES * costs->memory + trawl_cost_at(costs->sample, 4 * rows) +
        pass * (costs->sample_candidate + trawl_cost_wait(costs, heads) +
                trawl_cost_wait(costs, entries)) +
        rates.entries * trawl_cost_at(costs->verify, patterns * TRAWL_CACHE_LINE_BYTES) +
        rates.marked * costs->sample_candidate;
    return (trawl_tier_estimate){.nanoseconds = sample / tier->stride,
                                 .pass = pass,
                                 .look_ups = rates.entries / tier->stride,
                                 .bytes = 4 * rows + heads + entries,
                                 .row_bits = tier->row_bits};
}

/* Tries all strides and sizes of the filter; returns whether one is cheaper than *best. */
static bool try_strides(trial *self, const trawl_costs *costs, trawl_effort *effort,
                        uint64_t most_bytes, trawl_qgram_tier *tier, trawl_tier_estimate *best) {
    double patterns = (double)self->survey->patterns->count;
    bool found = false;
    for (uint32_t most = longest_stride(tier->min_length); most >= TRAWL_SPARSE_LEAST_STRIDE;
         most /= 2) {
        trawl_qgram_tier offered = *tier;
        set_stride(&offered, most);
        /* As long as a trial of free anchors: as much text, and a sample of the patterns. */
        double least =
            (TRAWL_SPARSE_LINE_BYTES * costs->memory + costs->sample[0]) / offered.stride;
        double nanoseconds =
            TRAWL_EFFORT_ANCHORS_BYTE * (double)self->survey->length +
            TRAWL_EFFORT_ANCHORS_PLACE * TRAWL_ANCHORS_REACH *
                (patterns < TRAWL_SURVEY_PATTERNS ? patterns : TRAWL_SURVEY_PATTERNS);
        if (!trawl_effort_pays(effort, TRAWL_EFFORT_SPARSE, least, nanoseconds)) {
            continue;
        }
        trial_rates rates = measure(self, patterns, offered.stride);
        for (int size = -1; size <= 1; size++) { /* half, once and twice the bits */
            offered.row_bits =
                row_bits_for(patterns * offered.stride, ldexp(TRAWL_SPARSE_BITS_PER_ANCHOR, size));
            trawl_tier_estimate estimate = price(costs, &offered, patterns, rates);
            if (estimate.bytes <= (double)most_bytes &&
                trawl_cost_compared(estimate.nanoseconds, estimate.bytes, patterns) <
                    trawl_cost_compared(best->nanoseconds, best->bytes, patterns)) {
                *best = estimate;
                *tier = offered;
                found = true;
                trawl_effort_found(effort, estimate.nanoseconds);
            }
        }
    }
    return found;
}

trawl_status trawl_sparse_offer(const trawl_qgram_survey *survey,
                                const trawl_compile_settings *options, trawl_effort *effort,
                                trawl_qgram_choice *choice, trawl_error *error) {
    const trawl_patterns *patterns = survey->patterns;
    if (patterns->min_length < TRAWL_SPARSE_LEAST_STRIDE + GRAM - 1) {
        return TRAWL_OK;
    }
    uint64_t most_bytes = options->max_table_bytes < TRAWL_SPARSE_MAX_BYTES
                              ? options->max_table_bytes
                              : TRAWL_SPARSE_MAX_BYTES;
    trawl_qgram_tier tier = {.kind = TRAWL_TIER_SPARSE,
                             .min_length = (uint32_t)patterns->min_length,
                             .max_length = (uint32_t)patterns->max_length,
                             .gram = GRAM,
                             .folded = patterns->case_insensitive != 0};
    trawl_tier_estimate estimate = {.nanoseconds = choice->nanoseconds,
                                    .bytes = trawl_qgram_choice_bytes(choice)};
    trial tried = {.survey = survey};
    const size_t slots = (size_t)1 << TRAWL_SPARSE_TRIAL_BITS;
    bool allocated = trawl_sparse_counts_open(&tried.counts, tier.folded != 0);
    tried.slots = allocated ? trawl_allocate(slots, sizeof *tried.slots) : NULL;
    allocated = tried.slots != NULL;
    if (allocated) {
        count_half(&tried);
        list_runs(&tried);
        if (try_strides(&tried, options->costs, effort, most_bytes, &tier, &estimate)) {
            choice->header = (trawl_qgram_header){.tiers = 1, .tier = {tier}};
            choice->estimate[0] = estimate;
            choice->nanoseconds = estimate.nanoseconds;
            choice->exact = false;
        }
    }
    trawl_release(tried.slots);
    trawl_release(tried.counts.counts);
    return allocated ? TRAWL_OK : trawl_fail_memory(error, "planning", slots * sizeof *tried.slots);
}
