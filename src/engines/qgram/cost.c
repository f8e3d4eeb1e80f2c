/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/cost.h"

#include <math.h>

/* Bytes of suffix filter for each key: a word for each suffix, and the number of words is rounded
 * up to a power of two (engines/qgram/build.c). */
#define SUFFIX_BYTES (2.0 * sizeof(uint32_t))

double trawl_cost_at(const double *by_size, double bytes) {
    double place = (log2(bytes < 1 ? 1 : bytes) - 12) / 2;
    if (place <= 0) {
        return by_size[0];
    }
    const unsigned last = TRAWL_COST_SIZES - 1;
    if (place >= last) {
        /* Nearly every access waits for memory by then. What still grows is the time to translate
         * addresses: tables of pages are read from ever farther away, too. */
        double growth = by_size[last - 1] > 0 ? by_size[last] / by_size[last - 1] : 1;
        growth = growth < TRAWL_COST_MOST_GROWTH ? growth : TRAWL_COST_MOST_GROWTH;
        return by_size[last] * pow(growth, place - last);
    }
    unsigned below = (unsigned)place;
    return by_size[below] + (by_size[below + 1] - by_size[below]) * (place - below);
}

double trawl_cost_wait(const trawl_costs *costs, double bytes) {
    return trawl_cost_at(costs->sample, bytes) - costs->sample[0];
}

/* Loops for AVX-512 test 16 samples of up to four bytes or eight of up to eight bytes together, if
 * they are at most this many bytes apart: then two registers, or one, hold all of them. */
#define TOGETHER_STRIDE 8

double trawl_cost_sample(const trawl_costs *costs, double bytes, uint32_t gram, uint32_t stride) {
    double sample = trawl_cost_at(costs->sample, bytes);
    return gram > 8                   ? sample + costs->sample_sixteen
           : stride > TOGETHER_STRIDE ? sample + costs->sample_apart
           : gram > 4                 ? sample + costs->sample_eight
                                      : sample;
}

double trawl_cost_look_up(const trawl_costs *costs, const trawl_qgram_survey *survey, double keys) {
    return trawl_look_up_cost(survey->met, costs->verify, keys);
}

double trawl_cost_extrapolate(double half, double all, double factor) {
    double exponent = half > 0 ? log2(all / half) : 1;
    exponent = exponent < 0 ? 0 : exponent > 1 ? 1 : exponent;
    return factor > 1 ? all * pow(factor, exponent) : all;
}

trawl_tier_estimate trawl_tier_price(const trawl_costs *costs, const trawl_qgram_survey *survey,
                                     const trawl_survey_filter *filter,
                                     const trawl_survey_rates *rates, uint32_t end,
                                     trawl_survey_ends ends, uint64_t most_bytes) {
    double keys = 0;
    for (uint32_t length_class = filter->begin; length_class < end; length_class++) {
        keys += (double)survey->count[length_class];
    }
    /* A candidate waits for a word of the end offsets and for one of the suffix filter, which are
     * not in the nearest cache as a rule. Where there are fewer words of end offsets than q-grams,
     * a word has the ends of other q-grams besides. */
    double words = TRAWL_END_OFFSETS_WORDS_PER_GRAM * keys * filter->stride;
    double most = TRAWL_END_OFFSETS_MAX_WORDS;
    words = words < most ? words : most;
    double wait = trawl_cost_at(costs->sample, 4 * words + SUFFIX_BYTES * keys) - costs->sample[0];
    double other_ends =
        -expm1(-rates->grams[end] / words / TRAWL_END_OFFSETS_STEPS) * filter->stride;
    double candidate =
        costs->sample_candidate * (1 + rates->ends_per_candidate + other_ends) / 2 + 2 * wait;
    const double spread = trawl_survey_spread(survey, filter->gram);
    const double same_bit = filter->gram > 8 ? 1.0 / 32 : survey->same_bit;
    trawl_tier_estimate best = {.nanoseconds = INFINITY};
    for (uint32_t bits = TRAWL_COST_LEAST_ROW_BITS; bits <= TRAWL_QGRAM_MAX_ROW_BITS; bits++) {
        double rows = (double)(UINT64_C(1) << bits);
        double by_chance = -expm1(-rates->grams[end] * same_bit / rows);
        double pass = 1 - (1 - rates->pass[end]) * (1 - by_chance);
        double candidates = pass / filter->stride; /* for a byte of text */
        double found = ends.share < pass ? ends.share : pass;
        double steps = ends.share > 0 ? ends.steps * found / ends.share : 0;
        double sample = trawl_cost_sample(costs, rows * 4 * spread, filter->gram, filter->stride);
        double nanoseconds =
            sample / filter->stride + candidates * candidate +
            (found + TRAWL_PLAN_SEARCH_STEP * steps) * trawl_cost_look_up(costs, survey, keys);
        if (trawl_cost_compared(nanoseconds, rows * 4, keys) <
            trawl_cost_compared(best.nanoseconds, best.bytes, keys)) {
            best = (trawl_tier_estimate){.nanoseconds = nanoseconds,
                                         .pass = pass,
                                         .look_ups = found,
                                         .bytes = rows * 4,
                                         .row_bits = bits};
        }
        if (rows > TRAWL_COST_MAX_ROWS_PER_GRAM * rates->grams[end] ||
            (UINT64_C(8) << bits) > most_bytes) {
            break;
        }
    }
    return best;
}
