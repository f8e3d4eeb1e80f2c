/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/conditions.h"

#include <string.h>

#include "base/sized.h"
#include "base/status.h"
#include "pattern/patterns.h"

trawl_status trawl_conditions_reserve(const trawl_patterns *patterns, trawl_image *image,
                                      trawl_error *error) {
    if (!trawl_patterns_have_conditions(patterns)) {
        return TRAWL_OK;
    }
    const trawl_set_conditions *set = patterns->conditions;
    trawl_status status = trawl_image_reserve(image, TRAWL_SECTION_CONDITIONS, 0, set->count,
                                              sizeof *set->records, error);
    if (status == TRAWL_OK) {
        status = trawl_image_reserve(image, TRAWL_SECTION_PATTERN_CONDITION, 0, patterns->count,
                                     sizeof *set->of, error);
    }
    return status == TRAWL_OK ? trawl_image_reserve(image, TRAWL_SECTION_CONDITION_CLASSES, 0, 1,
                                                    sizeof set->classes, error)
                              : status;
}

void trawl_conditions_fill(const trawl_patterns *patterns, const trawl_image *image) {
    uint32_t *of = trawl_image_section(image, TRAWL_SECTION_PATTERN_CONDITION, 0);
    if (of == NULL) {
        return;
    }
    const trawl_set_conditions *set = patterns->conditions;
    memcpy(trawl_image_section(image, TRAWL_SECTION_CONDITIONS, 0), set->records,
           set->count * sizeof *set->records);
    memcpy(trawl_image_section(image, TRAWL_SECTION_CONDITION_CLASSES, 0), set->classes,
           sizeof set->classes);
    memset(of, 0, patterns->count * sizeof *of);
    memcpy(of, set->of, set->of_count * sizeof *of);
}

/* ------------------------------------------------------------------ databases */

static bool is_one_bit(uint16_t bits) {
    return bits != 0 && (bits & (bits - 1)) == 0;
}

bool trawl_conditions_sound(const trawl_condition_sections *sections, uint64_t patterns) {
    uint64_t count = sections->records_size / sizeof *sections->records;
    if (sections->records == NULL && sections->of == NULL && sections->classes == NULL) {
        return true;
    }
    if (sections->records == NULL || sections->of == NULL || sections->classes == NULL ||
        count == 0 || count > UINT32_MAX ||
        sections->records_size != count * sizeof *sections->records ||
        sections->of_size != patterns * sizeof *sections->of ||
        sections->classes_size != sizeof(trawl_class_members)) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        const trawl_condition_record *record = &sections->records[i];
        if (!is_one_bit(record->left) || !is_one_bit(record->right) || record->at_start > 1 ||
            record->at_end > 1) {
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

void trawl_conditions_view(const trawl_db *db, trawl_condition_view *view) {
    view->records = trawl_db_section(db, TRAWL_SECTION_CONDITIONS, 0, NULL);
    view->of = trawl_db_section(db, TRAWL_SECTION_PATTERN_CONDITION, 0, NULL);
    const uint8_t *classes = trawl_db_section(db, TRAWL_SECTION_CONDITION_CLASSES, 0, NULL);
    for (size_t byte = 0; view->records != NULL && byte < 256; byte++) {
        unsigned outside = 1u << TRAWL_CLASS_NONE;
        for (unsigned number = 1; number < TRAWL_CLASSES; number++) {
            bool member = (classes[number * 32 + byte / 8] >> byte % 8 & 1) != 0;
            outside |= (unsigned)!member << number;
        }
        view->outside[byte] = (uint16_t)outside;
    }
    view->left = 0;
    for (uint32_t id = 0; view->records != NULL && id < db->patterns.count; id++) {
        view->left |= view->records[view->of[id]].left;
    }
}

bool trawl_db_has_conditions(const trawl_db *db) {
    return db != NULL && db->conditions.records != NULL;
}

bool trawl_db_condition(const trawl_db *db, uint32_t id, trawl_condition *condition) {
    if (!trawl_db_has_conditions(db) || condition == NULL || id >= db->patterns.count ||
        db->conditions.of[id] == 0 || trawl_sized_check(condition, "", "", NULL) != TRAWL_OK) {
        return false;
    }
    trawl_condition found =
        trawl_condition_of_record(&db->conditions.records[db->conditions.of[id]]);
    trawl_sized_write(condition, &found, sizeof found);
    return true;
}

bool trawl_db_class(const trawl_db *db, uint8_t number, uint8_t members[32]) {
    if (!trawl_db_has_conditions(db) || number == 0 || number >= TRAWL_CLASSES || members == NULL) {
        return false;
    }
    memset(members, 0, 32);
    for (unsigned byte = 0; byte < 256; byte++) {
        if ((db->conditions.outside[byte] >> number & 1) == 0) {
            members[byte / 8] |= (uint8_t)(1u << byte % 8);
        }
    }
    return true;
}
