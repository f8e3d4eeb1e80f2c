/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/gpu/frequent_automaton.h"

#include <string.h>

#include "base/allocate.h"
#include "base/clock.h"
#include "base/fold.h"
#include "base/status.h"
#include "constants/gpu.h"
#include "costs/costs.h"
#include "database/assemble.h"
#include "database/outputs.h"
#include "engines/ac_dfa/hot_walk.h"
#include "engines/ac_dfa/state_ranks.h"
#include "engines/engines.h"
#include "engines/qgram/gpu/divide.h"
#include "engines/qgram/gpu/frequent_patterns.h"
#include "engines/qgram/verify/runs.h"
#include "pattern/distinct.h"

/* The automaton has all patterns up to one of these lengths, which are tried in this order. */
static const uint32_t lengths[] = {3, 4, 2};

/* ------------------------------------------------------------------ which patterns */

static uint32_t letters_of(const uint8_t *bytes, uint32_t length) {
    uint32_t letters = 0;
    for (uint32_t i = 0; i < length; i++) {
        letters += trawl_is_letter(bytes[i]);
    }
    return letters;
}

/* The number of spellings of a pattern in upper and lower case that match it; each is a key of the
 * automaton. 0: they are too many, or the pattern is too long. */
static size_t spellings_of(const trawl_patterns *patterns, size_t id) {
    uint32_t length = trawl_pattern_length(patterns, id);
    bool any_case = (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    uint32_t letters = any_case ? letters_of(trawl_pattern_bytes(patterns, id), length) : 0;
    return letters > TRAWL_GPU_MOST_SPELLED_LETTERS || length > TRAWL_GPU_AUTOMATON_MOST_LENGTH
               ? 0
               : (size_t)1 << letters;
}

/* Marks short patterns and runs of one byte. */
static void mark_short(const trawl_patterns *patterns, uint32_t short_length,
                       trawl_cuda_qgram_automaton *automaton) {
    automaton->short_length = short_length;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        automaton->in_automaton[id] =
            (length <= short_length ||
             trawl_qgram_is_run(trawl_pattern_bytes(patterns, id), length)) &&
            spellings_of(patterns, id) != 0;
    }
}

/* Marks the patterns that are frequent in the text as well, unless they have too many spellings.
 * *surplus: see trawl_cuda_qgram_frequent. */
static trawl_status mark_frequent(const trawl_patterns *patterns,
                                  const trawl_cuda_qgram_layout *layout, uint8_t *in_automaton,
                                  double *surplus, trawl_error *error) {
    trawl_status status = trawl_cuda_qgram_frequent(patterns, layout, in_automaton, surplus, error);
    for (size_t id = 0; id < patterns->count; id++) {
        if (in_automaton[id] == TRAWL_CUDA_QGRAM_FREQUENT) {
            in_automaton[id] = spellings_of(patterns, id) != 0;
        }
    }
    return status;
}

/* Fills in the number and lengths of the marked patterns, and *keys. Returns false if none, all or
 * too many patterns are marked. */
static bool describe(const trawl_patterns *patterns, trawl_cuda_qgram_automaton *automaton,
                     size_t *keys) {
    size_t bytes = 0;
    *keys = 0;
    automaton->patterns = automaton->longest = 0;
    automaton->shortest = UINT32_MAX;
    for (size_t id = 0; id < patterns->count && bytes <= TRAWL_GPU_AUTOMATON_MOST_BYTES; id++) {
        if (automaton->in_automaton[id] != 0) {
            uint32_t length = trawl_pattern_length(patterns, id);
            automaton->patterns++;
            automaton->longest = length > automaton->longest ? length : automaton->longest;
            automaton->shortest = length < automaton->shortest ? length : automaton->shortest;
            *keys += spellings_of(patterns, id);
            bytes += length * spellings_of(patterns, id);
        }
    }
    return automaton->patterns != 0 && automaton->patterns != patterns->count &&
           bytes <= TRAWL_GPU_AUTOMATON_MOST_BYTES;
}

/* ------------------------------------------------------------------ the automaton */

/* Adds one spelling of a pattern. Bit i of `spelling`: letter i is upper case. */
static trawl_status add_key(const trawl_patterns *patterns, size_t id, size_t spelling,
                            size_t spellings, trawl_patterns *keys, trawl_error *error) {
    uint8_t written[TRAWL_GPU_AUTOMATON_MOST_LENGTH];
    uint32_t length = trawl_pattern_length(patterns, id), letter = 0;
    memcpy(written, trawl_pattern_bytes(patterns, id), length);
    for (uint32_t i = 0; i < length && spellings > 1; i++) {
        if (trawl_is_letter(written[i])) {
            uint8_t lower = trawl_fold(written[i]);
            written[i] = (spelling >> letter & 1) != 0 ? (uint8_t)(lower ^ 0x20) : lower;
            letter++;
        }
    }
    return trawl_patterns_add(keys, written, length, 0, error);
}

/* Makes the automaton's pattern set, and ids: for each of its patterns, the id in the whole set. */
static trawl_status make_keys(const trawl_patterns *patterns,
                              const trawl_cuda_qgram_automaton *automaton, trawl_patterns **keys,
                              uint32_t *ids, trawl_error *error) {
    trawl_status status = trawl_patterns_new(keys, error);
    size_t count = 0;
    for (size_t id = 0; status == TRAWL_OK && id < patterns->count; id++) {
        size_t spellings = automaton->in_automaton[id] == 0 ? 0 : spellings_of(patterns, id);
        for (size_t spelling = 0; status == TRAWL_OK && spelling < spellings; spelling++) {
            ids[count++] = (uint32_t)id;
            status = add_key(patterns, id, spelling, spellings, *keys, error);
        }
    }
    return status;
}

/* Replaces the ids of the automaton's patterns by those of the whole set. Patterns of one key stay
 * in rising order, because the spellings of a pattern follow each other. The block may be changed,
 * as nothing else has a pointer to it yet. */
static void rename_patterns(trawl_db *automaton, const uint32_t *ids) {
    uint64_t bytes = 0;
    const void *section = trawl_db_section(automaton, TRAWL_SECTION_KEY_IDS, 0, &bytes);
    uint32_t *names = (uint32_t *)(uintptr_t)section;
    for (uint64_t i = 0; i < bytes / sizeof *names; i++) {
        names[i] = ids[names[i]];
    }
}

/* Its table has to fit into the L2 cache, since price_walk assumes so. */
static trawl_status make_automaton(const trawl_patterns *patterns, size_t key_count,
                                   const trawl_cuda_qgram_target *target,
                                   trawl_cuda_qgram_automaton *automaton, trawl_error *error) {
    trawl_patterns *keys = NULL;
    uint32_t *ids = trawl_allocate(key_count, sizeof *ids);
    if (ids == NULL) {
        return trawl_fail_memory(error, "an automaton beside filters", key_count * sizeof *ids);
    }
    trawl_status status = make_keys(patterns, automaton, &keys, ids, error);
    if (status == TRAWL_OK) {
        trawl_compile_settings options = {.engine = NULL};
        options.max_table_bytes = target->device->cache_bytes;
        options.matches = target->longest ? TRAWL_MATCH_LEFTMOST_LONGEST : TRAWL_MATCH_ALL;
        const trawl_assembly assembly = {.engine = &trawl_engine_ac_dfa,
                                         .reason = "in_automaton beside filters",
                                         .start = trawl_seconds()};
        status = trawl_assemble(keys, &options, &assembly, &automaton->db, NULL, error);
    }
    if (status == TRAWL_OK) {
        rename_patterns(automaton->db, ids);
    }
    trawl_patterns_free(keys);
    trawl_release(ids);
    return status;
}

/* ------------------------------------------------------------------ what it costs */

/* The share of the sample's steps that read the full table: because the row is not in shared
 * memory, or because the entry has no room for the number of matches. */
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

/* How much slower filters are on this device than with the built-in costs. Prices of layouts are
 * for filters with the built-in costs; the planner multiplies them by costs->filter. The price of
 * an automaton is already that of this device, so it is divided by this ratio. */
static double filter_slowdown(const trawl_device_costs *costs) {
    return costs->filter / trawl_device_costs_built_in.filter;
}

/* The price of the walk over a long text. The full table is in the L2 cache, so hot_memory is not
 * used. */
static double price_walk(const trawl_cuda_qgram_automaton *automaton, uint32_t classes,
                         const trawl_cuda_qgram_target *target) {
    const trawl_device_costs *costs = target->costs;
    double parts;
    (void)trawl_hot_strip_bytes(TRAWL_GPU_PRICED_TEXT_BYTES, automaton->longest - 1,
                                target->device->multiprocessors, TRAWL_GPU_HOT_THREADS, &parts);
    return parts *
           (costs->hot_step + costs->hot_conflict * trawl_hot_bank_conflicts(classes) +
            costs->hot_wait * trawl_hot_waits(automaton->elsewhere) +
            costs->hot_cached * automaton->elsewhere) /
           filter_slowdown(costs);
}

static trawl_status price_automaton(trawl_cuda_qgram_automaton *automaton, const uint8_t *sample,
                                    size_t sample_length, const trawl_cuda_qgram_target *target,
                                    trawl_error *error) {
    trawl_state_ranks ranks;
    trawl_status status =
        trawl_state_ranks_make(automaton->db, sample, sample_length, &ranks, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t classes = automaton->db->header->byte_classes;
    uint64_t room =
        (target->device->shared_bytes - TRAWL_GPU_CLASS_BYTES) / (2 * (uint64_t)classes);
    trawl_hot_shape shape = trawl_hot_shape_choose(automaton->db, &ranks, (uint32_t)room);
    automaton->states = ranks.states;
    automaton->rows = shape.rows;
    automaton->shared_bytes = TRAWL_GPU_CLASS_BYTES + 2 * (uint64_t)shape.rows * classes;
    automaton->elsewhere = share_elsewhere(automaton->db, &ranks, shape);
    automaton->price = price_walk(automaton, classes, target);
    trawl_state_ranks_release(&ranks);
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ tiers */

/* Makes the tiers that find frequent patterns when records are written: one for byte pairs, and one
 * for all longer patterns. Returns their number. */
static uint32_t make_tiers(const trawl_patterns *patterns,
                           const trawl_cuda_qgram_automaton *automaton,
                           trawl_cuda_qgram_tier *tiers) {
    trawl_cuda_qgram_tier direct = {.place = TRAWL_CUDA_QGRAM_DIRECT,
                                    .min_length = 1,
                                    .max_length = 2,
                                    .stride = 1,
                                    .gram = 2,
                                    .in_automaton = 1};
    trawl_cuda_qgram_tier others = {.place = TRAWL_CUDA_QGRAM_SHARED,
                                    .min_length = UINT32_MAX,
                                    .stride = 1,
                                    .filter_bits = 1,
                                    .in_automaton = 1};
    size_t pairs = 0, longer = 0;
    for (size_t id = 0; id < patterns->count; id++) {
        if (automaton->in_automaton[id] == 0) {
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
        size_t words = longer * TRAWL_GPU_FILTER_BITS / 32 / TRAWL_GPU_FILTER_UNIT_WORDS + 1;
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

/* What stays the same while layouts are tried, and the best price so far. */
typedef struct layout_search {
    const trawl_patterns *patterns;
    const uint8_t *sample;
    size_t sample_length;
    trawl_cuda_qgram_samples samples;
    const trawl_cuda_qgram_target *target;
    double price; /* of the best layout so far, with its surplus (trawl_cuda_qgram_frequent) */
} layout_search;

/* Divides the patterns that are not in the automaton into tiers. The layout becomes the owner of
 * the automaton. */
static trawl_status make_filters(layout_search *self, trawl_cuda_qgram_automaton *automaton,
                                 trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_cuda_qgram_tier tiers[2];
    uint32_t count = make_tiers(self->patterns, automaton, tiers);
    size_t bytes = bytes_of(tiers, count);
    if (bytes >= self->target->filter_bytes) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT, "too little shared memory");
    }
    trawl_status status = trawl_cuda_qgram_divide(&self->samples, automaton->in_automaton,
                                                  self->target->filter_bytes - bytes,
                                                  self->target->costs->bucket, layout, error);
    if (status == TRAWL_OK) {
        layout->price += automaton->price;
        memcpy(layout->tier + layout->tiers, tiers, count * sizeof *tiers);
        layout->tiers += count;
        layout->automaton = *automaton;
        *automaton = (trawl_cuda_qgram_automaton){.in_automaton = NULL};
    }
    return status;
}

/* Tries an automaton of the marked patterns, in the layout `other`, and replaces *layout by `other`
 * if that is clearly cheaper. Becomes the owner of the automaton. If a limit of the device is
 * exceeded, the result is TRAWL_OK and *layout stays as it is. */
static trawl_status try_automaton(layout_search *self, trawl_cuda_qgram_automaton *automaton,
                                  trawl_cuda_qgram_layout *other, trawl_cuda_qgram_layout *layout,
                                  trawl_error *error) {
    size_t keys = 0;
    trawl_status status = TRAWL_OK;
    memset(other, 0, sizeof *other);
    if (describe(self->patterns, automaton, &keys) &&
        automaton->patterns != layout->automaton.patterns) {
        status = make_automaton(self->patterns, keys, self->target, automaton, error);
        if (status == TRAWL_OK) {
            status =
                price_automaton(automaton, self->sample, self->sample_length, self->target, error);
        }
        if (status == TRAWL_OK && automaton->price < TRAWL_GPU_CLEARLY_LESS * self->price) {
            status = make_filters(self, automaton, other, error);
        }
    }
    trawl_cuda_qgram_automaton_release(automaton);
    if (status == TRAWL_ERROR_LIMIT) {
        trawl_clear(error);
        return TRAWL_OK;
    }
    if (status == TRAWL_OK && other->automaton.in_automaton != NULL) {
        uint8_t *marks = trawl_allocate(self->patterns->count, 1);
        double surplus = 0;
        if (marks == NULL) {
            status = trawl_fail_memory(error, "choosing tiers", self->patterns->count);
        } else {
            memcpy(marks, other->automaton.in_automaton, self->patterns->count);
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

/* The price of filters from which on an automaton is tried, scaled with the cost of a step. */
static double worth_trying(const trawl_device_costs *costs) {
    return TRAWL_GPU_AUTOMATON_WORTH_TRYING * costs->hot_step /
           trawl_device_costs_built_in.hot_step / filter_slowdown(costs);
}

/* An automaton without patterns. */
static trawl_status new_automaton(const trawl_patterns *patterns,
                                  trawl_cuda_qgram_automaton *automaton, trawl_error *error) {
    *automaton =
        (trawl_cuda_qgram_automaton){.in_automaton = trawl_allocate_zeroed(patterns->count, 1)};
    return automaton->in_automaton == NULL
               ? trawl_fail_memory(error, "choosing tiers", patterns->count)
               : TRAWL_OK;
}

/* Replaces the layout, whose filters have all patterns, by one with an automaton if that is
 * expected to be clearly faster. */
static trawl_status try_all(layout_search *self, trawl_cuda_qgram_layout *other,
                            trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_cuda_qgram_automaton frequent, automaton;
    double surplus = 0;
    trawl_status status = new_automaton(self->patterns, &frequent, error);
    if (status == TRAWL_OK) {
        status = mark_frequent(self->patterns, layout, frequent.in_automaton, &surplus, error);
    }
    self->price = layout->price + surplus;
    for (size_t i = 0; status == TRAWL_OK && i < sizeof lengths / sizeof *lengths; i++) {
        /* Each try takes time: length 2 is tried only if length 4 was not better. */
        bool longer_pays = layout->automaton.short_length > lengths[0];
        if (self->price < worth_trying(self->target->costs) ||
            (lengths[i] < lengths[0] && longer_pays)) {
            break;
        }
        status = new_automaton(self->patterns, &automaton, error);
        if (status == TRAWL_OK) {
            mark_short(self->patterns, lengths[i], &automaton);
            for (size_t id = 0; id < self->patterns->count; id++) {
                automaton.in_automaton[id] |= frequent.in_automaton[id];
            }
            status = try_automaton(self, &automaton, other, layout, error);
        }
    }
    trawl_cuda_qgram_automaton_release(&frequent);
    /* The new filters have other samples, which may be frequent too: tries once more with the
     * patterns that have these samples in the automaton. */
    if (status == TRAWL_OK && layout->automaton.in_automaton != NULL) {
        status = new_automaton(self->patterns, &automaton, error);
        if (status == TRAWL_OK) {
            memcpy(automaton.in_automaton, layout->automaton.in_automaton, self->patterns->count);
            automaton.short_length = layout->automaton.short_length;
            status = mark_frequent(self->patterns, layout, automaton.in_automaton, &surplus, error);
            status =
                status == TRAWL_OK ? try_automaton(self, &automaton, other, layout, error) : status;
            trawl_cuda_qgram_automaton_release(&automaton);
        }
    }
    return status;
}

/* Chooses a layout once the samples have been made. */
static trawl_status choose(layout_search *self, trawl_cuda_qgram_layout *layout,
                           trawl_error *error) {
    trawl_status status = trawl_cuda_qgram_divide(&self->samples, NULL, self->target->filter_bytes,
                                                  self->target->costs->bucket, layout, error);
    if (status != TRAWL_OK || self->sample == NULL ||
        self->sample_length < TRAWL_CUDA_QGRAM_LEAST_SAMPLE) {
        return status;
    }
    trawl_cuda_qgram_layout *other = trawl_allocate(1, sizeof *other);
    if (other == NULL) {
        return trawl_fail_memory(error, "choosing tiers", sizeof *other);
    }
    status = try_all(self, other, layout, error);
    trawl_release(other);
    if (status != TRAWL_OK) {
        trawl_cuda_qgram_automaton_release(&layout->automaton);
    }
    return status;
}

static trawl_status choose_for(const trawl_patterns *patterns, const uint8_t *sample,
                               size_t sample_length, const trawl_cuda_qgram_target *target,
                               trawl_cuda_qgram_layout *layout, trawl_error *error) {
    layout_search self = {
        .patterns = patterns, .sample = sample, .sample_length = sample_length, .target = target};
    layout->automaton = (trawl_cuda_qgram_automaton){.in_automaton = NULL};
    trawl_status status =
        trawl_cuda_qgram_samples_make(patterns, sample, sample_length, &self.samples, error);
    if (status == TRAWL_OK) {
        status = choose(&self, layout, error);
        layout->longest = target->longest;
    }
    trawl_cuda_qgram_samples_release(&self.samples);
    return status;
}

trawl_status trawl_cuda_qgram_choose(const trawl_patterns *patterns, const uint8_t *sample,
                                     size_t sample_length, const trawl_cuda_qgram_target *target,
                                     trawl_cuda_qgram_layout *layout, trawl_error *error) {
    trawl_patterns *distinct;
    trawl_status status = trawl_patterns_distinct(patterns, &distinct, error);
    if (status == TRAWL_OK && distinct != NULL) {
        status = choose_for(distinct, sample, sample_length, target, layout, error);
        trawl_patterns_free(distinct);
        if (status != TRAWL_OK || layout->automaton.in_automaton == NULL) {
            return status;
        }
        /* This automaton would not report the patterns that repeat others. */
        trawl_cuda_qgram_automaton_release(&layout->automaton);
    }
    return status == TRAWL_OK ? choose_for(patterns, sample, sample_length, target, layout, error)
                              : status;
}

void trawl_cuda_qgram_automaton_release(trawl_cuda_qgram_automaton *automaton) {
    trawl_release(automaton->in_automaton);
    trawl_db_free(automaton->db);
    *automaton = (trawl_cuda_qgram_automaton){.in_automaton = NULL};
}
