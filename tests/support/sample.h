/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One small pattern set with everything that databases store, for tests that damage databases or
 * make allocations fail.
 */
#ifndef TRAWL_TESTS_SAMPLE_H
#define TRAWL_TESTS_SAMPLE_H

#include "combinations.h"

/* Nested, duplicate, insensitive and binary patterns, short and longer ones, some with names. */
trawl_patterns *sample_patterns(trawl_error *error);

/* A text in which all of them occur. */
extern const uint8_t sample_text[];
extern const size_t sample_text_length;

/* Compiles the sample with the combination; fails the test unless it compiles or is refused, and
 * returns NULL when it is refused. */
trawl_db *sample_db(combination which, trawl_match_kind kind);

#endif
