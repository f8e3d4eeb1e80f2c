/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What a tier of the q-gram engine would cost, measured with a sample of the text.
 *
 * A survey is a view of a pattern set for this purpose. Lengths are divided into classes, and a
 * tier is a run of classes. Of a large set only some patterns are looked at, a few thousand; from
 * how a filter's pass rate grows between a sixteenth, a quarter and all of these it is concluded to
 * the whole set. For random strings it grows in proportion to their number; for words, which share
 * their q-grams, much more slowly.
 */
#ifndef TRAWL_ENGINES_QGRAM_COST_H
#define TRAWL_ENGINES_QGRAM_COST_H

#include "engines/qgram/format.h"
#include "pattern/patterns.h"

#define TRAWL_SURVEY_CLASSES 10u

struct trawl_survey_slot;
struct trawl_anchor_counts;

typedef struct trawl_qgram_survey {
    const trawl_patterns *patterns;
    const uint8_t *text;
    size_t length;
    uint32_t *ids; /* patterns that are looked at, by class; class c: first[c] .. first[c + 1] */
    uint32_t first[TRAWL_SURVEY_CLASSES + 1];
    uint64_t count[TRAWL_SURVEY_CLASSES]; /* patterns of a class in the whole set */
    bool folded[TRAWL_SURVEY_CLASSES];    /* one of them is case-insensitive */
    uint32_t min_length[TRAWL_SURVEY_CLASSES], max_length[TRAWL_SURVEY_CLASSES];
    double
        same_bit;  /* that a byte of the text and one of a pattern agree in the lowest five bits */
    double spread; /* different q-grams of four bytes in the text, as a share of its positions */
    struct trawl_survey_slot *slots; /* scratch, 1 << slot_bits of them */
    uint32_t slot_bits;
    struct trawl_anchor_counts *counts; /* by a q-gram's bytes and turns, made when wanted; NULL: no
                                           windows may be chosen by the text */
} trawl_qgram_survey;

/* Prepares a survey; free it with trawl_survey_close, also after a failure. `made_up`: the text is
 * made from the patterns, and does not tell what is rare. */
trawl_status trawl_survey_open(trawl_qgram_survey *survey, const trawl_patterns *patterns,
                               const void *text, size_t length, bool made_up, trawl_error *error);
void trawl_survey_close(trawl_qgram_survey *survey);

/* A way to filter the patterns of the classes from `begin` on. */
typedef struct trawl_survey_filter {
    uint32_t begin;
    uint32_t gram;
    uint32_t stride;
    uint32_t anchor_slack; /* as in trawl_qgram_tier; only where the survey has counts */
    bool folded;
    bool no_runs;             /* leaves out runs of one byte in the text */
    bool validated;           /* looks only at those pieces of the text that judge in this turn */
    uint32_t validation_fold; /* (engines/qgram/anchor.h) */
} trawl_survey_filter;

/* What an exact filter for the classes begin .. end - 1 would let through, at [end]. */
typedef struct trawl_survey_rates {
    double pass[TRAWL_SURVEY_CLASSES + 1];  /* share of samples */
    double grams[TRAWL_SURVEY_CLASSES + 1]; /* different q-grams */
    double
        distances; /* ends at which one that passes has to be looked for (engines/qgram/format.h) */
} trawl_survey_rates;

/* For all ends at once. The patterns of `begin` have at least gram + stride - 1 bytes. */
void trawl_survey_measure(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                          trawl_survey_rates *rates);

/* For each class: the share of text bytes before which there are the last bytes of one of its
 * patterns, as many as SECOND asks for (engines/qgram/format.h). */
void trawl_survey_endings(const trawl_qgram_survey *survey, double *shares);

/* The share of text bytes at which a pattern of one or two bytes of these classes ends. */
double trawl_survey_direct(const trawl_qgram_survey *survey, uint32_t end);

/* Different bytes of the patterns of these classes that are looked at. */
unsigned trawl_survey_letters(const trawl_qgram_survey *survey, uint32_t begin, uint32_t end,
                              bool folded);

/* A cost that depends on a table's size (TRAWL_COST_SIZES), interpolated. */
double trawl_cost_at(const double *by_size, double bytes);

/* What a tier is expected to be like. */
typedef struct trawl_tier_estimate {
    double nanoseconds; /* for a byte of text, matches not counted */
    double pass;        /* share of samples that pass FILTER */
    double look_ups;    /* for a byte of text */
    double bytes;       /* of FILTER */
    uint32_t row_bits;  /* hashed */
    bool exact;         /* what passes is a match */
} trawl_tier_estimate;

/* The same for the best size of FILTER up to `most_bytes`. `endings` is the sum of these classes'
 * trawl_survey_endings. */
trawl_tier_estimate trawl_tier_price(const trawl_costs *costs, const trawl_qgram_survey *survey,
                                     const trawl_survey_filter *filter,
                                     const trawl_survey_rates *rates, uint32_t end, double endings,
                                     uint64_t most_bytes);

#endif
