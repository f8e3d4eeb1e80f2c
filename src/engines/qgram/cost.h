/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The price of a tier with a sample filter, from the rates of a survey and the costs of a machine.
 */
#ifndef TRAWL_ENGINES_QGRAM_COST_H
#define TRAWL_ENGINES_QGRAM_COST_H

#include "engines/qgram/survey.h"

/* A cost by size of table (TRAWL_COST_SIZES), interpolated. */
double trawl_cost_at(const double *by_size, double bytes);

/* What a table of so many bytes makes a load wait. */
double trawl_cost_wait(const trawl_costs *costs, double bytes);

/* A sample of `gram` bytes, `stride` bytes behind the one before, tested in a filter of so many
 * bytes. */
double trawl_cost_sample(const trawl_costs *costs, double bytes, uint32_t gram, uint32_t stride);

/* Nanoseconds of a look-up among `keys` keys where one of them matches. Keys that match often in
 * the sample are in a near cache, if survey->met says which match. */
double trawl_cost_look_up(const trawl_costs *costs, const trawl_qgram_survey *survey, double keys);

/* A rate for `factor` times as many patterns, if its growth goes on as from half of them to all. */
double trawl_cost_extrapolate(double half, double all, double factor);

/* Bytes of tables that are small for so many patterns, at most. */
static inline double trawl_cost_small_bytes(double patterns) {
    return TRAWL_COST_SMALL_PATTERN_BYTES * patterns + TRAWL_COST_SMALL_BYTES;
}

/* A price for comparisons: tables that are not small must gain a clear share of speed. */
static inline double trawl_cost_compared(double nanoseconds, double table_bytes, double patterns) {
    return table_bytes > trawl_cost_small_bytes(patterns)
               ? nanoseconds * TRAWL_COST_LARGE_TABLES_FACTOR
               : nanoseconds;
}

/* What a tier is expected to be like. */
typedef struct trawl_tier_estimate {
    double nanoseconds; /* for a byte of text, matches not counted */
    double pass;        /* pass rate of the filter: candidates, as a share of tests */
    double look_ups;    /* for a byte of text */
    double bytes;       /* of the filter; sparse: of all that its samples read */
    double more_bytes;  /* of tables that only this kind of tier has besides */
    uint32_t row_bits;  /* bloom */
    bool exact;         /* candidates are matches */
} trawl_tier_estimate;

/* The price for the classes filter->begin .. end - 1 with the best size of sample filter up to
 * `most_bytes`. `ends` are those of all these classes (trawl_survey_measure_endings). */
trawl_tier_estimate trawl_tier_price(const trawl_costs *costs, const trawl_qgram_survey *survey,
                                     const trawl_survey_filter *filter,
                                     const trawl_survey_rates *rates, uint32_t end,
                                     trawl_survey_ends ends, uint64_t most_bytes);

#endif
