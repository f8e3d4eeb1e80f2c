/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "plan/gpu.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "constants/cpu.h"
#include "constants/gpu.h"
#include "engines/ac_dfa/gpu_cost.h"
#include "engines/engines.h"
#include "engines/qgram/gpu/free_anchors.h"
#include "engines/qgram/gpu/frequent_automaton.h"
#include "engines/qgram/gpu/packed_tables.h"
#include "engines/qgram/gpu/sparse_tables.h"

_Static_assert(TRAWL_DEVICE_MOST_TIERS == TRAWL_CUDA_QGRAM_TIERS, "a record has all tiers");

static const trawl_cuda_properties usual_device = {
    .multiprocessors = TRAWL_GPU_USUAL_MULTIPROCESSORS,
    .shared_bytes = TRAWL_GPU_USUAL_SHARED_BYTES,
    .cache_bytes = TRAWL_GPU_USUAL_CACHE_BYTES,
    .memory_bytes = TRAWL_GPU_USUAL_MEMORY_BYTES,
};

const trawl_plan_way trawl_plan_ways[TRAWL_DEVICE_WAYS] = {
    [TRAWL_DEVICE_FILTER] = {"qgram", "filter"},
    [TRAWL_DEVICE_PACKED] = {"qgram", "packed"},
    [TRAWL_DEVICE_SPARSE] = {"qgram", "sparse"},
    [TRAWL_DEVICE_HOT] = {"ac-dfa", "hot"},
};

/* What is known while a plan is made. */
typedef struct device_plan {
    const trawl_patterns *patterns;
    const trawl_patterns *all; /* with those that repeat others */
    const trawl_compile_settings *options;
    trawl_cuda_properties device;
    bool present; /* whether the device is there; else an H200 is assumed */
    trawl_device_costs costs;
    trawl_cuda_qgram_layout *layout;
    uint64_t filter_shared_bytes; /* of the filters of `layout` */
    trawl_cuda_sparse_layout sparse;
    trawl_hot_estimate hot;
    trawl_error obstacle[TRAWL_DEVICE_WAYS]; /* why a way is not possible; TRAWL_OK: it is */
    trawl_device_record *record;
} device_plan;

/* ------------------------------------------------------------------ the device */

trawl_status trawl_plan_check_device(const trawl_compile_settings *options, trawl_error *error) {
    uint32_t number = 0;
    const char *name = options->device;
    if (name == NULL || strcmp(name, "cpu") == 0 || strcmp(name, "auto") == 0 ||
        trawl_cuda_planned_device(name, &number)) {
        return TRAWL_OK;
    }
    return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                      "compile options: device is '%.40s'; cpu, cuda, cuda:N or auto is expected",
                      name);
}

static bool is_auto(const trawl_compile_settings *options) {
    return strcmp(options->device, "auto") == 0;
}

bool trawl_plan_is_for_device(const trawl_compile_settings *options) {
    uint32_t number = 0;
    trawl_cuda_properties unused;
    return options->device != NULL &&
           (is_auto(options) ? trawl_cuda_read_properties(number, &unused, NULL) == TRAWL_OK
                             : trawl_cuda_planned_device(options->device, &number));
}

bool trawl_plan_stays_for_device(const trawl_compile_settings *options) {
    return !is_auto(options) || trawl_cuda_check(0, NULL) == TRAWL_OK;
}

static void read_device(device_plan *self) {
    uint32_t number = 0;
    if (!is_auto(self->options)) {
        (void)trawl_cuda_planned_device(self->options->device, &number);
    }
    self->device = usual_device;
    self->present = trawl_cuda_read_properties(number, &self->device, NULL) == TRAWL_OK;
}

/* ------------------------------------------------------------------ prices */

/* Bytes of the table that a count reads for every sample. */
static uint64_t first_table_bytes(const trawl_cuda_qgram_tier *tier) {
    return tier->place == TRAWL_CUDA_QGRAM_DIRECT ? 4 * (uint64_t)TRAWL_CUDA_QGRAM_PAIR_WORDS
                                                  : 4 * (uint64_t)tier->filter_words;
}

static double mean_length(const trawl_patterns *patterns) {
    return patterns->count == 0 ? 0
                                : (double)trawl_patterns_bytes(patterns) / (double)patterns->count;
}

/* Bytes of the buckets of free anchors. */
static uint64_t bucket_bytes(const trawl_patterns *patterns, const trawl_cuda_qgram_tier *tier) {
    uint64_t anchors = 0;
    for (size_t id = 0; id < patterns->count; id++) {
        uint32_t length = trawl_pattern_length(patterns, id);
        anchors += length >= tier->min_length && length <= tier->max_length ? tier->stride : 0;
    }
    return (uint64_t)((double)anchors / trawl_cuda_qgram_bucket_load(anchors)) *
           sizeof(trawl_anchors_bucket);
}

/* The price of the ends of matches that the prices of the tiers do not include: where patterns
 * contain each other, or are runs, one candidate leads to many ends. The more positions are ends,
 * the more they are ends of the same keys, whose bytes the caches hold. With an automaton for
 * frequent patterns the price is 0: ends that the automaton finds cost nothing here, and how many
 * it finds is not known. */
static double price_of_further_ends(const device_plan *self) {
    const trawl_cuda_qgram_layout *layout = self->layout;
    const double ends = self->hot.match_ends - layout->ends;
    if (layout->automaton.in_automaton != NULL || ends <= 0) {
        return 0;
    }
    return ends *
           (TRAWL_GPU_KEY_HIT + (1 - ends) * TRAWL_GPU_KEY_BYTE * mean_length(self->patterns));
}

/* If the engine refuses the set, this way is not possible, which is no failure. */
static trawl_status price_filter(device_plan *self, trawl_error *error) {
    const trawl_compile_settings *options = self->options;
    trawl_device_record *record = self->record;
    const size_t shared = self->device.shared_bytes, working = TRAWL_GPU_QGRAM_WORKING_BYTES;
    const trawl_cuda_qgram_target target = {
        .device = &self->device,
        .costs = &self->costs,
        .filter_bytes = shared < working ? 0 : shared - working,
    };
    trawl_error *obstacle = &self->obstacle[TRAWL_DEVICE_FILTER];
    trawl_status status = trawl_cuda_qgram_choose(
        self->patterns, options->sample, options->sample_length, &target, self->layout, obstacle);
    if (status != TRAWL_OK) {
        return status == TRAWL_ERROR_LIMIT ? TRAWL_OK
                                           : trawl_fail(error, status, "%s", obstacle->message);
    }
    const trawl_cuda_qgram_layout *layout = self->layout;
    uint64_t bytes = TRAWL_GPU_QGRAM_PATTERN_BYTES * (uint64_t)self->patterns->count, in_shared = 0;
    for (uint32_t i = 0; i < layout->tiers; i++) {
        const trawl_cuda_qgram_tier *tier = &layout->tier[i];
        uint64_t first = first_table_bytes(tier);
        bytes += first + (tier->end_offset_bits == 0 ? 0 : UINT64_C(2) << tier->end_offset_bits);
        bytes += tier->anchors == 0 ? 0 : bucket_bytes(self->patterns, tier);
        in_shared +=
            tier->place == TRAWL_CUDA_QGRAM_GLOBAL || i >= layout->filter_tiers ? 0 : first;
    }
    bytes += layout->automaton.shared_bytes;
    self->filter_shared_bytes = in_shared;
    /* The automaton is a kernel of its own, before the filters'. */
    in_shared =
        layout->automaton.shared_bytes > in_shared ? layout->automaton.shared_bytes : in_shared;
    record->picoseconds[TRAWL_DEVICE_FILTER] =
        (layout->price + price_of_further_ends(self)) * self->costs.filter;
    record->bytes[TRAWL_DEVICE_FILTER] = bytes;
    record->shared_bytes[TRAWL_DEVICE_FILTER] = in_shared;
    return TRAWL_OK;
}

/* The conditions are those under which engine qgram chooses this kernel by itself. */
static void price_packed(device_plan *self) {
    trawl_cuda_packed_layout letters;
    trawl_error *obstacle = &self->obstacle[TRAWL_DEVICE_PACKED];
    const trawl_patterns *patterns = self->patterns;
    /* A text that was made up from the patterns has only their letters: it says nothing about
     * other letters. */
    size_t length = self->record->sample_bytes == 0 ? 0 : self->options->sample_length;
    if (!trawl_cuda_packed_letters(patterns, self->device.shared_bytes, &letters, obstacle)) {
        return;
    }
    if (!trawl_cuda_packed_pays(&letters, patterns->count, self->options->sample, length)) {
        (void)trawl_fail(obstacle, TRAWL_ERROR_LIMIT, "%s",
                         length == 0 ? "too few patterns" : "the text has too many other bytes");
        return;
    }
    double outside = trawl_cuda_packed_outside(&letters, self->options->sample, length);
    bool verified =
        !trawl_cuda_packed_planes_suffice(&letters, self->all, self->device.shared_bytes);
    self->record->picoseconds[TRAWL_DEVICE_PACKED] =
        self->costs.packed + outside * TRAWL_GPU_PACKED_OUTSIDE +
        (verified ? self->hot.match_ends * TRAWL_GPU_PACKED_VERIFIED : 0);
    self->record->bytes[TRAWL_DEVICE_PACKED] =
        TRAWL_CUDA_PACKED_KMERS * UINT64_C(5) +
        TRAWL_GPU_QGRAM_PATTERN_BYTES * (uint64_t)patterns->count;
    self->record->shared_bytes[TRAWL_DEVICE_PACKED] = TRAWL_CUDA_PACKED_KMERS;
}

/* Of kernels filter and sparse, engine qgram chooses the one with the lower price by itself: so
 * the price of filter has to be known. */
static trawl_status price_sparse(device_plan *self, trawl_error *error) {
    const trawl_compile_settings *options = self->options;
    trawl_error *obstacle = &self->obstacle[TRAWL_DEVICE_SPARSE];
    if (self->obstacle[TRAWL_DEVICE_FILTER].status != TRAWL_OK) {
        *obstacle = self->obstacle[TRAWL_DEVICE_FILTER];
        return TRAWL_OK;
    }
    trawl_status status =
        trawl_cuda_sparse_choose(self->patterns, options->sample, options->sample_length,
                                 &self->device, &self->sparse, obstacle, error);
    if (status == TRAWL_OK && obstacle->status == TRAWL_OK && self->sparse.is_dense) {
        (void)trawl_fail(obstacle, TRAWL_ERROR_LIMIT, "too many of its samples are in patterns");
    }
    if (status == TRAWL_OK && obstacle->status == TRAWL_OK) {
        self->record->picoseconds[TRAWL_DEVICE_SPARSE] = self->sparse.price * self->costs.filter;
        self->record->bytes[TRAWL_DEVICE_SPARSE] =
            self->sparse.bytes + TRAWL_GPU_QGRAM_PATTERN_BYTES * (uint64_t)self->patterns->count;
    }
    return status;
}

static trawl_status price_hot(device_plan *self, trawl_error *error) {
    const trawl_compile_settings *options = self->options;
    trawl_status status =
        trawl_hot_estimate_make(self->patterns, options->sample, options->sample_length,
                                &self->device, &self->costs, &self->hot, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const uint64_t limit =
        trawl_plan_dfa_limit(self->device.memory_bytes, options->max_table_bytes);
    if (self->hot.dfa_bytes > limit) {
        (void)trawl_fail(&self->obstacle[TRAWL_DEVICE_HOT], TRAWL_ERROR_LIMIT,
                         "about %.0f MB of tables are above %.0f MB",
                         (double)self->hot.dfa_bytes / 1e6, (double)limit / 1e6);
    }
    self->record->match_ends = self->hot.match_ends;
    self->record->picoseconds[TRAWL_DEVICE_HOT] = self->hot.picoseconds;
    self->record->bytes[TRAWL_DEVICE_HOT] = self->hot.table_bytes + self->hot.shared_bytes;
    self->record->shared_bytes[TRAWL_DEVICE_HOT] = self->hot.shared_bytes;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ words */

/* "110 KB", "7.4 MB". */
static void add_bytes(trawl_plan *plan, uint64_t bytes) {
    bool small = bytes < 1000000;
    trawl_plan_add(plan, small ? "%.0f KB" : "%.1f MB", (double)bytes / (small ? 1e3 : 1e6));
}

static void explain_filter(const device_plan *self, trawl_plan *plan) {
    const trawl_cuda_qgram_layout *layout = self->layout;
    const trawl_device_record *record = self->record;
    const trawl_cuda_qgram_automaton *automaton = &layout->automaton;
    bool one = layout->filter_tiers == 1, beyond = false;
    uint32_t anchors = 0;
    for (uint32_t i = 0; i < layout->filter_tiers; i++) {
        beyond |= layout->tier[i].place == TRAWL_CUDA_QGRAM_GLOBAL;
        anchors += layout->tier[i].anchors;
    }
    if (automaton->in_automaton != NULL) {
        trawl_plan_add(
            plan,
            "where matches are counted, an automaton takes %u patterns (of up to %u "
            "bytes, runs of one byte, what is frequent in the text), %u of its %u states in ",
            automaton->patterns, automaton->short_length, automaton->rows, automaton->states);
        add_bytes(plan, automaton->shared_bytes);
        trawl_plan_add(plan,
                       " of each block's shared memory (%.0f GB/s for itself); for the others ",
                       1e3 / (automaton->price * self->costs.filter));
    }
    trawl_plan_add(plan, "%u filter%s", layout->filter_tiers, one ? "" : "s");
    if (anchors == layout->filter_tiers && anchors != 0) {
        trawl_plan_add(plan, " of free anchors");
    } else if (anchors != 0) {
        trawl_plan_add(plan, ", %u of them of free anchors,", anchors);
    }
    trawl_plan_add(plan, " in ");
    add_bytes(plan, self->filter_shared_bytes);
    trawl_plan_add(plan, " of each block's shared memory%s, candidates at %.2g %% of positions, ",
                   beyond ? " and behind the L2 cache" : "", 100 * layout->candidates);
    add_bytes(plan, record->bytes[TRAWL_DEVICE_FILTER] - self->filter_shared_bytes -
                        automaton->shared_bytes);
    trawl_plan_add(plan, " of tables behind the L2 cache");
}

static void explain_packed(const device_plan *self, trawl_plan *plan) {
    trawl_plan_add(plan, "letters of 2 bits, 8 of them a number, and ");
    add_bytes(plan, self->record->shared_bytes[TRAWL_DEVICE_PACKED]);
    trawl_plan_add(plan, " or more of each block's shared memory that say what ends with it");
}

static void explain_sparse(const device_plan *self, trawl_plan *plan) {
    trawl_plan_add(
        plan,
        "samples of %u bytes, %u bytes apart, so that most of the text is not read; %.2g "
        "%% of them are candidates, ",
        TRAWL_SPARSE_GRAM, self->sparse.tier.stride, 100 * self->sparse.candidates);
    add_bytes(plan, self->record->bytes[TRAWL_DEVICE_SPARSE]);
    trawl_plan_add(plan, " of tables behind the L2 cache");
}

static void explain_hot(const device_plan *self, trawl_plan *plan) {
    const trawl_hot_estimate *hot = &self->hot;
    if (hot->rows + 0.5 >= hot->states) {
        trawl_plan_add(plan, "all of about %.0f states have their rows in ", hot->states);
    } else {
        trawl_plan_add(plan, "%u of about %.0f states have their rows in ", hot->rows, hot->states);
    }
    add_bytes(plan, hot->shared_bytes);
    trawl_plan_add(plan, " of each block's shared memory");
    if (hot->elsewhere > 0) {
        trawl_plan_add(plan, ", and %.2g %% of steps need ", 100 * hot->elsewhere);
        add_bytes(plan, hot->table_bytes);
        trawl_plan_add(plan, " behind the L2 cache");
    }
}

static void explain_way(const device_plan *self, uint32_t way, trawl_plan *plan) {
    if (way == TRAWL_DEVICE_FILTER) {
        explain_filter(self, plan);
    } else if (way == TRAWL_DEVICE_PACKED) {
        explain_packed(self, plan);
    } else if (way == TRAWL_DEVICE_SPARSE) {
        explain_sparse(self, plan);
    } else {
        explain_hot(self, plan);
    }
}

static void explain(const device_plan *self, uint32_t chosen, trawl_plan *plan) {
    const trawl_device_record *record = self->record;
    plan->reason[0] = '\0';
    trawl_plan_add(plan,
                   "kernel %s, %.0f GB/s expected of text in the memory of %s (%u blocks of up "
                   "to 1024 threads), by %s: ",
                   trawl_plan_ways[chosen].kernel, 1e3 / record->picoseconds[chosen],
                   self->present ? "this GPU" : "an H200", self->device.multiprocessors,
                   record->sample_bytes != 0 ? "a sample of the text"
                                             : "a text made up of the patterns");
    explain_way(self, chosen, plan);
    for (uint32_t way = 0; way < TRAWL_DEVICE_WAYS; way++) {
        if (way == chosen) {
            continue;
        }
        const trawl_error *obstacle = &self->obstacle[way];
        trawl_plan_add(plan, "; %s, kernel %s: ", trawl_plan_ways[way].engine,
                       trawl_plan_ways[way].kernel);
        if (obstacle->status != TRAWL_OK) {
            trawl_plan_add(plan, "%s", obstacle->message);
        } else {
            trawl_plan_add(plan, "%.0f GB/s", 1e3 / record->picoseconds[way]);
        }
    }
}

/* ------------------------------------------------------------------ the choice */

static void record_tiers(const device_plan *self) {
    trawl_device_record *record = self->record;
    const trawl_cuda_qgram_automaton *automaton = &self->layout->automaton;
    record->tiers = self->layout->filter_tiers;
    if (automaton->in_automaton != NULL) {
        record->tier[record->tiers] = (trawl_device_tier_record){.place = TRAWL_DEVICE_AUTOMATON,
                                                                 .min_length = automaton->shortest,
                                                                 .max_length = automaton->longest,
                                                                 .stride = 1,
                                                                 .gram = 1,
                                                                 .bytes = automaton->shared_bytes};
        record->tiers++;
    }
    for (uint32_t i = 0; i < self->layout->filter_tiers; i++) {
        const trawl_cuda_qgram_tier *tier = &self->layout->tier[i];
        record->tier[i] = (trawl_device_tier_record){.place = tier->place,
                                                     .min_length = tier->min_length,
                                                     .max_length = tier->max_length,
                                                     .stride = tier->stride,
                                                     .gram = tier->gram,
                                                     .bytes = first_table_bytes(tier)};
    }
}

/* What the price of a scan is multiplied by before ways are compared: above 1 for very large
 * tables, and for filters with an automaton beside them, whose price is the least exact one. */
static double surcharge(const device_plan *self, uint32_t way) {
    if (way == TRAWL_DEVICE_HOT && self->hot.dfa_bytes > TRAWL_PLAN_MAX_DFA_BYTES) {
        return TRAWL_GPU_LARGE_TABLES_GAIN;
    }
    return way == TRAWL_DEVICE_FILTER && self->layout->automaton.in_automaton != NULL
               ? 1 / TRAWL_GPU_CLEARLY_LESS
               : 1;
}

/* The price by which ways are compared, in picoseconds for a byte of text: the scan's, and that of
 * building the tables, if the text's length is known. */
static double compared_price(const device_plan *self, uint32_t way) {
    const double scanning = self->record->picoseconds[way] * surcharge(self, way);
    if (self->options->text_bytes == 0) {
        return scanning;
    }
    const double nanoseconds =
        way == TRAWL_DEVICE_HOT
            ? (double)self->hot.dfa_bytes * trawl_plan_build_byte_costs[TRAWL_PLAN_AC_DFA]
            : (double)self->record->bytes[way] * trawl_plan_build_byte_costs[TRAWL_PLAN_QGRAM];
    return scanning + 1e3 * nanoseconds / (double)self->options->text_bytes;
}

/* Whether trying filters may save more time than it takes: not where the automaton is built and the
 * text is scanned before the trials could end. */
static bool filters_are_worth_trying(const device_plan *self) {
    const double text = (double)self->options->text_bytes;
    const double trials = TRAWL_GPU_TRIALS_NANOSECONDS +
                          TRAWL_GPU_TRIALS_PATTERN_NANOSECONDS * (double)self->patterns->count;
    return self->options->text_bytes == 0 || self->obstacle[TRAWL_DEVICE_HOT].status != TRAWL_OK ||
           compared_price(self, TRAWL_DEVICE_HOT) * text > 1e3 * trials;
}

/* Which of filter and sparse engine qgram chooses, one of which is possible. */
static uint32_t kernel_of_qgram(const device_plan *self) {
    const bool is_sparse = self->obstacle[TRAWL_DEVICE_SPARSE].status == TRAWL_OK &&
                           trawl_cuda_sparse_pays(&self->sparse, self->layout->price);
    return is_sparse ? TRAWL_DEVICE_SPARSE : TRAWL_DEVICE_FILTER;
}

/* Prices all ways and takes the cheapest one. */
static trawl_status compare_ways(device_plan *self, trawl_plan *plan, trawl_error *error) {
    trawl_status status = price_hot(self, error);
    if (status == TRAWL_OK && filters_are_worth_trying(self)) {
        status = price_filter(self, error);
    } else if (status == TRAWL_OK) {
        (void)trawl_fail(&self->obstacle[TRAWL_DEVICE_FILTER], TRAWL_ERROR_LIMIT,
                         "not tried, as the text is scanned before filters could be chosen");
    }
    if (status != TRAWL_OK) {
        return status;
    }
    price_packed(self);
    status = price_sparse(self, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t best = TRAWL_DEVICE_WAYS;
    for (uint32_t way = 0; way < TRAWL_DEVICE_WAYS; way++) {
        if (self->obstacle[way].status == TRAWL_OK &&
            (best == TRAWL_DEVICE_WAYS || compared_price(self, way) < compared_price(self, best))) {
            best = way;
        }
    }
    /* Engine qgram would choose packed by itself, since it is possible and pays, and then the
     * cheaper one of sparse and filter. */
    if (best == TRAWL_DEVICE_FILTER || best == TRAWL_DEVICE_SPARSE) {
        const bool packs = self->obstacle[TRAWL_DEVICE_PACKED].status == TRAWL_OK;
        best = packs ? TRAWL_DEVICE_PACKED : kernel_of_qgram(self);
    }
    /* If no way is possible: when building is refused, trawl_plan_next takes another engine. */
    best = best == TRAWL_DEVICE_WAYS ? TRAWL_DEVICE_HOT : best;
    self->record->chosen = best;
    if (best == TRAWL_DEVICE_FILTER) {
        record_tiers(self);
    }
    plan->engine = best == TRAWL_DEVICE_HOT ? &trawl_engine_ac_dfa : &trawl_engine_qgram;
    plan->variant = 0;
    plan->for_device = true;
    explain(self, best, plan);
    return TRAWL_OK;
}

trawl_status trawl_plan_choose_for_device(const trawl_patterns *patterns, const trawl_patterns *all,
                                          const trawl_compile_settings *options, trawl_plan *plan,
                                          trawl_error *error) {
    trawl_status status = TRAWL_OK;
    device_plan *self = trawl_allocate_zeroed(1, sizeof *self);
    trawl_cuda_qgram_layout *layout = trawl_allocate_zeroed(1, sizeof *layout);
    if (self == NULL || layout == NULL) {
        status = trawl_fail_memory(error, "planning", sizeof *layout);
    } else {
        self->patterns = patterns;
        self->all = all;
        self->options = options;
        self->layout = layout;
        self->record = &plan->device;
        self->record->sample_bytes = plan->record.sample_bytes;
        read_device(self);
        self->costs = *options->device_costs;
        status = compare_ways(self, plan, error);
    }
    if (layout != NULL) {
        trawl_cuda_qgram_layout_release(layout);
    }
    trawl_release(self);
    trawl_release(layout);
    return status;
}
