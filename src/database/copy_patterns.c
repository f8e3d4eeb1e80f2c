/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A pattern set with all that a database knows of its patterns. */
#include <string.h>

#include "base/status.h"
#include "database/database.h"
#include "pattern/patterns.h"

/* The classes that conditions name: bit c for class c. */
static uint32_t named_classes(const trawl_db *db) {
    uint32_t named = 0;
    for (uint32_t id = 0; trawl_db_has_conditions(db) && id < db->patterns.count; id++) {
        trawl_condition condition = TRAWL_CONDITION;
        if (trawl_db_condition(db, id, &condition)) {
            named |= UINT32_C(1) << condition.left | UINT32_C(1) << condition.right;
        }
    }
    return named;
}

/* Defines the database's own classes in the set. A database does not tell a class without members
 * from one that was never defined, so such a class counts if a condition names it. */
static trawl_status copy_classes(trawl_patterns *patterns, const trawl_db *db, trawl_error *error) {
    static const uint8_t none[32];
    const uint32_t named = named_classes(db);
    trawl_status status = TRAWL_OK;
    uint8_t members[32];
    for (uint8_t number = TRAWL_CLASS_OWN; status == TRAWL_OK && number < TRAWL_CLASSES; number++) {
        if (trawl_db_class(db, number, members) &&
            ((named >> number & 1) != 0 || memcmp(members, none, sizeof none) != 0)) {
            status = trawl_patterns_class(patterns, number, members, error);
        }
    }
    return status;
}

trawl_status trawl_patterns_add_database(trawl_patterns *patterns, const trawl_db *db,
                                         trawl_error *error) {
    trawl_clear(error);
    if (patterns == NULL || db == NULL || patterns->count != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_add_database: %s",
                          patterns == NULL ? "patterns is NULL"
                          : db == NULL     ? "db is NULL"
                                           : "the set is not empty");
    }
    trawl_status status = copy_classes(patterns, db, error);
    for (uint32_t id = 0; status == TRAWL_OK && id < db->patterns.count; id++) {
        trawl_pattern pattern = TRAWL_PATTERN;
        trawl_condition condition = TRAWL_CONDITION;
        (void)trawl_db_pattern(db, id, &pattern);
        status = trawl_patterns_add(patterns, pattern.bytes, pattern.length, pattern.flags, error);
        if (status == TRAWL_OK && pattern.name != NULL) {
            status = trawl_patterns_name_last(patterns, pattern.name, pattern.name_length, error);
        }
        if (status == TRAWL_OK && trawl_db_condition(db, id, &condition)) {
            status = trawl_patterns_condition_last(patterns, &condition, error);
        }
        if (status == TRAWL_OK && trawl_db_has_groups(db)) {
            status = trawl_patterns_group_last(patterns, pattern.group, error);
        }
        if (status == TRAWL_OK && pattern.value != NULL) {
            status =
                trawl_patterns_value_last(patterns, pattern.value, pattern.value_length, error);
        }
    }
    return status;
}
