/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/mix.h"

#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "base/clock.h"
#include "base/fold.h"
#include "base/status.h"
#include "costs/costs.h"
#include "costs/gpu_constants.h"
#include "database/assemble.h"
#include "database/outputs.h"
#include "engines/ac_dfa/hot_walk.h"
#include "engines/ac_dfa/state_ranks.h"
#include "engines/engines.h"
#include "engines/qgram/gpu/cost.h"
#include "engines/qgram/gpu/divide.h"
#include "engines/qgram/gpu/frequent.h"

/* Patterns up to one of these lengths are walked; never pairs of bytes beside an automaton. */
static const uint32_t lengths[] = {3, 4, 2};

#define THREADS 1024u /* of a block */

/* ------------------------------------------------------------------ which patterns */

static uint32_t letters_of(const uint8_t *bytes, uint32_t length) {
    uint32_t letters = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint8_t lower = trawl_fold(bytes[i]);
        letters += lower >= 'a' && lower <= 'z';
    }
    return letters;
}

static bool is_run(const uint8_t *bytes, uint32_t length) {
    uint32_t i = 1;
    while (i < length && bytes[i] == bytes[0]) {
        i++;
    }
    return i == length;
}

/* How many keys a pattern has: ways to write it that it matches; 0: it is not for an automaton. */
static size_t ways_of(const trawl_patterns *patterns, size_t id) {
    uint32_t length = trawl_pattern_length(patterns, id);
    bool any_case = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    uint32_t letters = any_case ? letters_of(trawl_pattern_bytes(patterns, id), length) : 0;
    return letters > TRAWL_GPU_MOST_SPELLED_LETTERS || length > TRAWL_GPU_AUTOMATON_MOST_LENGTH
               ? 0
               : (size_t)1 << letters;
}

/* Marks short patterns and runs of one byte. */
static void pick(const trawl_patterns *patterns, uint32_t short_length, trawl_cuda_qgram_mix *mix) {
    mix->short_length = short_length;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        mix->walked[id] =
            (length <= short_length || is_run(trawl_pattern_bytes(patterns, id), length)) &&
            ways_of(patterns, id) != 0;
    }
}

/* Marks what filters of the layout would let through too often as well, unless it is not for an
 * automaton. *surplus as in qgram_frequent.h. */
static trawl_status mark_frequent(const trawl_patterns *patterns,
                                  const trawl_cuda_qgram_layout *layout, uint8_t *walked,
                                  double *surplus, trawl_error *error) {
    trawl_status status = trawl_cuda_qgram_frequent(patterns, layout, walked, surplus, error);
    for (size_t id = 0; id < patterns->count; id++) {
        if (walked[id] == TRAWL_CUDA_QGRAM_FOUND) {
            walked[id] = ways_of(patterns, id) != 0;
        }
    }
    return status;
}

/* Says of the mix what is known of its patterns; false: they are none, all, or too many. */
static bool describe(const trawl_patterns *patterns, trawl_cuda_qgram_mix *mix) {
    size_t keys = 0, bytes = 0;
    mix->patterns = mix->longest = 0;
    mix->shortest = UINT32_MAX;
    for (size_t id = 0; id < patterns->count && keys <= TRAWL_GPU_AUTOMATON_MOST_KEYS &&
                        bytes <= TRAWL_GPU_AUTOMATON_MOST_BYTES;
         id++) {
        if (mix->walked[id] != 0) {
            uint32_t length = trawl_pattern_length(patterns, id);
            mix->patterns++;
            mix->longest = length > mix->longest ? length : mix->longest;
            mix->shortest = length < mix->shortest ? length : mix->shortest;
            keys += ways_of(patterns, id);
            bytes += length * ways_of(patterns, id);
        }
    }
    return mix->patterns != 0 && mix->patterns != patterns->count &&
           keys <= TRAWL_GPU_AUTOMATON_MOST_KEYS && bytes <= TRAWL_GPU_AUTOMATON_MOST_BYTES;
}

/* ------------------------------------------------------------------ the automaton */

/* Adds way number `way` to write a pattern: bit i of it says whether its letter i is the other case
 * of the lower one. */
static trawl_status add_key(const trawl_patterns *patterns, size_t id, size_t way, size_t ways,
                            trawl_patterns *keys, trawl_error *error) {
    uint8_t written[TRAWL_GPU_AUTOMATON_MOST_LENGTH];
    uint32_t length = trawl_pattern_length(patterns, id), letter = 0;
    memcpy(written, trawl_pattern_bytes(patterns, id), length);
    for (uint32_t i = 0; i < length && ways > 1; i++) {
        uint8_t lower = trawl_fold(written[i]);
        if (lower >= 'a' && lower <= 'z') {
            written[i] = (way >> letter & 1) != 0 ? (uint8_t)(lower - 'a' + 'A') : lower;
            letter++;
        }
    }
    return trawl_patterns_add(keys, written, length, 0, error);
}

/* The set that the automaton is made of, and for each of its patterns the one that it is of the
 * whole set. */
static trawl_status make_keys(const trawl_patterns *patterns, const trawl_cuda_qgram_mix *mix,
                              trawl_patterns **keys, uint32_t *ids, trawl_error *error) {
    trawl_status status = trawl_patterns_new(keys, error);
    size_t count = 0;
    for (size_t id = 0; status == TRAWL_OK && id < patterns->count; id++) {
        size_t ways = mix->walked[id] == 0 ? 0 : ways_of(patterns, id);
        for (size_t way = 0; status == TRAWL_OK && way < ways; way++) {
            ids[count++] = (uint32_t)id;
            status = add_key(patterns, id, way, ways, *keys, error);
        }
    }
    return status;
}

/* Patterns of one key are in the order of their ids before and afterwards: ways to write a pattern
 * follow each other. The block is still nobody else's. */
static void rename_patterns(trawl_db *automaton, const uint32_t *ids) {
    uint64_t bytes = 0;
    const void *section = trawl_db_section(automaton, TRAWL_SECTION_KEY_IDS, 0, &bytes);
    uint32_t *names = (uint32_t *)(uintptr_t)section;
    for (uint64_t i = 0; i < bytes / sizeof *names; i++) {
        names[i] = ids[names[i]];
    }
}

static trawl_status make_automaton(const trawl_patterns *patterns, trawl_cuda_qgram_mix *mix,
                                   trawl_error *error) {
    trawl_patterns *keys = NULL;
    uint32_t *ids = trawl_allocate(TRAWL_GPU_AUTOMATON_MOST_KEYS, sizeof *ids);
    if (ids == NULL) {
        return trawl_fail_memory(error, "an automaton beside filters",
                                 TRAWL_GPU_AUTOMATON_MOST_KEYS * sizeof *ids);
    }
    trawl_status status = make_keys(patterns, mix, &keys, ids, error);
    if (status == TRAWL_OK) {
        trawl_compile_options options = TRAWL_COMPILE_OPTIONS;
        options.max_table_bytes = TRAWL_GPU_AUTOMATON_MOST_TABLE_BYTES;
        const trawl_assembly assembly = {.engine = &trawl_engine_ac_dfa,
                                         .reason = "walked beside filters",
                                         .start = trawl_seconds()};
        status = trawl_assemble(keys, &options, &assembly, &mix->automaton, NULL, error);
    }
    if (status == TRAWL_OK) {
        rename_patterns(mix->automaton, ids);
    }
    trawl_patterns_free(keys);
    trawl_release(ids);
    return status;
}

/* ------------------------------------------------------------------ what it costs */

/* The share of the sample's steps whose rows are not in shared memory, or do not say enough. */
static double share_elsewhere(const trawl_db *automaton, const trawl_state_ranks *ranks,
                              trawl_hot_shape shape) {
    uint32_t see_elsewhere = (UINT32_C(1) << (16 - shape.rank_bits)) - 1;
    uint64_t steps = 0;
    for (uint32_t rank = 0; rank < ranks->visited; rank++) {
        bool said =
            rank < shape.rows && trawl_state_total(automaton, ranks->order[rank]) < see_elsewhere;
        steps += said ? 0 : ranks->visits[rank];
    }
    return (double)steps / (double)ranks->steps;
}

/* By how much filters are slower on the device than with the built-in costs. Prices of layouts are
 * those of filters with the built-in costs, and the planner multiplies them by costs->filter; so
 * the price of an automaton, which does not depend on that cost, is divided by this. */
static double filter_slowdown(const trawl_device_costs *costs) {
    return costs->filter / trawl_device_costs_built_in.filter;
}

/* Of all threads' walks over a long text. The automaton's table is small enough for an L2 cache, so
 * that hot_memory does not matter. */
static double price_walk(const trawl_cuda_qgram_mix *mix, uint32_t classes,
                         const trawl_cuda_qgram_target *target) {
    const trawl_device_costs *costs = target->costs;
    double parts;
    (void)trawl_hot_strip_bytes(TRAWL_GPU_PRICED_TEXT_BYTES, mix->longest - 1,
                                target->device->multiprocessors, THREADS, &parts);
    return parts *
           (costs->hot_step + costs->hot_conflict * trawl_hot_bank_conflicts(classes) +
            costs->hot_wait * trawl_hot_waits(mix->elsewhere) +
            costs->hot_cached * mix->elsewhere) /
           filter_slowdown(costs);
}

static trawl_status price_automaton(trawl_cuda_qgram_mix *mix, const uint8_t *sample,
                                    size_t sample_length, const trawl_cuda_qgram_target *target,
                                    trawl_error *error) {
    trawl_state_ranks ranks;
    trawl_status status =
        trawl_state_ranks_make(mix->automaton, sample, sample_length, &ranks, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t classes = mix->automaton->header->byte_classes;
    uint64_t room =
        (target->device->shared_bytes - TRAWL_GPU_CLASS_BYTES) / (2 * (uint64_t)classes);
    trawl_hot_shape shape = trawl_hot_shape_choose(mix->automaton, &ranks, (uint32_t)room);
    mix->states = ranks.states;
    mix->rows = shape.rows;
    mix->shared_bytes = TRAWL_GPU_CLASS_BYTES + 2 * (uint64_t)shape.rows * classes;
    mix->elsewhere = share_elsewhere(mix->automaton, &ranks, shape);
    mix->price = price_walk(mix, classes, target);
    trawl_state_ranks_release(&ranks);
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ the tiers */

/* Tiers for walked patterns, for records: pairs of bytes, and one for all that are longer. */
static uint32_t make_tiers(const trawl_patterns *patterns, const trawl_cuda_qgram_mix *mix,
                           trawl_cuda_qgram_tier *tiers) {
    trawl_cuda_qgram_tier direct = {.place = TRAWL_CUDA_QGRAM_DIRECT,
                                    .min_length = 1,
                                    .max_length = 2,
                                    .stride = 1,
                                    .gram = 2,
                                    .walked = 1};
    trawl_cuda_qgram_tier others = {.place = TRAWL_CUDA_QGRAM_SHARED,
                                    .min_length = UINT32_MAX,
                                    .stride = 1,
                                    .filter_ones = 1,
                                    .walked = 1};
    size_t pairs = 0, longer = 0;
    for (size_t id = 0; id < patterns->count; id++) {
        if (mix->walked[id] == 0) {
            continue;
        }
        uint32_t length = trawl_pattern_length(patterns, id);
        bool any_case = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
        if (length < 3) {
            pairs++;
            direct.folded |= any_case;
            continue;
        }
        longer++;
        others.folded |= any_case;
        others.min_length = length < others.min_length ? length : others.min_length;
        others.max_length = length > others.max_length ? length : others.max_length;
    }
    uint32_t count = 0;
    if (longer != 0) {
        size_t words = longer * TRAWL_GPU_RECORD_FILTER_BITS / 32 / TRAWL_GPU_FILTER_UNIT_WORDS + 1;
        words *= TRAWL_GPU_FILTER_UNIT_WORDS;
        others.gram = others.min_length < 4 ? others.min_length : 4;
        others.filter_words = (uint32_t)(words < TRAWL_GPU_RECORD_FILTER_MOST_WORDS
                                             ? words
                                             : TRAWL_GPU_RECORD_FILTER_MOST_WORDS);
        tiers[count++] = others;
    }
    if (pairs != 0) {
        tiers[count++] = direct;
    }
    return count;
}

static size_t bytes_of(const trawl_cuda_qgram_tier *tiers, uint32_t count) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += 4 * (size_t)trawl_cuda_qgram_filter_words(&tiers[i]);
    }
    return bytes;
}

/* What does not change while layouts are tried. */
typedef struct mixing {
    const trawl_patterns *patterns;
    const uint8_t *sample;
    size_t sample_length;
    trawl_cuda_qgram_samples samples;
    const trawl_cuda_qgram_target *target;
    double price; /* of the best layout until now, with what its price leaves out */
} mixing;

/* Filters for what is not walked, in a layout of their own, which takes the mix over. */
static trawl_status make_filters(mixing *self, trawl_cuda_qgram_mix *mix,
                                 trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_cuda_qgram_tier walked[2];
    uint32_t count = make_tiers(self->patterns, mix, walked);
    size_t bytes = bytes_of(walked, count);
    if (bytes >= self->target->filter_bytes) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "too little shared memory");
    }
    trawl_status status = trawl_cuda_qgram_divide(
        &self->samples, mix->walked, self->target->filter_bytes - bytes, layout, error);
    if (status == TRAWL_OK) {
        layout->price += mix->price;
        memcpy(layout->tier + layout->tiers, walked, count * sizeof *walked);
        layout->tiers += count;
        layout->mix = *mix;
        *mix = (trawl_cuda_qgram_mix){.walked = NULL};
    }
    return status;
}

/* Tries the mix, whose patterns are marked and which is given away, in `other`, a layout, which
 * replaces the one that there is if it is clearly cheaper. What a device has no room for is no
 * failure. */
static trawl_status try_mix(mixing *self, trawl_cuda_qgram_mix *mix, trawl_cuda_qgram_layout *other,
                            trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    memset(other, 0, sizeof *other);
    if (describe(self->patterns, mix) && mix->patterns != layout->mix.patterns) {
        status = make_automaton(self->patterns, mix, error);
        if (status == TRAWL_OK) {
            status = price_automaton(mix, self->sample, self->sample_length, self->target, error);
        }
        if (status == TRAWL_OK && mix->price < TRAWL_GPU_CLEARLY_LESS * self->price) {
            status = make_filters(self, mix, other, error);
        }
    }
    trawl_cuda_qgram_mix_release(mix);
    if (status == TRAWL_ERROR_LIMIT) {
        trawl_clear(error);
        return TRAWL_OK;
    }
    if (status == TRAWL_OK && other->mix.walked != NULL) {
        uint8_t *marks = trawl_allocate(self->patterns->count, 1);
        double surplus = 0;
        if (marks == NULL) {
            status = trawl_fail_memory(error, "choosing tiers", self->patterns->count);
        } else {
            memcpy(marks, other->mix.walked, self->patterns->count);
            status = mark_frequent(self->patterns, other, marks, &surplus, error);
            trawl_release(marks);
        }
        bool better =
            status == TRAWL_OK && other->price + surplus < TRAWL_GPU_CLEARLY_LESS * self->price;
        if (better) {
            self->price = other->price + surplus;
        }
        trawl_cuda_qgram_layout_release(better ? layout : other);
        if (better) {
            *layout = *other;
        }
    }
    return status;
}

/* The price of filters from which on an automaton is tried: in proportion to what a step costs. */
static double worth_trying(const trawl_device_costs *costs) {
    return TRAWL_GPU_AUTOMATON_WORTH_TRYING * costs->hot_step /
           trawl_device_costs_built_in.hot_step / filter_slowdown(costs);
}

/* A mix with room for its marks. */
static trawl_status make_mix(const trawl_patterns *patterns, trawl_cuda_qgram_mix *mix,
                             trawl_error *error) {
    *mix = (trawl_cuda_qgram_mix){.walked = trawl_allocate_zeroed(patterns->count, 1)};
    return mix->walked == NULL ? trawl_fail_memory(error, "choosing tiers", patterns->count)
                               : TRAWL_OK;
}

/* Replaces the layout, whose tiers are for all patterns, by one with an automaton beside its
 * filters if that is expected to take clearly less time. */
static trawl_status try_all(mixing *self, trawl_cuda_qgram_layout *other,
                            trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_cuda_qgram_mix frequent, mix;
    double surplus = 0;
    trawl_status status = make_mix(self->patterns, &frequent, error);
    if (status == TRAWL_OK) {
        status = mark_frequent(self->patterns, layout, frequent.walked, &surplus, error);
    }
    self->price = layout->price + surplus;
    for (size_t i = 0; status == TRAWL_OK && i < sizeof lengths / sizeof *lengths; i++) {
        /* The shortest ones alone are for sets for which more do not pay: trying takes time. */
        bool longer_pays = layout->mix.short_length > lengths[0];
        if (self->price < worth_trying(self->target->costs) ||
            (lengths[i] < lengths[0] && longer_pays)) {
            break;
        }
        status = make_mix(self->patterns, &mix, error);
        if (status == TRAWL_OK) {
            pick(self->patterns, lengths[i], &mix);
            for (size_t id = 0; id < self->patterns->count; id++) {
                mix.walked[id] |= frequent.walked[id];
            }
            status = try_mix(self, &mix, other, layout, error);
        }
    }
    trawl_cuda_qgram_mix_release(&frequent);
    /* The filters that there are now may have other frequent samples. */
    if (status == TRAWL_OK && layout->mix.walked != NULL) {
        status = make_mix(self->patterns, &mix, error);
        if (status == TRAWL_OK) {
            memcpy(mix.walked, layout->mix.walked, self->patterns->count);
            mix.short_length = layout->mix.short_length;
            status = mark_frequent(self->patterns, layout, mix.walked, &surplus, error);
            status = status == TRAWL_OK ? try_mix(self, &mix, other, layout, error) : status;
            trawl_cuda_qgram_mix_release(&mix);
        }
    }
    return status;
}

/* The same for a set whose samples have been made. */
static trawl_status choose(mixing *self, trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_status status =
        trawl_cuda_qgram_divide(&self->samples, NULL, self->target->filter_bytes, layout, error);
    if (status != TRAWL_OK || self->sample == NULL ||
        self->sample_length < TRAWL_GPU_LEAST_SAMPLE_BYTES) {
        return status;
    }
    trawl_cuda_qgram_layout *other = trawl_allocate(1, sizeof *other);
    if (other == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *other);
    }
    status = try_all(self, other, layout, error);
    trawl_release(other);
    if (status != TRAWL_OK) {
        trawl_cuda_qgram_mix_release(&layout->mix);
    }
    return status;
}

trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, const trawl_cuda_qgram_target *target,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error) {
    mixing self = {
        .patterns = patterns, .sample = sample, .sample_length = sample_length, .target = target};
    layout->mix = (trawl_cuda_qgram_mix){.walked = NULL};
    trawl_status status =
        trawl_cuda_qgram_samples_make(patterns, sample, sample_length, &self.samples, error);
    if (status == TRAWL_OK) {
        status = choose(&self, layout, error);
    }
    trawl_cuda_qgram_samples_release(&self.samples);
    return status;
}

void trawl_cuda_qgram_mix_release(trawl_cuda_qgram_mix *mix) {
    trawl_release(mix->walked);
    trawl_db_free(mix->automaton);
    *mix = (trawl_cuda_qgram_mix){.walked = NULL};
}
