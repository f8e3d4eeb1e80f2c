/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The Aho-Corasick automaton as a DFA: a table with a next state for each state and byte (the state
 * transition table, STT, of Tran et al., 4.1.2, and Zha & Sahni 2011, II), in four layouts. One
 * row of each, for 5 byte classes:
 *
 *     narrow   | c0 | c1 | c2 | c3 | c4 |    |    |    |     16 bits: state numbers; columns are
 *                                                            a power of two (8 = 1 << shift)
 *     wide     |   c0   |   c1   |   c2   |   c3   |   c4   |
 *                                                            32 bits: state number * columns
 *     STT      |  0x00  |  0x01  | ...  |  0xff  | output |  32 bits: state numbers; the last
 *                                                            column is output + 1, or 0
 *     STT16    | 0x00 | 0x01 | ... | 0xff |              16 bits: state numbers
 */
#ifndef TRAWL_AUTOMATON_DFA_H
#define TRAWL_AUTOMATON_DFA_H

#include "automaton/trie.h"

typedef enum trawl_dfa_layout {
    TRAWL_DFA_NARROW = 1, /* at most 65,536 states */
    TRAWL_DFA_WIDE = 2,
    TRAWL_DFA_STT = 3,  /* Tran et al., 4.1.2 */
    TRAWL_DFA_STT16 = 4 /* Zha & Sahni 2011, IV-A: 512 bytes a state, at most 65,536 states */
} trawl_dfa_layout;

/* Stored in the database. Except in the STT, matching states have the highest numbers: one
 * comparison tells whether a state matches. */
typedef struct trawl_dfa_header {
    uint32_t layout; /* trawl_dfa_layout */
    uint32_t states;
    uint32_t first_match; /* number of the first matching state; in the STT the number of states */
    uint32_t columns;     /* entries from one row to the next */
    uint32_t shift;       /* narrow, STT16: columns == 1 << shift; else 0 */
    uint32_t classes;
    uint32_t verify; /* 1: some output needs verification, so totals do not suffice to count */
    uint32_t reserved;
} trawl_dfa_header;

enum { TRAWL_STT_COLUMNS = 257, TRAWL_DFA_NARROW_STATES = 65536 };

/* Which table is wanted; the number of states decides between narrow and wide. */
typedef enum trawl_dfa_columns_kind {
    TRAWL_DFA_BY_CLASS,
    TRAWL_DFA_BY_BYTE_STT,
    TRAWL_DFA_BY_BYTE_STT16
} trawl_dfa_columns_kind;

static inline uint32_t trawl_dfa_entry_bytes(uint32_t layout) {
    return layout == TRAWL_DFA_NARROW || layout == TRAWL_DFA_STT16 ? 2 : 4;
}

/* The inverse of an odd number modulo 2^32, by Newton's iteration, which doubles the number of
 * correct low bits. Wide entries are multiples of `columns`: such a number is divided by a shift by
 * the trailing zeros of `columns`, and a multiplication by the inverse of its odd part. */
static inline uint32_t trawl_dfa_inverse_of_odd(uint32_t odd) {
    uint32_t inverse = odd; /* correct in 3 bits, as odd * odd = 1 modulo 8 */
    for (int i = 0; i < 4; i++) {
        inverse *= 2 - odd * inverse;
    }
    return inverse;
}

/* How walks number states. In the wide layout they use table offsets (number * columns), and
 * (offset >> shift) * inverse is the number again. */
typedef struct trawl_dfa_numbering {
    uint32_t first_match; /* the first matching state; wide: its offset */
    uint32_t shift;       /* header->shift; wide: trailing zero bits of the columns */
    uint32_t inverse;     /* wide: of the odd part of the columns, modulo 2^32; else 0 */
} trawl_dfa_numbering;

static inline trawl_dfa_numbering trawl_dfa_numbering_of(const trawl_dfa_header *header) {
    trawl_dfa_numbering numbering = {header->first_match, header->shift, 0};
    if (header->layout == TRAWL_DFA_WIDE) {
        numbering.first_match *= header->columns;
        numbering.shift = (uint32_t)__builtin_ctz(header->columns);
        numbering.inverse = trawl_dfa_inverse_of_odd(header->columns >> numbering.shift);
    }
    return numbering;
}

/* Sets every member of the header for a trie. TRAWL_ERROR_LIMIT: the table has more entries than 32
 * bits can count, or an STT16 would have more states than 16 bits can. */
trawl_status trawl_dfa_measure(const trawl_trie *trie, const trawl_classes *classes,
                               trawl_dfa_columns_kind kind, trawl_dfa_header *header,
                               trawl_error *error);

/* Assigns columns to classes: column[class], classes->count of them. Classes that are frequent in
 * the keys get neighbouring columns, so that a walk mostly reads one cache line of a row. Not for
 * the STTs, whose columns are bytes. */
void trawl_dfa_columns(const trawl_keys *keys, const trawl_classes *classes, uint8_t *column);

/* Writes the table, header->states * header->columns entries, and the output of each matching
 * state: header->states - header->first_match terminal numbers, none for the STT. */
trawl_status trawl_dfa_fill(const trawl_trie *trie, const trawl_classes *classes,
                            const uint8_t *column, const trawl_dfa_header *header, void *table,
                            uint32_t *outputs, trawl_error *error);

#endif
