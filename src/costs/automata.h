/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What walking an automaton of a pattern set would cost, found out without making one. */
#ifndef TRAWL_COSTS_AUTOMATA_H
#define TRAWL_COSTS_AUTOMATA_H

#include "pattern/patterns.h"

/* How the number of different cache lines that a walk has touched grows with its steps. */
#define TRAWL_GROWTH_POINTS 8u
typedef struct trawl_line_growth {
    double steps[TRAWL_GROWTH_POINTS]; /* ascending */
    double lines[TRAWL_GROWTH_POINTS];
    double all; /* lines of the whole table */
} trawl_line_growth;

typedef struct trawl_automata_estimate {
    double states;
    uint64_t dfa_bytes;
    uint64_t nfa_bytes;
    double match_ends; /* share of bytes of text at which a match ends */
    trawl_line_growth dfa, nfa;
} trawl_automata_estimate;

/* Measures with a piece of text of at least TRAWL_SAMPLE_LEAST bytes. */
trawl_status trawl_automata_measure(const trawl_patterns *patterns, const uint8_t *text,
                                    size_t length, trawl_automata_estimate *estimate,
                                    trawl_error *error);

/* Each step of such a walk. */
enum { TRAWL_TRACE_MATCH = 1, TRAWL_TRACE_VERIFIED = 2 };
typedef struct trawl_automata_steps {
    size_t steps;     /* bytes of text */
    uint64_t *states; /* before each byte: equal numbers for equal states, and 0 for the root */
    uint8_t *ends;    /* with each byte: 0, or TRAWL_TRACE_MATCH, and TRAWL_TRACE_VERIFIED where
                         letters of what ends there are compared with the text once more */
    double classes;   /* of bytes that the patterns tell apart */
} trawl_automata_steps;

/* The same as trawl_automata_measure over all of the text, keeping each step; lines are not
 * counted. Release with trawl_automata_trace_release. */
trawl_status trawl_automata_trace(const trawl_patterns *patterns, const uint8_t *text,
                                  size_t length, trawl_automata_estimate *estimate,
                                  trawl_automata_steps *trace, trawl_error *error);
void trawl_automata_trace_release(trawl_automata_steps *trace);

/* Nanoseconds for a step, from those of steps that touch all lines of tables of given sizes
 * (trawl_costs). */
double trawl_automata_step(const trawl_line_growth *growth, const double *by_size);

#endif
