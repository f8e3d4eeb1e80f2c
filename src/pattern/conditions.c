/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/conditions.h"

#include <string.h>

#include "base/allocate.h"
#include "base/sized.h"
#include "base/status.h"
#include "pattern/patterns.h"

/* Records that a new condition is compared with, besides the last one: those with offsets of their
 * own may be as many as the patterns. */
enum { COMPARED = 64 };

static const trawl_condition_record nothing = {
    .max_end = UINT64_MAX, .left = 1u << TRAWL_CLASS_NONE, .right = 1u << TRAWL_CLASS_NONE};

/* ------------------------------------------------------------------ classes */

static bool is_alnum(unsigned byte) {
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z');
}

static void define_classes(trawl_set_conditions *conditions) {
    for (unsigned byte = 0; byte < 256; byte++) {
        bool alnum = is_alnum(byte), word = alnum || byte == '_';
        const struct {
            unsigned number;
            bool member;
        } classes[] = {{TRAWL_CLASS_WORD, word},
                       {TRAWL_CLASS_WORD_UTF8, word || byte >= 0x80},
                       {TRAWL_CLASS_ALNUM, alnum},
                       {TRAWL_CLASS_LABEL, alnum || byte == '-'}};
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
            if (classes[i].member) {
                conditions->classes[classes[i].number][byte / 8] |= (uint8_t)(1u << byte % 8);
            }
        }
    }
    conditions->defined = 1u << TRAWL_CLASS_NONE | 1u << TRAWL_CLASS_WORD |
                          1u << TRAWL_CLASS_WORD_UTF8 | 1u << TRAWL_CLASS_ALNUM |
                          1u << TRAWL_CLASS_LABEL;
}

/* The conditions of a set, made if it has none yet; NULL: no memory. */
static trawl_set_conditions *conditions_of(trawl_patterns *set) {
    if (set->conditions == NULL) {
        trawl_set_conditions *made = trawl_allocate_zeroed(1, sizeof *made);
        trawl_condition_record *records = trawl_allocate(1, sizeof *records);
        if (made == NULL || records == NULL) {
            trawl_release(made);
            trawl_release(records);
            return NULL;
        }
        records[0] = nothing;
        made->records = records;
        made->count = made->capacity = 1;
        define_classes(made);
        set->conditions = made;
    }
    return set->conditions;
}

void trawl_set_conditions_free(trawl_set_conditions *conditions) {
    if (conditions != NULL) {
        trawl_release(conditions->records);
        trawl_release(conditions->of);
        trawl_release(conditions);
    }
}

trawl_status trawl_patterns_class(trawl_patterns *patterns, uint8_t number,
                                  const uint8_t members[32], trawl_error *error) {
    trawl_clear(error);
    if (patterns == NULL || members == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_class: %s is NULL",
                          patterns == NULL ? "patterns" : "members");
    }
    if (number < TRAWL_CLASS_OWN || number >= TRAWL_CLASSES) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "class %u of bytes: a set's own classes are %d to %d", number,
                          TRAWL_CLASS_OWN, TRAWL_CLASSES - 1);
    }
    trawl_set_conditions *conditions = conditions_of(patterns);
    if (conditions == NULL) {
        return trawl_fail_memory(error, "a class of bytes", sizeof *conditions);
    }
    if ((conditions->defined >> number & 1) != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "class %u of bytes is defined twice",
                          number);
    }
    memcpy(conditions->classes[number], members, sizeof conditions->classes[number]);
    conditions->defined |= (uint16_t)(1u << number);
    return TRAWL_OK;
}

trawl_status trawl_set_class(trawl_patterns *patterns, const uint8_t members[32], uint8_t *number,
                             trawl_error *error) {
    const trawl_set_conditions *conditions = patterns->conditions;
    for (unsigned own = TRAWL_CLASS_OWN; own < TRAWL_CLASSES; own++) {
        *number = (uint8_t)own;
        if (conditions == NULL || (conditions->defined >> own & 1) == 0) {
            return trawl_patterns_class(patterns, *number, members, error);
        }
        if (memcmp(conditions->classes[own], members, sizeof conditions->classes[own]) == 0) {
            return TRAWL_OK;
        }
    }
    return trawl_fail(error, TRAWL_ERROR_LIMIT, "a set has at most %d classes of bytes of its own",
                      TRAWL_CLASSES - TRAWL_CLASS_OWN);
}

/* ------------------------------------------------------------------ conditions */

static bool is_same(const trawl_condition_record *a, const trawl_condition_record *b) {
    return memcmp(a, b, sizeof *a) == 0; /* a record has no padding */
}

/* Sets *number to that of a record, which is appended if it is new. */
static trawl_status find_number(trawl_set_conditions *conditions,
                                const trawl_condition_record *record, uint32_t *number,
                                trawl_error *error) {
    if (is_same(&conditions->records[conditions->count - 1], record)) {
        *number = (uint32_t)(conditions->count - 1);
        return TRAWL_OK;
    }
    for (size_t i = 0; i < conditions->count && i < COMPARED; i++) {
        if (is_same(&conditions->records[i], record)) {
            *number = (uint32_t)i;
            return TRAWL_OK;
        }
    }
    if (conditions->count == UINT32_MAX) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "a set has at most %u different conditions of patterns", UINT32_MAX - 1);
    }
    if (conditions->count == conditions->capacity) {
        size_t larger = conditions->capacity + conditions->capacity / 2 + 16;
        trawl_condition_record *moved =
            trawl_reallocate(conditions->records, larger, sizeof *moved);
        if (moved == NULL) {
            return trawl_fail_memory(error, "conditions of patterns", larger * sizeof *moved);
        }
        conditions->records = moved;
        conditions->capacity = larger;
    }
    conditions->records[conditions->count] = *record;
    *number = (uint32_t)conditions->count++;
    return TRAWL_OK;
}

/* Sets of[0, count) to exist. */
static bool reserve_of(trawl_set_conditions *conditions, size_t count) {
    if (count > conditions->of_capacity) {
        size_t larger = count + count / 2 + 64;
        uint32_t *moved = trawl_reallocate(conditions->of, larger, sizeof *moved);
        if (moved == NULL) {
            return false;
        }
        conditions->of = moved;
        conditions->of_capacity = larger;
    }
    while (conditions->of_count < count) {
        conditions->of[conditions->of_count++] = 0;
    }
    return true;
}

/* Checks a condition against the classes of the set. */
static trawl_status check(const trawl_set_conditions *conditions, const trawl_condition *wanted,
                          size_t id, trawl_error *error) {
    const uint8_t sides[] = {wanted->left, wanted->right};
    for (size_t i = 0; i < 2; i++) {
        if (sides[i] >= TRAWL_CLASSES || (conditions->defined >> sides[i] & 1) == 0) {
            return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                              "condition of pattern %zu: class %u of bytes is not known; a set's "
                              "own classes are defined with trawl_patterns_class first",
                              id, sides[i]);
        }
    }
    return TRAWL_OK;
}

trawl_status trawl_patterns_condition_last(trawl_patterns *patterns,
                                           const trawl_condition *condition, trawl_error *error) {
    trawl_clear(error);
    if (patterns == NULL || patterns->count == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_condition_last: %s",
                          patterns == NULL ? "patterns is NULL" : "the set is empty");
    }
    trawl_condition wanted = TRAWL_CONDITION;
    if (condition != NULL) {
        trawl_status status = trawl_sized_check(
            condition, "trawl_patterns_condition_last: condition", "TRAWL_CONDITION", error);
        if (status != TRAWL_OK) {
            return status;
        }
        trawl_sized_read(&wanted, condition, sizeof wanted);
    }
    trawl_set_conditions *conditions = conditions_of(patterns);
    if (conditions == NULL || !reserve_of(conditions, patterns->count)) {
        return trawl_fail_memory(error, "conditions of patterns", patterns->count * 4);
    }
    trawl_status status = check(conditions, &wanted, patterns->count - 1, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const trawl_condition_record record = {.min_start = wanted.min_start,
                                           .max_end =
                                               wanted.max_end == 0 ? UINT64_MAX : wanted.max_end,
                                           .left = (uint16_t)(1u << wanted.left),
                                           .right = (uint16_t)(1u << wanted.right),
                                           .at_start = wanted.at_start,
                                           .at_end = wanted.at_end};
    uint32_t number = 0;
    status = find_number(conditions, &record, &number, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t *own = &conditions->of[patterns->count - 1];
    conditions->conditioned -= *own != 0;
    conditions->conditioned += number != 0;
    *own = number;
    return TRAWL_OK;
}

bool trawl_patterns_have_conditions(const trawl_patterns *patterns) {
    return patterns->conditions != NULL && patterns->conditions->conditioned != 0;
}

uint16_t trawl_patterns_right(const trawl_patterns *patterns, uint32_t id) {
    const trawl_set_conditions *conditions = patterns->conditions;
    return conditions->records[id < conditions->of_count ? conditions->of[id] : 0].right;
}

static uint8_t class_of(uint16_t bit) {
    return (uint8_t)__builtin_ctz(bit);
}

trawl_condition trawl_condition_of_record(const trawl_condition_record *record) {
    return (trawl_condition){.size = sizeof(trawl_condition),
                             .min_start = record->min_start,
                             .max_end = record->max_end == UINT64_MAX ? 0 : record->max_end,
                             .left = class_of(record->left),
                             .right = class_of(record->right),
                             .at_start = record->at_start != 0,
                             .at_end = record->at_end != 0};
}

bool trawl_patterns_condition(const trawl_patterns *patterns, uint32_t id,
                              trawl_condition *condition) {
    const trawl_set_conditions *conditions = patterns == NULL ? NULL : patterns->conditions;
    if (conditions == NULL || condition == NULL || id >= conditions->of_count ||
        id >= patterns->count || conditions->of[id] == 0 ||
        trawl_sized_check(condition, "", "", NULL) != TRAWL_OK) {
        return false;
    }
    trawl_condition found = trawl_condition_of_record(&conditions->records[conditions->of[id]]);
    trawl_sized_write(condition, &found, sizeof found);
    return true;
}
