/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/survey.h"

#include <math.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "base/text_pieces.h"
#include "engines/qgram/survey_hash.h"
#include "engines/qgram/verify/runs.h"

#define GROUP TRAWL_QGRAM_GROUP /* samples that are tested together */
#define LEVELS 3u               /* a sixteenth, a quarter, all of the examined patterns */
#define NO_CLASS 255u
#define LONG_PATTERN 64u /* bytes: longer patterns are in the last class too */

typedef struct trawl_survey_slot {
    uint32_t tag;           /* bits of the q-gram's hash that tell it from others of the slot */
    uint8_t lowest[LEVELS]; /* the lowest class with this q-gram; NO_CLASS: none */
    uint8_t used;           /* number of patterns' q-grams, up to 255 */
    uint32_t steps; /* where its keys end: the steps of end offsets (engines/qgram/format.h) */
} trawl_survey_slot;

/* ------------------------------------------------------------------ the survey */

/* The larger the set, the more patterns and text are examined. A few thousand patterns of a large
 * set may have hardly a q-gram in common with the text, although all patterns have many. */
static uint32_t slot_bits_of(size_t patterns) {
    uint32_t bits = TRAWL_SURVEY_SLOT_BITS;
    while (bits < TRAWL_SURVEY_MAX_SLOT_BITS && patterns > TRAWL_SURVEY_MANY_PATTERNS
                                                               << (bits - TRAWL_SURVEY_SLOT_BITS)) {
        bits++;
    }
    return bits;
}

static uint32_t class_of(uint32_t length) {
    uint32_t length_class = TRAWL_SURVEY_CLASSES;
    while (trawl_survey_class_begins[--length_class] > length) {
    }
    return length_class;
}

/* Chooses the patterns that are examined: of each class one in `step`, so that all parts of a
 * sorted set are represented. */
static void choose_patterns(trawl_qgram_survey *survey, const uint8_t *class_of_length) {
    const trawl_patterns *patterns = survey->patterns;
    uint64_t step[TRAWL_SURVEY_CLASSES], seen[TRAWL_SURVEY_CLASSES] = {0};
    uint32_t next[TRAWL_SURVEY_CLASSES];
    uint32_t total = 0;
    for (uint32_t length_class = 0; length_class < TRAWL_SURVEY_CLASSES; length_class++) {
        uint64_t count = survey->count[length_class];
        uint64_t share = TRAWL_SURVEY_PATTERNS * count / patterns->count;
        share = share < TRAWL_SURVEY_CLASS_PATTERNS ? TRAWL_SURVEY_CLASS_PATTERNS : share;
        step[length_class] = count <= share ? 1 : (count + share - 1) / share;
        survey->first[length_class] = next[length_class] = total;
        total += (uint32_t)((count + step[length_class] - 1) / step[length_class]);
    }
    survey->first[TRAWL_SURVEY_CLASSES] = total;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        uint32_t length_class = class_of_length[length < LONG_PATTERN ? length : LONG_PATTERN];
        if (seen[length_class]++ % step[length_class] == 0) {
            survey->ids[next[length_class]++] = (uint32_t)id;
        }
    }
}

/* Measures the shares of the values of a byte. */
static void measure_bytes(const uint8_t *bytes, size_t length, double *shares) {
    uint32_t counts[256] = {0};
    for (size_t i = 0; i < length; i++) {
        counts[bytes[i]]++;
    }
    for (unsigned i = 0; i < 256; i++) {
        shares[i] = length == 0 ? 1.0 / 256 : (double)counts[i] / (double)length;
    }
}

/* Measures how often a byte of the text and one of a pattern are equal, or their lowest bits. */
static void measure_equal_bytes(trawl_qgram_survey *survey) {
    const trawl_patterns *patterns = survey->patterns;
    double in_text[256], in_patterns[256], low_in_text[32] = {0}, low_in_patterns[32] = {0};
    size_t bytes = trawl_patterns_bytes(patterns);
    measure_bytes(survey->text, survey->length, in_text);
    measure_bytes(patterns->bytes, bytes < survey->length ? bytes : survey->length, in_patterns);
    for (unsigned i = 0; i < 256; i++) {
        survey->same_byte += in_text[i] * in_patterns[i];
        low_in_text[i & 31] += in_text[i];
        low_in_patterns[i & 31] += in_patterns[i];
    }
    for (unsigned i = 0; i < 32; i++) {
        survey->same_bit += low_in_text[i] * low_in_patterns[i];
    }
}

/* The hash of the four or sixteen bytes that begin there. */
static uint64_t hash_gram(const uint8_t *bytes, size_t gram) {
    uint32_t four;
    if (gram == 4) {
        memcpy(&four, bytes, sizeof four);
        return four * TRAWL_QGRAM_MULTIPLIER;
    }
    return trawl_survey_hash(bytes, bytes + gram, (uint32_t)gram, 0);
}

/* Measures how much the text repeats itself: its different q-grams of so many bytes divided by its
 * positions. */
static double measure_spread(const uint8_t *text, size_t length, size_t gram) {
    enum { BITS = 18 }; /* of a hash: with more, `seen` would not fit the near caches */
    static const double unknown = 1;
    uint64_t seen[1 << (BITS - 6)];
    if (length < gram) {
        return unknown;
    }
    memset(seen, 0, sizeof seen);
    size_t different = 0;
    for (size_t i = 0; i + gram <= length; i++) {
        uint64_t bit = hash_gram(text + i, gram) >> (64 - BITS);
        different += (seen[bit / 64] >> bit % 64 & 1) == 0;
        seen[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    double spread = (double)different / (double)length;
    return spread < TRAWL_SURVEY_LEAST_SPREAD ? TRAWL_SURVEY_LEAST_SPREAD : spread;
}

trawl_status trawl_survey_open(trawl_qgram_survey *survey, const trawl_patterns *patterns,
                               const void *text, size_t length, trawl_error *error) {
    memset(survey, 0, sizeof *survey);
    survey->patterns = patterns;
    survey->text = text;
    survey->length = length;
    uint8_t class_of_length[LONG_PATTERN + 1];
    class_of_length[0] = 0;
    for (uint32_t i = 1; i <= LONG_PATTERN; i++) {
        class_of_length[i] = (uint8_t)class_of(i);
    }
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t bytes = trawl_pattern_length(patterns, id);
        uint32_t length_class = class_of_length[bytes < LONG_PATTERN ? bytes : LONG_PATTERN];
        if (survey->count[length_class]++ == 0 || bytes < survey->min_length[length_class]) {
            survey->min_length[length_class] = bytes;
        }
        if (bytes > survey->max_length[length_class]) {
            survey->max_length[length_class] = bytes;
        }
        survey->folded[length_class] |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    }
    survey->slot_bits = slot_bits_of(patterns->count);
    size_t most = TRAWL_SURVEY_PATTERNS + TRAWL_SURVEY_CLASSES * (TRAWL_SURVEY_CLASS_PATTERNS + 1);
    survey->ids = trawl_allocate(most, sizeof *survey->ids);
    survey->slots = trawl_allocate((size_t)1 << survey->slot_bits, sizeof *survey->slots);
    if (survey->ids == NULL || survey->slots == NULL) {
        return trawl_fail_memory(error, "planning", sizeof *survey->slots << survey->slot_bits);
    }
    choose_patterns(survey, class_of_length);
    measure_equal_bytes(survey);
    survey->spread = measure_spread(survey->text, length, 4);
    survey->wide_spread = measure_spread(survey->text, length, 16);
    return TRAWL_OK;
}

void trawl_survey_close(trawl_qgram_survey *survey) {
    trawl_release(survey->ids);
    trawl_release(survey->slots);
}

/* ------------------------------------------------------------------ q-grams */

/* The slots of one measurement, of which at most half are used. */
typedef struct slot_table {
    trawl_survey_slot *slots;
    uint32_t bits;
} slot_table;

/* The slot of the q-gram, or a free one. */
static trawl_survey_slot *find_slot(const slot_table *table, uint64_t hash) {
    trawl_survey_slot *slots = table->slots;
    size_t index = (size_t)(hash >> (64 - table->bits));
    uint32_t tag = (uint32_t)(hash >> 16);
    while (slots[index].used != 0 && slots[index].tag != tag) {
        index = (index + 1) & (((size_t)1 << table->bits) - 1);
    }
    slots[index].tag = tag;
    return &slots[index];
}

/* ------------------------------------------------------------------ rates */

/* Counts of q-grams or samples, by level and by the lowest class that has them. */
typedef struct tallies {
    uint32_t of[LEVELS][TRAWL_SURVEY_CLASSES];
} tallies;

static void tally(tallies *counts, const uint8_t *lowest) {
    for (unsigned level = 0; level < LEVELS; level++) {
        if (lowest[level] != NO_CLASS) {
            counts->of[level][lowest[level]]++;
        }
    }
}

/* A quantity is taken to grow as (number of patterns)^exponent. Returns the exponent, 0 to 1,
 * between two levels, of which the second has four times as many patterns. */
static double growth(double before, double after) {
    double exponent = before > 0 ? log(after / before) / log(4.0) : 1;
    return exponent > 1 ? 1 : exponent < 0 ? 0 : exponent;
}

/* Extrapolates a quantity, which was measured for n / 16, n / 4 and n patterns, to n * factor
 * patterns. The exponent of its growth is taken to go on falling as it fell between the levels.
 * What is measured in the text depends on its few most frequent q-grams. So the growth of the
 * number of the patterns' own q-grams, `grams`, has the same weight. */
static double extrapolate(const double *seen, const double *grams, double factor) {
    if (factor <= 1 || seen[2] <= 0) {
        return seen[2];
    }
    double earlier = (growth(seen[0], seen[1]) + growth(grams[0], grams[1])) / 2;
    double exponent = (growth(seen[1], seen[2]) + growth(grams[1], grams[2])) / 2;
    double fall = earlier > exponent ? (earlier - exponent) / 2 : 0;
    double value = seen[2];
    while (factor > 1) {
        exponent = exponent > fall ? exponent - fall : 0;
        value *= pow(factor < 4 ? factor : 4, exponent);
        factor /= 4;
    }
    return value;
}

double trawl_survey_amount(double seen, double all) {
    double most = all - 0.5; /* the logarithm must be finite */
    return -log1p(-(seen < most ? seen : most) / all);
}

/* The same for a share of samples. */
static double extrapolate_share(const uint64_t *seen, uint64_t all, const double *grams,
                                double factor) {
    double amount[LEVELS];
    if (all == 0) {
        return 1; /* no text: nothing is known, and the worst is assumed */
    }
    for (unsigned level = 0; level < LEVELS; level++) {
        amount[level] = trawl_survey_amount((double)seen[level], (double)all);
    }
    return -expm1(-extrapolate(amount, grams, factor));
}

/* The least share of samples that have a q-gram of the patterns, of which there are `grams`: what
 * chance gives, with bytes that do not depend on each other. Only where the examined patterns, with
 * `examined` q-grams, are too few to see it: 8,192 of 50,000,000 random strings of 64 letters meet
 * four samples of a text or none, and all of them nearly every second one. */
static double least_share(const trawl_qgram_survey *survey, uint32_t gram, double samples,
                          double examined, double grams) {
    double equal = pow(survey->same_byte, gram);
    return samples * examined * equal < TRAWL_SURVEY_FEW_HITS ? -expm1(-grams * equal) : 0;
}

/* Enters the q-grams of the examined patterns into the table: of every `thin`-th pattern of each
 * class. */
static void fill_slots(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                       uint32_t thin, uint64_t case_bits, const slot_table *table) {
    const trawl_patterns *patterns = survey->patterns;
    uint32_t step = trawl_end_offsets_step_bytes(filter->stride);
    memset(table->slots, 0, sizeof *table->slots << table->bits);
    for (uint32_t length_class = filter->begin; length_class < TRAWL_SURVEY_CLASSES;
         length_class++) {
        uint32_t number = 0;
        for (uint32_t i = survey->first[length_class]; i < survey->first[length_class + 1];
             i += thin) {
            const uint8_t *end = trawl_pattern_end(patterns, survey->ids[i]);
            unsigned level = number % 16 == 0 ? 0 : number % 4 == 0 ? 1 : 2;
            number++;
            for (uint32_t distance = 0; distance < filter->stride; distance++) {
                uint64_t hash =
                    trawl_survey_hash(patterns->bytes, end - distance, filter->gram, case_bits);
                trawl_survey_slot *slot = find_slot(table, hash);
                if (slot->used == 0) {
                    memset(slot->lowest, NO_CLASS, sizeof slot->lowest);
                }
                slot->used = (uint8_t)(slot->used + (slot->used != UINT8_MAX));
                slot->steps |= 1u << distance / step;
                for (unsigned k = level; k < LEVELS; k++) {
                    if (length_class < slot->lowest[k]) {
                        slot->lowest[k] = (uint8_t)length_class;
                    }
                }
            }
        }
    }
}

/* The groups of samples that are tested, at most. Fewer for small sets: a better estimate would
 * gain little. */
static size_t most_groups(const trawl_qgram_survey *survey) {
    size_t most = TRAWL_SURVEY_MIN_GROUPS + survey->patterns->count / 2;
    return most < TRAWL_SURVEY_MAX_GROUPS
               ? most
               : ((size_t)TRAWL_SURVEY_MAX_GROUPS << survey->slot_bits) >> TRAWL_SURVEY_SLOT_BITS;
}

/* Tests groups of samples that are spread over the text. Counts candidates in `samples`, sets what
 * `rates` says for a candidate, and returns the number of groups. `thin`: one in so many of the
 * examined patterns is in the table. */
static uint32_t test_samples(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                             uint64_t case_bits, uint32_t thin, const slot_table *table,
                             tallies *samples, trawl_survey_rates *rates) {
    size_t span = (size_t)GROUP * filter->stride + filter->gram;
    if (survey->length < span) {
        return 0;
    }
    uint32_t candidates = 0, steps = 0;
    double examined = survey->first[TRAWL_SURVEY_CLASSES], searches = 0;
    double patterns = (double)survey->patterns->count * thin / examined; /* for one in the table */
    size_t room = survey->length - span;
    /* Of large sets groups may overlap: the samples of one lie between those of another. */
    bool large = survey->slot_bits > TRAWL_SURVEY_SLOT_BITS;
    size_t count = room / ((size_t)GROUP * (large ? 1 : filter->stride)) + 1;
    size_t most = most_groups(survey);
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *end = survey->text + trawl_sample_place(i, count, room) + filter->gram;
        for (unsigned k = 0; k < GROUP; k++, end += filter->stride) {
            const trawl_survey_slot *slot =
                find_slot(table, trawl_survey_hash(survey->text, end, filter->gram, case_bits));
            if (slot->used != 0 &&
                !(filter->no_runs && trawl_qgram_is_run(end - filter->gram, filter->gram))) {
                tally(samples, slot->lowest);
                candidates++;
                searches += log2(1 + (slot->used - 1) * patterns);
                steps += (uint32_t)__builtin_popcount(slot->steps);
            }
        }
    }
    uint32_t step = trawl_end_offsets_step_bytes(filter->stride);
    rates->ends_per_candidate = candidates == 0 ? 1 : (double)steps / candidates * step;
    rates->steps_per_candidate = candidates == 0 ? 0 : searches / candidates;
    return (uint32_t)count;
}

void trawl_survey_measure(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                          trawl_survey_rates *rates) {
    uint64_t case_bits = trawl_qgram_case_bits(filter->folded);
    size_t examined = survey->first[TRAWL_SURVEY_CLASSES] - survey->first[filter->begin];
    /* All patterns have at most 256 q-grams of one byte, and a single pattern may have the one byte
     * that a text mostly consists of. */
    uint32_t thin = 1;
    while (filter->gram > 1 && examined / thin * filter->stride > (size_t)1
                                                                      << (survey->slot_bits - 1)) {
        thin *= 2;
    }
    tallies samples = {{{0}}}, grams = {{{0}}};
    rates->ends_per_candidate = 1;
    rates->steps_per_candidate = 0;
    slot_table table = {.slots = survey->slots, .bits = 6};
    while (table.bits < survey->slot_bits &&
           (size_t)1 << table.bits <
               2 * (examined / thin + TRAWL_SURVEY_CLASSES) * filter->stride) {
        table.bits++;
    }
    fill_slots(survey, filter, thin, case_bits, &table);
    uint64_t group_count = test_samples(survey, filter, case_bits, thin, &table, &samples, rates);
    for (size_t i = 0; i < (size_t)1 << table.bits; i++) {
        if (table.slots[i].used != 0) {
            tally(&grams, table.slots[i].lowest);
        }
    }
    uint64_t sum[2][LEVELS] = {{0}};
    double all = 0, used = 0;
    for (uint32_t length_class = filter->begin; length_class < TRAWL_SURVEY_CLASSES;
         length_class++) {
        for (unsigned level = 0; level < LEVELS; level++) {
            sum[0][level] += samples.of[level][length_class];
            sum[1][level] += grams.of[level][length_class];
        }
        all += (double)survey->count[length_class];
        uint32_t picked =
            (survey->first[length_class + 1] - survey->first[length_class] + thin - 1) / thin;
        used += (double)picked;
        double factor = used == 0 ? 1 : all / used;
        double seen[LEVELS] = {(double)sum[1][0], (double)sum[1][1], (double)sum[1][2]};
        rates->pass[length_class + 1] =
            extrapolate_share(sum[0], GROUP * group_count, seen, factor);
        rates->grams[length_class + 1] = extrapolate(seen, seen, factor);
        double least = factor > 1 ? least_share(survey, filter->gram, (double)(GROUP * group_count),
                                                seen[2], rates->grams[length_class + 1])
                                  : 0;
        if (rates->pass[length_class + 1] < least) {
            rates->pass[length_class + 1] = least;
        }
    }
}

double trawl_survey_effort(const trawl_qgram_survey *survey, uint32_t begin, uint32_t stride) {
    uint32_t examined = survey->first[TRAWL_SURVEY_CLASSES] - survey->first[begin];
    double entered = (double)examined * stride, most = ldexp(1, (int)survey->slot_bits - 1);
    return TRAWL_EFFORT_ENTRY *
           ((entered < most ? entered : most) + (double)GROUP * (double)most_groups(survey));
}

/* ------------------------------------------------------------------ short patterns */

/* The patterns of one and two bytes. */
typedef struct short_patterns {
    bool folded;
    uint8_t single[256];                 /* 1: a pattern of this byte */
    uint8_t pair[TRAWL_QGRAM_PAIRS / 8]; /* a bit for each pattern of two bytes */
} short_patterns;

static void add_short_pattern(short_patterns *set, const trawl_patterns *patterns, size_t id) {
    const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
    uint8_t first = set->folded ? trawl_fold(bytes[0]) : bytes[0];
    if (trawl_pattern_length(patterns, id) == 1) {
        set->single[first] = 1;
    } else {
        uint32_t index = first | (uint32_t)(set->folded ? trawl_fold(bytes[1]) : bytes[1]) << 8;
        set->pair[index / 8] |= (uint8_t)(1u << index % 8);
    }
}

/* Adds all of them, not only the examined ones: a single one may match everywhere. */
static void add_short_patterns(short_patterns *set, const trawl_qgram_survey *survey) {
    if (survey->count[0] == survey->first[1]) {
        for (uint32_t i = 0; i < survey->first[1]; i++) {
            add_short_pattern(set, survey->patterns, survey->ids[i]);
        }
        return;
    }
    for (size_t id = 0; id < survey->patterns->count; id++) {
        if (class_of(trawl_pattern_length(survey->patterns, id)) == 0) {
            add_short_pattern(set, survey->patterns, id);
        }
    }
}

double trawl_survey_measure_pairs(const trawl_qgram_survey *survey) {
    short_patterns set = {.folded = survey->folded[0]};
    add_short_patterns(&set, survey);
    size_t hits = 0;
    uint8_t before = 0;
    for (size_t i = 0; i < survey->length; i++) {
        uint8_t byte = set.folded ? trawl_fold(survey->text[i]) : survey->text[i];
        uint32_t index = before | (uint32_t)byte << 8;
        hits += set.single[byte] | (set.pair[index / 8] >> index % 8 & 1);
        before = byte;
    }
    return survey->length == 0 ? 1 : (double)hits / (double)survey->length;
}

unsigned trawl_survey_count_letters(const trawl_qgram_survey *survey, uint32_t begin, uint32_t end,
                                    bool folded) {
    bool seen[256] = {false};
    unsigned letters = 0;
    for (uint32_t i = survey->first[begin]; i < survey->first[end] && letters <= 4; i++) {
        const uint8_t *bytes = trawl_pattern_bytes(survey->patterns, survey->ids[i]);
        uint32_t length = trawl_pattern_length(survey->patterns, survey->ids[i]);
        for (uint32_t k = 0; k < length; k++) {
            uint8_t byte = folded ? trawl_fold(bytes[k]) : bytes[k];
            letters += !seen[byte];
            seen[byte] = true;
        }
    }
    return letters;
}
