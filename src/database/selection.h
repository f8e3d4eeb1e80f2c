/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What selecting leftmost matches needs of a database.
 *
 * For the leftmost match kinds, walkers report one match for each position at which keys end: that
 * of the longest key. (Reporting all of them takes time for each nested match: 2,000 at every
 * position for the patterns a, aa, ... in a text of a's.) The selection finds the shorter keys by
 * itself, when the longest one begins before the end of a match that has been selected: it follows
 * links from each key to the next shorter key that ends alike, and skips most of them by jumps.
 *
 * Databases have these sections if they are compiled for a leftmost kind and none of their matches
 * has to be verified. (The selection has no text to verify with.) The key records of their engines
 * have no links and one pattern, the one with the lowest id (database/outputs.h).
 */
#ifndef TRAWL_DATABASE_SELECTION_H
#define TRAWL_DATABASE_SELECTION_H

#include "database/engine.h"
#include "pattern/keys.h"

/* Section SELECTION_KEY: the keys of the whole set, whatever parts the engine divides it into. They
 * are sorted by their bytes from last to first, so links and jumps lead to smaller numbers. */
typedef struct trawl_selection_key {
    uint32_t length;
    uint32_t link;    /* the longest other key that this key ends with, or TRAWL_NO_KEY */
    uint32_t jump;    /* a key further along the links, or TRAWL_NO_KEY */
    uint32_t pattern; /* the lowest id of the key's patterns */
} trawl_selection_key;

/* Keys between planning and filling. `keys.count` is 0 if the database gets no such sections. */
typedef struct trawl_selection_build {
    trawl_keys keys; /* reversed */
} trawl_selection_build;

/* Reserves the sections where they are wanted. Release it also after a failure. */
trawl_status trawl_selection_plan(trawl_build *build, trawl_selection_build *planned);
trawl_status trawl_selection_fill(trawl_build *build, const trawl_selection_build *planned);
void trawl_selection_release(trawl_selection_build *planned);

/* Checks the sections of an untrusted database, whose patterns have been found sound. */
trawl_status trawl_selection_validate(const trawl_db *db, trawl_error *error);

/* The sections of a valid database; NULL: it has none. */
typedef struct trawl_selection_view {
    const trawl_selection_key *keys;
    const uint32_t *patterns; /* the key of each pattern */
} trawl_selection_view;
trawl_selection_view trawl_selection_of(const trawl_db *db);

/* The longest key of at most `length` bytes among `key` and its links, or TRAWL_NO_KEY. Takes
 * O(log n) steps for n links (Myers 1983, "An applicative random-access stack"). */
uint32_t trawl_selection_shorten(const trawl_selection_key *keys, uint32_t key, uint64_t length);

#endif
