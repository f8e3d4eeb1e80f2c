/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The states of a DFA ordered by how often a text visits them. The first ones get rows in shared
 * memory (cuda/hot.cuh). */
#ifndef TRAWL_ENGINES_AC_DFA_STATE_RANKS_H
#define TRAWL_ENGINES_AC_DFA_STATE_RANKS_H

#include "database/database.h"

/* States ordered by visits, after the root, which is always first. Release with
 * trawl_state_ranks_release. */
typedef struct trawl_state_ranks {
    uint32_t states;
    uint32_t *order;  /* order[rank]: the state */
    uint32_t *visits; /* visits[rank]: how many steps of the walk led to the state */
    uint32_t visited; /* number of states with visits; their ranks are the smallest ones */
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

/* How many patterns end in a state; UINT32_MAX if they need verification. */
uint32_t trawl_state_total(const trawl_db *db, uint32_t state);

/* A table of 16-bit entries for the first ranks:
 *
 *     15          rank_bits          0
 *     | total      | next state's rank |    total: how many patterns end in the next state; the
 *                                           largest value means: see the full table */
typedef struct trawl_hot_shape {
    uint32_t rows;      /* ranks below this one have rows */
    uint32_t rank_bits; /* 1 to 15; rows <= 1 << rank_bits, less one if not all states have rows */
    bool whole;         /* all states have rows */
} trawl_hot_shape;

/* Chooses the shape with which the fewest steps have to read the full table. There is room for
 * `capacity` rows, at least 2. */
trawl_hot_shape trawl_hot_shape_choose(const trawl_db *db, const trawl_state_ranks *ranks,
                                       uint32_t capacity);

#endif
