/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What ac-dfa's kernel hot would cost on a device, found out without making an automaton. */
#ifndef TRAWL_ENGINES_AC_DFA_GPU_COST_H
#define TRAWL_ENGINES_AC_DFA_GPU_COST_H

#include "gpu/module.h"
#include "pattern/patterns.h"

typedef struct trawl_hot_estimate {
    double picoseconds; /* of the whole device, for a byte of text */
    double elsewhere;   /* share of steps that need the table behind the L2 cache */
    double waits;       /* share of steps in which a warp waits for such a one */
    double verified;    /* share of bytes at which letters of a match are compared with the text */
    double match_ends;  /* share of bytes at which a match ends */
    double states;
    uint32_t rows;         /* of states, that fit shared memory */
    uint64_t shared_bytes; /* of a block: those rows */
    uint64_t table_bytes;  /* in device memory */
    uint64_t dfa_bytes;    /* of the database's own table, about */
} trawl_hot_estimate;

/* Walks over a piece of text of at least TRAWL_SAMPLE_LEAST bytes. */
trawl_status trawl_hot_estimate_make(const trawl_patterns *patterns, const uint8_t *text,
                                     size_t length, const trawl_cuda_properties *device,
                                     const trawl_device_costs *costs, trawl_hot_estimate *estimate,
                                     trawl_error *error);

#endif
