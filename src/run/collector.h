/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The array of trawl_collect, which grows while walkers write into it. */
#ifndef TRAWL_RUN_COLLECTOR_H
#define TRAWL_RUN_COLLECTOR_H

#include "scan/contract.h"

/* A sink whose array (trawl_array_grow) is never emptied: flush makes it larger. sink.matches
 * belongs to the caller: free it with trawl_array_release. */
typedef struct trawl_collector {
    trawl_sink sink; /* the first member, as flush gets its address */
    bool failed;     /* there was no memory for `wanted` matches */
    size_t wanted;
} trawl_collector;

/* `memory`: an array of trawl_array_grow to write into, or NULL. */
void trawl_collector_open(trawl_collector *collector, trawl_match *memory);

/* Makes room for `count` more matches; false: no memory. */
bool trawl_collector_reserve(trawl_collector *collector, size_t count);

/* A trawl_on_matches, whose context is the collector: copies the matches behind those it has. */
int trawl_collector_append(const trawl_match *matches, size_t count, void *context);

/* Returns `status`, or, if the collector ran out of memory, TRAWL_ERROR_MEMORY with its sentence.
 */
trawl_status trawl_collector_explain(const trawl_collector *collector, trawl_status status,
                                     trawl_error *error);

#endif
