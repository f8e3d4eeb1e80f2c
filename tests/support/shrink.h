/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Shrinking: finds a smaller case that still fails, which is easier to understand.
 */
#ifndef TRAWL_TESTS_SHRINK_H
#define TRAWL_TESTS_SHRINK_H

#include "case.h"

/* Returns whether a case still fails in the same way. */
typedef bool (*shrink_fails)(const test_case *test, void *context);

/* Drops patterns, cuts the text, shortens patterns, clears flags and makes bytes plain, as long as
 * the case still fails. Calls `fails` at most `tries` times. `test` fails at the beginning and at
 * the end. */
void shrink_case(test_case *test, shrink_fails fails, void *context, size_t tries);

#endif
