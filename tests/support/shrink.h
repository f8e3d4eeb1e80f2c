/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Shrinking: the smallest case that still fails is the one to look at.
 */
#ifndef TRAWL_TESTS_SHRINK_H
#define TRAWL_TESTS_SHRINK_H

#include "case.h"

/* Answers whether a case still fails in the way that is looked for. */
typedef bool (*shrink_fails)(const test_case *test, void *context);

/* Drops patterns, cuts the text, shortens patterns, clears flags and makes bytes plain, as long as
 * the case fails, asking `fails` at most `tries` times. `test` fails at the beginning and still
 * fails at the end. */
void shrink_case(test_case *test, shrink_fails fails, void *context, size_t tries);

#endif
