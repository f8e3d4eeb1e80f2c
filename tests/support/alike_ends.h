/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Cases of patterns that end alike: with the same 8 to 50 bytes, which only bytes before them tell
 * apart; one inside another; and with different bytes of which the same look-up word is made
 * (engines/qgram/look_up_word.h).
 */
#ifndef TRAWL_TESTS_ALIKE_ENDS_H
#define TRAWL_TESTS_ALIKE_ENDS_H

#include "case.h"
#include "random.h"

enum { ALIKE_LONGEST = 200 };

/* A kind of case. */
typedef struct alike_ends {
    size_t patterns;
    size_t shortest; /* bytes of a pattern: 8 to 100 */
    size_t letters;  /* that patterns are made of; with few, they have their q-grams in common */
    bool any_case;   /* some are case-insensitive */
    bool same_words; /* some have another one's look-up word, in sets without `any_case` */
} alike_ends;

/* Fills an empty case (free it with test_case_free): a text of the patterns, of damaged ones, and
 * of bytes between them. */
void alike_ends_case(random_source *random, const alike_ends *kind, test_case *test);

#endif
