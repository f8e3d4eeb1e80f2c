/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The goto trie and its failure links (Aho & Corasick 1975; Kouzinopoulos et al. 2015, Algorithms 1
 * and 2, where failure is called supply), as plain arrays.
 *
 * States are numbered level by level, left to right (Charan 2015, 4.3.2). So the children of a
 * state are consecutive, their labels ascend, and a state's failure has a smaller number. The keys
 * "he", "her" and "she":
 *
 *     level 0                0
 *                          h/ \s          failure of 4 "sh" is 1 "h",
 *     level 1             1     2         failure of 6 "she" is 3 "he";
 *                        e|     |h        all others' is 0
 *     level 2             3     4
 *                        r|     |e        children of 3: child_first[3] = 5 .. child_first[4] = 6
 *     level 3             5     6         level_first = {0, 1, 3, 5, 7}
 */
#ifndef TRAWL_AUTOMATON_TRIE_H
#define TRAWL_AUTOMATON_TRIE_H

#include <string.h>

#include "automaton/classes.h"
#include "pattern/keys.h"

#define TRAWL_NO_KEY UINT32_MAX
#define TRAWL_TRIE_MAX_STATES UINT32_C(0x7fffffff)

/* Labels that are read at once: there is room for so many behind the last one. */
enum { TRAWL_TRIE_LABELS = sizeof(uint64_t) };

typedef struct trawl_trie {
    uint32_t states;
    uint32_t levels;       /* the deepest level; the root is level 0 */
    uint32_t *level_first; /* levels + 2: first state of each level, then `states` */
    uint32_t *child_first; /* states + 1: children of s are child_first[s] .. child_first[s + 1] */
    uint8_t *label;        /* class of the byte that leads to the state; the root's is 0, unused */
    uint32_t *failure;     /* the longest proper suffix that is a state; the root's is the root */
    /* A state is terminal if a key ends in it. Terminals are numbered in the order of states, so
     * that their lengths ascend. */
    uint32_t terminals;
    uint32_t *terminal_key; /* for each terminal its index in keys */
    /* For each state the longest terminal that is a suffix of it, or the state itself: its number,
     * or TRAWL_NO_KEY. */
    uint32_t *output;
} trawl_trie;

/* Builds the trie of keys, with classes for bytes. TRAWL_ERROR_LIMIT: more than
 * TRAWL_TRIE_MAX_STATES states. Free with trawl_trie_release, also after a failure. */
trawl_status trawl_trie_make(const trawl_keys *keys, const trawl_classes *classes, trawl_trie *trie,
                             trawl_error *error);
void trawl_trie_release(trawl_trie *trie);

/* goto: the child of `state` by `label`, or 0 if there is none (the root is nobody's child).
 * Without branches that depend on labels, as these cannot be predicted: the children are halved
 * until 8 are left, which are compared in a word. */
static inline uint32_t trawl_trie_goto(const trawl_trie *trie, uint32_t state, uint8_t label) {
    uint32_t low = trie->child_first[state];
    uint32_t left = trie->child_first[state + 1] - low;
    while (left > TRAWL_TRIE_LABELS) {
        uint32_t half = left / 2;
        low = trie->label[low + half] <= label ? low + half : low;
        left -= half;
    }
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t labels;
    memcpy(&labels, trie->label + low, sizeof labels);
    labels ^= ones * label;
    uint64_t equal = (labels - ones) & ~labels & (ones << 7); /* the lowest bit is exact */
    uint32_t index =
        equal == 0 ? (uint32_t)TRAWL_TRIE_LABELS : (uint32_t)__builtin_ctzll(equal) / 8;
    return index < left ? low + index : 0;
}

#endif
