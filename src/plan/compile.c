/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "common/allocate.h"
#include "common/clock.h"
#include "common/status.h"
#include "engine/costs.h"
#include "plan/device.h"
#include "plan/sample.h"

#define DEFAULT_MAX_TABLE_BYTES ((uint64_t)8 << 30)

/* Copies the caller's options, whose structure may be older (shorter) or newer than ours. */
static trawl_status read_options(const trawl_compile_options *given, trawl_compile_options *options,
                                 trawl_error *error) {
    memset(options, 0, sizeof *options);
    if (given != NULL) {
        if (given->size < sizeof given->size) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "compile options: size is %zu; initialise them with "
                              "TRAWL_COMPILE_OPTIONS",
                              given->size);
        }
        memcpy(options, given, given->size < sizeof *options ? given->size : sizeof *options);
    }
    options->size = sizeof *options;
    if (options->max_table_bytes == 0) {
        options->max_table_bytes = DEFAULT_MAX_TABLE_BYTES;
    }
    if ((unsigned)options->matches > TRAWL_MATCH_LEFTMOST_LONGEST) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "compile options: unknown match kind %d",
                          (int)options->matches);
    }
    if (options->split_threshold != options->split_threshold || options->split_threshold < 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "compile options: split_threshold must be 0 or positive");
    }
    return trawl_plan_check_device(options, error);
}

static bool is_automatic(const trawl_compile_options *options) {
    return options->engine == NULL || strcmp(options->engine, "auto") == 0;
}

/* Whether something is to be planned, and the caller has no text to do that with. */
static bool needs_sample(const trawl_compile_options *options) {
    return (is_automatic(options) || strcmp(options->engine, "qgram") == 0) &&
           (options->sample == NULL || options->sample_length < TRAWL_SAMPLE_LEAST);
}

static trawl_status choose_automatically(const trawl_patterns *patterns,
                                         const trawl_compile_options *options, trawl_plan *plan,
                                         trawl_error *error) {
    if (trawl_plan_is_for_device(options)) {
        trawl_status status = trawl_plan_choose_for_device(patterns, options, plan, error);
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

static trawl_status choose_engine(const trawl_patterns *patterns,
                                  const trawl_compile_options *options, trawl_plan *plan,
                                  trawl_error *error) {
    if (is_automatic(options)) {
        if (options->variant != NULL) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "variant '%s' needs an engine to be a variant of", options->variant);
        }
        return choose_automatically(patterns, options, plan, error);
    }
    plan->engine = trawl_engine_find(options->engine);
    if (plan->engine == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "unknown engine '%.40s'", options->engine);
    }
    int variant =
        options->variant == NULL ? 0 : trawl_engine_variant(plan->engine, options->variant);
    if (variant < 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "engine %s has no variant '%.40s'",
                          options->engine, options->variant);
    }
    plan->variant = (unsigned)variant;
    (void)snprintf(plan->reason, sizeof plan->reason, "asked for by name");
    return plan->engine == &trawl_engine_qgram && plan->variant == 0 && !plan->divided
               ? trawl_plan_divide(patterns, options, plan, error)
               : TRAWL_OK;
}

/* The sections that every database has. */
static trawl_status reserve_patterns(const trawl_patterns *set, const trawl_plan *plan,
                                     trawl_image *image, trawl_error *error) {
    const struct {
        trawl_section_kind kind;
        uint64_t count, object;
    } sections[] = {
        {TRAWL_SECTION_PATTERN_OFFSETS, set->count + 1, 4},
        {TRAWL_SECTION_PATTERN_BYTES, set->offsets[set->count], 1},
        {TRAWL_SECTION_PATTERN_FLAGS, set->count, 1},
        {TRAWL_SECTION_REASON, strlen(plan->reason) + 1, 1},
        {TRAWL_SECTION_PLAN, plan->divided ? 1 : 0, sizeof plan->record},
        {TRAWL_SECTION_DEVICE_PLAN, plan->for_device ? 1 : 0, sizeof plan->device},
        {TRAWL_SECTION_NAME_OFFSETS, set->count + 1, 4}, /* from here on only with names */
        {TRAWL_SECTION_NAMES, set->name_offsets == NULL ? 0 : set->name_offsets[set->count], 1},
    };
    size_t count = set->name_offsets == NULL ? 6 : 8;
    for (size_t i = 0; i < count; i++) {
        if ((sections[i].kind == TRAWL_SECTION_PLAN ||
             sections[i].kind == TRAWL_SECTION_DEVICE_PLAN) &&
            sections[i].count == 0) {
            continue; /* not planned */
        }
        trawl_status status = trawl_image_reserve(image, sections[i].kind, 0, sections[i].count,
                                                  sections[i].object, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

static void fill_patterns(const trawl_patterns *set, const trawl_plan *plan,
                          const trawl_image *image) {
    memcpy(trawl_image_section(image, TRAWL_SECTION_PATTERN_OFFSETS, 0), set->offsets,
           (set->count + 1) * sizeof *set->offsets);
    memcpy(trawl_image_section(image, TRAWL_SECTION_PATTERN_BYTES, 0), set->bytes,
           set->offsets[set->count]);
    memcpy(trawl_image_section(image, TRAWL_SECTION_PATTERN_FLAGS, 0), set->flags, set->count);
    memcpy(trawl_image_section(image, TRAWL_SECTION_REASON, 0), plan->reason,
           strlen(plan->reason) + 1);
    if (plan->divided) {
        memcpy(trawl_image_section(image, TRAWL_SECTION_PLAN, 0), &plan->record,
               sizeof plan->record);
    }
    if (plan->for_device) {
        memcpy(trawl_image_section(image, TRAWL_SECTION_DEVICE_PLAN, 0), &plan->device,
               sizeof plan->device);
    }
    if (set->name_offsets != NULL) {
        memcpy(trawl_image_section(image, TRAWL_SECTION_NAME_OFFSETS, 0), set->name_offsets,
               (set->count + 1) * sizeof *set->name_offsets);
        if (set->name_offsets[set->count] != 0) {
            memcpy(trawl_image_section(image, TRAWL_SECTION_NAMES, 0), set->names,
                   set->name_offsets[set->count]);
        }
    }
}

static void write_header(const trawl_build *build, const trawl_plan *plan, double seconds) {
    const trawl_image *image = build->image;
    const trawl_patterns *set = build->patterns;
    const trawl_engine_description *engine = &plan->engine->description;
    trawl_image_header *header = (trawl_image_header *)image->block;
    memcpy(header->magic, TRAWL_IMAGE_MAGIC, sizeof header->magic);
    header->version = TRAWL_IMAGE_VERSION;
    header->byte_order = TRAWL_IMAGE_BYTE_ORDER;
    header->size = image->size;
    (void)snprintf(header->engine, sizeof header->engine, "%s", engine->name);
    (void)snprintf(header->variant, sizeof header->variant, "%s", engine->variants[plan->variant]);
    header->match_kind = (uint32_t)build->options->matches;
    header->section_count = image->section_count;
    header->pattern_count = (uint32_t)set->count;
    header->min_length = (uint32_t)set->min_length;
    header->max_length = (uint32_t)set->max_length;
    header->folded = set->case_insensitive != 0;
    header->parts = build->parts;
    header->byte_classes = build->byte_classes;
    header->state_bytes = build->state_bytes;
    header->states = build->states;
    header->table_bytes = build->table_bytes;
    header->build_seconds = seconds;
    header->checksum =
        XXH3_64bits(image->block + TRAWL_IMAGE_UNCHECKED, image->size - TRAWL_IMAGE_UNCHECKED);
}

/* One engine's try: compiles into *db, or only measures into *size when db is NULL. */
static trawl_status build_with(const trawl_patterns *patterns, const trawl_compile_options *options,
                               const trawl_plan *plan, double start, trawl_db **db, uint64_t *size,
                               trawl_error *error) {
    trawl_image *image = trawl_allocate_zeroed(1, sizeof *image);
    if (image == NULL) {
        return trawl_fail_memory(error, "compiling", sizeof *image);
    }
    trawl_build build = {.patterns = patterns,
                         .options = options,
                         .variant = plan->variant,
                         .choice = plan->divided ? &plan->division : NULL,
                         .max_table_bytes = options->max_table_bytes,
                         .image = image,
                         .error = error,
                         .parts = 1};
    trawl_status status = reserve_patterns(patterns, plan, image, error);
    if (status == TRAWL_OK) {
        status = plan->engine->plan(&build);
        if (status == TRAWL_OK && db == NULL) {
            *size = trawl_image_size(image);
        } else if (status == TRAWL_OK) {
            status = trawl_image_allocate(image, error);
            if (status == TRAWL_OK) {
                status = plan->engine->fill(&build);
            }
        }
        plan->engine->release(&build);
    }
    if (status == TRAWL_OK && db != NULL) {
        fill_patterns(patterns, plan, image);
        write_header(&build, plan, trawl_seconds() - start);
        status = trawl_db_adopt(image->block, image->size, TRAWL_BLOCK_ALLOCATED, db, error);
    } else {
        trawl_release(image->block);
    }
    trawl_release(image);
    return status;
}

/* Plans, and compiles or only measures as build_with. */
static trawl_status plan_and_build(const trawl_patterns *patterns,
                                   const trawl_compile_options *options, trawl_plan *plan,
                                   double start, trawl_db **db, uint64_t *size,
                                   trawl_error *error) {
    trawl_status status = choose_engine(patterns, options, plan, error);
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

/* `division`: of qgram's tiers by the caller, or NULL. */
static trawl_status compile(const trawl_patterns *patterns, const trawl_compile_options *given,
                            const trawl_qgram_choice *division, trawl_db **db, uint64_t *size,
                            trawl_error *error) {
    double start = trawl_seconds();
    if (patterns == NULL || patterns->count == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "%s",
                          patterns == NULL ? "patterns is NULL"
                                           : "the pattern set is empty: at least one is needed");
    }
    trawl_compile_options options;
    trawl_status status = read_options(given, &options, error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_plan *plan = trawl_allocate_zeroed(1, sizeof *plan);
    if (plan == NULL) {
        return trawl_fail_memory(error, "planning", sizeof *plan);
    }
    trawl_costs costs;
    trawl_costs_complete(options.costs, &costs);
    options.costs = &costs;
    uint8_t *made = NULL;
    if (division != NULL) {
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
