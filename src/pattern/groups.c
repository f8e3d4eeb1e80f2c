/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "pattern/groups.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "pattern/byte_room.h"
#include "pattern/patterns.h"

void trawl_set_groups_free(trawl_set_groups *groups) {
    trawl_release(groups->of);
}

void trawl_set_values_free(trawl_set_values *values) {
    trawl_release(values->bytes);
    trawl_release(values->ends);
}

/* Makes room for `count` numbers; grows by half, so that many additions need few copies. */
static bool reserve_numbers(uint32_t **numbers, size_t *capacity, size_t count) {
    if (count > *capacity) {
        size_t larger = count + count / 2 + 64;
        uint32_t *moved = trawl_reallocate(*numbers, larger, sizeof *moved);
        if (moved == NULL) {
            return false;
        }
        *numbers = moved;
        *capacity = larger;
    }
    return true;
}

trawl_status trawl_patterns_group_last(trawl_patterns *patterns, uint32_t group,
                                       trawl_error *error) {
    trawl_clear(error);
    if (patterns == NULL || patterns->count == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_group_last: %s",
                          patterns == NULL ? "patterns is NULL" : "the set is empty");
    }
    trawl_set_groups *groups = &patterns->groups;
    if (!reserve_numbers(&groups->of, &groups->capacity, patterns->count)) {
        return trawl_fail_memory(error, "groups of patterns", patterns->count * 4);
    }
    for (; groups->count < patterns->count; groups->count++) {
        groups->of[groups->count] = (uint32_t)groups->count;
    }
    groups->of[patterns->count - 1] = group;
    return TRAWL_OK;
}

trawl_status trawl_patterns_value_last(trawl_patterns *patterns, const void *bytes, size_t length,
                                       trawl_error *error) {
    trawl_clear(error);
    if (patterns == NULL || (bytes == NULL && length != 0) || patterns->count == 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_value_last: %s",
                          patterns == NULL       ? "patterns is NULL"
                          : patterns->count == 0 ? "the set is empty"
                                                 : "bytes is NULL");
    }
    trawl_set_values *values = &patterns->values;
    size_t last = patterns->count - 1; /* a second value replaces the first */
    size_t behind = values->count == 0 ? 0 : values->ends[values->count - 1];
    size_t begin = values->count <= last ? behind : last == 0 ? 0 : values->ends[last - 1];
    if (length >= UINT32_MAX - begin) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "value of pattern %zu does not fit: all values together have at most "
                          "4 GiB",
                          last);
    }
    uint8_t *moved = NULL;
    if (reserve_numbers(&values->ends, &values->ends_capacity, patterns->count)) {
        moved =
            trawl_byte_room(values->bytes, &values->capacity, behind, begin + length + 1, &bytes);
    }
    if (moved == NULL) {
        return trawl_fail_memory(error, "values of patterns", begin + length + 1);
    }
    values->bytes = moved;
    for (; values->count < last; values->count++) {
        values->ends[values->count] = (uint32_t)begin;
    }
    if (length != 0) {
        memmove(values->bytes + begin, bytes, length);
    }
    values->bytes[begin + length] = '\0';
    values->ends[last] = (uint32_t)(begin + length + 1);
    values->count = patterns->count;
    return TRAWL_OK;
}
