/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What planning may cost. A trial of a plan for a text of known length is worth no more time than
 * it is expected to save:
 *
 *     time of the trial  <=  expected share * (best so far - least possible)
 *
 * "Best so far" and "least possible" are whole times: building the tables and scanning the text.
 * The first is that of the cheapest plan that is known; the second is that of the plan on trial if
 * its filter excluded everything. The expected share of this gain follows from the shares that
 * trials of the same kind have had so far, as in Laplace's rule of succession: (1/2 + their sum) /
 * (2 + their number). So the longer trials are in vain, the more the next one has to promise, and n
 * trials in vain take at most as long as half of the gain. Times are expected ones, never those of
 * a clock: the same input gets the same plan.
 */
#ifndef TRAWL_COSTS_EFFORT_H
#define TRAWL_COSTS_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of trials. */
typedef enum trawl_effort_kind {
    TRAWL_EFFORT_SURVEYS,
    TRAWL_EFFORT_REGISTERS, /* filters in registers: Teddy, register Bloom filters */
    TRAWL_EFFORT_ANCHORS,
    TRAWL_EFFORT_SPARSE,
    TRAWL_EFFORT_HASHING, /* wu-manber, rabin-karp */
    TRAWL_EFFORT_KINDS
} trawl_effort_kind;

typedef struct trawl_effort {
    double text_bytes;      /* that will be scanned; 0: not known, and every trial pays */
    double building;        /* nanoseconds of building the tables of what is being tried */
    double least;           /* nanoseconds of the best plan so far; INFINITY: there is none */
    trawl_effort_kind kind; /* of the last trial */
    double gain;            /* the most that it could save, in nanoseconds */
    double trials[TRAWL_EFFORT_KINDS], shares[TRAWL_EFFORT_KINDS];
} trawl_effort;

/* text_bytes may be 0. */
trawl_effort trawl_effort_begin(uint64_t text_bytes);

/* Whether a trial pays that takes `trial` nanoseconds, of a plan that takes at least `per_byte`
 * nanoseconds for a byte of text. If it does, it counts as done. */
bool trawl_effort_pays(trawl_effort *effort, trawl_effort_kind kind, double per_byte, double trial);

/* Notes a plan that takes `per_byte` nanoseconds for a byte of text, and that no trial found. */
void trawl_effort_know(trawl_effort *effort, double per_byte);

/* Notes that the last trial found a plan which takes `per_byte` nanoseconds for a byte of text. */
void trawl_effort_found(trawl_effort *effort, double per_byte);

/* How many bytes of patterns and of text are examined to price an engine that needs no trials: all
 * that is useful, SIZE_MAX, if the text's length is not known, and else a share of the bytes that
 * are compiled and scanned. */
size_t trawl_effort_bytes(uint64_t text_bytes, uint64_t pattern_bytes);

#endif
