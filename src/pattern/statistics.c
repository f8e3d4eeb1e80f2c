/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/sized.h"
#include "base/status.h"
#include "pattern/keys.h"

/* A pattern of a key. Patterns of one key can differ only in letter case and flags. */
typedef struct member {
    const uint8_t *bytes;
    uint32_t length;
    uint8_t flags;
} member;

static int compare_members(const void *left, const void *right) {
    const member *a = left;
    const member *b = right;
    int order = memcmp(a->bytes, b->bytes, a->length);
    return order != 0 ? order : (int)a->flags - (int)b->flags;
}

/* The number of patterns of `key` without those that are equal in bytes and flags. `members` has
 * room for all of its patterns. */
static size_t distinct_members(const trawl_patterns *set, const trawl_keys *keys, uint32_t key,
                               member *members) {
    uint32_t begin = keys->first[key];
    size_t count = keys->first[key + 1] - begin;
    if (count == 1) {
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t id = keys->ids[begin + i];
        members[i] =
            (member){trawl_pattern_bytes(set, id), trawl_pattern_length(set, id), set->flags[id]};
    }
    qsort(members, count, sizeof *members, compare_members);
    size_t distinct = 1;
    for (size_t i = 1; i < count; i++) {
        distinct += compare_members(&members[i - 1], &members[i]) != 0;
    }
    return distinct;
}

static size_t median_length(const trawl_patterns *set, uint32_t *length_counts) {
    for (size_t i = 0; i < set->count; i++) {
        length_counts[trawl_pattern_length(set, i)]++;
    }
    size_t below = 0;
    for (size_t length = 0; length <= set->max_length; length++) {
        below += length_counts[length];
        if (2 * below >= set->count) {
            return length;
        }
    }
    return set->max_length;
}

/* `statistics` are 0. */
static trawl_status measure(const trawl_patterns *patterns, trawl_statistics *statistics,
                            trawl_error *error) {
    statistics->states = 1;
    if (patterns->count == 0) {
        return TRAWL_OK;
    }
    trawl_keys keys;
    trawl_status status = trawl_keys_make(patterns, NULL, 0, &keys, error);
    if (status != TRAWL_OK) {
        return status;
    }
    uint32_t *length_counts =
        trawl_allocate_zeroed(patterns->max_length + 1, sizeof *length_counts);
    member *members = trawl_allocate(patterns->count, sizeof *members);
    if (length_counts == NULL || members == NULL) {
        status = trawl_fail_memory(error, "statistics", patterns->count * sizeof *members);
        goto done;
    }
    uint64_t total = trawl_patterns_bytes(patterns);
    bool seen[256] = {false};
    for (uint64_t i = 0; i < total; i++) {
        seen[patterns->bytes[i]] = true;
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        statistics->alphabet += seen[byte];
    }
    uint64_t distinct_bytes = 0;
    for (uint32_t key = 0; key < keys.count; key++) {
        statistics->distinct += distinct_members(patterns, &keys, key, members);
        distinct_bytes += trawl_key_length(&keys, key);
    }
    statistics->count = patterns->count;
    statistics->case_insensitive = patterns->case_insensitive;
    statistics->total_bytes = total;
    statistics->min_length = patterns->min_length;
    statistics->max_length = patterns->max_length;
    statistics->mean_length = (double)total / (double)patterns->count;
    statistics->median_length = median_length(patterns, length_counts);
    statistics->states = trawl_keys_states(&keys);
    statistics->levels = patterns->max_length;
    statistics->prefix_sharing = 1.0 - (double)(statistics->states - 1) / (double)distinct_bytes;
done:
    trawl_release(length_counts);
    trawl_release(members);
    trawl_keys_release(&keys);
    return status;
}

trawl_status trawl_patterns_statistics(const trawl_patterns *patterns, trawl_statistics *statistics,
                                       trawl_error *error) {
    trawl_clear(error);
    if (patterns == NULL || statistics == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_patterns_statistics: %s is NULL",
                          patterns == NULL ? "patterns" : "statistics");
    }
    trawl_status status = trawl_sized_check(statistics, "trawl_patterns_statistics: statistics",
                                            "TRAWL_STATISTICS", error);
    if (status != TRAWL_OK) {
        return status;
    }
    trawl_statistics known = {0};
    status = measure(patterns, &known, error);
    trawl_sized_write(statistics, &known, sizeof known);
    return status;
}
