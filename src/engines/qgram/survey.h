/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The survey: how many samples of a text would be candidates, measured with some of the patterns
 * and a sample of the text, without building a filter.
 *
 * Patterns are divided by length into classes, and a tier takes a range of neighbouring classes. Of
 * a large set only a few thousand patterns are examined. Pass rates are measured for a sixteenth, a
 * quarter and all of these, and extrapolated to the whole set: for random strings they grow in
 * proportion to the number of patterns, for words, which share their q-grams, much more slowly.
 */
#ifndef TRAWL_ENGINES_QGRAM_SURVEY_H
#define TRAWL_ENGINES_QGRAM_SURVEY_H

#include "constants/cpu.h"
#include "costs/automata.h"
#include "engines/qgram/format.h"
#include "pattern/patterns.h"

struct trawl_survey_slot;

typedef struct trawl_qgram_survey {
    const trawl_patterns *patterns;
    const uint8_t *text;
    size_t length;
    /* Examined patterns, by class: those of class c are ids[first[c]] .. ids[first[c + 1] - 1]. */
    uint32_t *ids;
    uint32_t first[TRAWL_SURVEY_CLASSES + 1];
    uint64_t count[TRAWL_SURVEY_CLASSES]; /* patterns of a class in the whole set */
    bool folded[TRAWL_SURVEY_CLASSES];    /* one of them is case-insensitive */
    uint32_t min_length[TRAWL_SURVEY_CLASSES], max_length[TRAWL_SURVEY_CLASSES];
    /* Probability that a byte of the text and one of a pattern have the same lowest five bits. */
    double same_bit;
    double same_byte; /* the same for whole bytes */
    /* Different q-grams in the text, as a share of its positions: of four bytes, and of sixteen. */
    double spread, wide_spread;
    const trawl_met_keys *met;       /* the patterns that match in the sample; NULL: not known */
    struct trawl_survey_slot *slots; /* scratch, 1 << slot_bits of them */
    uint32_t slot_bits;
} trawl_qgram_survey;

/* Prepares a survey; free it with trawl_survey_close, also after a failure. TRAWL_ERROR_MEMORY. */
trawl_status trawl_survey_open(trawl_qgram_survey *survey, const trawl_patterns *patterns,
                               const void *text, size_t length, trawl_error *error);
void trawl_survey_close(trawl_qgram_survey *survey);

/* How much of a table the text reads whose indices are hashes of `gram` bytes. A text that repeats
 * itself reads some lines of a large table again and again, which stay in a cache, and the other
 * lines hardly ever. Letters of DNA, of which there are 256 strings of four, do not repeat longer
 * ones. */
static inline double trawl_survey_spread(const trawl_qgram_survey *survey, uint32_t gram) {
    return gram > 8 ? survey->wide_spread : survey->spread;
}

/* A sample filter for the patterns of class `begin` and all later classes. */
typedef struct trawl_survey_filter {
    uint32_t begin;
    uint32_t gram;
    uint32_t stride;
    bool folded;
    bool no_runs; /* samples that are runs of one byte are not counted */
} trawl_survey_filter;

/* Rates at [end]: of a filter for the classes begin .. end - 1 that has no false candidates. */
typedef struct trawl_survey_rates {
    double pass[TRAWL_SURVEY_CLASSES + 1];  /* pass rate: candidates, as a share of samples */
    double grams[TRAWL_SURVEY_CLASSES + 1]; /* different q-grams of the patterns */
    double ends_per_candidate;              /* that the end offsets name, on average */
    double steps_per_candidate;             /* log2 of the patterns with its q-gram, on average */
} trawl_survey_rates;

/* Ends of patterns, for a position of the text. */
typedef struct trawl_survey_ends {
    double share; /* positions before which the last bytes of a pattern stand */
    double steps; /* steps of binary searches among the patterns with the same last bytes */
} trawl_survey_ends;

/* Measures the rates for all values of `end` at once. The patterns of class `begin` have at least
 * gram + stride - 1 bytes. */
void trawl_survey_measure(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                          trawl_survey_rates *rates);

/* Nanoseconds that trawl_survey_measure is expected to take. */
double trawl_survey_effort(const trawl_qgram_survey *survey, uint32_t begin, uint32_t stride);

/* Measures for each class the ends of its patterns: by as many last bytes as the suffix filter
 * tests at most, and the steps by as many as key look-up uses, 16 at most. */
void trawl_survey_measure_endings(const trawl_qgram_survey *survey, trawl_survey_ends *ends);

/* Nanoseconds that this is expected to take for a class, beside trawl_survey_measure. */
double trawl_survey_endings_effort(const trawl_qgram_survey *survey, uint32_t length_class);

/* Returns the share of positions of the text at which a pattern of class 0 ends. These have one or
 * two bytes, and all of them are counted, not only the examined ones. */
double trawl_survey_measure_pairs(const trawl_qgram_survey *survey);

/* Counts the different bytes of the examined patterns of these classes. With more than four it
 * stops early: the result is then only known to be five or more. */
unsigned trawl_survey_count_letters(const trawl_qgram_survey *survey, uint32_t begin, uint32_t end,
                                    bool folded);

/* Shares of samples do not add up, but these amounts do: -ln(1 - share), for `seen` of `all`. */
double trawl_survey_amount(double seen, double all);

#endif
