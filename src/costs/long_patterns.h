/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Finds long patterns in a sample of text: looks up the hash of their first bytes, and compares the
 * other bytes. */
#ifndef TRAWL_COSTS_LONG_PATTERNS_H
#define TRAWL_COSTS_LONG_PATTERNS_H

#include "pattern/patterns.h"

typedef struct trawl_long_pattern {
    uint64_t hash; /* of the first bytes */
    uint32_t id;
    uint32_t next; /* number of the next pattern of its chain, plus 1; 0: there is none */
    bool verified; /* case-sensitive, although `fold` folds letters */
} trawl_long_pattern;

/* A hash table with chains. */
typedef struct trawl_long_patterns {
    const trawl_patterns *patterns;
    const uint8_t *fold; /* [256]: two bytes count as equal if this maps them to the same byte */
    uint32_t known;      /* bytes that are hashed */
    uint32_t *heads;     /* [1 << bits]: as trawl_long_pattern.next */
    trawl_long_pattern *all;
    uint32_t count;
    uint32_t bits;
    uint64_t compared; /* bytes that all calls have compared so far */
} trawl_long_patterns;

/* Makes an empty table for up to `room` patterns. `patterns` and `fold` must outlive it.
 * Errors: TRAWL_ERROR_MEMORY. */
trawl_status trawl_long_patterns_open(trawl_long_patterns *self, const trawl_patterns *patterns,
                                      const uint8_t *fold, uint32_t known, size_t room,
                                      trawl_error *error);
void trawl_long_patterns_close(trawl_long_patterns *self);

void trawl_long_patterns_add(trawl_long_patterns *self, size_t id, uint64_t hash, bool verified);

/* How many bytes of text got a mark that they did not have before. */
typedef struct trawl_new_ends {
    uint32_t folded;   /* TRAWL_TRACE_END */
    uint32_t matches;  /* TRAWL_TRACE_MATCH */
    uint32_t compared; /* case-sensitive patterns that end there in the folded text */
} trawl_new_ends;

/* Marks the byte at which a pattern ends, in the folded text: *end is the sum of that byte's
 * TRAWL_TRACE_... so far. `matches`: it ends in the text itself too. */
trawl_new_ends trawl_mark_end(uint8_t *end, bool verified, bool matches);

/* Marks in `ends`, which has a byte for each byte of `text`, the last byte of each pattern that
 * begins with text[0], whose first `known` bytes, folded, have this hash. *depth: how many of the
 * first bytes of text begin a pattern, at least `known`. */
trawl_new_ends trawl_long_patterns_find(trawl_long_patterns *self, const uint8_t *text,
                                        size_t length, uint64_t hash, uint8_t *ends,
                                        uint32_t *depth);

#endif
