/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What selecting leftmost matches needs of a database.
 *
 * For the leftmost match kinds, walkers report one match for each position at which keys end: that
 * of the longest key. (Reporting all of them takes time for each nested match: 2,000 at every
 * position for the patterns a, aa, ... in a text of a's.) The selection finds the other keys in the
 * text of such a match by itself. For the key "abcab" in a set with "bc", "b" and "ab":
 *
 *     offset     0 1 2 3 4
 *     key        a b c a b
 *     inside       bc          offset 1: of "b" and "bc" the longer one; or the lower id
 *     links            [ab]    the longest key that "abcab" ends with; offsets from its beginning
 *                        [b]   on are in the list of "ab", and those of "b" in that of "b"
 *
 * Databases have these sections if they are compiled for a leftmost kind, and none of their matches
 * has to be verified or to fulfil a condition. (The selection has no text for that.) The key
 * records of their engines have no links and one pattern, the one with the lowest id
 * (database/outputs.h).
 */
#ifndef TRAWL_DATABASE_SELECTION_H
#define TRAWL_DATABASE_SELECTION_H

#include "database/engine.h"
#include "pattern/keys.h"

/* Section SELECTION_KEY: the keys of the whole set, whatever parts the engine divides it into. They
 * are sorted by their bytes from last to first, so links and jumps lead to smaller numbers. */
typedef struct trawl_selection_key {
    uint32_t length;
    uint32_t link; /* the longest other key that this key ends with, or TRAWL_NO_KEY */
    uint32_t jump; /* a key further along the links, or TRAWL_NO_KEY */
    /* The best pattern that begins with the key and ends with it or in it: one of the key itself
     * for TRAWL_MATCH_LEFTMOST_LONGEST, else the one with the lowest id. */
    uint32_t pattern;
    uint32_t inside_end; /* its items of SELECTION_INSIDE begin where those of the key before end */
} trawl_selection_key;

/* Section SELECTION_INSIDE, absent if it would be empty: for each offset inside a key at which
 * patterns begin that end before the key's end, the best of these patterns. Offsets ascend, and are
 * above 0 and before the beginning of the key that this key links to. */
typedef struct trawl_selection_inside {
    uint32_t offset;  /* in the key */
    uint32_t pattern; /* the longest that begins there, or the one with the lowest id */
} trawl_selection_inside;

/* The state between planning and filling. `keys.count` is 0 if the database gets no such
 * sections. */
typedef struct trawl_selection_build {
    trawl_keys keys; /* sorted by their bytes from last to first */
    trawl_selection_key *made;
    trawl_selection_inside *inside;
    size_t inside_count;
} trawl_selection_build;

/* Reserves the sections where they are wanted. Release it also after a failure. */
trawl_status trawl_selection_plan(trawl_build *build, trawl_selection_build *planned);
void trawl_selection_fill(trawl_build *build, const trawl_selection_build *planned);
void trawl_selection_release(trawl_selection_build *planned);

/* Checks the sections of an untrusted database, whose patterns have been found sound. */
trawl_status trawl_selection_validate(const trawl_db *db, trawl_error *error);

/* The sections of a valid database; all NULL: the database has none. database/selection_search.h
 * has the search. */
typedef struct trawl_selection_view {
    const trawl_selection_key *keys;
    const trawl_selection_inside *inside;
    const uint32_t *patterns; /* the key of each pattern */
} trawl_selection_view;
trawl_selection_view trawl_selection_of(const trawl_db *db);

#endif
