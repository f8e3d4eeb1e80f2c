/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "base/sized.h"
#include "base/status.h"
#include "constants/cpu.h"
#include "costs/costs.h"
#include "database/assemble.h"
#include "engines/engines.h"
#include "engines/registry.h"
#include "pattern/distinct.h"
#include "pattern/rare_bytes.h"
#include "plan/gpu.h"
#include "plan/sample.h"

/* The limit of a database's tables in bytes, if the caller sets none. Chosen, not measured. */
#define DEFAULT_MAX_TABLE_BYTES ((uint64_t)8 << 30)

/* The costs that settings point to. */
typedef struct complete_costs {
    trawl_costs cpu;
    trawl_device_costs device;
} complete_costs;

static trawl_status check(const trawl_compile_settings *settings, trawl_error *error) {
    if ((unsigned)settings->matches > TRAWL_MATCH_LEFTMOST_LONGEST) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "compile options: unknown match kind %d",
                          (int)settings->matches);
    }
    if (settings->split_threshold != settings->split_threshold || settings->split_threshold < 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "compile options: split_threshold must be 0 or positive");
    }
    return trawl_plan_check_device(settings, error);
}

static void fill_settings(const trawl_compile_options *options,
                          const trawl_study_compile_options *study, const complete_costs *costs,
                          trawl_compile_settings *settings) {
    *settings = (trawl_compile_settings){
        .engine = options->engine,
        .variant = options->variant,
        .matches = options->matches,
        .max_table_bytes =
            options->max_table_bytes != 0 ? options->max_table_bytes : DEFAULT_MAX_TABLE_BYTES,
        .sample = options->sample,
        .sample_length = options->sample_length,
        .device = options->device,
        .text_bytes = options->text_bytes,
        .split_parts = study->split_parts,
        .split_threshold = study->split_threshold,
        .wu_manber_block = study->wu_manber_block,
        .rabin_karp_base = study->rabin_karp_base,
        .rabin_karp_modulus = study->rabin_karp_modulus,
        .costs = &costs->cpu,
        .device_costs = &costs->device,
    };
}

/* Reads and completes the caller's options. *settings points into *costs. */
static trawl_status read_options(const trawl_compile_options *given,
                                 trawl_compile_settings *settings, complete_costs *costs,
                                 trawl_error *error) {
    trawl_compile_options options = {0};
    trawl_study_compile_options study = {0};
    trawl_status status = TRAWL_OK;
    if (given != NULL) {
        status = trawl_sized_check(given, "compile options", "TRAWL_COMPILE_OPTIONS", error);
        if (status != TRAWL_OK) {
            return status;
        }
        trawl_sized_read(&options, given, sizeof options);
    }
    if (options.study != NULL) {
        status = trawl_sized_check(options.study, "study options of compiling",
                                   "TRAWL_STUDY_COMPILE_OPTIONS", error);
        if (status != TRAWL_OK) {
            return status;
        }
        trawl_sized_read(&study, options.study, sizeof study);
    }
    trawl_cpu_set unused; /* a wrong TRAWL_CPU is an error, as it is of scans */
    status = trawl_cpu_choose(&unused, error);
    if (status == TRAWL_OK) {
        status = trawl_costs_complete(study.costs, &costs->cpu, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_device_costs_complete(study.device_costs, &costs->device, error);
    }
    if (status == TRAWL_OK) {
        fill_settings(&options, &study, costs, settings);
        status = check(settings, error);
    }
    return status;
}

static bool is_automatic(const trawl_compile_settings *options) {
    return options->engine == NULL || strcmp(options->engine, "auto") == 0;
}

/* Whether something is to be planned and the caller has given no sample, or too short a one. */
static bool needs_sample(const trawl_compile_settings *options) {
    return (is_automatic(options) || strcmp(options->engine, "qgram") == 0) &&
           (options->sample == NULL || options->sample_length < TRAWL_SAMPLE_LEAST);
}

static trawl_status choose_automatically(const trawl_patterns *patterns, const trawl_patterns *all,
                                         const trawl_compile_settings *options, trawl_plan *plan,
                                         trawl_error *error) {
    /* GPUs do not take sets with bases (gpu/module.h). */
    if (patterns->bases == NULL && trawl_plan_is_for_device(options)) {
        trawl_status status = trawl_plan_choose_for_device(patterns, all, options, plan, error);
        if (status == TRAWL_OK && plan->engine == &trawl_engine_qgram) {
            status = trawl_plan_divide(patterns, options, plan, error);
        }
        if (status != TRAWL_OK || trawl_plan_stays_for_device(options)) {
            return status;
        }
        const uint64_t sample_bytes = plan->record.sample_bytes;
        *plan = (trawl_plan){.record = {.sample_bytes = sample_bytes}};
    }
    return trawl_plan_choose(patterns, options, plan, error);
}

static trawl_status refuse_variant(const char *variant, trawl_error *error) {
    return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                      "variant '%s': expected an engine's name with it, as engine auto chooses the "
                      "variant too",
                      variant);
}

/* `all`: the set with patterns that repeat others, which `patterns` lacks. */
static trawl_status choose_engine(const trawl_patterns *patterns, const trawl_patterns *all,
                                  const trawl_compile_settings *options, trawl_plan *plan,
                                  trawl_error *error) {
    if (is_automatic(options)) {
        if (options->variant != NULL) {
            return refuse_variant(options->variant, error);
        }
        return choose_automatically(patterns, all, options, plan, error);
    }
    trawl_status status = trawl_engine_find_variant(options->engine, options->variant,
                                                    &plan->engine, &plan->variant, error);
    if (status != TRAWL_OK) {
        return status;
    }
    (void)snprintf(plan->reason, sizeof plan->reason,
                   "the engine was named, so no other was considered");
    return plan->engine == &trawl_engine_qgram && plan->variant == 0 && !plan->divided
               ? trawl_plan_divide(patterns, options, plan, error)
               : TRAWL_OK;
}

/* The engine of a set without patterns: the one that was named, or any. */
static trawl_status choose_for_empty(const trawl_compile_settings *options, trawl_plan *plan,
                                     trawl_error *error) {
    trawl_status status = TRAWL_OK;
    plan->engine = &trawl_engine_ac_dfa;
    if (!is_automatic(options)) {
        status = trawl_engine_find_variant(options->engine, options->variant, &plan->engine,
                                           &plan->variant, error);
    } else if (options->variant != NULL) {
        status = refuse_variant(options->variant, error);
    }
    (void)snprintf(plan->reason, sizeof plan->reason,
                   "the pattern set is empty: nothing is searched for");
    return status;
}

/* What a database has about bytes of which every pattern contains one. */
typedef struct rare_bytes {
    trawl_byte_set set;
    uint16_t gap; /* as in trawl_image_header: 0 if there is no such set */
    bool is_rare; /* gaps are frequent in the sample */
} rare_bytes;

/* Bytes are rare if the mean distance from one to the next is at least this share of the shortest
 * gap that is passed over. Where they are spread at random, 40 % of the text is passed over then.
 */
#define LEAST_MEAN_GAPS 0.5

/* Bytes of a sample in which rare bytes are counted, at most, to bound the time for long samples of
 * a caller. The command's samples are shorter. Chosen, not measured. */
#define MOST_COUNTED ((size_t)1 << 20)

/* Fewer positions than the gap are walked in less time than beginning to walk once more takes. An
 * engine that was named works alone: no text is passed over. */
static rare_bytes find_rare_bytes(const trawl_patterns *patterns,
                                  const trawl_compile_settings *options, const trawl_plan *plan) {
    size_t occurrences = 0;
    rare_bytes found = {.gap = 0};
    const double expected = trawl_plan_nanoseconds(plan);
    const double gap =
        expected > 0 ? TRAWL_PLAN_BEGIN_NANOSECONDS / expected : TRAWL_PLAN_USUAL_GAP;
    const size_t length =
        options->sample_length < MOST_COUNTED ? options->sample_length : MOST_COUNTED;
    const double most = (double)length / (LEAST_MEAN_GAPS * gap);
    if (is_automatic(options) &&
        trawl_patterns_rare_bytes(patterns, options->sample, length, (size_t)most, &found.set,
                                  &occurrences)) {
        found.gap = (uint16_t)(1 + fmin(gap / TRAWL_RARE_GAP_UNIT, UINT16_MAX - 1));
        found.is_rare = (double)occurrences < most;
    }
    return found;
}

enum { REASON_BYTES = sizeof(((trawl_plan *)NULL)->reason) + 128 };

/* Writes the plan's reason, and, where that changes the speed, what is done with rare bytes. */
static void write_reason(const trawl_plan *plan, const rare_bytes *rare, char *reason) {
    int length = snprintf(reason, REASON_BYTES, "%s", plan->reason);
    if (!rare->is_rare || plan->for_device) {
        return;
    }
    char *end = reason + length;
    const size_t left = REASON_BYTES - (size_t)length;
    const unsigned count = trawl_byte_set_count(&rare->set);
    const unsigned byte = trawl_byte_set_smallest(&rare->set);
    if (count == 1) {
        (void)snprintf(end, left,
                       byte > ' ' && byte < 0x7f
                           ? " Text without '%c', which every pattern contains, is passed over."
                           : " Text without byte 0x%02x, which every pattern contains, is passed "
                             "over.",
                       byte);
    } else {
        (void)snprintf(end, left,
                       " Every pattern contains one of %u rare bytes; text without them is passed "
                       "over.",
                       count);
    }
}

/* Builds with the planned engine into *db, or, if db is NULL, only sets *size. */
static trawl_status build_with(const trawl_patterns *patterns,
                               const trawl_compile_settings *options, const trawl_plan *plan,
                               double start, trawl_db **db, uint64_t *size, trawl_error *error) {
    char reason[REASON_BYTES];
    const rare_bytes rare = find_rare_bytes(patterns, options, plan);
    write_reason(plan, &rare, reason);
    const trawl_assembly assembly = {
        .engine = plan->engine,
        .builder = patterns->count == 0 ? &trawl_engine_empty : NULL,
        .variant = plan->variant,
        .choice = plan->divided ? &plan->division : NULL,
        .reason = reason,
        .rare_gap = rare.gap,
        .records = {{plan->priced ? &plan->record : NULL, sizeof plan->record},
                    {plan->for_device ? &plan->device : NULL, sizeof plan->device},
                    {rare.gap != 0 ? &rare.set : NULL, sizeof rare.set}},
        .start = start,
    };
    return trawl_assemble(patterns, options, &assembly, db, size, error);
}

/* Plans. The planner sees one of several equal patterns, as they share keys and so entries of all
 * tables. */
static trawl_status plan_for(const trawl_patterns *patterns, const trawl_compile_settings *options,
                             trawl_plan *plan, trawl_error *error) {
    trawl_patterns *distinct = NULL;
    const bool plans = is_automatic(options) || strcmp(options->engine, "qgram") == 0;
    trawl_status status = plans ? trawl_patterns_distinct(patterns, &distinct, error) : TRAWL_OK;
    if (status == TRAWL_OK) {
        status =
            choose_engine(distinct != NULL ? distinct : patterns, patterns, options, plan, error);
    }
    trawl_patterns_free(distinct);
    return status;
}

/* Plans and builds. If an engine that the planner chose refuses the set, the next one is tried. */
static trawl_status plan_and_build(const trawl_patterns *patterns,
                                   const trawl_compile_settings *options, trawl_plan *plan,
                                   double start, trawl_db **db, uint64_t *size,
                                   trawl_error *error) {
    trawl_status status = patterns->count == 0 ? choose_for_empty(options, plan, error)
                                               : plan_for(patterns, options, plan, error);
    while (status == TRAWL_OK) {
        status = build_with(patterns, options, plan, start, db, size, error);
        if (status != TRAWL_ERROR_LIMIT || !is_automatic(options) || !trawl_plan_next(plan)) {
            break;
        }
        trawl_clear(error);
        status = TRAWL_OK;
    }
    return status;
}

/* `division`: qgram's tiers, chosen by the caller; NULL: they are planned. */
static trawl_status compile(const trawl_patterns *patterns, const trawl_compile_options *given,
                            const trawl_qgram_choice *division, trawl_db **db, uint64_t *size,
                            trawl_error *error) {
    double start = trawl_seconds();
    if (patterns == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "patterns is NULL");
    }
    trawl_compile_settings options;
    complete_costs costs;
    trawl_status status = read_options(given, &options, &costs, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_plan *plan = trawl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return trawl_fail_memory(error, "planning", sizeof *plan);
    }
    uint8_t *made = NULL;
    if (patterns->count == 0) {
        division = NULL;
        options.sample_length = 0;
    } else if (division != NULL) {
        plan->priced = true;
        plan->divided = true;
        plan->division = *division;
    } else if (needs_sample(&options)) {
        options.sample_length = 0;
        status = trawl_sample_make(patterns, &made, &options.sample_length, error);
        options.sample = made;
    } else {
        plan->record.sample_bytes = options.sample_length;
    }
    if (status == TRAWL_OK) {
        status = plan_and_build(patterns, &options, plan, start, db, size, error);
    }
    if (status == TRAWL_OK && db != NULL) {
        (*db)->device_costs = costs.device;
    }
    trawl_release(made);
    trawl_release(plan);
    return status;
}

trawl_status trawl_compile_divided(const trawl_patterns *patterns,
                                   const trawl_compile_options *options,
                                   const trawl_qgram_choice *division, trawl_db **db,
                                   trawl_error *error) {
    *db = NULL;
    return compile(patterns, options, division, db, NULL, error);
}

trawl_status trawl_compile(const trawl_patterns *patterns, const trawl_compile_options *options,
                           trawl_db **db, trawl_error *error) {
    trawl_clear(error);
    if (db == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_compile: db is NULL");
    }
    *db = NULL;
    return compile(patterns, options, NULL, db, NULL, error);
}

trawl_status trawl_compile_size(const trawl_patterns *patterns,
                                const trawl_compile_options *options, uint64_t *bytes,
                                trawl_error *error) {
    trawl_clear(error);
    if (bytes == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_compile_size: bytes is NULL");
    }
    *bytes = 0;
    return compile(patterns, options, NULL, NULL, bytes, error);
}
