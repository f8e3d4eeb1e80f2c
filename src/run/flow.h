/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Flows (flow.c) for the parts of the library that search them. */
#ifndef TRAWL_RUN_FLOW_H
#define TRAWL_RUN_FLOW_H

#include "run/run.h"
#include "run/scanner.h"

/* The next bytes of a text, or its end. */
typedef struct trawl_flow_piece {
    const uint8_t *bytes;
    size_t length;
    bool ends; /* the text ends with these bytes: none waits for the next one */
} trawl_flow_piece;

/* Searches a piece of a flow: on the calling thread with the scanner, if `run` is NULL, else with
 * the threads of a run over the same database. Matches that are decided go to the receiver.
 * `per_pattern`: NULL, or counters to add to. Without a run it cannot fail; with one,
 * TRAWL_ERROR_MEMORY. */
trawl_status trawl_flow_search(trawl_scanner *scanner, trawl_run *run, void *flow,
                               const trawl_flow_piece *piece, const trawl_receiver *receiver,
                               uint64_t *per_pattern);

#endif
