/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Right boundaries that depend on the letter case of the text, in a pair of reversed patterns
 * (run/case_pair.h).
 *
 * The byte behind a shorter key is one of the longest key, so mostly it is known whether a right
 * boundary holds there. Not where the longest key is found in any case and the boundary's class
 * has a letter in one case alone. Such a boundary holds in runs of the text:
 *
 *     keys       a, aa, aaa, aaaa in any case, all with the right boundary [a]
 *     text       a a a A A a
 *     behind       - - + + -        the boundary holds behind "aa" and "aaa"
 *                 [run|run|
 *
 * So the best key of a start is found run by run. Steps over n links take O(log n) (Myers 1983, "An
 * applicative random-access stack"), and most texts need one run or two.
 */
#ifndef TRAWL_RUN_CASE_PAIR_STEPS_H
#define TRAWL_RUN_CASE_PAIR_STEPS_H

#include "database/outputs.h"

/* Jumps along the links of one condition; of each key. */
typedef struct trawl_pair_steps {
    uint32_t *jump;   /* a key further along the links, or TRAWL_NO_KEY; NULL: all is known */
    uint32_t *own;    /* the lowest id of the key's patterns with the condition */
    uint32_t *lowest; /* the lowest id of the key and of those before its jump */
} trawl_pair_steps;

/* Makes the steps of a condition. `own`: as above. TRAWL_ERROR_MEMORY. */
trawl_status trawl_pair_steps_make(const trawl_outputs *outputs, const uint32_t *links,
                                   const uint32_t *own, trawl_pair_steps *steps);
void trawl_pair_steps_free(trawl_pair_steps *steps);

/* A run: neighbouring places behind all of which the boundary holds, or behind none. */
typedef struct trawl_pair_run {
    uint32_t begin; /* the first place */
    uint32_t end;   /* behind the last one, and the bit TRAWL_RUN_HOLDS */
} trawl_pair_run;

#define TRAWL_RUN_HOLDS UINT32_C(0x80000000)

/* What is searched: the keys of one condition that start at one place. */
typedef struct trawl_pair_search {
    const uint32_t *length;  /* of each key */
    const uint32_t *links;   /* of the condition */
    const uint32_t *offsets; /* of the patterns, for their lengths */
    const trawl_pair_steps *steps;
    const trawl_pair_run *runs; /* of each place */
    uint32_t start;             /* the place where the keys start */
} trawl_pair_search;

/* The longest key behind which the boundary holds, from `key` on; or TRAWL_NO_KEY. `key` has a
 * pattern with the condition, or is TRAWL_NO_KEY. */
uint32_t trawl_pair_longest(const trawl_pair_search *search, uint32_t key);

/* The lowest id of these patterns, if it is below `best`; else `best`. */
uint32_t trawl_pair_lowest(const trawl_pair_search *search, uint32_t key, uint32_t best);

#endif
