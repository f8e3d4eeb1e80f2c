/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The Aho-Corasick automaton completed into a DFA: a state transition table (STT; Tran et al.,
 * 4.1.2; Zha & Sahni 2011, II), in three layouts.
 */
#ifndef TRAWL_AUTOMATON_DFA_H
#define TRAWL_AUTOMATON_DFA_H

#include "automaton/trie.h"

typedef enum trawl_dfa_layout {
    /* One column for each byte class; uint16_t state numbers; rows of 2^shift entries. */
    TRAWL_DFA_NARROW = 1,
    /* One column for each byte class; uint32_t entries that are already state * columns. */
    TRAWL_DFA_WIDE = 2,
    /* The papers' STT: 256 columns by byte and a match column; uint32_t state numbers. */
    TRAWL_DFA_STT = 3
} trawl_dfa_layout;

/* Stored in the database. Except in the STT, matching states have the highest numbers, so that one
 * comparison finds them. */
typedef struct trawl_dfa_header {
    uint32_t layout; /* trawl_dfa_layout */
    uint32_t states;
    uint32_t first_match; /* number of the first matching state; == states when layout is STT */
    uint32_t columns;     /* entries from one row to the next */
    uint32_t shift;       /* narrow: columns == 1 << shift */
    uint32_t classes;
    uint32_t verify; /* 1: some output needs verification, so totals alone do not count */
    uint32_t reserved;
} trawl_dfa_header;

enum { TRAWL_STT_COLUMNS = 257 };

static inline uint32_t trawl_dfa_entry_bytes(uint32_t layout) {
    return layout == TRAWL_DFA_NARROW ? 2 : 4;
}

/* The inverse of an odd number modulo 2^32: Newton's iteration doubles the correct low bits. Wide
 * entries are multiples of the columns, so dividing them is a shift by the columns' trailing zeros
 * and a multiplication with the inverse of their odd part. */
static inline uint32_t trawl_dfa_inverse_of_odd(uint32_t odd) {
    uint32_t inverse = odd; /* correct in 3 bits, as odd * odd = 1 modulo 8 */
    for (int i = 0; i < 4; i++) {
        inverse *= 2 - odd * inverse;
    }
    return inverse;
}

/* Chooses the numbers of the header for a trie. `stt` asks for the papers' layout. Fails with
 * TRAWL_ERROR_LIMIT when 32-bit entries do not reach. */
trawl_status trawl_dfa_measure(const trawl_trie *trie, const trawl_classes *classes, bool stt,
                               trawl_dfa_header *header, trawl_error *error);

/* Chooses the columns of the classes (classes->count of them): frequent letters side by side, so
 * that what a walk reads of a row mostly lies in one cache line. The STT keeps to bytes. */
void trawl_dfa_columns(const trawl_keys *keys, const trawl_classes *classes, uint8_t *column);

/* Writes the table (header->states * header->columns entries) and the output of each matching
 * state (terminal numbers; states - first_match of them; unused for the STT, whose match column
 * holds output + 1, or 0). */
trawl_status trawl_dfa_fill(const trawl_trie *trie, const trawl_classes *classes,
                            const uint8_t *column, const trawl_dfa_header *header, void *table,
                            uint32_t *outputs, trawl_error *error);

#endif
