/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The cost of walking an automaton of a pattern set, measured on a sample of text without building
 * the automaton. */
#ifndef TRAWL_COSTS_AUTOMATA_H
#define TRAWL_COSTS_AUTOMATA_H

#include "pattern/patterns.h"

#define TRAWL_CACHE_LINE_BYTES 64.0

/* The number of different cache lines of the table that a walk has touched after a number of steps:
 * this is how much of the table has to be in a cache. */
#define TRAWL_GROWTH_POINTS 8u
typedef struct trawl_line_growth {
    double steps[TRAWL_GROWTH_POINTS]; /* ascending */
    double lines[TRAWL_GROWTH_POINTS];
    double all; /* cache lines of the whole table */
} trawl_line_growth;

/* The patterns that match in the sample: an engine that looks them up finds those that match again
 * and again in a near cache, however many others there are. */
typedef struct trawl_met_keys {
    trawl_line_growth growth; /* each pattern is one line */
    double per_byte;          /* matches of patterns, for a byte of text */
} trawl_met_keys;

typedef struct trawl_automata_estimate {
    double states;
    uint64_t dfa_bytes; /* of the tables, about */
    uint64_t nfa_bytes;
    double match_ends;  /* share of bytes of text at which a match ends */
    double folded_ends; /* share of bytes at which a pattern ends in the folded text, if the set
                           has a case-insensitive pattern, else as match_ends. An automaton of such
                           a set walks the folded text, and compares each end of a case-sensitive
                           pattern with the text itself */
    double compared;    /* comparisons of a case-sensitive pattern, for a byte of text */
    bool verifies;      /* some ends are compared: there is such a case-sensitive pattern */
    trawl_line_growth dfa, nfa;
    trawl_met_keys met;
} trawl_automata_estimate;

/* Measures on a sample of at least TRAWL_SAMPLE_LEAST bytes. Of patterns and of text at most about
 * `most` bytes each are examined (trawl_effort_bytes). Only where the tables would have more than
 * TRAWL_COUNTED_TABLE_BYTES, the states of all patterns are counted, which takes a small share of
 * the time of building them. Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_automata_measure(const trawl_patterns *patterns, const uint8_t *text,
                                    size_t length, size_t most, trawl_automata_estimate *estimate,
                                    trawl_error *error);

/* Every step of a walk over a text. */
enum {
    TRAWL_TRACE_END = 1,      /* a pattern ends here, in the folded text */
    TRAWL_TRACE_VERIFIED = 2, /* such a pattern is compared with the text itself */
    TRAWL_TRACE_MATCH = 4     /* a pattern ends here, in the text itself */
};
typedef struct trawl_automata_steps {
    size_t steps;     /* bytes of text */
    uint64_t *states; /* the state before each byte, as a hash; 0: the root */
    uint8_t *ends;    /* for each byte of text, the sum of its TRAWL_TRACE_... */
    double classes;   /* byte classes: columns of the automaton's table */
} trawl_automata_steps;

/* Walks over all of the text and keeps each step; cache lines are not counted. Release *trace with
 * trawl_automata_trace_release. Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_automata_trace(const trawl_patterns *patterns, const uint8_t *text,
                                  size_t length, trawl_automata_estimate *estimate,
                                  trawl_automata_steps *trace, trawl_error *error);
void trawl_automata_trace_release(trawl_automata_steps *trace);

/* Nanoseconds of looking up one of `keys` patterns where a text matches. by_size: a look-up among
 * patterns that fill a table of that size, with a cache line each, in random order
 * (trawl_costs.verify). `met` may be NULL: nothing is known of the text. */
double trawl_look_up_cost(const trawl_met_keys *met, const double *by_size, double keys);

/* Nanoseconds for a step of a walk whose cache lines grow as `growth`. by_size[TRAWL_COST_SIZES]: a
 * step that may touch any line of a table of that size. page_walk: more for a step on a page whose
 * address the processor has to look up (trawl_costs). */
double trawl_automata_step(const trawl_line_growth *growth, const double *by_size,
                           double page_walk);

#endif
