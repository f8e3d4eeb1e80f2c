/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Records of sets with an automaton beside the filters. Where a text has a match for every byte or
 * two, lists of hits would take longer than the records themselves. So nothing is listed:
 *
 *     automaton ─► its state after each byte ─┬► sums of each strip
 *     filters ───► noted hits, in order ──────┴► records
 *
 * A state says which matches end there: a range of `matches` below, which are one chain of keys
 * (database/outputs.h).
 */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_AUTOMATON_RECORDS_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_AUTOMATON_RECORDS_CUH

#include "engines/qgram/cuda/engine.cuh"

/* A count of matches that says: so many or more. */
#define TRAWL_QGRAM_MANY_MATCHES 255u

/* Most matches of all states together: 8 MiB, a part of what the L2 cache holds, and few enough for
 * the matches of some hundred positions to be counted in 32 bits. With more, all patterns are
 * tested by filters. */
#define TRAWL_QGRAM_MOST_CHAINED (1u << 20)

/* The matches that end with each state, by the state's rank; passed to kernels by value. */
typedef struct trawl_cuda_qgram_chains {
    uint32_t states;       /* 0: there is no such automaton, or it has too many matches */
    uint32_t state_bytes;  /* of a state in the array of states: 2 or 4 */
    uint32_t few;          /* 1: the counts of all states fit into shared memory and are exact */
    const uint8_t *counts; /* of each state; up to TRAWL_QGRAM_MANY_MATCHES */
    const uint2 *ranges;   /* of each state: its first match, and their number */
    const uint2 *matches;  /* (id, length), longest first, then by id */
} trawl_cuda_qgram_chains;

/* The same in host memory. The structure owns its arrays. */
typedef struct trawl_cuda_qgram_host_chains {
    uint32_t states, state_bytes, match_count;
    uint8_t *counts;
    uint2 *ranges, *matches;
} trawl_cuda_qgram_host_chains;

/* Makes the chains of an automaton that is on the device already. If it has too many matches, or
 * some have to be verified, there are 0 states, and that is no failure. */
trawl_status trawl_cuda_qgram_chains_make(const trawl_cuda_db *automaton,
                                          trawl_cuda_qgram_host_chains *chains, trawl_error *error);
void trawl_cuda_qgram_chains_release(trawl_cuda_qgram_host_chains *chains);
void trawl_cuda_qgram_chains_put(trawl_cuda_uploader *upload,
                                 const trawl_cuda_qgram_host_chains *host,
                                 trawl_cuda_qgram_chains *chains);

typedef struct trawl_cuda_qgram_states_call {
    const trawl_cuda_qgram_call *call;
    const trawl_cuda_qgram_chains *chains;
    void *states; /* after each byte of the slice; the first one belongs to the byte at
                           trawl_cuda_origin() */
} trawl_cuda_qgram_states_call;

/* Pass SIZES: adds the automaton's matches to the sizes of the strips. */
trawl_status trawl_cuda_qgram_sum_states(const trawl_cuda_qgram_states_call *call,
                                         trawl_error *error);

/* Pass RECORDS: writes the records of all strips whose hits are all noted, after
 * trawl_cuda_qgram_order_hits. */
trawl_status trawl_cuda_qgram_write_states(const trawl_cuda_qgram_states_call *call,
                                           trawl_error *error);

#endif
