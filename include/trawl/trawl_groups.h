/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Groups and values of patterns: what a match stands for.
 *
 * A group is a number that several patterns share: the spellings of one keyword, the strings of one
 * rule. A pattern without a group has its id as its group. What tells which patterns occur
 * (trawl_scanner_which, trawl_flow_which, trawl_records_which) reports each group once;
 * trawl_records_count counts by pattern and by group.
 *
 * A value is a string of bytes that belongs to a pattern: its replacement (trawl_replace.h), a
 * category, a record of the caller. trawl_db_pattern returns both.
 *
 *     trawl_patterns_add(patterns, "New York", 8, 0, &error);
 *     trawl_patterns_group_last(patterns, 7, &error);
 *     trawl_patterns_value_last(patterns, "NYC", 3, &error);
 *     trawl_patterns_add(patterns, "Big Apple", 9, 0, &error);
 *     trawl_patterns_group_last(patterns, 7, &error);
 */
#ifndef TRAWL_TRAWL_GROUPS_H
#define TRAWL_TRAWL_GROUPS_H

#include "trawl/trawl.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the group of the pattern that was added last: any number.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_MEMORY; the set is then unchanged. */
TRAWL_API trawl_status trawl_patterns_group_last(trawl_patterns *patterns, uint32_t group,
                                                 trawl_error *error);

/* Sets the value of the pattern that was added last, in place of an earlier one: `length` bytes,
 * which are copied. A value may be empty, which is not the same as none. All values together have
 * at most 4 GiB, with a byte more for each.
 * Errors: TRAWL_ERROR_ARGUMENT, TRAWL_ERROR_LIMIT, TRAWL_ERROR_MEMORY; the set is then unchanged.
 */
TRAWL_API trawl_status trawl_patterns_value_last(trawl_patterns *patterns, const void *bytes,
                                                 size_t length, trawl_error *error);

/* Whether any pattern of a database has a group, or a value. */
TRAWL_API bool trawl_db_has_groups(const trawl_db *db);
TRAWL_API bool trawl_db_has_values(const trawl_db *db);

/* The group of pattern `id`, which must be below the number of patterns; else 0. */
TRAWL_API uint32_t trawl_db_group(const trawl_db *db, uint32_t id);

/* How many different groups the patterns have: the number of elements of arrays of counts by group.
 * Without groups it is the number of patterns. */
TRAWL_API size_t trawl_db_groups(const trawl_db *db);

/* The group that element `index` of such an array is for. They ascend. `index` must be below
 * trawl_db_groups; else 0. */
TRAWL_API uint32_t trawl_db_group_at(const trawl_db *db, size_t index);

/* The index, in such an array, of the group of pattern `id`; 0 if there is no such pattern. */
TRAWL_API uint32_t trawl_db_group_index(const trawl_db *db, uint32_t id);

/* Sums up counts of patterns: per_group[i] becomes the sum over the patterns of group
 * trawl_db_group_at(db, i). Does nothing if a pointer is NULL. */
TRAWL_API void trawl_db_sum_groups(const trawl_db *db, const uint64_t *per_pattern,
                                   uint64_t *per_group);

#ifdef __cplusplus
}
#endif
#endif
