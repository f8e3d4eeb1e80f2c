/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Searches in the selection sections (database/selection.h) what lies inside a key; for CPUs and
 * kernels. */
#ifndef TRAWL_DATABASE_SELECTION_SEARCH_H
#define TRAWL_DATABASE_SELECTION_SEARCH_H

#include "automaton/trie.h"
#include "base/compiler.h"
#include "database/selection.h"

/* The shortest key of at least `length` bytes among `key`, which is one, and its links. */
TRAWL_BOTH uint32_t trawl_selection_shorten(const trawl_selection_key *keys, uint32_t key,
                                            uint64_t length) {
    for (;;) {
        uint32_t jump = keys[key].jump, link = keys[key].link;
        if (jump != TRAWL_NO_KEY && keys[jump].length >= length) {
            key = jump;
        } else if (link != TRAWL_NO_KEY && keys[link].length >= length) {
            key = link;
        } else {
            return key;
        }
    }
}

/* The first offset of a key, from `offset` on, at which a pattern begins that ends in the key, and
 * the best of these patterns. `offset` is above 0. False: there is none. Takes O(log n) steps for n
 * links (Myers 1983, "An applicative random-access stack") and as many for n patterns inside. */
TRAWL_BOTH bool trawl_selection_next(const trawl_selection_view *view, uint32_t key,
                                     uint64_t offset, trawl_selection_inside *next) {
    const trawl_selection_key *keys = view->keys;
    uint32_t whole = keys[key].length;
    if (offset >= whole) {
        return false;
    }
    uint32_t left = whole - (uint32_t)offset;
    key = trawl_selection_shorten(keys, key, left);
    uint32_t start = whole - keys[key].length;
    if (keys[key].length == left) {
        next->offset = start;
        next->pattern = keys[key].pattern;
        return true;
    }
    uint32_t low = key == 0 ? 0 : keys[key - 1].inside_end;
    uint32_t end = keys[key].inside_end, high = end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (view->inside[middle].offset < offset - start) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low < end) {
        *next = view->inside[low];
        next->offset += start;
        return true;
    }
    key = keys[key].link;
    if (key == TRAWL_NO_KEY) {
        return false;
    }
    next->offset = whole - keys[key].length;
    next->pattern = keys[key].pattern;
    return true;
}

#endif
