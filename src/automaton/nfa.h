/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The Aho-Corasick automaton as goto trie and failure links, in the representations of Charan 2015,
 * 4.3.2, and one more (packed). States have the trie's numbers, so the children of a state are
 * consecutive, and a state stores only the first of them. Records of a state, with byte offsets:
 *
 *     array            0          4          8              1024
 *                      | next of  | next of  | ...          |      `failure` is an array apart
 *                      | byte 0   | byte 1   |
 *
 *     bitmap           0          4         8          16         8 + 8 * words
 *                      | first    | failure | bits of  | bits of  |
 *                      | child    |         | 0 .. 63  | 64 .. 127|
 *
 *     bitmap counts    the same, and 8 bytes behind it: in byte w the number of bits that are set
 *                      before word w
 *
 *     offsets          0          4         8           40          72
 *                      | first    | failure | 256 bits  | 32 counts |   count i: bits set before
 *                      | child    |         |           |           |   bit 8 * i
 *
 *     packed           0          4         8   9                 16
 *                      | first    | failure | n | n labels        |
 *                      | child    |         |   |                 |
 *                                   n = 255: the index of a bitmap in `wide` instead of labels
 *
 * A bit or a label stands for a byte class. The child by class c of a bitmap that has bit c is the
 * first child plus the number of bits below c.
 */
#ifndef TRAWL_AUTOMATON_NFA_H
#define TRAWL_AUTOMATON_NFA_H

#include "automaton/trie.h"

typedef enum trawl_nfa_representation {
    TRAWL_NFA_COMPACT = 0, /* bitmap if its records have 16 bytes, else packed; never stored */
    TRAWL_NFA_PACKED = 1,  /* up to seven labels; states with more have a bitmap in `wide` */
    TRAWL_NFA_ARRAY = 2,   /* Charan's representation 1 */
    TRAWL_NFA_BITMAP = 3,  /* Charan's representation 2 */
    TRAWL_NFA_BITMAP_COUNTS = 4, /* Charan's representation 3, with one count for 64 bits */
    TRAWL_NFA_OFFSETS = 5        /* and with the thesis's 32 counts, of 256 bits */
} trawl_nfa_representation;

/* Stored in the database. */
typedef struct trawl_nfa_header {
    uint32_t representation; /* trawl_nfa_representation */
    uint32_t states;
    uint32_t classes;
    uint32_t levels;       /* the deepest level: a walk never needs more failure steps */
    uint32_t top;          /* states below this number have a complete row of next states */
    uint32_t top_span;     /* a power of two, at least the number of entries of those rows */
    uint32_t words;        /* 64-bit words of a complete bitmap */
    uint32_t record_bytes; /* bytes of a state's record */
    uint32_t wide;         /* states that have a bitmap in `wide` */
    uint32_t short_words;  /* bitmap: 1 if records have one word only; else 0 */
    uint32_t matching;     /* states with outputs */
    uint32_t verify;       /* 1: some output needs verification */
} trawl_nfa_header;

enum { TRAWL_PACKED_LABELS = 7, TRAWL_PACKED_WIDE = 0xff };

/*
 * The failure of a state, as it is stored:
 *
 *     31    30       29                                                 0
 *     | row | match  | number of the failure state; if row is set, the   |
 *     |     |        | index of its complete row's first entry in `top`  |
 *
 * Complete rows: the states near the root have a next state for every class, as in a DFA, since
 * most failure walks end there. Such a state points to its own row and has no children in its
 * record, so that every step is the same: take the child, or else what the failure leads to.
 * `match` is set for matching states, so that no other memory is read to see that.
 */
#define TRAWL_FAILURE_ROW UINT32_C(0x80000000)
#define TRAWL_FAILURE_MATCHING UINT32_C(0x40000000)
#define TRAWL_FAILURE_NUMBER UINT32_C(0x3fffffff)

/* A state of the packed representation. `count` is the number of labels, which ascend; unused
 * labels are 0. TRAWL_PACKED_WIDE: the first four bytes of `labels` are the index of a bitmap in
 * `wide`. */
typedef struct trawl_packed_state {
    uint32_t first_child;
    uint32_t failure;
    uint8_t count;
    uint8_t labels[TRAWL_PACKED_LABELS];
} trawl_packed_state;

/* A state of the bitmap representations. `bits` has header->words words; with counts, 8 bytes of
 * running counts follow.
 *
 * Text has a few more than 64 byte classes, and the last ones (bytes above ASCII) are rare. If the
 * table becomes smaller by it, bitmap records have one word, for classes 0 to 63 (short_words).
 * Each state with a child of a higher class then has a row in `wide`:
 *
 *     | number of the state | word 0 | word 1 | ... |      64 bits each
 *
 * Rows ascend by state: the rare step by a class from 64 on finds the row by a binary search. */
typedef struct trawl_bitmap_state {
    uint32_t first_child;
    uint32_t failure;
    uint64_t bits[];
} trawl_bitmap_state;

/* Counts of a state of the offsets representation. */
enum { TRAWL_NFA_OFFSET_COUNTS = 32 };

/* Bytes of all complete rows together, at most. */
#define TRAWL_NFA_TOP_BYTES (256u << 10)

/* Sets every member of the header except `verify`; decides between bitmap and packed for
 * TRAWL_NFA_COMPACT. `complete_top`: the states near the root have complete rows. */
void trawl_nfa_measure(const trawl_trie *trie, const trawl_classes *classes,
                       trawl_nfa_representation representation, bool complete_top,
                       trawl_nfa_header *header);

/* Entries of `top`. Any stored failure modulo top_span, plus a class, is the index of one of them:
 * so a row's entry can be loaded before it is known whether the failure has a row. */
static inline uint32_t trawl_nfa_top_entries(const trawl_nfa_header *header) {
    return header->top_span + header->classes;
}

/* 64-bit words of a row of `wide`. */
static inline uint32_t trawl_nfa_wide_words(const trawl_nfa_header *header) {
    return header->words + header->short_words;
}

/* Where the arrays of an NFA are written; NULL for those that its representation does not have. The
 * key of a matching state is output[rank[state / 64] + the number of bits set below the state's own
 * in that word of `matching`]. */
typedef struct trawl_nfa_arrays {
    uint32_t *top;      /* trawl_nfa_top_entries: the rows, then zeros */
    void *states;       /* a record for each state */
    uint32_t *failure;  /* array representation: the stored failure of each state */
    uint64_t *wide;     /* header->wide rows of trawl_nfa_wide_words each */
    uint64_t *matching; /* a bit for each state, in whole words */
    uint32_t *rank;     /* for each word of `matching` the number of bits set before it */
    uint32_t *output;   /* for each matching state its key */
} trawl_nfa_arrays;

void trawl_nfa_fill(const trawl_trie *trie, const trawl_classes *classes,
                    const trawl_nfa_header *header, const trawl_nfa_arrays *arrays);

#endif
