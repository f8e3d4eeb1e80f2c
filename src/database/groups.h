/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Groups and values of patterns in a database. Two sections for each, which only databases with a
 * group or a value have:
 *
 *     GROUP_IDS       uint32_t[groups]        the groups that occur, ascending
 *     PATTERN_GROUP   uint32_t[patterns]      the index of each pattern's group there
 *     VALUE_OFFSETS   uint32_t[patterns + 1]  into VALUES
 *     VALUES          uint8_t[]               each value and a NUL; no byte for a pattern
 *                                         without a value
 */
#ifndef TRAWL_DATABASE_GROUPS_H
#define TRAWL_DATABASE_GROUPS_H

#include "database/database.h"
#include "trawl/trawl_groups.h"

/* What is known of a set's groups while its database is built. Begins as zeros. */
typedef struct trawl_group_build {
    uint32_t *ids; /* NULL: no pattern has a group */
    size_t count;
} trawl_group_build;

/* Finds the groups of a set and reserves the sections. Release the build also after a failure. */
trawl_status trawl_groups_plan(const trawl_patterns *patterns, trawl_image *image,
                               trawl_group_build *build, trawl_error *error);

/* Writes the reserved sections into an allocated image. */
void trawl_groups_fill(const trawl_patterns *patterns, const trawl_group_build *build,
                       const trawl_image *image);
void trawl_groups_release(trawl_group_build *build);

/* Whether the sections of groups of an untrusted database agree with each other and with the number
 * of patterns. A section that is absent is NULL and has 0 bytes. */
typedef struct trawl_group_sections {
    const uint32_t *of, *ids;
    uint64_t of_size, ids_size;
} trawl_group_sections;
bool trawl_groups_sound(const trawl_group_sections *sections, uint64_t patterns);

/* Whether every value ends with its NUL. The offsets are sound. */
bool trawl_values_end(const uint32_t *offsets, const uint8_t *values, uint64_t patterns);

/* Views the sections of a valid database. */
void trawl_groups_view(const trawl_db *db, trawl_group_view *view);

/* The index of a pattern's group in GROUP_IDS, and the group with that index. */
static inline uint32_t trawl_group_index(const trawl_group_view *groups, uint32_t id) {
    return groups->of == NULL ? id : groups->of[id];
}
static inline uint32_t trawl_group_of_index(const trawl_group_view *groups, uint32_t index) {
    return groups->ids == NULL ? index : groups->ids[index];
}

/* The value of a pattern, of *length bytes; NULL if it has none. */
static inline const uint8_t *trawl_db_value(const trawl_db *db, uint32_t id, size_t *length) {
    const uint32_t *offsets = db->groups.value_offsets;
    *length = 0;
    if (offsets == NULL || offsets[id] == offsets[id + 1]) {
        return NULL;
    }
    *length = offsets[id + 1] - offsets[id] - 1;
    return db->groups.values + offsets[id];
}

#endif
