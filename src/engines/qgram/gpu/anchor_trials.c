/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/anchor_trials.h"

#include <math.h>

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "constants/cpu.h"
#include "constants/gpu.h"
#include "engines/qgram/cost.h"
#include "engines/qgram/gpu/anchor_comparisons.h"
#include "engines/qgram/gpu/cost.h"

#define TAG_BITS 18u

trawl_status trawl_cuda_anchor_trials_open(trawl_cuda_anchor_trials *trials, uint32_t most_words,
                                           const uint8_t *text, size_t length, bool folded,
                                           trawl_error *error) {
    const trawl_cuda_qgram_tier any = {.filter_bits = 2, .gram = 4};
    const size_t usual = trawl_cuda_qgram_anchor_filter(&any).places;
    const size_t by_cores = (size_t)most_words * 32, places = usual > by_cores ? usual : by_cores;
    *trials = (trawl_cuda_anchor_trials){
        .pairs = trawl_allocate(1, sizeof *trials->pairs),
        .places = trawl_allocate(places, sizeof *trials->places),
        .tags = trawl_allocate((size_t)1 << TAG_BITS, sizeof *trials->tags),
    };
    if (trials->pairs == NULL || trials->places == NULL || trials->tags == NULL) {
        return trawl_fail_memory(error, "choosing tiers", places * sizeof *trials->places);
    }
    trawl_anchors_count_pairs(trials->pairs, (float *)trials->places, text, length, folded);
    return TRAWL_OK;
}

void trawl_cuda_anchor_trials_close(trawl_cuda_anchor_trials *trials) {
    trawl_release(trials->pairs);
    trawl_release(trials->places);
    trawl_release(trials->tags);
}

void trawl_cuda_anchor_trials_begin(trawl_cuda_anchor_trials *trials,
                                    const trawl_cuda_qgram_tier *tier, const uint8_t *text,
                                    size_t length) {
    trawl_cuda_qgram_tier tried = *tier;
    tried.filter_bits = 2; /* each sample has a place of its own, but by cores */
    const trawl_qgram_tier as_chosen = trawl_cuda_qgram_anchor_tier(&tried);
    const trawl_anchors_filter filter = trawl_cuda_qgram_anchor_filter(&tried);
    bool is_counted = text == trials->counted && length == trials->counted_length &&
                      as_chosen.gram == trials->tier.gram &&
                      as_chosen.folded == trials->tier.folded &&
                      filter.find == trials->filter.find && filter.words == trials->filter.words;
    trials->tier = as_chosen;
    trials->filter = filter;
    if (is_counted) {
        trawl_anchors_forget_keys(&trials->choice);
    } else {
        trawl_anchors_begin(&trials->choice, &trials->tier, &trials->filter, trials->pairs,
                            trials->places);
        trawl_anchors_count(&trials->choice, text, length);
        trials->counted = text;
        trials->counted_length = length;
    }
    memset(trials->tags, 0, sizeof *trials->tags << TAG_BITS);
    trials->anchors = 0;
    trials->crowded = false;
}

static uint64_t tag_hash(const trawl_cuda_anchor_trials *trials, uint64_t number) {
    return trawl_anchors_hash(trawl_qgram_fold(number, trials->choice.case_bits),
                              trawl_qgram_multiplier(trials->tier.gram));
}

/* The place of a sample that ends at an odd address or, by cores, at an even one. */
static trawl_anchors_place *place_of(const trawl_cuda_anchor_trials *trials, uint64_t number,
                                     size_t end) {
    uint32_t found[2];
    uint32_t count = trawl_anchors_find(&trials->choice, number, found);
    return &trials->places[found[count == 2 && end % 2 == 0]];
}

uint32_t trawl_cuda_anchor_trials_choose(trawl_cuda_anchor_trials *trials,
                                         const trawl_patterns *patterns, uint32_t id) {
    trawl_anchors_key key = {.length = trawl_pattern_length(patterns, id)};
    uint32_t kept = key.length < TRAWL_ANCHORS_REACH ? key.length : TRAWL_ANCHORS_REACH;
    memcpy(key.bytes, trawl_pattern_end(patterns, id) - kept, kept);
    for (uint32_t i = 0; trials->tier.folded != 0 && i < kept; i++) {
        key.bytes[i] = trawl_fold(key.bytes[i]);
    }
    uint8_t distances[TRAWL_ANCHORS_MAX_STRIDE];
    trawl_anchors_choose(&trials->choice, &key, distances);
    uint32_t most = 0;
    for (uint32_t residue = 0; residue < trials->tier.stride; residue++) {
        uint64_t number = trawl_anchors_number(&key, distances[residue]);
        uint64_t hash = tag_hash(trials, number);
        trawl_cuda_anchor_tag *tag = &trials->tags[trawl_anchors_tag(hash, TAG_BITS)];
        uint16_t bit = (uint16_t)(1u << trawl_anchors_tag_bit(hash));
        trials->anchors += (tag->bits & bit) == 0;
        tag->bits |= bit;
        tag->keys = (uint16_t)(tag->keys + (tag->keys != UINT16_MAX));
        if (tag->keys * (id * UINT64_C(0x9e3779b97f4a7c15) >> 32) >> 32 == 0) {
            tag->distance = distances[residue];
            tag->pattern = id;
        }
        trials->crowded = trials->crowded || tag->keys > TRAWL_ANCHORS_MOST_ENTRIES;
        uint32_t samples = place_of(trials, number, 1)->samples;
        most = samples > most ? samples : most;
    }
    return most;
}

/* What the anchors that have been chosen so far meet in the part of the sample that validates. */
static trawl_cuda_anchor_rates validate(const trawl_cuda_anchor_trials *trials,
                                        const trawl_cuda_anchor_set *set) {
    const uint8_t *text = set->text + set->chooses;
    const size_t length = set->validates;
    const bool folded = trials->tier.folded != 0;
    trawl_cuda_comparisons compared;
    trawl_cuda_comparisons_begin(&compared, folded, set);
    size_t seen = 0, passed = 0, tagged = 0, further = 0, crowded = 0;
    for (size_t i = 0; i + 8 <= length; i++, seen++) {
        uint64_t number;
        memcpy(&number, text + i, sizeof number);
        if (place_of(trials, number, i)->keys != 0) {
            uint64_t hash = tag_hash(trials, number);
            const trawl_cuda_anchor_tag *tag = &trials->tags[trawl_anchors_tag(hash, TAG_BITS)];
            const bool is_crowded = tag->keys > TRAWL_ANCHORS_MOST_ENTRIES;
            passed++;
            if ((tag->bits >> trawl_anchors_tag_bit(hash) & 1) != 0) {
                tagged++;
                crowded += is_crowded;
                further += is_crowded ? 0 : tag->keys - 1u;
                trawl_cuda_comparisons_add(&compared, folded, trials->tier.gram, set, tag, i);
            }
        }
    }
    if (seen == 0) {
        return (trawl_cuda_anchor_rates){.anchors = trials->anchors, .rate = 1, .chance = 1};
    }
    /* With few anchors both numbers of candidates by chance, that of the sample and that of random
     * bits, are near 0, and say little. Their quotient would be 0: then even the smallest filter by
     * cores would seem to have no false candidates. So a number is added to both. */
    double random = trawl_cuda_qgram_false_rate(1, 2.0 * trials->anchors, trials->filter.words);
    double by_chance = (double)(passed - tagged) + TRAWL_SURVEY_FEW_HITS;
    double expected = random * (double)seen + TRAWL_SURVEY_FEW_HITS;
    return (trawl_cuda_anchor_rates){.anchors = trials->anchors,
                                     .rate = (double)tagged / (double)seen,
                                     .further = (double)further / (double)seen,
                                     .crowded = (double)crowded / (double)seen,
                                     .compared = trawl_cuda_comparisons_share(&compared),
                                     .bytes = trawl_cuda_comparisons_bytes(&compared),
                                     .general = trials->crowded,
                                     .chance = by_chance / expected};
}

static uint32_t choose_some(trawl_cuda_anchor_trials *trials, const trawl_cuda_anchor_set *set,
                            uint32_t first, uint32_t step) {
    uint32_t chosen = 0;
    for (uint32_t i = first; i < set->count; i += step, chosen++) {
        (void)trawl_cuda_anchor_trials_choose(trials, set->patterns, set->ids[set->order[i]]);
    }
    return chosen;
}

trawl_cuda_anchor_rates trawl_cuda_anchor_trials_try(trawl_cuda_anchor_trials *trials,
                                                     const trawl_cuda_qgram_tier *tier,
                                                     const trawl_cuda_anchor_set *set,
                                                     uint64_t most) {
    uint64_t anchors = (uint64_t)set->count * tier->stride;
    uint32_t step = (uint32_t)(anchors / most) + 1;
    trawl_cuda_anchor_trials_begin(trials, tier, set->text, set->chooses);
    uint32_t chosen = choose_some(trials, set, 0, 2 * step);
    /* The growth from half of the tried patterns to all of them goes on to the others. */
    trawl_cuda_anchor_rates half = {.rate = 0};
    if (step > 1) {
        half = validate(trials, set);
    }
    chosen += choose_some(trials, set, step, 2 * step);
    trawl_cuda_anchor_rates all = validate(trials, set);
    if (step == 1) {
        return all;
    }
    double factor = (double)set->count / chosen;
    double all_anchors = trawl_cost_extrapolate(half.anchors, all.anchors, factor);
    /* Samples grow no faster than anchors: further keys share anchors or find rarer ones. */
    double by_anchors = all.rate * all_anchors / fmax(all.anchors, 1);
    all.rate = fmin(trawl_cost_extrapolate(half.rate, all.rate, factor), by_anchors);
    all.further = trawl_cost_extrapolate(half.further, all.further, factor);
    all.crowded = fmin(trawl_cost_extrapolate(half.crowded, all.crowded, factor), all.rate);
    all.anchors = all_anchors;
    all.rate = all.rate < 1 ? all.rate : 1;
    all.partial = true;
    return all;
}
