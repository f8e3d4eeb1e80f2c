/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Random cases, biased towards what matchers get wrong: patterns inside, before and after one
 * another, duplicates in both cases, periods, runs, NUL and 0xFF, and texts made of damaged
 * patterns.
 */
#ifndef TRAWL_TESTS_GENERATE_H
#define TRAWL_TESTS_GENERATE_H

#include "case.h"
#include "random.h"

/* Fills an empty case (free it with test_case_free). Alphabets of 1, 2, 4, 26 and 256 letters;
 * patterns of 1 to 2,000 bytes, most of them short. One in `large_every` texts is larger than what
 * a stream gathers and than what a thread takes at a time. */
void generate_case(random_source *random, size_t large_every, test_case *test);

#endif
