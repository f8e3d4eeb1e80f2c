/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/assemble.h"

#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/clock.h"
#include "base/status.h"
#include "database/conditions.h"
#include "database/groups.h"
#include "database/selection.h"
#include "database/validate.h"

/* The offsets of a set: of one that nothing was added to they are not allocated. */
static const uint32_t *offsets_of(const trawl_patterns *set) {
    static const uint32_t none = 0;
    return set->count == 0 ? &none : set->offsets;
}

/* Bases that a database keeps: 0 if it has none. */
static size_t count_bases(const trawl_patterns *set) {
    return set->count == 0 || set->bases == NULL ? 0 : trawl_offsets_bases(set->count);
}

/* Reserves the sections that every database has. */
static trawl_status reserve_patterns(const trawl_patterns *set, const trawl_assembly *plan,
                                     trawl_image *image, trawl_error *error) {
    const struct {
        trawl_section_kind kind;
        uint64_t count, object;
    } sections[] = {
        {TRAWL_SECTION_PATTERN_OFFSETS, set->count + 1, 4},
        {TRAWL_SECTION_PATTERN_BYTES, trawl_patterns_bytes(set), 1},
        {TRAWL_SECTION_PATTERN_FLAGS, set->count, 1},
        {TRAWL_SECTION_PATTERN_BASES, count_bases(set), 8},
        {TRAWL_SECTION_PLAN, plan->records[0].bytes == NULL ? 0 : 1, plan->records[0].size},
        {TRAWL_SECTION_DEVICE_PLAN, plan->records[1].bytes == NULL ? 0 : 1, plan->records[1].size},
        {TRAWL_SECTION_RARE_BYTES, plan->records[2].bytes == NULL ? 0 : 1, plan->records[2].size},
        {TRAWL_SECTION_NAME_OFFSETS, set->count + 1, 4}, /* these two only if there are names */
        {TRAWL_SECTION_NAMES, set->name_offsets == NULL ? 0 : set->name_offsets[set->count], 1},
    };
    size_t count = set->name_offsets == NULL ? 7 : 9;
    for (size_t i = 0; i < count; i++) {
        if ((sections[i].kind == TRAWL_SECTION_PLAN ||
             sections[i].kind == TRAWL_SECTION_DEVICE_PLAN ||
             sections[i].kind == TRAWL_SECTION_RARE_BYTES ||
             sections[i].kind == TRAWL_SECTION_PATTERN_BASES) &&
            sections[i].count == 0) {
            continue; /* not planned, or not needed */
        }
        trawl_status status = trawl_image_reserve(image, sections[i].kind, 0, sections[i].count,
                                                  sections[i].object, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return trawl_conditions_reserve(set, image, error);
}

static void fill_patterns(const trawl_patterns *set, const trawl_assembly *plan,
                          const trawl_image *image) {
    memcpy(trawl_image_section(image, TRAWL_SECTION_PATTERN_OFFSETS, 0), offsets_of(set),
           (set->count + 1) * sizeof *set->offsets);
    if (set->count != 0) {
        memcpy(trawl_image_section(image, TRAWL_SECTION_PATTERN_BYTES, 0), set->bytes,
               trawl_patterns_bytes(set));
        memcpy(trawl_image_section(image, TRAWL_SECTION_PATTERN_FLAGS, 0), set->flags, set->count);
    }
    if (count_bases(set) != 0) {
        memcpy(trawl_image_section(image, TRAWL_SECTION_PATTERN_BASES, 0), set->bases,
               count_bases(set) * sizeof *set->bases);
    }
    trawl_conditions_fill(set, image);
    static const trawl_section_kind kinds[] = {TRAWL_SECTION_PLAN, TRAWL_SECTION_DEVICE_PLAN,
                                               TRAWL_SECTION_RARE_BYTES};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (plan->records[i].bytes != NULL) {
            memcpy(trawl_image_section(image, kinds[i], 0), plan->records[i].bytes,
                   plan->records[i].size);
        }
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

/* The words between the reason, which may consist of sentences, and the engine's remark. */
static const char *before_remark(const trawl_build *build, const char *reason) {
    const size_t length = strlen(reason);
    return build->remark[0] == '\0'                   ? ""
           : length != 0 && reason[length - 1] == '.' ? " Note: "
                                                      : "; ";
}

/* Bytes of section REASON: the reason, the engine's remark if there is one, and a NUL. The remark
 * is known once the engine has planned. */
static uint64_t reason_size(const trawl_build *build, const trawl_assembly *plan) {
    return strlen(plan->reason) + strlen(before_remark(build, plan->reason)) +
           strlen(build->remark) + 1;
}

static void fill_reason(const trawl_build *build, const trawl_assembly *plan) {
    (void)snprintf(trawl_image_section(build->image, TRAWL_SECTION_REASON, 0),
                   (size_t)reason_size(build, plan), "%s%s%s", plan->reason,
                   before_remark(build, plan->reason), build->remark);
}

static void write_header(const trawl_build *build, const trawl_assembly *plan, double seconds) {
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
    header->min_length = set->count == 0 ? 1 : (uint32_t)set->min_length;
    header->max_length = set->count == 0 ? 1 : (uint32_t)set->max_length;
    header->folded = set->case_insensitive != 0;
    header->parts = build->parts;
    header->byte_classes = build->byte_classes;
    header->state_bytes = build->state_bytes;
    header->rare_gap = plan->rare_gap;
    header->states = build->states;
    header->table_bytes = build->table_bytes;
    header->build_seconds = seconds;
    header->checksum = trawl_block_checksum(image->block, image->size);
}

trawl_status trawl_assemble(const trawl_patterns *patterns, const trawl_compile_settings *options,
                            const trawl_assembly *plan, trawl_db **db, uint64_t *size,
                            trawl_error *error) {
    const trawl_engine *builder = plan->builder != NULL ? plan->builder : plan->engine;
    trawl_image *image = trawl_allocate_zeroed(1, sizeof *image);
    if (image == NULL) {
        return trawl_fail_memory(error, "compiling", sizeof *image);
    }
    trawl_build build = {.patterns = patterns,
                         .options = options,
                         .variant = plan->variant,
                         .choice = plan->choice,
                         .max_table_bytes = options->max_table_bytes,
                         .image = image,
                         .error = error,
                         .parts = 1};
    trawl_selection_build selection = {.keys = {.count = 0}};
    trawl_group_build groups = {.count = 0};
    trawl_status status = reserve_patterns(patterns, plan, image, error);
    if (status == TRAWL_OK) {
        status = trawl_groups_plan(patterns, image, &groups, error);
    }
    if (status == TRAWL_OK) {
        status = builder->plan(&build);
        if (status == TRAWL_OK) {
            status = trawl_image_reserve(image, TRAWL_SECTION_REASON, 0, reason_size(&build, plan),
                                         1, error);
        }
        if (status == TRAWL_OK && patterns->count != 0) {
            status = trawl_selection_plan(&build, &selection);
        }
        if (status == TRAWL_OK) {
            status = trawl_build_check(&build, builder->description.name);
        }
        if (status == TRAWL_OK && db == NULL) {
            *size = trawl_image_size(image);
        } else if (status == TRAWL_OK) {
            status = trawl_image_allocate(image, error);
            if (status == TRAWL_OK) {
                status = builder->fill(&build);
            }
            if (status == TRAWL_OK) {
                trawl_selection_fill(&build, &selection);
            }
        }
        builder->release(&build);
        trawl_selection_release(&selection);
    }
    if (status == TRAWL_OK && db != NULL) {
        fill_patterns(patterns, plan, image);
        trawl_groups_fill(patterns, &groups, image);
        fill_reason(&build, plan);
        write_header(&build, plan, trawl_seconds() - plan->start);
        status =
            trawl_db_adopt(image->block, image->size, TRAWL_BLOCK_ALLOCATED, builder, db, error);
    } else {
        trawl_release(image->block);
    }
    trawl_groups_release(&groups);
    trawl_release(image);
    return status;
}
