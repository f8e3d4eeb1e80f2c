/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/cost.h"

#include <math.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "engines/qgram/anchor.h"

/* Lengths from which on a class begins. */
static const uint32_t class_begins[TRAWL_SURVEY_CLASSES] = {1, 3, 4, 5, 6, 7, 8, 12, 16, 32};

#define SLOT_BITS 14u      /* of sets up to MANY_PATTERNS; one more each time that they double */
#define MOST_SLOT_BITS 17u /* sets of a million take a second to compile anyway */
#define MANY_PATTERNS ((size_t)1 << 17)
#define MOST_PATTERNS 8192u
#define FEWEST_OF_A_CLASS 256u
#define GROUP 8u          /* samples that the filter tests together */
#define MOST_GROUPS 1024u /* with SLOT_BITS */
#define FEWEST_GROUPS 256u
#define LEVELS 3u    /* a sixteenth, a quarter, all of the patterns that are looked at */
#define FAR_WORK 1.2 /* ends of a tier with a reach are checked and put in order besides */
#define NO_CLASS 255u
#define COUNTS ((TRAWL_QGRAM_MAX_GRAM + 1) * TRAWL_ANCHOR_FOLDS)

typedef struct trawl_survey_slot {
    uint32_t tag;           /* of the q-gram's hash */
    uint8_t lowest[LEVELS]; /* the lowest class with this q-gram; NO_CLASS: none */
    uint8_t used;
    uint32_t
        distances; /* from the ends of patterns, as MARKS tells them (engines/qgram/format.h) */
} trawl_survey_slot;

/* ------------------------------------------------------------------ the survey */

/* What a part of a large set lacks in the text, all of it may have everywhere: the larger the set,
 * the more of it and of the text is looked at. */
static uint32_t slot_bits_of(size_t patterns) {
    uint32_t bits = SLOT_BITS;
    while (bits < MOST_SLOT_BITS && patterns > MANY_PATTERNS << (bits - SLOT_BITS)) {
        bits++;
    }
    return bits;
}

static uint32_t class_of(uint32_t length) {
    uint32_t class = TRAWL_SURVEY_CLASSES;
    while (class_begins[--class] > length) {
    }
    return class;
}

/* Patterns are taken at equal distances, so that all parts of a sorted set have their share. */
static void pick(trawl_qgram_survey *survey, const uint8_t *class_of_length) {
    const trawl_patterns *patterns = survey->patterns;
    uint64_t step[TRAWL_SURVEY_CLASSES], seen[TRAWL_SURVEY_CLASSES] = {0};
    uint32_t next[TRAWL_SURVEY_CLASSES];
    uint32_t total = 0;
    for (uint32_t class = 0; class < TRAWL_SURVEY_CLASSES; class ++) {
        uint64_t count = survey->count[class];
        uint64_t share = MOST_PATTERNS * count / patterns->count;
        share = share < FEWEST_OF_A_CLASS ? FEWEST_OF_A_CLASS : share;
        step[class] = count <= share ? 1 : (count + share - 1) / share;
        survey->first[class] = next[class] = total;
        total += (uint32_t)((count + step[class] - 1) / step[class]);
    }
    survey->first[TRAWL_SURVEY_CLASSES] = total;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        uint32_t class = class_of_length[length < 64 ? length : 64];
        if (seen[class]++ % step[class] == 0) {
            survey->ids[next[class]++] = (uint32_t)id;
        }
    }
}

/* Shares of the 32 values of a byte's lowest bits. */
static void low_bits(const uint8_t *bytes, size_t length, double *shares) {
    uint32_t counts[32] = {0};
    for (size_t i = 0; i < length; i++) {
        counts[bytes[i] & 31]++;
    }
    for (unsigned i = 0; i < 32; i++) {
        shares[i] = length == 0 ? 1.0 / 32 : (double)counts[i] / (double)length;
    }
}

/* Text repeats itself: of a large table it reads some lines again and again, which stay in a cache,
 * and the others hardly ever. */
static double spread_of(const uint8_t *text, size_t length) {
    enum { BITS = 18, LEAST = 4096 };
    static const double unknown = 1;
    uint64_t seen[1 << (BITS - 6)];
    if (length < LEAST) {
        return unknown;
    }
    memset(seen, 0, sizeof seen);
    size_t different = 0;
    for (size_t i = 0; i + 4 <= length; i++) {
        uint32_t number;
        memcpy(&number, text + i, sizeof number);
        uint32_t bit = (number * UINT32_C(0x9e3779b1)) >> (32 - BITS);
        different += (seen[bit / 64] >> bit % 64 & 1) == 0;
        seen[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    double spread = (double)different / (double)length;
    return spread < 0.05 ? 0.05 : spread;
}

trawl_status trawl_survey_open(trawl_qgram_survey *survey, const trawl_patterns *patterns,
                               const void *text, size_t length, bool made_up, trawl_error *error) {
    memset(survey, 0, sizeof *survey);
    survey->patterns = patterns;
    survey->text = text;
    survey->length = length;
    uint8_t class_of_length[65];
    class_of_length[0] = 0;
    for (uint32_t i = 1; i <= 64; i++) {
        class_of_length[i] = (uint8_t)class_of(i);
    }
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t bytes = trawl_pattern_length(patterns, id);
        uint32_t class = class_of_length[bytes < 64 ? bytes : 64];
        if (survey->count[class]++ == 0 || bytes < survey->min_length[class]) {
            survey->min_length[class] = bytes;
        }
        if (bytes > survey->max_length[class]) {
            survey->max_length[class] = bytes;
        }
        survey->folded[class] |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    }
    survey->slot_bits = slot_bits_of(patterns->count);
    size_t most = MOST_PATTERNS + TRAWL_SURVEY_CLASSES * (FEWEST_OF_A_CLASS + 1);
    survey->ids = trawl_allocate(most, sizeof *survey->ids);
    survey->slots = trawl_allocate((size_t)1 << survey->slot_bits, sizeof *survey->slots);
    if (survey->ids == NULL || survey->slots == NULL) {
        return trawl_fail_memory(error, "planning", sizeof *survey->slots << survey->slot_bits);
    }
    if (!made_up && length >= TRAWL_ANCHOR_LEAST) {
        survey->counts = trawl_allocate_zeroed(COUNTS, sizeof *survey->counts);
        if (survey->counts == NULL) {
            return trawl_fail_memory(error, "planning", COUNTS * sizeof *survey->counts);
        }
    }
    pick(survey, class_of_length);
    double in_text[32], in_patterns[32];
    size_t bytes = patterns->offsets[patterns->count];
    low_bits(survey->text, length, in_text);
    low_bits(patterns->bytes, bytes < 65536 ? bytes : 65536, in_patterns);
    for (unsigned i = 0; i < 32; i++) {
        survey->same_bit += in_text[i] * in_patterns[i];
    }
    survey->spread = spread_of(survey->text, length);
    return TRAWL_OK;
}

void trawl_survey_close(trawl_qgram_survey *survey) {
    trawl_release(survey->ids);
    trawl_release(survey->slots);
    trawl_release(survey->counts);
}

/* ------------------------------------------------------------------ q-grams */

/* The q-gram before `end`, as a number; `begin` is the first byte that may be read. */
static uint64_t gram_hash(const uint8_t *begin, const uint8_t *end, uint32_t gram,
                          uint64_t case_bits) {
    uint8_t copy[16] = {0};
    if (end - begin < 16) {
        size_t length = (size_t)(end - begin) < gram ? (size_t)(end - begin) : gram;
        memcpy(copy + 16 - length, end - length, length);
        end = copy + 16;
    }
    uint64_t last, first;
    memcpy(&last, end - 8, sizeof last);
    last |= case_bits;
    if (gram <= 8) {
        return (last >> (64 - 8 * gram)) * TRAWL_QGRAM_MULTIPLIER;
    }
    memcpy(&first, end - gram, sizeof first);
    return trawl_qgram_mix(first | case_bits, last) * TRAWL_QGRAM_MULTIPLIER;
}

/* The slots of one measurement: at most half of them get used. */
typedef struct slot_table {
    trawl_survey_slot *slots;
    uint32_t bits;
} slot_table;

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

/* Counts by level and by the lowest class that they belong to. */
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

/* By which power of the number of patterns something grew between two levels. */
static double growth(double before, double after) {
    double exponent = before > 0 ? log(after / before) / log(4.0) : 1;
    return exponent > 1 ? 1 : exponent < 0 ? 0 : exponent;
}

/* How a quantity grows with the number of patterns, of which it has been seen for n/16, n/4 and n,
 * and is wanted for n * factor. The exponent of its growth falls further as it has fallen so far.
 * What is seen in the text depends on its few most frequent q-grams: the growth of the patterns'
 * own, `grams`, counts as much. */
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

/* Shares do not add up, but what -ln(1 - share) measures does. `rare`: patterns have been asked for
 * what they do not share with others, so that it grows as their number. */
static double extrapolate_share(const uint64_t *seen, uint64_t all, const double *grams,
                                double factor, bool rare) {
    double amount[LEVELS];
    if (all == 0) {
        return 1; /* no text: nothing is known, so nothing is hoped */
    }
    for (unsigned level = 0; level < LEVELS; level++) {
        double share = (double)seen[level] / (double)all;
        amount[level] = -log1p(-(share > 0.9999 ? 0.9999 : share));
    }
    return -expm1(-(rare && factor > 1 ? amount[2] * factor : extrapolate(amount, grams, factor)));
}

/* What chooses windows that are judged in the filter's turn. */
static trawl_anchor_counts *counts_of(const trawl_qgram_survey *survey,
                                      const trawl_survey_filter *filter) {
    return &survey->counts[filter->gram * TRAWL_ANCHOR_FOLDS + filter->validation_fold];
}

static void fill_slots(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                       uint32_t thin, uint64_t case_bits, const slot_table *table) {
    const trawl_patterns *patterns = survey->patterns;
    uint32_t span = trawl_qgram_span(filter->stride + filter->anchor_slack);
    memset(table->slots, 0, sizeof *table->slots << table->bits);
    for (uint32_t class = filter->begin; class < TRAWL_SURVEY_CLASSES; class ++) {
        uint32_t number = 0;
        for (uint32_t i = survey->first[class]; i < survey->first[class + 1]; i += thin) {
            const uint8_t *end = patterns->bytes + patterns->offsets[survey->ids[i] + 1];
            unsigned level = number % 16 == 0 ? 0 : number % 4 == 0 ? 1 : 2;
            number++;
            uint32_t from =
                filter->anchor_slack == 0
                    ? 0
                    : trawl_anchor_choose(counts_of(survey, filter), end,
                                          trawl_pattern_length(patterns, survey->ids[i]),
                                          filter->stride, filter->anchor_slack);
            for (uint32_t distance = from; distance < from + filter->stride; distance++) {
                uint64_t hash = gram_hash(patterns->bytes, end - distance, filter->gram, case_bits);
                trawl_survey_slot *slot = find_slot(table, hash);
                if (slot->used == 0) {
                    slot->used = 1;
                    memset(slot->lowest, NO_CLASS, sizeof slot->lowest);
                }
                slot->distances |= 1u << distance / span;
                for (unsigned k = level; k < LEVELS; k++) {
                    if (class < slot->lowest[k]) {
                        slot->lowest[k] = (uint8_t) class;
                    }
                }
            }
        }
    }
}

static bool is_run(const uint8_t *end, uint32_t length) {
    uint32_t same = 1;
    while (same < length && end[-1 - (ptrdiff_t)same] == end[-1]) {
        same++;
    }
    return same == length;
}

/* Groups of samples at equal distances in the text, or in those pieces of it that judge; returns
 * their number. */
static uint32_t probe_text(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                           uint64_t case_bits, const slot_table *table, tallies *samples,
                           double *distances) {
    size_t span = (size_t)GROUP * filter->stride + filter->gram;
    if (survey->length < span) {
        return 0;
    }
    uint32_t passed = 0, ends = 0;
    size_t piece = TRAWL_ANCHOR_PIECE - span; /* places for a group */
    size_t room = filter->validated
                      ? trawl_anchor_judging(survey->length) / TRAWL_ANCHOR_PIECE * piece - 1
                      : survey->length - span;
    /* Groups of large sets overlap: the samples of one lie between those of others. */
    bool large = survey->slot_bits > SLOT_BITS;
    size_t count = room / ((size_t)GROUP * (large ? 1 : filter->stride)) + 1;
    /* The smaller the set, the less there is to gain from knowing better. */
    size_t most = FEWEST_GROUPS + survey->patterns->count / 2;
    most = most < MOST_GROUPS ? most : ((size_t)MOST_GROUPS << survey->slot_bits) >> SLOT_BITS;
    most = filter->validated ? most / 2 : most; /* of a quarter of the text */
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++) {
        size_t at = room * i / count;
        at = filter->validated
                 ? trawl_anchor_validates(filter->validation_fold,
                                          at / piece * TRAWL_ANCHOR_PIECE + at % piece)
                 : at;
        const uint8_t *end = survey->text + at + filter->gram;
        for (unsigned k = 0; k < GROUP; k++, end += filter->stride) {
            const trawl_survey_slot *slot =
                find_slot(table, gram_hash(survey->text, end, filter->gram, case_bits));
            if (slot->used != 0 && !(filter->no_runs && is_run(end, filter->gram))) {
                tally(samples, slot->lowest);
                passed++;
                ends += (uint32_t)__builtin_popcount(slot->distances);
            }
        }
    }
    *distances = passed == 0 ? 1
                             : (double)ends / passed *
                                   trawl_qgram_span(filter->stride + filter->anchor_slack);
    return (uint32_t)count;
}

void trawl_survey_measure(const trawl_qgram_survey *survey, const trawl_survey_filter *filter,
                          trawl_survey_rates *rates) {
    uint64_t case_bits = trawl_qgram_case_bits(filter->folded);
    size_t looked_at = survey->first[TRAWL_SURVEY_CLASSES] - survey->first[filter->begin];
    uint32_t thin = 1;
    while (looked_at / thin * filter->stride > (size_t)1 << (survey->slot_bits - 1)) {
        thin *= 2;
    }
    tallies samples = {{{0}}}, grams = {{{0}}};
    rates->distances = 1;
    slot_table table = {.slots = survey->slots, .bits = 6};
    while (table.bits < survey->slot_bits &&
           (size_t)1 << table.bits <
               2 * (looked_at / thin + TRAWL_SURVEY_CLASSES) * filter->stride) {
        table.bits++;
    }
    if (filter->anchor_slack != 0) {
        trawl_anchor_counts *counts = counts_of(survey, filter);
        if (counts->gram == 0 || counts->folded != filter->folded) {
            trawl_anchor_count(counts, filter->gram, filter->folded, filter->validation_fold,
                               survey->text, survey->length);
        }
    }
    fill_slots(survey, filter, thin, case_bits, &table);
    uint64_t group_count =
        probe_text(survey, filter, case_bits, &table, &samples, &rates->distances);
    for (size_t i = 0; i < (size_t)1 << table.bits; i++) {
        if (table.slots[i].used != 0) {
            tally(&grams, table.slots[i].lowest);
        }
    }
    uint64_t sum[2][LEVELS] = {{0}};
    double all = 0, used = 0;
    for (uint32_t class = filter->begin; class < TRAWL_SURVEY_CLASSES; class ++) {
        for (unsigned level = 0; level < LEVELS; level++) {
            sum[0][level] += samples.of[level][class];
            sum[1][level] += grams.of[level][class];
        }
        all += (double)survey->count[class];
        uint32_t picked = (survey->first[class + 1] - survey->first[class] + thin - 1) / thin;
        used += (double)picked;
        double factor = used == 0 ? 1 : all / used;
        double seen[LEVELS] = {(double)sum[1][0], (double)sum[1][1], (double)sum[1][2]};
        rates->pass[class + 1] =
            extrapolate_share(sum[0], GROUP * group_count, seen, factor, filter->anchor_slack != 0);
        rates->grams[class + 1] = extrapolate(seen, seen, factor);
    }
}

double trawl_survey_direct(const trawl_qgram_survey *survey, uint32_t end) {
    const trawl_patterns *patterns = survey->patterns;
    uint8_t single[256] = {0};
    static const unsigned step = 8; /* bits of a byte of `pair` */
    uint8_t pair[65536 / 8] = {0};
    bool folded = false;
    for (uint32_t class = 0; class < end; class ++) {
        folded |= survey->folded[class];
    }
    for (uint32_t i = 0; i < survey->first[end]; i++) {
        const uint8_t *bytes = trawl_pattern_bytes(patterns, survey->ids[i]);
        uint8_t first = folded ? trawl_fold(bytes[0]) : bytes[0];
        if (trawl_pattern_length(patterns, survey->ids[i]) == 1) {
            single[first] = 1;
        } else {
            uint32_t index = first | (uint32_t)(folded ? trawl_fold(bytes[1]) : bytes[1]) << 8;
            pair[index / step] |= (uint8_t)(1u << index % step);
        }
    }
    size_t hits = 0;
    uint8_t before = 0;
    for (size_t i = 0; i < survey->length; i++) {
        uint8_t byte = folded ? trawl_fold(survey->text[i]) : survey->text[i];
        uint32_t index = before | (uint32_t)byte << 8;
        hits += single[byte] | (pair[index / step] >> index % step & 1);
        before = byte;
    }
    return survey->length == 0 ? 1 : (double)hits / (double)survey->length;
}

unsigned trawl_survey_letters(const trawl_qgram_survey *survey, uint32_t begin, uint32_t end,
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

/* ------------------------------------------------------------------ prices */

double trawl_cost_at(const double *by_size, double bytes) {
    double place = (log2(bytes < 1 ? 1 : bytes) - 12) / 2;
    if (place <= 0) {
        return by_size[0];
    }
    if (place >= TRAWL_COST_SIZES - 1) {
        return by_size[TRAWL_COST_SIZES - 1];
    }
    unsigned below = (unsigned)place;
    return by_size[below] + (by_size[below + 1] - by_size[below]) * (place - below);
}

void trawl_survey_endings(const trawl_qgram_survey *survey, double *shares) {
    for (uint32_t class = 0; class < TRAWL_SURVEY_CLASSES; class ++) {
        shares[class] = 0;
        if (survey->count[class] == 0) {
            continue;
        }
        trawl_qgram_tier tier = {.window = survey->min_length[class],
                                 .max_length = survey->min_length[class]};
        trawl_qgram_suffixes suffixes = trawl_qgram_suffixes_of(&tier);
        trawl_survey_filter filter = {.begin = class,
                                      .gram = suffixes.bytes[suffixes.count - 1],
                                      .stride = 1,
                                      .folded = survey->folded[class],
                                      .no_runs = true}; /* RUNS stops most of them */
        trawl_survey_rates rates;
        trawl_survey_measure(survey, &filter, &rates);
        shares[class] = rates.pass[class + 1];
    }
}

trawl_tier_estimate trawl_tier_price(const trawl_costs *costs, const trawl_qgram_survey *survey,
                                     const trawl_survey_filter *filter,
                                     const trawl_survey_rates *rates, uint32_t end, double endings,
                                     uint64_t most_bytes) {
    /* One in about 150 other ends passes SECOND (engines/qgram/build.c). */
    const double second_passes = 1.0 / 150;
    double keys = 0;
    for (uint32_t class = filter->begin; class < end; class ++) {
        keys += (double)survey->count[class];
    }
    /* MARKS and about two words of SECOND for each key: not in the nearest cache, as a rule. Where
     * it has fewer words than there are q-grams, others' distances add to a sample's. */
    double marks = 2 * keys * filter->stride, most = TRAWL_QGRAM_MOST_END_OFFSETS;
    marks = marks < most ? marks : most;
    double waits = trawl_cost_at(costs->sample, 4 * marks + 8 * keys) - costs->sample[0];
    double others = -expm1(-rates->grams[end] / marks / TRAWL_QGRAM_DISTANCES) *
                    (filter->stride + filter->anchor_slack);
    double ask = costs->end * (1 + rates->distances + others) / 2 + 2 * waits;
    ask *= filter->anchor_slack != 0 ? FAR_WORK : 1;
    trawl_tier_estimate best = {.nanoseconds = INFINITY};
    for (uint32_t bits = 8; bits <= TRAWL_QGRAM_MAX_ROW_BITS; bits++) {
        double rows = (double)(UINT64_C(1) << bits);
        double chance = -expm1(-rates->grams[end] * survey->same_bit / rows);
        double pass = 1 - (1 - rates->pass[end]) * (1 - chance);
        double samples = pass / filter->stride; /* that pass, for a byte */
        double found = endings < pass ? endings : pass;
        double look_ups = found + samples * second_passes;
        double sample = trawl_cost_at(costs->sample, rows * 4 * survey->spread) *
                        (filter->gram > 8 ? 1 + costs->sample_wide : 1);
        double nanoseconds = sample / filter->stride + samples * ask +
                             look_ups * trawl_cost_at(costs->look_up, keys * 64);
        if (nanoseconds < best.nanoseconds) {
            best = (trawl_tier_estimate){.nanoseconds = nanoseconds,
                                         .pass = pass,
                                         .look_ups = look_ups,
                                         .bytes = rows * 4,
                                         .row_bits = bits};
        }
        if ((rows > 64 * rates->grams[end] && bits > 10) || (UINT64_C(8) << bits) > most_bytes) {
            break;
        }
    }
    return best;
}
