/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The Aho-Corasick automaton as goto trie plus failure links, in the representations of Charan
 * 2015, 4.3.2, and one of our own. States keep their level-ordered numbers, so the children of a
 * state are consecutive and a state stores only the first of them.
 */
#ifndef TRAWL_AUTOMATON_NFA_H
#define TRAWL_AUTOMATON_NFA_H

#include "automaton/trie.h"

typedef enum trawl_nfa_representation {
    /* Not stored: the bitmap if its records have 16 bytes, else packed. */
    TRAWL_NFA_COMPACT = 0,
    /* 16 bytes for a state: first child, failure, up to seven labels; states with more children
     * have a bitmap elsewhere. */
    TRAWL_NFA_PACKED = 1,
    /* Representation 1: the next state for each of 256 bytes, and the failure. */
    TRAWL_NFA_ARRAY = 2,
    /* Representation 2: a bitmap of labels and the first child; the child of a label is the first
     * one plus the number of bits below. One bit for each byte class. */
    TRAWL_NFA_BITMAP = 3,
    /* Representation 3: the bitmap with running counts, here one for each 64 bits. */
    TRAWL_NFA_BITMAP_COUNTS = 4
} trawl_nfa_representation;

/* Stored in the database. */
typedef struct trawl_nfa_header {
    uint32_t representation;
    uint32_t states;
    uint32_t classes;
    uint32_t levels;       /* the deepest level: failure steps that always suffice */
    uint32_t top;          /* states below this number have a complete row of next states */
    uint32_t top_span;     /* power of two, not below the entries of those rows */
    uint32_t words;        /* 64-bit words of a bitmap */
    uint32_t record_bytes; /* of a state, for packed and the bitmaps */
    uint32_t wide;         /* states whose bitmap lies in the `wide` array */
    uint32_t short_words;  /* bitmap: 1 when records have one word only; 0 otherwise */
    uint32_t matching;     /* states with outputs */
    uint32_t verify;       /* 1: some output needs verification */
} trawl_nfa_header;

enum { TRAWL_PACKED_LABELS = 7, TRAWL_PACKED_WIDE = 0xff };

/*
 * The failure of a state, as it is stored: a state number, or, when that state has a complete row,
 * TRAWL_FAILURE_ROW and the row's first entry in `top`, which is below top_span. A state that has a
 * row itself points to that, and shows no children: every step is then "the child, else what the
 * failure says". A matching state has TRAWL_FAILURE_MATCHING, so that no other memory is touched to
 * see it.
 */
#define TRAWL_FAILURE_ROW UINT32_C(0x80000000)
#define TRAWL_FAILURE_MATCHING UINT32_C(0x40000000)
#define TRAWL_FAILURE_NUMBER UINT32_C(0x3fffffff)

/* A state of the packed representation. `count` is the number of labels, which ascend; unused ones
 * repeat nothing and are ignored. TRAWL_PACKED_WIDE: `labels` begins with the index of a bitmap. */
typedef struct trawl_packed_state {
    uint32_t first_child;
    uint32_t failure;
    uint8_t count;
    uint8_t labels[TRAWL_PACKED_LABELS];
} trawl_packed_state;

/* A state of the bitmap representations; `bits` has header->words words, and with counts 8 bytes
 * of running counts follow: counts[w] bits are set in the words before word w.
 *
 * Text has a few more than 64 byte classes, of which the last ones (bytes above ASCII) are rare.
 * When that makes the table smaller, bitmap records have one word, for classes 0 to 63. The states
 * with a child beyond those have a row in `wide`: the state's number, then all words of its bitmap;
 * rows ascend by state, so that a search finds them in the rare step that asks. */
typedef struct trawl_bitmap_state {
    uint32_t first_child;
    uint32_t failure;
    uint64_t bits[];
} trawl_bitmap_state;

/* Chooses the numbers of the header, and between bitmap and packed for TRAWL_NFA_COMPACT.
 * `complete_top` allows complete rows for the states near the root, where most failure walks would
 * end: at most TRAWL_NFA_TOP_BYTES of them. */
#define TRAWL_NFA_TOP_BYTES (256u << 10)
void trawl_nfa_measure(const trawl_trie *trie, const trawl_classes *classes,
                       trawl_nfa_representation representation, bool complete_top,
                       trawl_nfa_header *header);

/* Entries of `top`. Any stored failure modulo top_span plus a column is one of them, so that a
 * row's entry can be loaded before it is known whether the failure has a row. */
static inline uint32_t trawl_nfa_top_entries(const trawl_nfa_header *header) {
    return header->top_span + header->classes;
}

/* 64-bit words of a row of `wide`. */
static inline uint32_t trawl_nfa_wide_words(const trawl_nfa_header *header) {
    return header->words + header->short_words;
}

/* Where the arrays of an NFA go; NULL for those that its representation does not have. */
typedef struct trawl_nfa_arrays {
    uint32_t *top;      /* trawl_nfa_top_entries: the rows, then zeros */
    void *states;       /* records, or 256 next states for each state */
    uint32_t *failure;  /* array representation: the stored failure of each state */
    uint64_t *wide;     /* header->wide rows of trawl_nfa_wide_words each */
    uint64_t *matching; /* a bit for each state, in whole words */
    uint32_t *rank;     /* for each word of `matching` the bits set before it */
    uint32_t *output;   /* for each matching state its key */
} trawl_nfa_arrays;

void trawl_nfa_fill(const trawl_trie *trie, const trawl_classes *classes,
                    const trawl_nfa_header *header, const trawl_nfa_arrays *arrays);

#endif
