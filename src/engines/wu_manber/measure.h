/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A walk of variant `tuned` over a sample of text, without its tables: for the planner. */
#ifndef TRAWL_ENGINES_WU_MANBER_MEASURE_H
#define TRAWL_ENGINES_WU_MANBER_MEASURE_H

#include "pattern/patterns.h"

/* Numbers for a byte of text. */
typedef struct trawl_wu_manber_rates {
    double windows;  /* search windows */
    double zeros;    /* of these, with a shift of 0 */
    double look_ups; /* of these, whose last bytes are those of a pattern */
    double steps;    /* of binary searches among the patterns with the same last bytes */
} trawl_wu_manber_rates;

typedef struct trawl_wu_manber_estimate {
    trawl_wu_manber_rates half, all; /* with half of the patterns that were examined, and all */
    double factor;                   /* patterns of the set, for each of them */
    double shift_bytes;              /* of SHIFT, for the whole set */
    uint32_t block;                  /* bytes of a block */
} trawl_wu_manber_estimate;

/* Fills a table of shifts with patterns of the set, some of them if these have more than `most`
 * blocks, and moves a window over the sample with it. `block` and `max_table_bytes` are as in
 * trawl_compile_settings. Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_wu_manber_measure(const trawl_patterns *patterns, const uint8_t *text,
                                     size_t length, uint64_t most, uint32_t block,
                                     uint64_t max_table_bytes, trawl_wu_manber_estimate *estimate,
                                     trawl_error *error);

#endif
