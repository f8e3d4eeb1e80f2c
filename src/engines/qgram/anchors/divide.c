/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/anchors/divide.h"

#include <math.h>

#include "base/allocate.h"
#include "base/cpu.h"
#include "base/fold.h"
#include "base/status.h"

/* ------------------------------------------------------------------ variant anchors */

/* Rows of a filter with at least 16 bits for each anchor: by chance one in 16 samples passes it at
 * most. */
static uint32_t row_bits_for(uint64_t anchors) {
    uint32_t bits = TRAWL_COST_LEAST_ROW_BITS;
    while (bits < TRAWL_ANCHORS_MAX_ROW_BITS && UINT64_C(2) << bits < anchors) {
        bits++;
    }
    return bits;
}

void trawl_anchors_divide(const trawl_patterns *patterns, uint32_t below,
                          trawl_qgram_header *header) {
    trawl_qgram_tier both[2] = {
        {.kind = TRAWL_TIER_ANCHORS, .min_length = UINT32_MAX, .stride = 1},
        {.kind = TRAWL_TIER_DIRECT, .min_length = UINT32_MAX, .window = 1, .gram = 2, .stride = 1}};
    uint64_t count = 0;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        trawl_qgram_tier *tier = &both[length <= 2];
        if (length >= below) {
            continue;
        }
        tier->min_length = length < tier->min_length ? length : tier->min_length;
        tier->max_length = length > tier->max_length ? length : tier->max_length;
        tier->folded |= (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        count += length > 2;
    }
    both[0].gram = both[0].min_length < 4 ? 3 : 4;
    both[0].window = both[0].gram;
    both[0].row_bits = row_bits_for(count);
    for (unsigned i = 0; i < 2; i++) {
        if (both[i].max_length != 0) {
            header->tier[header->tiers++] = both[i];
        }
    }
}

/* ------------------------------------------------------------------ trials */

/* The tags of a trial: two words of 16 bits for each anchor, as in a database. */
#define TAG_BITS (TRAWL_ANCHORS_TRIAL_BITS + 1)

/* Rows of its filter, at most, as a power of two: 64 bits for each anchor. Half: 8 plans of two
 * seeds change, 0.83 and 1.09 times as fast; double: none. */
#define MOST_ROW_BITS (TRAWL_ANCHORS_TRIAL_BITS + 1)

/* The bytes that a pattern may have besides a run of one byte, so that for some residue of the
 * longest stride all places of an anchor may be in the run: before it and behind it one less than
 * the stride. */
#define MOST_BESIDE (2 * (TRAWL_ANCHORS_MAX_STRIDE - 1))

/* The bytes of a pattern besides its longest run of one byte; 0 if that is as long as the longest
 * stride, since many places are in it then. Zeros and spaces are one byte here, as they are to
 * filters that fold all bytes. */
static uint32_t bytes_beside_run(const uint8_t *bytes, uint32_t length) {
    uint32_t run = 1, longest = 1;
    for (uint32_t i = 1; i < length; i++) {
        run = (bytes[i] | 0x20) == (bytes[i - 1] | 0x20) ? run + 1 : 1;
        longest = run > longest ? run : longest;
    }
    return longest >= TRAWL_ANCHORS_MAX_STRIDE ? 0 : length - longest;
}

/* Lists patterns that are a run of one byte but for a few bytes, those with the fewest first: a few
 * of them, which a trial with some patterns would miss, may have no place but a run, and texts have
 * runs of zeros or of spaces everywhere. */
static void list_runs(trawl_anchors_trials *trials) {
    const trawl_patterns *patterns = trials->survey->patterns;
    uint32_t ids[MOST_BESIDE + 1][TRAWL_ANCHORS_RUNS] = {{0}}, count[MOST_BESIDE + 1] = {0};
    for (size_t id = 0; id < patterns->count && count[0] < TRAWL_ANCHORS_RUNS; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        uint32_t kept = length < TRAWL_ANCHORS_REACH ? length : TRAWL_ANCHORS_REACH;
        uint32_t beside = bytes_beside_run(trawl_pattern_end(patterns, id) - kept, kept);
        if (beside <= MOST_BESIDE && kept - beside >= TRAWL_ANCHORS_LEAST_GRAM &&
            count[beside] < TRAWL_ANCHORS_RUNS) {
            ids[beside][count[beside]++] = (uint32_t)id;
        }
    }
    for (uint32_t beside = 0; beside <= MOST_BESIDE; beside++) {
        for (uint32_t i = 0; i < count[beside] && trials->run_count < TRAWL_ANCHORS_RUNS; i++) {
            trials->runs[trials->run_count++] = ids[beside][i];
        }
        trials->runs_beside[beside] = trials->run_count;
    }
}

trawl_status trawl_anchors_trials_open(trawl_anchors_trials *trials, const trawl_costs *costs,
                                       const trawl_qgram_survey *survey, trawl_effort *effort,
                                       trawl_error *error) {
    const size_t places = (size_t)1 << (MOST_ROW_BITS + TRAWL_QGRAM_ROW_BIT);
    *trials = (trawl_anchors_trials){.costs = costs, .survey = survey, .effort = effort};
    list_runs(trials);
    trials->places = trawl_allocate(places, sizeof *trials->places);
    trials->tags = trawl_allocate((size_t)1 << TAG_BITS, sizeof *trials->tags);
    return trials->places != NULL && trials->tags != NULL
               ? TRAWL_OK
               : trawl_fail_memory(error, "planning", places * sizeof *trials->places);
}

void trawl_anchors_trials_close(trawl_anchors_trials *trials) {
    trawl_release(trials->pairs[0]);
    trawl_release(trials->pairs[1]);
    trawl_release(trials->places);
    trawl_release(trials->tags);
}

/* Counts the pieces of the text with which anchors are chosen. */
static void count_half(trawl_anchors_choice *choice, const trawl_qgram_survey *survey) {
    for (size_t begin = 0; begin < survey->length; begin += 2 * TRAWL_ANCHORS_PIECE) {
        size_t left = survey->length - begin;
        trawl_anchors_count(choice, survey->text + begin,
                            left < TRAWL_ANCHORS_PIECE ? left : TRAWL_ANCHORS_PIECE);
    }
}

/* Shares of the positions of the other half. */
typedef struct trial_rates {
    double pass;    /* of the filter */
    double tagged;  /* that have a tag besides */
    double entries; /* of their buckets, for a position */
} trial_rates;

static trial_rates validate(const trawl_anchors_trials *trials,
                            const trawl_anchors_choice *choice) {
    const trawl_qgram_survey *survey = trials->survey;
    uint64_t multiplier = trawl_qgram_multiplier(choice->tier->gram);
    uint64_t all = 0, pass = 0, tagged = 0, entries = 0;
    size_t begin = survey->length > 2 * TRAWL_ANCHORS_PIECE ? TRAWL_ANCHORS_PIECE : 0;
    for (; begin + 8 < survey->length; begin += 2 * TRAWL_ANCHORS_PIECE) {
        size_t left = survey->length - begin - 8;
        size_t bytes = left < TRAWL_ANCHORS_PIECE ? left : TRAWL_ANCHORS_PIECE;
        all += bytes;
        for (size_t i = begin; i < begin + bytes; i++) {
            uint64_t number;
            memcpy(&number, survey->text + i, sizeof number);
            const trawl_anchors_place *place =
                &choice->places[trawl_qgram_place(&choice->placing, number)];
            if (place->keys != 0) {
                uint64_t hash =
                    trawl_anchors_hash(trawl_qgram_fold(number, choice->case_bits), multiplier);
                bool has_tag =
                    trials->tags[trawl_anchors_tag(hash, TAG_BITS)] >> trawl_anchors_tag_bit(hash) &
                    1;
                pass++;
                tagged += has_tag;
                entries += has_tag ? place->keys : 0;
            }
        }
    }
    if (all == 0) { /* no text: nothing is known, and the worst is assumed */
        return (trial_rates){1, 1, 1};
    }
    double share = 1 / (double)all;
    return (trial_rates){(double)pass * share, (double)tagged * share, (double)entries * share};
}

/* Lets one pattern choose. */
static void choose_one(trawl_anchors_trials *trials, trawl_anchors_choice *choice, uint32_t id) {
    const trawl_patterns *patterns = trials->survey->patterns;
    const trawl_qgram_tier *tier = choice->tier;
    uint64_t multiplier = trawl_qgram_multiplier(tier->gram);
    trawl_anchors_key key = {.length = trawl_pattern_length(patterns, id)};
    uint32_t kept = key.length < TRAWL_ANCHORS_REACH ? key.length : TRAWL_ANCHORS_REACH;
    memcpy(key.bytes, trawl_pattern_end(patterns, id) - kept, kept);
    for (uint32_t at = 0; choice->case_bits != 0 && at < kept; at += 8) {
        uint64_t word;
        memcpy(&word, key.bytes + at, sizeof word);
        word = trawl_fold_word(word);
        memcpy(key.bytes + at, &word, sizeof word);
    }
    uint8_t distances[TRAWL_ANCHORS_MAX_STRIDE];
    trawl_anchors_choose(choice, &key, distances);
    for (uint32_t residue = 0; residue < tier->stride; residue++) {
        uint64_t number = trawl_anchors_number(&key, distances[residue]);
        uint64_t hash = trawl_anchors_hash(trawl_qgram_fold(number, choice->case_bits), multiplier);
        trials->tags[trawl_anchors_tag(hash, TAG_BITS)] |=
            (uint16_t)(1u << trawl_anchors_tag_bit(hash));
    }
}

/* Lets every `step`-th of the examined patterns from class `begin` on choose, from number `first`
 * on. Returns their number. */
static uint64_t choose_some(trawl_anchors_trials *trials, trawl_anchors_choice *choice,
                            uint32_t begin, uint32_t first, uint32_t step) {
    const trawl_qgram_survey *survey = trials->survey;
    uint64_t chosen = 0;
    for (uint32_t i = survey->first[begin] + first; i < survey->first[TRAWL_SURVEY_CLASSES];
         i += step, chosen++) {
        choose_one(trials, choice, survey->ids[i]);
    }
    return chosen;
}

/* Lets the patterns choose that may have no place but a run for a residue of this stride, all of
 * them. Returns their number. */
static uint32_t choose_runs(trawl_anchors_trials *trials, trawl_anchors_choice *choice,
                            uint32_t begin) {
    const trawl_qgram_survey *survey = trials->survey;
    uint32_t chosen = 0, count = trials->runs_beside[2 * (choice->tier->stride - 1)];
    for (uint32_t i = 0; i < count; i++) {
        if (trawl_pattern_length(survey->patterns, trials->runs[i]) >= survey->min_length[begin]) {
            choose_one(trials, choice, trials->runs[i]);
            chosen++;
        }
    }
    return chosen;
}

/* Sets the rows of the filter: by fields where the processor extracts them fast and there are
 * enough bits for each byte of the sample. */
static void set_rows(trawl_qgram_tier *tier, uint32_t row_bits, bool by_fields) {
    tier->row_bits = row_bits;
    tier->fields = 0;
    if (by_fields && trawl_cpu_extracts()) {
        tier->fields = trawl_qgram_spread_fields(tier->gram, row_bits, tier->folded != 0);
    }
}

/* A set of patterns from class `begin` on, of which a tier is to be tried; `endings`: the share of
 * positions at which one of them may end. */
typedef struct trial_set {
    uint32_t begin;
    double patterns, endings;
    double others; /* price of the tiers for shorter patterns */
} trial_set;

/* The best trial so far. */
typedef struct trial {
    trawl_qgram_tier tier;
    trawl_tier_estimate estimate;
} trial;

static double price_sample(const trawl_anchors_trials *trials, const trawl_qgram_tier *tier) {
    double bytes = ldexp(4, (int)tier->row_bits) * trials->survey->spread;
    double by_fields = trawl_cost_sample(trials->costs, bytes, tier->gram, tier->stride);
    return trawl_qgram_placing_price(trials->costs, tier, by_fields) / tier->stride;
}

static double tag_bytes(const trawl_qgram_tier *tier, double patterns) {
    return 2.0 * TRAWL_ANCHORS_TAGS_PER_ENTRY * patterns * tier->stride;
}

static double bucket_bytes(const trawl_qgram_tier *tier, double patterns) {
    return sizeof(trawl_anchors_bucket) / TRAWL_ANCHORS_ENTRIES_PER_BUCKET * patterns *
           tier->stride;
}

/* Nanoseconds for a byte of text. */
static double price(const trawl_anchors_trials *trials, const trawl_qgram_tier *tier,
                    double patterns, double endings, trial_rates rates) {
    const trawl_costs *costs = trials->costs;
    double tags = tag_bytes(tier, patterns), buckets = bucket_bytes(tier, patterns);
    double found = endings < rates.tagged ? endings : rates.tagged;
    return price_sample(trials, tier) +
           rates.pass / tier->stride * (TRAWL_ANCHORS_STEP_COST + trawl_cost_wait(costs, tags)) +
           rates.tagged / tier->stride *
               (TRAWL_ANCHORS_STEP_COST + trawl_cost_wait(costs, buckets)) +
           rates.entries / tier->stride * TRAWL_ANCHORS_STEP_COST +
           found * TRAWL_ANCHORS_KEY_SHARE * trawl_cost_look_up(costs, trials->survey, patterns);
}

/* Of how many examined patterns one is tried. */
static uint32_t trial_step(uint32_t examined, uint32_t stride) {
    uint32_t step = 1;
    while ((uint64_t)(examined / step) * stride > UINT64_C(1) << TRAWL_ANCHORS_TRIAL_BITS) {
        step *= 2;
    }
    return step;
}

/* Nanoseconds that `measure` is expected to take. */
static double trial_effort(const trawl_anchors_trials *trials, uint32_t begin, uint32_t stride) {
    const trawl_qgram_survey *survey = trials->survey;
    uint32_t examined = survey->first[TRAWL_SURVEY_CLASSES] - survey->first[begin];
    double length =
        (double)trawl_patterns_bytes(survey->patterns) / (double)survey->patterns->count;
    double reach = length < TRAWL_ANCHORS_REACH ? length : TRAWL_ANCHORS_REACH;
    return TRAWL_EFFORT_ANCHORS_BYTE * (double)survey->length +
           TRAWL_EFFORT_ANCHORS_PLACE * reach * examined / trial_step(examined, stride);
}

/* Measures the rates of a tier, which is complete but for its lengths. Of many patterns some are
 * tried with a filter that is smaller in proportion: by chance as many samples pass then, and the
 * others are extrapolated. Returns false as soon as the price cannot be below `most`: more patterns
 * never let fewer samples pass. */
static bool measure(trawl_anchors_trials *trials, const trawl_qgram_tier *tier,
                    const trial_set *set, double most, trial_rates *rates) {
    const trawl_qgram_survey *survey = trials->survey;
    const uint32_t begin = set->begin;
    uint32_t examined = survey->first[TRAWL_SURVEY_CLASSES] - survey->first[begin];
    uint32_t step = trial_step(examined, tier->stride);
    trawl_qgram_tier smaller = *tier;
    double factor = set->patterns * step / examined;
    int fewer = (int)lround(log2(factor < 1 ? 1 : factor));
    int bits = (int)tier->row_bits - fewer;
    bits = bits < (int)TRAWL_ANCHORS_LEAST_TRIAL_ROW_BITS ? (int)TRAWL_ANCHORS_LEAST_TRIAL_ROW_BITS
                                                          : bits;
    bits = bits > (int)MOST_ROW_BITS ? (int)MOST_ROW_BITS : bits;
    set_rows(&smaller, (uint32_t)bits, tier->fields != 0);
    trawl_anchors_choice choice;
    trawl_anchors_begin(&choice, &smaller, NULL, trials->pairs[tier->folded], trials->places);
    memset(trials->tags, 0, sizeof *trials->tags << TAG_BITS);
    count_half(&choice, survey);
    uint64_t chosen = choose_some(trials, &choice, begin, 0, 2 * step);
    trial_rates half = validate(trials, &choice);
    if (price(trials, tier, set->patterns, set->endings, half) >= most) {
        return false;
    }
    chosen += choose_some(trials, &choice, begin, step, 2 * step);
    trial_rates all = validate(trials, &choice);
    trial_rates runs = {.pass = 0};
    if (choose_runs(trials, &choice, begin) != 0) {
        trial_rates with_runs = validate(trials, &choice);
        runs.pass = with_runs.pass - all.pass;
        runs.tagged = with_runs.tagged - all.tagged;
        runs.entries = with_runs.entries - all.entries;
    }
    factor = set->patterns / (double)chosen;
    double by_chance = all.pass - all.tagged + runs.pass - runs.tagged;
    all.tagged = trawl_cost_extrapolate(half.tagged, all.tagged, factor);
    all.tagged += runs.tagged;
    all.tagged = all.tagged < 1 ? all.tagged : 1;
    all.pass = all.tagged + by_chance < 1 ? all.tagged + by_chance : 1;
    all.entries = trawl_cost_extrapolate(half.entries, all.entries, factor) + runs.entries;
    *rates = all;
    return true;
}

static double compared(const trawl_tier_estimate *estimate, const trial_set *set) {
    return trawl_cost_compared(estimate->nanoseconds, estimate->bytes + estimate->more_bytes,
                               set->patterns);
}

/* Tries a tier, which is complete but for its lengths. */
static void try_tier(trawl_anchors_trials *trials, const trawl_qgram_tier *tier,
                     const trial_set *set, trial *best) {
    double most = compared(&best->estimate, set);
    trial_rates rates;
    double sample = price_sample(trials, tier);
    if (sample >= most ||
        !trawl_effort_pays(trials->effort, TRAWL_EFFORT_ANCHORS,
                           set->others + TRAWL_DIVIDE_ANCHOR_MARGIN * sample,
                           trial_effort(trials, set->begin, tier->stride)) ||
        !measure(trials, tier, set, most, &rates)) {
        return;
    }
    trawl_tier_estimate estimate = {
        .nanoseconds = price(trials, tier, set->patterns, set->endings, rates),
        .pass = rates.pass,
        .look_ups = rates.tagged / tier->stride,
        .bytes = ldexp(4, (int)tier->row_bits),
        .more_bytes = tag_bytes(tier, set->patterns) + bucket_bytes(tier, set->patterns),
        .row_bits = tier->row_bits};
    if (compared(&estimate, set) < compared(&best->estimate, set)) {
        *best = (trial){*tier, estimate};
        trawl_effort_found(trials->effort,
                           set->others + TRAWL_DIVIDE_ANCHOR_MARGIN * estimate.nanoseconds);
    }
}

/* Counts the pairs of the text when they are needed for the first time. */
static bool has_pairs(trawl_anchors_trials *trials, bool folded) {
    trawl_anchors_pairs **pairs = &trials->pairs[folded];
    if (*pairs == NULL) {
        *pairs = trawl_allocate(1, sizeof **pairs);
        if (*pairs != NULL) {
            trawl_anchors_count_pairs(*pairs, (float *)trials->places, trials->survey->text,
                                      trials->survey->length, folded);
        }
    }
    return *pairs != NULL;
}

trawl_tier_estimate trawl_anchors_try(trawl_anchors_trials *trials, uint32_t begin, bool folded,
                                      double endings, double others, uint64_t most_bytes,
                                      trawl_qgram_tier *tier) {
    const trawl_qgram_survey *survey = trials->survey;
    uint32_t shortest = survey->min_length[begin];
    trial_set set = {.begin = begin, .endings = endings, .others = others};
    for (uint32_t length_class = begin; length_class < TRAWL_SURVEY_CLASSES; length_class++) {
        set.patterns += (double)survey->count[length_class];
    }
    trial best = {.estimate = {.nanoseconds = INFINITY}};
    if (!has_pairs(trials, folded)) {
        return best.estimate;
    }
    for (size_t i = 0; i < sizeof trawl_anchors_shapes / sizeof *trawl_anchors_shapes; i++) {
        uint32_t gram = trawl_anchors_shapes[i].gram, stride = trawl_anchors_shapes[i].stride;
        if (gram + stride - 1 > shortest ||
            (gram == 3 && stride == 1 && shortest > 3)) { /* four bytes say more */
            continue;
        }
        trawl_qgram_tier offered = {.kind = TRAWL_TIER_ANCHORS,
                                    .window = gram + stride - 1,
                                    .gram = gram,
                                    .stride = stride,
                                    .folded = folded};
        set_rows(&offered, row_bits_for((uint64_t)set.patterns * stride), true);
        if (UINT64_C(4) << offered.row_bits <= most_bytes) {
            try_tier(trials, &offered, &set, &best);
        }
    }
    /* A larger and a smaller filter for the best shape. */
    for (unsigned i = 0; i < 2 && best.estimate.nanoseconds < INFINITY; i++) {
        trawl_qgram_tier offered = best.tier;
        uint32_t bits = i == 0 ? offered.row_bits + 2 : offered.row_bits - 2;
        set_rows(&offered, bits, best.tier.fields != 0);
        if (bits >= TRAWL_COST_LEAST_ROW_BITS && bits <= TRAWL_ANCHORS_MAX_ROW_BITS &&
            UINT64_C(4) << bits <= most_bytes) {
            try_tier(trials, &offered, &set, &best);
        }
    }
    if (best.estimate.nanoseconds < INFINITY && folded && best.tier.fields == 0) {
        trawl_qgram_tier offered = best.tier;
        offered.fold_all = 1;
        try_tier(trials, &offered, &set, &best);
    }
    *tier = best.tier;
    return best.estimate;
}
