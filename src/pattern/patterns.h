/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The pattern set: what trawl_patterns_add collects and compilation reads. */
#ifndef TRAWL_PATTERN_PATTERNS_H
#define TRAWL_PATTERN_PATTERNS_H

#include "pattern/groups.h"
#include "pattern/offsets.h"
#include "trawl/trawl.h"

/* A set whose patterns have more bytes than this has bases (offsets.h). */
#define TRAWL_PATTERNS_NARROW_BYTES (UINT64_C(2) << 30)

/* Pattern `id` is bytes[offset of id] .. bytes[offset of id + 1] (offsets.h); names are stored in
 * the same way, with whole offsets. */
struct trawl_patterns {
    uint8_t *bytes;
    uint32_t *offsets; /* count + 1 of them */
    uint64_t *bases;   /* NULL while 32 bits suffice, else one for each 65,536 offsets */
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
    return patterns->bytes + trawl_offset(patterns->offsets, patterns->bases, id);
}

/* Behind its last byte. */
static inline const uint8_t *trawl_pattern_end(const trawl_patterns *patterns, size_t id) {
    return patterns->bytes + trawl_offset(patterns->offsets, patterns->bases, id + 1);
}

static inline uint32_t trawl_pattern_length(const trawl_patterns *patterns, size_t id) {
    return patterns->offsets[id + 1] - patterns->offsets[id];
}

/* Bytes of all patterns. */
static inline uint64_t trawl_patterns_bytes(const trawl_patterns *patterns) {
    return patterns->count == 0 ? 0
                                : trawl_offset(patterns->offsets, patterns->bases, patterns->count);
}

/* Gives the set bases, whatever its size. `first`: the first offset, 0 unless the set is empty and
 * a test wants the low 32 bits of offsets to overflow after 2^32 - first bytes. */
trawl_status trawl_patterns_widen(trawl_patterns *patterns, uint32_t first, trawl_error *error);

#endif
