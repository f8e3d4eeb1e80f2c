/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Conditions of patterns (trawl_conditions.h), as sets and databases store them. */
#ifndef TRAWL_PATTERN_CONDITIONS_H
#define TRAWL_PATTERN_CONDITIONS_H

#include "trawl/trawl_conditions.h"

/* A condition. Patterns share it: a set mostly has few of them. */
typedef struct trawl_condition_record {
    uint64_t min_start;
    uint64_t max_end;     /* UINT64_MAX: no limit */
    uint16_t left, right; /* one bit, that of the class's number; TRAWL_CLASS_NONE has one too */
    uint8_t at_start, at_end; /* 0 or 1 */
    uint8_t reserved[2];      /* 0 */
} trawl_condition_record;

/* The members of every class: bit b % 8 of byte b / 8. */
typedef uint8_t trawl_class_members[TRAWL_CLASSES][32];

/* The conditions of a set. */
typedef struct trawl_set_conditions {
    trawl_condition_record *records; /* records[0] demands nothing */
    size_t count, capacity;
    uint32_t *of; /* the record of each pattern below of_count; that of the others is 0 */
    size_t of_count, of_capacity;
    size_t conditioned; /* patterns whose record is not 0 */
    uint16_t defined;   /* bits of the classes that are known */
    trawl_class_members classes;
} trawl_set_conditions;

void trawl_set_conditions_free(trawl_set_conditions *conditions);

/* Whether a pattern of the set has a condition. */
bool trawl_patterns_have_conditions(const trawl_patterns *patterns);

/* The right boundary of pattern `id`, as in a record. The set has conditions. */
uint16_t trawl_patterns_right(const trawl_patterns *patterns, uint32_t id);

/* Finds the set's own class with these members, or defines it: its number. Errors: those of
 * trawl_patterns_class, and TRAWL_ERROR_LIMIT if the set has eight others. */
trawl_status trawl_set_class(trawl_patterns *patterns, const uint8_t members[32], uint8_t *number,
                             trawl_error *error);

/* The record as the structure of the public header. */
trawl_condition trawl_condition_of_record(const trawl_condition_record *record);

#endif
