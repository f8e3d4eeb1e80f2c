/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Where patterns end in the sample of the text.
 *
 * Texts match some patterns of a large set again and again, such as the lines of a licence, and
 * most patterns never: the patterns that a survey examines have too many of those or none. So the
 * last bytes of all patterns are looked up among the bytes before some positions of the text.
 */
#include <math.h>

#include "base/allocate.h"
#include "base/text_pieces.h"
#include "engines/qgram/look_up_word.h"
#include "engines/qgram/survey.h"
#include "engines/qgram/survey_hash.h"
#include "engines/qgram/verify/runs.h"

/* A q-gram before positions of the text. */
typedef struct ending_slot {
    uint32_t tag;       /* bits of the q-gram's hash that tell it from others of the slot */
    uint32_t positions; /* before which it stands; 0: the slot is free */
    uint32_t patterns;  /* that end with it */
} ending_slot;

#define ENDING_POSITIONS ((size_t)1 << (TRAWL_SURVEY_SLOT_BITS - 1))

/* The slot of the q-gram, or a free one. */
static ending_slot *find_ending(ending_slot *slots, uint64_t hash) {
    const size_t mask = ((size_t)1 << TRAWL_SURVEY_SLOT_BITS) - 1;
    size_t index = (size_t)(hash >> (64 - TRAWL_SURVEY_SLOT_BITS));
    while (slots[index].positions != 0 && slots[index].tag != (uint32_t)(hash >> 16)) {
        index = (index + 1) & mask;
    }
    return &slots[index];
}

/* Enters the q-grams before positions that are spread over the text; returns their number. */
static uint32_t enter_positions(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                                uint64_t case_bits, ending_slot *slots) {
    memset(slots, 0, sizeof *slots << TRAWL_SURVEY_SLOT_BITS);
    if (survey->length <= filter->gram) {
        return 0;
    }
    const size_t room = survey->length - filter->gram;
    const size_t count = room < ENDING_POSITIONS ? room : ENDING_POSITIONS;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *end = survey->text + trawl_sample_place(i, count, room) + filter->gram;
        if (!trawl_qgram_is_run(end - filter->gram, filter->gram)) {
            uint64_t hash = trawl_survey_hash(survey->text, end, filter->gram, case_bits);
            ending_slot *slot = find_ending(slots, hash);
            slot->tag = (uint32_t)(hash >> 16);
            slot->positions++;
        }
    }
    return (uint32_t)count;
}

/* Measures the ends of the patterns of a class, one in `step` of which are looked up. Returns the
 * number of positions before which one of them stands, of *all positions. *searches: the sum of
 * the steps of binary searches among patterns that end alike, at these positions. */
static uint32_t find_endings(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                             size_t step, ending_slot *slots, uint32_t *all, double *searches) {
    const uint64_t case_bits = trawl_qgram_case_bits(filter->folded);
    const trawl_patterns *patterns = survey->patterns;
    const uint32_t shortest = trawl_survey_class_begins[filter->begin];
    const uint32_t past = filter->begin + 1 < TRAWL_SURVEY_CLASSES
                              ? trawl_survey_class_begins[filter->begin + 1]
                              : UINT32_MAX;
    uint32_t hits = 0;
    *all = enter_positions(survey, filter, case_bits, slots);
    *searches = 0;
    for (size_t id = 0; id < patterns->count; id += step) {
        uint32_t length = trawl_pattern_length(patterns, id);
        if (length >= shortest && length < past) {
            const uint8_t *end = trawl_pattern_end(patterns, id);
            find_ending(slots, trawl_survey_hash(patterns->bytes, end, filter->gram, case_bits))
                ->patterns++;
        }
    }
    for (size_t i = 0; i < (size_t)1 << TRAWL_SURVEY_SLOT_BITS; i++) {
        if (slots[i].positions != 0 && slots[i].patterns != 0) {
            hits += slots[i].positions;
            *searches += slots[i].positions * log2(slots[i].patterns * (double)step);
        }
    }
    return hits;
}

/* The last bytes by which keys of a class are looked up, as far as q-grams of a survey reach. (In
 * tiers with prefix signatures it is eight at most; these have few keys that end alike.) */
static uint32_t look_up_bytes(const trawl_qgram_survey *survey, uint32_t length_class) {
    const uint32_t bytes = trawl_qgram_look_up_bytes(survey->min_length[length_class]);
    return bytes < TRAWL_QGRAM_MAX_GRAM ? bytes : TRAWL_QGRAM_MAX_GRAM;
}

/* Corrects the ends of a class of which not all patterns have been examined. If fewer than
 * TRAWL_SURVEY_FEW_HITS positions are found, the share that was extrapolated from the examined
 * patterns stays, unless it is above that number of positions. Without memory nothing is corrected.
 */
static void correct_endings(const trawl_qgram_survey *survey, trawl_survey_filter filter,
                            trawl_survey_ends *ends) {
    const size_t step = 1 + survey->patterns->count / TRAWL_SURVEY_ENDINGS;
    ending_slot *slots = trawl_allocate((size_t)1 << TRAWL_SURVEY_SLOT_BITS, sizeof *slots);
    uint32_t all = 0;
    double searches = 0;
    uint32_t hits = slots == NULL ? 0 : find_endings(survey, &filter, step, slots, &all, &searches);
    if (all == 0) {
        trawl_release(slots);
        return;
    }
    double amount = (double)step * trawl_survey_amount(hits, all);
    double few = TRAWL_SURVEY_FEW_HITS * (double)step / all;
    double share = -expm1(-amount);
    if (hits < TRAWL_SURVEY_FEW_HITS) {
        share = ends->share < few ? ends->share : few;
    }
    const uint32_t look_up = look_up_bytes(survey, filter.begin);
    if (filter.gram > look_up) {
        filter.gram = look_up;
        hits = find_endings(survey, &filter, step, slots, &all, &searches);
    }
    trawl_release(slots);
    const double steps_each = hits != 0         ? searches / hits
                              : ends->share > 0 ? ends->steps / ends->share
                                                : 0;
    ends->share = share;
    ends->steps = share * steps_each;
}

/* Whether only some patterns of a class have been examined, so that the ends of all are looked up.
 */
static bool is_extrapolated(const trawl_qgram_survey *survey, uint32_t length_class) {
    return survey->count[length_class] >
           survey->first[length_class + 1] - survey->first[length_class];
}

double trawl_survey_endings_effort(const trawl_qgram_survey *survey, uint32_t length_class) {
    const double patterns = (double)survey->patterns->count;
    const double most = (double)TRAWL_SURVEY_ENDINGS;
    return is_extrapolated(survey, length_class)
               ? TRAWL_EFFORT_ENTRY * (patterns < most ? patterns : most)
               : 0;
}

void trawl_survey_measure_endings(const trawl_qgram_survey *survey, trawl_survey_ends *ends) {
    for (uint32_t length_class = 0; length_class < TRAWL_SURVEY_CLASSES; length_class++) {
        ends[length_class] = (trawl_survey_ends){.share = 0};
        if (survey->count[length_class] == 0) {
            continue;
        }
        trawl_qgram_tier tier = {.window = survey->min_length[length_class],
                                 .max_length = survey->min_length[length_class]};
        trawl_qgram_suffixes suffixes = trawl_qgram_suffixes_of(&tier);
        trawl_survey_filter filter = {.begin = length_class,
                                      .gram = suffixes.bytes[suffixes.count - 1],
                                      .stride = 1,
                                      .folded = survey->folded[length_class],
                                      .no_runs = true}; /* run lengths exclude most of these */
        trawl_survey_rates rates;
        trawl_survey_measure(survey, &filter, &rates);
        ends[length_class].share = rates.pass[length_class + 1];
        const uint32_t look_up = look_up_bytes(survey, length_class);
        if (filter.gram > look_up && ends[length_class].share > 0) {
            filter.gram = look_up;
            trawl_survey_measure(survey, &filter, &rates);
        }
        ends[length_class].steps = ends[length_class].share * rates.steps_per_candidate;
        if (is_extrapolated(survey, length_class)) {
            filter.gram = suffixes.bytes[suffixes.count - 1];
            correct_endings(survey, filter, &ends[length_class]);
        }
    }
}
