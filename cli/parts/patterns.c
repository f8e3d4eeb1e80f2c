/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/parts/patterns.h"

#include <stdlib.h>
#include <xxhash.h>

#include "cli/base/memory.h"
#include "trawl/trawl_conditions.h"
#include "trawl/trawl_groups.h"

/* Adds the conditions of all patterns, and the classes of bytes that they name. */
static void add_conditions(XXH3_state_t *state, const trawl_db *db) {
    uint8_t members[32];
    trawl_pattern pattern = TRAWL_PATTERN;
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++) {
        trawl_condition condition = TRAWL_CONDITION;
        if (!trawl_db_condition(db, id, &condition))
            continue;
        uint64_t numbers[] = {id,
                              condition.min_start,
                              condition.max_end,
                              condition.left,
                              condition.right,
                              condition.at_start,
                              condition.at_end};
        (void)XXH3_64bits_update(state, numbers, sizeof numbers);
    }
    for (unsigned number = TRAWL_CLASS_OWN; number < TRAWL_CLASSES; number++) {
        if (trawl_db_class(db, (uint8_t)number, members))
            (void)XXH3_64bits_update(state, members, sizeof members);
    }
}

/* Adds the groups and values, which are printed with matches. */
static void add_details(XXH3_state_t *state, const trawl_db *db) {
    trawl_pattern pattern = TRAWL_PATTERN;
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++) {
        uint64_t numbers[] = {pattern.group,
                              pattern.value == NULL ? UINT64_MAX : pattern.value_length};
        (void)XXH3_64bits_update(state, numbers, sizeof numbers);
        if (pattern.value != NULL)
            (void)XXH3_64bits_update(state, pattern.value, pattern.value_length);
    }
}

uint64_t parts_patterns_checksum(const trawl_db *db) {
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL)
        (void)allocate(SIZE_MAX); /* reports that memory is out */
    (void)XXH3_64bits_reset(state);
    trawl_pattern pattern = TRAWL_PATTERN;
    for (uint32_t id = 0; trawl_db_pattern(db, id, &pattern); id++) {
        uint64_t numbers[] = {pattern.length, pattern.flags,
                              pattern.name == NULL ? UINT64_MAX : pattern.name_length};
        (void)XXH3_64bits_update(state, numbers, sizeof numbers);
        (void)XXH3_64bits_update(state, pattern.bytes, pattern.length);
        if (pattern.name != NULL)
            (void)XXH3_64bits_update(state, pattern.name, pattern.name_length);
    }
    if (trawl_db_has_conditions(db))
        add_conditions(state, db);
    if (trawl_db_has_groups(db) || trawl_db_has_values(db))
        add_details(state, db);
    uint64_t checksum = XXH3_64bits_digest(state);
    (void)XXH3_freeState(state);
    return checksum;
}
