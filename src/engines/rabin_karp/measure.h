/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A search by variant `grouped` in a sample of text, without its tables: for the planner. */
#ifndef TRAWL_ENGINES_RABIN_KARP_MEASURE_H
#define TRAWL_ENGINES_RABIN_KARP_MEASURE_H

#include "engines/rabin_karp/format.h"

typedef struct trawl_rabin_karp_estimate {
    uint32_t passes;                                  /* over the text */
    double filter_bytes[TRAWL_RABIN_KARP_MAX_PASSES]; /* of each pass */
    /* For a byte of text, of all passes together: windows that pass the filter, and those of them
     * whose bytes are the end of a pattern. */
    double candidates, look_ups;
    double steps; /* of binary searches among the patterns with the same end */
} trawl_rabin_karp_estimate;

/* Hashes the ends of the patterns, of some of them if there are many, and all windows of the
 * sample. Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_rabin_karp_measure(const trawl_patterns *patterns, const uint8_t *text,
                                      size_t length, trawl_rabin_karp_estimate *estimate,
                                      trawl_error *error);

#endif
