/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A scanner (trawl_scanner.h): the walker, sink and delivery of one thread, kept from text to text.
 */
#ifndef TRAWL_RUN_SCANNER_H
#define TRAWL_RUN_SCANNER_H

#include "run/delivery.h"
#include "scan/contract.h"
#include "trawl/trawl_scanner.h"

/* The sink of a scanner's walks. */
typedef struct trawl_scanner_sink {
    trawl_sink sink; /* its array is the scanner's, TRAWL_SCANNER_BATCH matches */
    trawl_scanner *scanner;
    const trawl_window *window; /* that its matches behind the first `tested` ones are of */
    size_t tested;              /* matches whose conditions hold */
} trawl_scanner_sink;

#define TRAWL_SCANNER_BATCH ((size_t)1024)

struct trawl_scanner {
    const trawl_db *db;
    trawl_walker *walker;
    trawl_match *matches; /* TRAWL_SCANNER_BATCH */
    trawl_delivery delivery;
    /* trawl_scanner_which: seen[id] == turn: the pattern is in the list */
    uint32_t *seen;
    uint32_t turn;
    uint32_t *ids;
    size_t capacity, found;
};

#endif
