/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/sparse/divide.h"

#include <math.h>

#include "base/status.h"
#include "engines/qgram/anchors/divide.h"
#include "engines/qgram/sparse/trial.h"

#define GRAM TRAWL_SPARSE_GRAM

/* ------------------------------------------------------------------ variant sparse */

/* Sets the stride to the best one up to `most`: to an odd multiple of a sample's length, if it is
 * not short. No sample is in two lines then, and the lines use all sets of a cache, not a half or a
 * quarter of them. */
static void set_stride(trawl_qgram_tier *tier, uint32_t most) {
    uint32_t samples = most / GRAM;
    bool is_long = most >= TRAWL_SPARSE_LEAST_STRIDE;
    tier->stride = is_long ? (samples - (samples % 2 == 0)) * GRAM : most;
    tier->window = tier->stride + GRAM - 1;
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
        set_stride(&tier, trawl_sparse_longest_stride(tier.min_length));
        tier.row_bits =
            trawl_sparse_row_bits((double)count * tier.stride, TRAWL_SPARSE_BITS_PER_ANCHOR);
        header->tier[header->tiers++] = tier;
    }
    trawl_anchors_divide(patterns, GRAM, header);
}

/* ------------------------------------------------------------------ prices */

/* Prices a tier of `patterns` patterns, complete but for its lengths. */
static trawl_tier_estimate price(const trawl_costs *costs, const trawl_qgram_tier *tier,
                                 double patterns, trawl_sparse_rates rates) {
    double anchors = patterns * tier->stride, rows = ldexp(1, (int)tier->row_bits);
    double heads = 4 * anchors / TRAWL_SPARSE_ENTRIES_PER_BUCKET, entries = 8 * anchors;
    double pass = rates.hits + trawl_sparse_pass_by_chance(anchors / rows);
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
static bool try_strides(trawl_sparse_trial *self, const trawl_costs *costs, trawl_effort *effort,
                        uint64_t most_bytes, trawl_qgram_tier *tier, trawl_tier_estimate *best) {
    double patterns = (double)self->survey->patterns->count;
    bool found = false;
    for (uint32_t most = trawl_sparse_longest_stride(tier->min_length);
         most >= TRAWL_SPARSE_LEAST_STRIDE; most /= 2) {
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
        trawl_sparse_rates rates = trawl_sparse_trial_measure(self, patterns, offered.stride);
        for (int size = -1; size <= 1; size++) { /* half, once and twice the bits */
            offered.row_bits = trawl_sparse_row_bits(patterns * offered.stride,
                                                     ldexp(TRAWL_SPARSE_BITS_PER_ANCHOR, size));
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
    trawl_sparse_trial trial;
    trawl_status status = trawl_sparse_trial_open(&trial, survey, error);
    if (status == TRAWL_OK &&
        try_strides(&trial, options->costs, effort, most_bytes, &tier, &estimate)) {
        choice->header = (trawl_qgram_header){.tiers = 1, .tier = {tier}};
        choice->estimate[0] = estimate;
        choice->nanoseconds = estimate.nanoseconds;
        choice->exact = false;
    }
    trawl_sparse_trial_close(&trial);
    return status;
}
