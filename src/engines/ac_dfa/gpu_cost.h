/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The expected cost of ac-dfa's kernel hot on a device, estimated without making the whole
 * automaton. */
#ifndef TRAWL_ENGINES_AC_DFA_GPU_COST_H
#define TRAWL_ENGINES_AC_DFA_GPU_COST_H

#include "gpu/module.h"
#include "pattern/patterns.h"

typedef struct trawl_hot_estimate {
    double picoseconds; /* of the whole device, for a byte of text */
    double elsewhere;   /* share of steps that read the full table, in device memory */
    double waits;       /* share of steps in which a warp waits for such a read */
    double verified;    /* share of bytes at which letters of a match are compared with the text */
    bool verifies;      /* some matches have to be compared with the text */
    double match_ends;  /* share of bytes at which a match ends */
    double states;
    uint32_t rows;         /* states whose rows fit into shared memory */
    uint64_t shared_bytes; /* of a block: those rows and the byte classes */
    uint64_t table_bytes;  /* of the full table, in device memory */
    uint64_t dfa_bytes;    /* of the database's table, about */
} trawl_hot_estimate;

/* Estimates the cost with a text of at least TRAWL_SAMPLE_LEAST bytes. */
trawl_status trawl_hot_estimate_make(const trawl_patterns *patterns, const uint8_t *text,
                                     size_t length, const trawl_cuda_properties *device,
                                     const trawl_device_costs *costs, trawl_hot_estimate *estimate,
                                     trawl_error *error);

#endif
