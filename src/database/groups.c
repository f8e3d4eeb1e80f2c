/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "pattern/patterns.h"

/* ------------------------------------------------------------------ building */

static int compare_ids(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Sets build->ids to the groups that occur, ascending. */
static trawl_status find_groups(const trawl_patterns *set, trawl_group_build *build,
                                trawl_error *error) {
    build->ids = trawl_allocate(set->count, sizeof *build->ids);
    if (build->ids == NULL) {
        return trawl_fail_memory(error, "groups of patterns", set->count * sizeof *build->ids);
    }
    size_t found = 0, distinct = 0;
    for (size_t id = 0; id < set->count; id++) {
        uint32_t group = trawl_set_group(&set->groups, (uint32_t)id);
        /* Patterns of a group are mostly neighbours: one entry for each run of them. */
        if (found == 0 || build->ids[found - 1] != group) {
            build->ids[found++] = group;
        }
    }
    qsort(build->ids, found, sizeof *build->ids, compare_ids);
    for (size_t i = 0; i < found; i++) {
        if (i == 0 || build->ids[i] != build->ids[distinct - 1]) {
            build->ids[distinct++] = build->ids[i];
        }
    }
    build->count = distinct;
    return TRAWL_OK;
}

trawl_status trawl_groups_plan(const trawl_patterns *patterns, trawl_image *image,
                               trawl_group_build *build, trawl_error *error) {
    const trawl_set_values *values = &patterns->values;
    trawl_status status = TRAWL_OK;
    if (patterns->groups.of != NULL) {
        status = find_groups(patterns, build, error);
        if (status == TRAWL_OK) {
            status = trawl_image_reserve(image, TRAWL_SECTION_GROUP_IDS, 0, build->count,
                                         sizeof *build->ids, error);
        }
        if (status == TRAWL_OK) {
            status = trawl_image_reserve(image, TRAWL_SECTION_PATTERN_GROUP, 0, patterns->count,
                                         sizeof *build->ids, error);
        }
    }
    if (status == TRAWL_OK && values->count != 0) {
        status = trawl_image_reserve(image, TRAWL_SECTION_VALUE_OFFSETS, 0, patterns->count + 1,
                                     sizeof *values->ends, error);
        if (status == TRAWL_OK) {
            status = trawl_image_reserve(image, TRAWL_SECTION_VALUES, 0,
                                         values->ends[values->count - 1], 1, error);
        }
    }
    return status;
}

static void fill_values(const trawl_patterns *set, const trawl_image *image) {
    const trawl_set_values *values = &set->values;
    uint32_t *offsets = trawl_image_section(image, TRAWL_SECTION_VALUE_OFFSETS, 0);
    uint32_t end = values->ends[values->count - 1];
    offsets[0] = 0;
    for (size_t id = 0; id < set->count; id++) {
        offsets[id + 1] = id < values->count ? values->ends[id] : end;
    }
    memcpy(trawl_image_section(image, TRAWL_SECTION_VALUES, 0), values->bytes, end);
}

void trawl_groups_fill(const trawl_patterns *patterns, const trawl_group_build *build,
                       const trawl_image *image) {
    if (build->ids != NULL) {
        uint32_t *of = trawl_image_section(image, TRAWL_SECTION_PATTERN_GROUP, 0);
        memcpy(trawl_image_section(image, TRAWL_SECTION_GROUP_IDS, 0), build->ids,
               build->count * sizeof *build->ids);
        for (size_t id = 0; id < patterns->count; id++) {
            uint32_t group = trawl_set_group(&patterns->groups, (uint32_t)id);
            const uint32_t *found =
                bsearch(&group, build->ids, build->count, sizeof group, compare_ids);
            of[id] = (uint32_t)(found - build->ids);
        }
    }
    if (patterns->values.count != 0) {
        fill_values(patterns, image);
    }
}

void trawl_groups_release(trawl_group_build *build) {
    trawl_release(build->ids);
}

/* ------------------------------------------------------------------ databases */

bool trawl_groups_sound(const trawl_group_sections *sections, uint64_t patterns) {
    uint64_t count = sections->ids_size / sizeof *sections->ids;
    if (sections->ids == NULL && sections->of == NULL) {
        return true;
    }
    if (sections->ids == NULL || sections->of == NULL || count == 0 || count > patterns ||
        sections->ids_size != count * sizeof *sections->ids ||
        sections->of_size != patterns * sizeof *sections->of) {
        return false;
    }
    for (uint64_t i = 1; i < count; i++) {
        if (sections->ids[i] <= sections->ids[i - 1]) {
            return false;
        }
    }
    for (uint64_t id = 0; id < patterns; id++) {
        if (sections->of[id] >= count) {
            return false;
        }
    }
    return true;
}

bool trawl_values_end(const uint32_t *offsets, const uint8_t *values, uint64_t patterns) {
    for (uint64_t id = 0; id < patterns; id++) {
        if (offsets[id + 1] != offsets[id] && values[offsets[id + 1] - 1] != '\0') {
            return false;
        }
    }
    return true;
}

void trawl_groups_view(const trawl_db *db, trawl_group_view *view) {
    uint64_t size;
    view->of = trawl_db_section(db, TRAWL_SECTION_PATTERN_GROUP, 0, NULL);
    view->ids = trawl_db_section(db, TRAWL_SECTION_GROUP_IDS, 0, &size);
    view->count = view->ids == NULL ? db->patterns.count : (uint32_t)(size / sizeof *view->ids);
    view->value_offsets = trawl_db_section(db, TRAWL_SECTION_VALUE_OFFSETS, 0, NULL);
    view->values = trawl_db_section(db, TRAWL_SECTION_VALUES, 0, NULL);
}

bool trawl_db_has_groups(const trawl_db *db) {
    return db != NULL && db->groups.of != NULL;
}

bool trawl_db_has_values(const trawl_db *db) {
    return db != NULL && db->groups.value_offsets != NULL;
}

uint32_t trawl_db_group(const trawl_db *db, uint32_t id) {
    if (db == NULL || id >= db->patterns.count) {
        return 0;
    }
    return trawl_group_of_index(&db->groups, trawl_db_group_index(db, id));
}

uint32_t trawl_db_group_index(const trawl_db *db, uint32_t id) {
    return db == NULL || id >= db->patterns.count ? 0 : trawl_group_index(&db->groups, id);
}

size_t trawl_db_groups(const trawl_db *db) {
    return db == NULL ? 0 : db->groups.count;
}

uint32_t trawl_db_group_at(const trawl_db *db, size_t index) {
    return index >= trawl_db_groups(db) ? 0 : trawl_group_of_index(&db->groups, (uint32_t)index);
}

void trawl_db_sum_groups(const trawl_db *db, const uint64_t *per_pattern, uint64_t *per_group) {
    if (db == NULL || per_pattern == NULL || per_group == NULL) {
        return;
    }
    memset(per_group, 0, db->groups.count * sizeof *per_group);
    for (uint32_t id = 0; id < db->patterns.count; id++) {
        per_group[trawl_group_index(&db->groups, id)] += per_pattern[id];
    }
}
