/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The pattern set: what trawl_patterns_add collects and compilation reads. */
#ifndef TRAWL_PATTERN_PATTERNS_H
#define TRAWL_PATTERN_PATTERNS_H

#include "pattern/groups.h"
#include "trawl/trawl.h"

/* Pattern `id` is bytes[offsets[id]] .. bytes[offsets[id + 1]]; names are stored in the same way.
 * All patterns together have at most 2 GiB, so that 32 bits suffice for offsets. */
struct trawl_patterns {
    uint8_t *bytes;
    uint32_t *offsets; /* count + 1 of them */
    uint8_t *flags;
    char *names;            /* NULL while no pattern has a name */
    uint32_t *name_offsets; /* count + 1 of them once there is a name, else NULL */
    size_t count;
    size_t capacity;       /* patterns that offsets, flags and name_offsets have room for */
    size_t bytes_capacity; /* of `bytes` */
    size_t names_capacity; /* of `names` */
    size_t min_length;
    size_t max_length;
    size_t case_insensitive;                 /* patterns with that flag */
    struct trawl_set_conditions *conditions; /* NULL while nobody has set one (conditions.h) */
    trawl_set_groups groups;
    trawl_set_values values;
};

static inline const uint8_t *trawl_pattern_bytes(const trawl_patterns *patterns, size_t id) {
    return patterns->bytes + patterns->offsets[id];
}

static inline uint32_t trawl_pattern_length(const trawl_patterns *patterns, size_t id) {
    return patterns->offsets[id + 1] - patterns->offsets[id];
}

#endif
