/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/sparse/trial.h"

#include <math.h>

#include "base/allocate.h"
#include "base/status.h"
#include "engines/qgram/cost.h"

#define GRAM TRAWL_SPARSE_GRAM
#define RUN_STEP (2 * GRAM)

/* ------------------------------------------------------------------ patterns with runs */

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

static void list_runs(trawl_sparse_trial *self) {
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

/* ------------------------------------------------------------------ rates */

static trawl_sparse_slot *slot_of(const trawl_sparse_trial *self, uint64_t hash) {
    return &self->slots[hash >> (64 - TRAWL_SPARSE_TRIAL_BITS)];
}

/* Counts the q-grams of the pieces of the text with which anchors are chosen. */
static void count_half(trawl_sparse_trial *self) {
    const trawl_qgram_survey *survey = self->survey;
    for (size_t begin = 0; begin < survey->length; begin += 2 * TRAWL_ANCHORS_PIECE) {
        size_t left = survey->length - begin;
        trawl_sparse_counts_add(&self->counts, survey->text + begin,
                                left < TRAWL_ANCHORS_PIECE ? left : TRAWL_ANCHORS_PIECE);
    }
}

/* Adds a hit of an anchor that `anchors` of the patterns tried have, one in `factor` of all. If two
 * or more of them have it, `factor` times as many of all patterns are expected to have it. */
static void add_hit(trawl_sparse_rates *rates, double anchors, double factor, uint32_t reach) {
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
static trawl_sparse_rates validate(const trawl_sparse_trial *self, double factor) {
    const trawl_qgram_survey *survey = self->survey;
    const uint32_t reach = reach_of(survey);
    uint64_t all = 0;
    trawl_sparse_rates rates = {0};
    size_t begin = survey->length > 2 * TRAWL_ANCHORS_PIECE ? TRAWL_ANCHORS_PIECE : 0;
    for (; begin + GRAM < survey->length; begin += 2 * TRAWL_ANCHORS_PIECE) {
        size_t left = survey->length - begin - GRAM;
        size_t bytes = left < TRAWL_ANCHORS_PIECE ? left : TRAWL_ANCHORS_PIECE;
        all += bytes;
        for (size_t i = begin; i < begin + bytes; i++) {
            trawl_sparse_gram gram = trawl_sparse_read(survey->text + i, self->counts.case_bits);
            uint64_t hash = trawl_sparse_hash(gram.first, gram.last);
            const trawl_sparse_slot *slot = slot_of(self, hash);
            if (slot->hash == (uint32_t)(hash | 1)) {
                add_hit(&rates, slot->anchors, factor, reach);
            }
        }
    }
    const double share = 1 / (double)all;
    return all == 0 ? (trawl_sparse_rates){1, 1, 0}
                    : (trawl_sparse_rates){rates.hits * share, rates.entries * share,
                                           rates.marked * share};
}

/* Chooses the anchors of a pattern, as sparse/build.c does for a key. */
static void choose_one(trawl_sparse_trial *self, uint32_t id, uint32_t stride) {
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
        trawl_sparse_slot *slot = slot_of(self, hash);
        bool is_same = slot->hash == (uint32_t)(hash | 1);
        *slot = (trawl_sparse_slot){(uint32_t)(hash | 1), is_same ? slot->anchors + 1 : 1};
    }
}

/* Measures the rates with some of the patterns. The number of hits is extrapolated; how much
 * follows a hit on average is taken to stay the same. */
trawl_sparse_rates trawl_sparse_trial_measure(trawl_sparse_trial *self, double patterns,
                                              uint32_t stride) {
    const trawl_qgram_survey *survey = self->survey;
    uint32_t examined = survey->first[TRAWL_SURVEY_CLASSES];
    uint32_t most = (UINT32_C(1) << (TRAWL_SPARSE_TRIAL_BITS - 2)) / stride;
    uint32_t chosen = examined < most ? examined : most;
    const double factor = patterns / chosen;
    trawl_sparse_rates half = {0};
    memset(self->slots, 0, sizeof *self->slots << TRAWL_SPARSE_TRIAL_BITS);
    for (uint32_t i = 0; i < chosen; i++) {
        half = i == chosen / 2 ? validate(self, 2 * factor) : half;
        choose_one(self, survey->ids[(uint64_t)examined * i / chosen], stride);
    }
    const trawl_sparse_rates all = validate(self, factor);
    const double hits = fmin(1, trawl_cost_extrapolate(half.hits, all.hits, factor));
    const double growth = all.hits > 0 ? hits / all.hits : 1;
    trawl_sparse_rates rates = {hits, growth * all.entries, growth * all.marked};
    if (self->run_count != 0) {
        const trawl_sparse_rates without = validate(self, 1);
        for (uint32_t i = 0; i < self->run_count; i++) {
            choose_one(self, self->runs[i], stride);
        }
        const trawl_sparse_rates with = validate(self, 1);
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

/* ------------------------------------------------------------------ opening */

trawl_status trawl_sparse_trial_open(trawl_sparse_trial *trial, const trawl_qgram_survey *survey,
                                     trawl_error *error) {
    const size_t slots = (size_t)1 << TRAWL_SPARSE_TRIAL_BITS;
    *trial = (trawl_sparse_trial){.survey = survey};
    trial->slots = trawl_allocate(slots, sizeof *trial->slots);
    if (!trawl_sparse_counts_open(&trial->counts, survey->patterns->case_insensitive != 0) ||
        trial->slots == NULL) {
        return trawl_fail_memory(error, "planning", slots * sizeof *trial->slots);
    }
    count_half(trial);
    list_runs(trial);
    return TRAWL_OK;
}

void trawl_sparse_trial_close(trawl_sparse_trial *trial) {
    trawl_release(trial->slots);
    trawl_release(trial->counts.counts);
}

/* ------------------------------------------------------------------ filters */

/* Samples pass that have both bits of an anchor. The number of anchors of a word has a Poisson
 * distribution. */
double trawl_sparse_pass_by_chance(double anchors_per_word) {
    double pass = 0, share = exp(-anchors_per_word), without = 1;
    for (unsigned i = 0; i < 64; i++) {
        pass += share * (1 - without) * (1 - without);
        share *= anchors_per_word / (i + 1);
        without *= (31.0 / 32) * (31.0 / 32);
    }
    return pass;
}

uint32_t trawl_sparse_longest_stride(uint32_t shortest) {
    uint32_t stride = shortest - GRAM + 1;
    return stride < TRAWL_SPARSE_MAX_STRIDE ? stride : TRAWL_SPARSE_MAX_STRIDE;
}

uint32_t trawl_sparse_row_bits(double anchors, double bits_per_anchor) {
    uint32_t bits = TRAWL_SPARSE_MIN_ROW_BITS;
    while (bits < TRAWL_QGRAM_MAX_ROW_BITS && ldexp(32, (int)bits) < bits_per_anchor * anchors) {
        bits++;
    }
    return bits;
}
