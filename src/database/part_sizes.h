/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Sizes of the automata of a database: of each part of ac-split, or of the one automaton of ac-dfa
 * and ac-nfa. */
#ifndef TRAWL_DATABASE_PART_SIZES_H
#define TRAWL_DATABASE_PART_SIZES_H

#include "database/database.h"

typedef struct trawl_part_sizes {
    uint32_t states;
    uint32_t patterns;
    uint64_t pattern_bytes; /* of all of them together */
    uint64_t next_bytes;    /* of goto and failure, or of the DFA's rows */
} trawl_part_sizes;

/* `part` is below header->parts. False: the engine has no automaton, and all sizes are 0. */
bool trawl_db_part_sizes(const trawl_db *db, uint32_t part, trawl_part_sizes *sizes);

#endif
