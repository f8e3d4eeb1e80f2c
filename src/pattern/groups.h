/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Groups and values of patterns (trawl_groups.h), as sets store them. Patterns that were added
 * behind the last one with a group or a value are not in the arrays. */
#ifndef TRAWL_PATTERN_GROUPS_H
#define TRAWL_PATTERN_GROUPS_H

#include "trawl/trawl_groups.h"

typedef struct trawl_set_groups {
    uint32_t *of; /* of each pattern below `count`; NULL while no pattern has a group */
    size_t count, capacity;
} trawl_set_groups;

/* The value of pattern i is in bytes[ends[i - 1], ends[i]), with a NUL behind it, so that an empty
 * value has one byte; a pattern without a value has none. */
typedef struct trawl_set_values {
    uint8_t *bytes; /* NULL while no pattern has a value */
    size_t capacity;
    uint32_t *ends; /* of each pattern below `count` */
    size_t count, ends_capacity;
} trawl_set_values;

void trawl_set_groups_free(trawl_set_groups *groups);
void trawl_set_values_free(trawl_set_values *values);

/* The group of pattern `id`. */
static inline uint32_t trawl_set_group(const trawl_set_groups *groups, uint32_t id) {
    return id < groups->count ? groups->of[id] : id;
}

/* The value of pattern `id`, of *length bytes; NULL if it has none. */
static inline const uint8_t *trawl_set_value(const trawl_set_values *values, uint32_t id,
                                             size_t *length) {
    uint32_t begin = id >= values->count || id == 0 ? 0 : values->ends[id - 1];
    uint32_t end = id < values->count ? values->ends[id] : begin;
    *length = end == begin ? 0 : end - begin - 1;
    return end == begin ? NULL : values->bytes + begin;
}

#endif
