/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Walking one DFA of a database: that of ac-dfa, or one part of ac-split. */
#ifndef TRAWL_ENGINES_AC_DFA_LANES_H
#define TRAWL_ENGINES_AC_DFA_LANES_H

#include "automaton/dfa.h"
#include "scan/lanes.h"

/* A DFA for the loops. In the wide layout states are table offsets (number * columns). */
typedef struct trawl_dfa_view {
    const void *table;
    const uint8_t *class_of;
    const uint32_t *output; /* of the matching states */
    const uint32_t *total;  /* of the keys */
    uint32_t first_match;
    uint32_t shift;   /* narrow: log2 of the columns; wide: trailing zero bits of the columns */
    uint32_t columns; /* entries from one row to the next */
    uint32_t inverse; /* wide: of the odd part of the columns, modulo 2^32 */
} trawl_dfa_view;

typedef struct trawl_dfa_walk {
    trawl_lane_walker lanes; /* first, so that a pointer to a walk is one to a walker */
    trawl_dfa_view view;
    trawl_outputs outputs;
} trawl_dfa_walk;

/* Prepares *walk, which must not be moved afterwards, for a part of a valid database. Allocates
 * nothing yet. Release with trawl_dfa_walk_close. */
void trawl_dfa_walk_open(const trawl_db *db, uint32_t part, trawl_dfa_walk *walk);
void trawl_dfa_walk_close(trawl_dfa_walk *walk);

#endif
