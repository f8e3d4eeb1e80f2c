/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The array of trawl_collect: it grows while walkers write into it. */
#ifndef TRAWL_RUN_COLLECTOR_H
#define TRAWL_RUN_COLLECTOR_H

#include "scan/contract.h"

/* Its sink is an array (trawl_array_grow) that is never emptied: "flushing" it makes it larger. Its
 * owner releases sink.matches. */
typedef struct trawl_collector {
    trawl_sink sink; /* first: flushing it leads to the collector */
    bool failed;     /* there was no memory for `wanted` matches */
    size_t wanted;
} trawl_collector;

/* `memory` is an array to write into, or NULL. */
void trawl_collector_open(trawl_collector *collector, trawl_match *memory);

/* Makes room for `count` matches more; false when there is no memory for that. */
bool trawl_collector_reserve(trawl_collector *collector, size_t count);

/* A trawl_on_matches whose context is the collector: copies the matches behind the others. */
int trawl_collector_append(const trawl_match *matches, size_t count, void *context);

/* Completes a failure that trawl_collector_reserve was the reason for. */
trawl_status trawl_collector_explain(const trawl_collector *collector, trawl_status status,
                                     trawl_error *error);

#endif
