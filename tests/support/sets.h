/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Short functions that make pattern sets and databases. An unexpected failure fails the test. */
#ifndef TRAWL_TESTS_SETS_H
#define TRAWL_TESTS_SETS_H

#include "combinations.h"

/* An empty set. Free it with trawl_patterns_free. */
trawl_patterns *set_new(void);

/* Appends a case-sensitive pattern. */
void set_add(trawl_patterns *set, const char *text);

/* Appends patterns; only their bytes, lengths and flags are used. */
void set_add_all(trawl_patterns *set, const trawl_pattern *patterns, size_t count);

/* Compiles the set for an engine and variant, and frees it. NULL: they refuse it with
 * TRAWL_ERROR_LIMIT and a sentence in *error. Free the database with trawl_db_free. */
trawl_db *set_compile(trawl_patterns *set, combination which, trawl_error *error);

#endif
