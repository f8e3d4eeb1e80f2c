/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A sink that only counts what walkers report to it. */
#ifndef TRAWL_TESTS_COUNTING_SINK_H
#define TRAWL_TESTS_COUNTING_SINK_H

#include "scan/contract.h"

typedef struct counting_sink {
    trawl_sink sink; /* the first member */
    trawl_match room[64];
    size_t reported;
} counting_sink;

/* The sink's flush, and what ends the scan. */
static inline trawl_status count_reported(trawl_sink *sink) {
    ((counting_sink *)sink)->reported += sink->count;
    sink->count = 0;
    return TRAWL_OK;
}

#endif
