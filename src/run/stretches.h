/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Passing over text without rare bytes, one of which every pattern contains (pattern/rare_bytes.h).
 * A match that ends at position t has such a byte among the max_length positions up to t. So where
 * these bytes are far away no match can end, and walkers are not shown these positions:
 *
 *     text      ......@.@...............................@....@........
 *     walked          |stretch |                        |stretch |
 */
#ifndef TRAWL_RUN_STRETCHES_H
#define TRAWL_RUN_STRETCHES_H

#include "base/byte_set.h"
#include "scan/contract.h"

typedef struct trawl_stretches {
    const uint8_t *text;
    size_t length;                   /* bytes of the window */
    size_t at;                       /* positions before this one are done */
    size_t longest;                  /* bytes of a match */
    size_t gap;                      /* fewer positions without rare bytes are not passed over */
    size_t step;                     /* how far behind an occurrence the next one is looked for */
    const trawl_byte_finder *finder; /* of the rare bytes */
} trawl_stretches;

/* Whether the window is long enough for a gap in it. Scanners do not ask: where a short text lacks
 * rare bytes, nothing of it is walked. */
bool trawl_stretches_divide(const trawl_db *db, const trawl_window *window);

/* The stretches of a window with its text, of a database with rare bytes, which `finder` finds. */
trawl_stretches trawl_stretches_of(const trawl_db *db, const trawl_byte_finder *finder,
                                   const trawl_window *window);

/* The owned positions [*begin, *end) of the next stretch. False: there is none. */
bool trawl_stretches_next(trawl_stretches *stretches, size_t *begin, size_t *end);

#endif
