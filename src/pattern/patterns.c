/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/patterns.h"

#include <string.h>

#include "base/allocate.h"
#include "base/sized.h"
#include "base/status.h"
#include "pattern/byte_room.h"
#include "pattern/conditions.h"

_Static_assert((uint64_t)(TRAWL_OFFSETS_BLOCK - 1) * TRAWL_PATTERN_MAX_LENGTH <= UINT32_MAX,
               "offsets of one base differ by less than 4 GiB");

trawl_status trawl_patterns_new(trawl_patterns **patterns, trawl_error *error) {
    trawl_clear(error);
    if (patterns == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_new: patterns is NULL");
    }
    *patterns = NULL;
    trawl_patterns *set = trawl_allocate_zeroed(1, sizeof *set);
    if (set == NULL) {
        return trawl_fail_memory(error, "a pattern set", sizeof *set);
    }
    *patterns = set;
    return TRAWL_OK;
}

void trawl_patterns_free(trawl_patterns *patterns) {
    if (patterns != NULL) {
        trawl_release(patterns->bytes);
        trawl_release(patterns->offsets);
        trawl_release(patterns->bases);
        trawl_release(patterns->flags);
        trawl_release(patterns->names);
        trawl_release(patterns->name_offsets);
        trawl_set_conditions_free(patterns->conditions);
        trawl_set_groups_free(&patterns->groups);
        trawl_set_values_free(&patterns->values);
        trawl_release(patterns);
    }
}

static bool reserve_ids(trawl_patterns *set) {
    if (set->count + 1 < set->capacity) {
        return true;
    }
    /* Three arrays have one capacity, which is set when all of them have grown. */
    size_t larger = set->capacity + set->capacity / 2 + 64;
    uint32_t *offsets = trawl_reallocate(set->offsets, larger + 1, sizeof *offsets);
    if (offsets == NULL) {
        return false;
    }
    if (set->offsets == NULL) {
        offsets[0] = set->bases == NULL ? 0 : (uint32_t)set->bases[0];
    }
    set->offsets = offsets;
    uint8_t *flags = trawl_reallocate(set->flags, larger, sizeof *flags);
    if (flags == NULL) {
        return false;
    }
    set->flags = flags;
    if (set->name_offsets != NULL) {
        uint32_t *name_offsets =
            trawl_reallocate(set->name_offsets, larger + 1, sizeof *name_offsets);
        if (name_offsets == NULL) {
            return false;
        }
        set->name_offsets = name_offsets;
    }
    if (set->bases != NULL) {
        uint64_t *bases = trawl_reallocate(set->bases, trawl_offsets_bases(larger), sizeof *bases);
        if (bases == NULL) {
            return false;
        }
        set->bases = bases;
    }
    set->capacity = larger;
    return true;
}

trawl_status trawl_patterns_widen(trawl_patterns *patterns, uint32_t first, trawl_error *error) {
    size_t bases = trawl_offsets_bases(patterns->capacity);
    patterns->bases = trawl_allocate(bases, sizeof *patterns->bases);
    if (patterns->bases == NULL) {
        return trawl_fail_memory(error, "the pattern set", bases * sizeof *patterns->bases);
    }
    patterns->bases[0] = first;
    /* The offsets so far are whole. */
    for (size_t i = 1; i < trawl_offsets_bases(patterns->count); i++) {
        patterns->bases[i] = patterns->offsets[i << TRAWL_OFFSETS_BLOCK_BITS];
    }
    return TRAWL_OK;
}

/* Notes where the pattern that has just been added ends. */
static void note_end(trawl_patterns *set, size_t length) {
    set->count++;
    set->offsets[set->count] = set->offsets[set->count - 1] + (uint32_t)length;
    if (set->bases != NULL && set->count % TRAWL_OFFSETS_BLOCK == 0) {
        size_t block = set->count >> TRAWL_OFFSETS_BLOCK_BITS;
        uint64_t last = set->bases[block - 1];
        set->bases[block] =
            last + (uint32_t)(set->offsets[set->count - 1] - (uint32_t)last) + length;
    }
}

trawl_status trawl_patterns_add(trawl_patterns *patterns, const void *bytes, size_t length,
                                unsigned flags, trawl_error *error) {
    trawl_clear(error);
    trawl_patterns *set = patterns;
    if (set == NULL || (bytes == NULL && length != 0)) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_add: %s is NULL",
                          set == NULL ? "patterns" : "bytes");
    }
    if (length == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                          "pattern %zu is empty: a pattern has at least 1 byte", set->count);
    }
    if (length > TRAWL_PATTERN_MAX_LENGTH) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "pattern %zu has %zu bytes: at most %d are allowed", set->count, length,
                          TRAWL_PATTERN_MAX_LENGTH);
    }
    if ((flags & ~(unsigned)TRAWL_PATTERN_CASE_INSENSITIVE) != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "pattern %zu has unknown flags %#x",
                          set->count, flags);
    }
    size_t used = trawl_patterns_bytes(set);
    if (set->count >= TRAWL_PATTERNS_MAX_COUNT || used + length > TRAWL_PATTERNS_MAX_BYTES) {
        return trawl_fail(
            error, TRAWL_ERROR_LIMIT,
            "pattern %zu does not fit: a set holds at most %u patterns and 64 GiB of them",
            set->count, TRAWL_PATTERNS_MAX_COUNT);
    }
    if (!reserve_ids(set)) {
        return trawl_fail_memory(error, "the pattern set", (uint64_t)set->count * 12);
    }
    if (set->bases == NULL && used + length > TRAWL_PATTERNS_NARROW_BYTES) {
        trawl_status status = trawl_patterns_widen(set, 0, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    uint8_t *moved = trawl_byte_room(set->bytes, &set->bytes_capacity, used, used + length, &bytes);
    if (moved == NULL) {
        return trawl_fail_memory(error, "the pattern set", used + length);
    }
    set->bytes = moved;
    memcpy(set->bytes + used, bytes, length);
    set->flags[set->count] = (uint8_t)flags;
    if (set->name_offsets != NULL) {
        set->name_offsets[set->count + 1] = set->name_offsets[set->count];
    }
    set->min_length = set->count == 0 || length < set->min_length ? length : set->min_length;
    set->max_length = length > set->max_length ? length : set->max_length;
    set->case_insensitive += (flags & TRAWL_PATTERN_CASE_INSENSITIVE) != 0;
    note_end(set, length);
    return TRAWL_OK;
}

trawl_status trawl_patterns_name_last(trawl_patterns *patterns, const char *name, size_t length,
                                      trawl_error *error) {
    trawl_clear(error);
    trawl_patterns *set = patterns;
    if (set == NULL || name == NULL || set->count == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_name_last: %s",
                          set == NULL    ? "patterns is NULL"
                          : name == NULL ? "name is NULL"
                                         : "the set is empty");
    }
    if (set->name_offsets == NULL) {
        uint32_t *name_offsets = trawl_allocate_zeroed(set->capacity + 1, sizeof *name_offsets);
        if (name_offsets == NULL) {
            return trawl_fail_memory(error, "pattern names", (uint64_t)set->capacity * 4);
        }
        set->name_offsets = name_offsets;
    }
    size_t start = set->name_offsets[set->count - 1]; /* naming twice replaces the first name */
    if (length > UINT32_MAX - start) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "name of pattern %zu does not fit: all names together have at most 4 GiB",
                          set->count - 1);
    }
    const void *given = name;
    char *moved = trawl_byte_room(set->names, &set->names_capacity, start, start + length, &given);
    if (moved == NULL) {
        return trawl_fail_memory(error, "pattern names", start + length);
    }
    set->names = moved;
    if (length != 0) {
        memmove(set->names + start, given, length);
    }
    set->name_offsets[set->count] = (uint32_t)(start + length);
    return TRAWL_OK;
}

size_t trawl_patterns_count(const trawl_patterns *patterns) {
    return patterns == NULL ? 0 : patterns->count;
}

bool trawl_patterns_get(const trawl_patterns *patterns, uint32_t id, trawl_pattern *pattern) {
    if (patterns == NULL || pattern == NULL || id >= patterns->count ||
        trawl_sized_check(pattern, "", "", NULL) != TRAWL_OK) {
        return false;
    }
    trawl_pattern found = {.bytes = trawl_pattern_bytes(patterns, id),
                           .length = trawl_pattern_length(patterns, id),
                           .flags = patterns->flags[id],
                           .group = trawl_set_group(&patterns->groups, id)};
    found.value = trawl_set_value(&patterns->values, id, &found.value_length);
    if (patterns->name_offsets != NULL &&
        patterns->name_offsets[id] != patterns->name_offsets[id + 1]) {
        found.name = patterns->names + patterns->name_offsets[id];
        found.name_length = patterns->name_offsets[id + 1] - patterns->name_offsets[id];
    }
    trawl_sized_write(pattern, &found, sizeof found);
    return true;
}
