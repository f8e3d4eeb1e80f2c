/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Keys that lie inside other keys, for the selection of leftmost matches (database/selection.h).
 *
 * For each key and each of its offsets, the best pattern that begins there and ends before the
 * key's end. Found by an automaton of the keys that may lie inside others: it walks over each key
 * from its last byte to its first, so that its state tells what begins at an offset.
 */
#ifndef TRAWL_DATABASE_SELECTION_INSIDE_H
#define TRAWL_DATABASE_SELECTION_INSIDE_H

#include "database/selection.h"

/* Adds to planned->inside what begins inside each of planned->made, and sets their members
 * `inside_end` and, for TRAWL_MATCH_LEFTMOST_FIRST, `pattern`. `reversed`: the patterns that the
 * keys are made of. Takes time proportional to the bytes of all keys. */
trawl_status trawl_selection_find_inside(trawl_build *build, const trawl_patterns *reversed,
                                         trawl_selection_build *planned);

#endif
