/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Which states of a DFA a walk visits most: those that fast memory should hold. */
#ifndef TRAWL_ENGINES_AC_DFA_STATE_RANKS_H
#define TRAWL_ENGINES_AC_DFA_STATE_RANKS_H

#include "database/database.h"

/* States ordered by visits, but the root first of all. Release with trawl_state_ranks_release. */
typedef struct trawl_state_ranks {
    uint32_t states;
    uint32_t *order;  /* order[rank]: the state */
    uint32_t *visits; /* visits[rank]: steps into it */
    uint32_t visited; /* ranks below it have visits */
    uint64_t steps;   /* the sum of the visits */
} trawl_state_ranks;

/*
 * Ranks the states of part 0 of a database with a DFA by walking at most 1 MiB of the sample,
 * spread over it. Without a sample (NULL or no bytes), text is made up of short pieces of the
 * patterns, so that it has their bytes and pairs of bytes but seldom the patterns themselves.
 */
trawl_status trawl_state_ranks_make(const trawl_db *db, const uint8_t *sample, size_t length,
                                    trawl_state_ranks *ranks, trawl_error *error);
void trawl_state_ranks_release(trawl_state_ranks *ranks);

/* How many patterns end in a state: 0, or that many, or UINT32_MAX when they need verification. */
uint32_t trawl_state_total(const trawl_db *db, uint32_t state);

/* A table of 16-bit entries for the highest ranks: `rank_bits` bits for the next state's rank, and
 * above them how many patterns end there, up to a value that means "see elsewhere". */
typedef struct trawl_hot_shape {
    uint32_t rows;      /* ranks below it are in the table */
    uint32_t rank_bits; /* 1 to 15; rows <= 1 << rank_bits, with room for one more row when not all
                           states are in the table */
    bool whole;         /* all states are */
} trawl_hot_shape;

/* Chooses the shape for room for `capacity` rows (at least 2) with which the fewest steps have to
 * see elsewhere. */
trawl_hot_shape trawl_hot_shape_choose(const trawl_db *db, const trawl_state_ranks *ranks,
                                       uint32_t capacity);

#endif
