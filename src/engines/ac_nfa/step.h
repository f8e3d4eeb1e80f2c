/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Steps of the NFA in each of its representations (automaton/nfa.h): goto, the failure walk, the
 * divergence-free step. Functions here are small and inlined into the loops, which are compiled for
 * each instruction set: those of variant compact always, the others where the compiler finds it
 * worth the code.
 */
#ifndef TRAWL_ENGINES_AC_NFA_STEP_H
#define TRAWL_ENGINES_AC_NFA_STEP_H

#include <string.h>

#include "automaton/nfa.h"
#include "base/compiler.h"

/* An NFA for the loops. */
typedef struct nfa_view {
    const uint8_t *class_of;
    const uint32_t *top;
    uint32_t top_mask; /* top_span - 1 */
    const uint8_t *states;
    size_t record_bytes;
    const uint32_t *failure; /* array */
    const uint64_t *wide;
    uint32_t wide_rows;
    uint32_t words;
    uint32_t levels;
    const uint64_t *matching;
    const uint32_t *rank;
    const uint32_t *output;
    const uint32_t *total;
} nfa_view;

/* The number of bits that are set in a bitmap below bit `label`. */
static inline uint32_t bits_below(const uint64_t *bits, uint32_t label) {
    uint32_t count =
        (uint32_t)__builtin_popcountll(bits[label / 64] & ((UINT64_C(1) << (label % 64)) - 1));
    for (uint32_t word = 0; word < label / 64; word++) {
        count += (uint32_t)__builtin_popcountll(bits[word]);
    }
    return count;
}

static inline bool has_bit(const uint64_t *bits, uint32_t label) {
    return (bits[label / 64] >> (label % 64) & 1) != 0;
}

/* goto of each representation: the child of `state` over a byte or class; 0 if there is none. */
static inline uint32_t goto_array(const nfa_view *a, uint32_t state, uint32_t byte) {
    return ((const uint32_t *)a->states)[(size_t)state * 256 + byte];
}

static inline const trawl_bitmap_state *bitmap_at(const nfa_view *a, uint32_t state) {
    return (const trawl_bitmap_state *)(a->states + state * a->record_bytes);
}

static inline uint32_t goto_bitmap(const nfa_view *a, uint32_t state, uint32_t label) {
    const trawl_bitmap_state *record = bitmap_at(a, state);
    return has_bit(record->bits, label) ? record->first_child + bits_below(record->bits, label) : 0;
}

/* The child of a state over a class that is not one of the first 64: found by a binary search of
 * the states that have such children. Too rare and too long to be inlined. */
static inline uint32_t goto_beyond(const nfa_view *a, uint32_t state, uint32_t label) {
    uint32_t low = 0, high = a->wide_rows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const uint64_t *row = a->wide + (size_t)middle * (a->words + 1);
        if (row[0] == state) {
            const trawl_packed_state *record = (const trawl_packed_state *)a->states + state;
            return has_bit(row + 1, label) ? record->first_child + bits_below(row + 1, label) : 0;
        }
        if (row[0] < state) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return 0;
}

static inline uint32_t goto_counts(const nfa_view *a, uint32_t state, uint32_t label) {
    const trawl_bitmap_state *record = bitmap_at(a, state);
    if (!has_bit(record->bits, label)) {
        return 0;
    }
    const uint8_t *counts = (const uint8_t *)(record->bits + a->words);
    uint64_t below = record->bits[label / 64] & ((UINT64_C(1) << (label % 64)) - 1);
    return record->first_child + counts[label / 64] + (uint32_t)__builtin_popcountll(below);
}

/* The label is a byte. The counts say how many bits are set before each group of eight bits. */
static inline uint32_t goto_offsets(const nfa_view *a, uint32_t state, uint32_t label) {
    const trawl_bitmap_state *record = bitmap_at(a, state);
    const uint8_t *counts = (const uint8_t *)(record->bits + a->words);
    uint64_t eight = record->bits[label / 64] >> (label % 64 & ~7u);
    uint64_t below = eight & ((UINT64_C(1) << (label % 8)) - 1);
    uint32_t child =
        record->first_child + counts[label / 8] + (uint32_t)__builtin_popcountll(below);
    return child & trawl_mask((eight >> label % 8 & 1) != 0);
}

/* The labels of a packed state are bytes 9 to 15 of its record. They are compared together, as a
 * word whose byte 0 is their number. */
TRAWL_INLINE uint32_t goto_packed(const nfa_view *a, uint32_t state, uint32_t label) {
    const trawl_packed_state *packed = (const trawl_packed_state *)a->states + state;
    uint64_t word;
    memcpy(&word, &packed->count, sizeof word);
    uint32_t count = word & 0xff;
    if (__builtin_expect(count == TRAWL_PACKED_WIDE, 0)) {
        const uint64_t *bits = a->wide + (size_t)(uint32_t)(word >> 8) * a->words;
        return has_bit(bits, label) ? packed->first_child + bits_below(bits, label) : 0;
    }
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t differ = (word ^ label * ones) >> 8;
    /* The lowest byte that is zero has its high bit set here. Higher bytes may have it by
     * mistake. */
    uint64_t zero = (differ - ones) & ~differ & (ones << 7);
    uint32_t index = (uint32_t)__builtin_ctzll(zero | UINT64_C(1) << 63) / 8;
    return (packed->first_child + index) & trawl_mask(index < count);
}

/* The failure link as it is stored, with TRAWL_FAILURE_ROW and _MATCHING. There are two
 * functions because most records have 16 bytes, and their address takes a shift instead of a
 * multiplication. */
static inline uint32_t failure_record(const nfa_view *a, uint32_t state) {
    return ((const trawl_bitmap_state *)(a->states + state * a->record_bytes))->failure;
}

TRAWL_INLINE uint32_t failure_small(const nfa_view *a, uint32_t state) {
    return ((const trawl_packed_state *)a->states)[state].failure;
}

typedef uint32_t nfa_goto(const nfa_view *a, uint32_t state, uint32_t symbol);
typedef uint32_t nfa_failure(const nfa_view *a, uint32_t state);

/*
 * The failure walk (Kouzinopoulos et al. 2015, Algorithm 3) with complete rows near the root.
 * Nearly always a step ends with a child of the state, or in the complete row that its failure link
 * (or the state itself) leads to. Which of the two cannot be predicted, so both are computed and
 * one is selected without a branch. A branch remains for failure links without a row, which are
 * rare. Always inlined, so that the calls of the two functions are inlined too.
 */
TRAWL_INLINE uint32_t failure_walk(const nfa_view *a, uint32_t state, uint32_t symbol,
                                   nfa_goto *goto_child, nfa_failure *failure_of) {
    for (;;) {
        uint32_t child = goto_child(a, state, symbol);
        uint32_t failure = failure_of(a, state);
        uint32_t next = a->top[(size_t)(failure & a->top_mask) + symbol];
        uint32_t missing = trawl_mask(child == 0);
        if (__builtin_expect(((failure | ~missing) & TRAWL_FAILURE_ROW) != 0, 1)) {
            return child | (next & missing);
        }
        state = failure & TRAWL_FAILURE_NUMBER;
    }
}

TRAWL_INLINE uint32_t walk_packed(const nfa_view *a, uint32_t state, uint32_t label) {
    return failure_walk(a, state, label, goto_packed, failure_small);
}

static inline uint32_t walk_bitmap(const nfa_view *a, uint32_t state, uint32_t label) {
    return failure_walk(a, state, label, goto_bitmap, failure_record);
}

static __attribute__((noinline)) uint32_t walk_beyond(const nfa_view *a, uint32_t state,
                                                      uint32_t label) {
    return failure_walk(a, state, label, goto_beyond, failure_small);
}

static inline uint32_t walk_counts(const nfa_view *a, uint32_t state, uint32_t label) {
    return failure_walk(a, state, label, goto_counts, failure_record);
}

/* The failure walk for records of one word, written out. It is ac-nfa's fastest walk, in which one
 * more instruction is measurable. */
TRAWL_INLINE uint32_t walk_short(const nfa_view *a, uint32_t state, uint32_t label) {
    if (__builtin_expect(label >= 64, 0)) {
        return walk_beyond(a, state, label);
    }
    for (;;) {
        const trawl_bitmap_state *record =
            (const trawl_bitmap_state *)(a->states + (size_t)state * 16);
        uint64_t bits = record->bits[0];
        uint64_t below = bits & ((UINT64_C(1) << label) - 1);
        uint32_t child = record->first_child + (uint32_t)__builtin_popcountll(below);
        uint32_t found = trawl_mask((bits >> label & 1) != 0);
        uint32_t failure = record->failure;
        uint32_t next = a->top[(size_t)(failure & a->top_mask) + label];
        if (__builtin_expect(((failure | found) & TRAWL_FAILURE_ROW) != 0, 1)) {
            return next ^ ((next ^ child) & found);
        }
        state = failure & TRAWL_FAILURE_NUMBER;
    }
}

static inline uint32_t walk_array(const nfa_view *a, uint32_t state, uint32_t byte) {
    for (;;) {
        uint32_t child = goto_array(a, state, byte);
        if (child != 0 || state == 0) {
            return child;
        }
        state = a->failure[state] & TRAWL_FAILURE_NUMBER;
    }
}

/*
 * The divergence-free step (Charan 2015, Algorithm 5): always takes as many failure steps as there
 * are levels, and returns the first child that was found. The paper collects the children as a bit
 * mask and takes its lowest bit; keeping the first child in a register is the same without a limit
 * of levels.
 */
TRAWL_INLINE uint32_t fixed_steps(const nfa_view *a, uint32_t state, uint32_t symbol,
                                  nfa_goto *goto_child, nfa_failure *failure_of) {
    uint32_t found = 0;
    for (uint32_t step = 0; step <= a->levels; step++) {
        uint32_t child = goto_child(a, state, symbol);
        found = found != 0 ? found : child;
        state = failure_of(a, state) & TRAWL_FAILURE_NUMBER;
    }
    return found;
}

static inline uint32_t failure_array(const nfa_view *a, uint32_t state) {
    return a->failure[state];
}

static inline uint32_t fixed_array(const nfa_view *a, uint32_t state, uint32_t byte) {
    return fixed_steps(a, state, byte, goto_array, failure_array);
}

static inline uint32_t fixed_bitmap(const nfa_view *a, uint32_t state, uint32_t label) {
    return fixed_steps(a, state, label, goto_bitmap, failure_record);
}

static inline uint32_t fixed_offsets(const nfa_view *a, uint32_t state, uint32_t label) {
    return fixed_steps(a, state, label, goto_offsets, failure_record);
}

/* The failure loop without complete rows (Charan 2015, Algorithm 4): it ends at the root. */
TRAWL_INLINE uint32_t failure_loop(const nfa_view *a, uint32_t state, uint32_t symbol,
                                   nfa_goto *goto_child) {
    for (;;) {
        uint32_t child = goto_child(a, state, symbol);
        if (child != 0 || state == 0) {
            return child;
        }
        state = failure_record(a, state) & TRAWL_FAILURE_NUMBER;
    }
}

static inline uint32_t loop_bitmap(const nfa_view *a, uint32_t state, uint32_t label) {
    return failure_loop(a, state, label, goto_bitmap);
}

static inline uint32_t loop_offsets(const nfa_view *a, uint32_t state, uint32_t label) {
    return failure_loop(a, state, label, goto_offsets);
}

static inline uint32_t fixed_counts(const nfa_view *a, uint32_t state, uint32_t label) {
    return fixed_steps(a, state, label, goto_counts, failure_record);
}

/* Whether keys end in a state. The functions differ in where the representation stores the failure
 * link. */
static inline bool matching_record(const nfa_view *a, uint32_t state) {
    return (failure_record(a, state) & TRAWL_FAILURE_MATCHING) != 0;
}

TRAWL_INLINE bool matching_small(const nfa_view *a, uint32_t state) {
    return (failure_small(a, state) & TRAWL_FAILURE_MATCHING) != 0;
}

static inline bool matching_array(const nfa_view *a, uint32_t state) {
    return (a->failure[state] & TRAWL_FAILURE_MATCHING) != 0;
}

/* The longest key that ends in a state. Only matching states have outputs, so the index of an
 * output is the number of matching states before it. */
TRAWL_INLINE uint32_t key_of(const nfa_view *a, uint32_t state) {
    uint64_t before = a->matching[state / 64] & ((UINT64_C(1) << (state % 64)) - 1);
    return a->output[a->rank[state / 64] + (uint32_t)__builtin_popcountll(before)];
}

#endif
