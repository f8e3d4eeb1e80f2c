/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "automaton/nfa.h"

#include <string.h>

static uint32_t children(const trawl_trie *trie, uint32_t state) {
    return trie->child_first[state + 1] - trie->child_first[state];
}

/* Whether a state has a child of class 64 or above. Labels ascend, so the last child tells. */
static bool beyond_word(const trawl_trie *trie, uint32_t state) {
    return children(trie, state) != 0 && trie->label[trie->child_first[state + 1] - 1] >= 64;
}

/* Chooses records of one word if the table is smaller with them than with complete bitmaps. */
static void measure_short(const trawl_trie *trie, trawl_nfa_header *header) {
    uint32_t wide = 0;
    for (uint32_t state = header->top; state < trie->states; state++) {
        wide += beyond_word(trie, state);
    }
    if (header->words > 1 && wide < trie->states / header->words) {
        header->short_words = 1;
        header->wide = wide;
        header->record_bytes = (uint32_t)sizeof(trawl_bitmap_state) + 8;
    }
}

void trawl_nfa_measure(const trawl_trie *trie, const trawl_classes *classes,
                       trawl_nfa_representation representation, bool complete_top,
                       trawl_nfa_header *header) {
    memset(header, 0, sizeof *header);
    header->representation = (uint32_t)representation;
    header->states = trie->states;
    header->classes = classes->count;
    header->levels = trie->levels;
    header->words = (classes->count + 63) / 64;
    if (complete_top) {
        uint32_t rows = TRAWL_NFA_TOP_BYTES / (classes->count * (uint32_t)sizeof(uint32_t));
        header->top = rows < trie->states ? rows : trie->states;
    }
    header->top_span = 1;
    while (header->top_span < header->top * header->classes) {
        header->top_span *= 2;
    }
    if (representation == TRAWL_NFA_COMPACT || representation == TRAWL_NFA_BITMAP) {
        header->representation = TRAWL_NFA_BITMAP;
        header->record_bytes = (uint32_t)sizeof(trawl_bitmap_state) + header->words * 8;
        /* Divergence-free walks have no complete rows, and take the same steps for all classes. */
        if (complete_top) {
            measure_short(trie, header);
        }
        if (representation == TRAWL_NFA_COMPACT &&
            header->record_bytes > sizeof(trawl_packed_state)) {
            header->representation = TRAWL_NFA_PACKED;
        }
    }
    switch ((trawl_nfa_representation)header->representation) {
    case TRAWL_NFA_PACKED:
        header->record_bytes = sizeof(trawl_packed_state);
        for (uint32_t state = header->top; state < trie->states; state++) {
            header->wide += children(trie, state) > TRAWL_PACKED_LABELS;
        }
        break;
    case TRAWL_NFA_ARRAY:
        header->record_bytes = 256 * sizeof(uint32_t);
        break;
    case TRAWL_NFA_BITMAP:
    case TRAWL_NFA_COMPACT: /* measured above */
        break;
    case TRAWL_NFA_OFFSETS:
        header->record_bytes =
            (uint32_t)sizeof(trawl_bitmap_state) + header->words * 8 + TRAWL_NFA_OFFSET_COUNTS;
        break;
    case TRAWL_NFA_BITMAP_COUNTS:
        header->record_bytes = (uint32_t)sizeof(trawl_bitmap_state) + header->words * 8 + 8;
        break;
    }
    for (uint32_t state = 0; state < trie->states; state++) {
        header->matching += trie->output[state] != TRAWL_NO_KEY;
    }
}

/* Complete rows are those of a DFA. A state's failure has a smaller number, so its row is finished.
 */
static void fill_top(const trawl_trie *trie, const trawl_nfa_header *header, uint32_t *top) {
    uint32_t classes = header->classes;
    memset(top, 0, trawl_nfa_top_entries(header) * sizeof *top);
    for (uint32_t state = 0; state < header->top; state++) {
        uint32_t *row = top + (size_t)state * classes;
        if (state != 0) {
            memcpy(row, top + (size_t)trie->failure[state] * classes, classes * sizeof *row);
        }
        for (uint32_t s = trie->child_first[state]; s < trie->child_first[state + 1]; s++) {
            row[trie->label[s]] = s;
        }
    }
}

static void set_bits(const trawl_trie *trie, uint32_t state, uint64_t *bits) {
    for (uint32_t s = trie->child_first[state]; s < trie->child_first[state + 1]; s++) {
        bits[trie->label[s] / 64] |= UINT64_C(1) << (trie->label[s] % 64);
    }
}

static uint32_t stored_failure(const trawl_trie *trie, const trawl_nfa_header *header,
                               uint32_t state) {
    uint32_t target = state < header->top ? state : trie->failure[state];
    uint32_t stored = target < header->top ? TRAWL_FAILURE_ROW | target * header->classes : target;
    return stored | (trie->output[state] != TRAWL_NO_KEY ? TRAWL_FAILURE_MATCHING : 0);
}

static void fill_packed(const trawl_trie *trie, const trawl_nfa_header *header,
                        trawl_packed_state *states, uint64_t *wide) {
    uint32_t wide_used = 0;
    memset(wide, 0, (size_t)header->wide * header->words * sizeof *wide);
    for (uint32_t state = 0; state < trie->states; state++) {
        trawl_packed_state *packed = &states[state];
        uint32_t count = state < header->top ? 0 : children(trie, state);
        memset(packed, 0, sizeof *packed);
        packed->first_child = trie->child_first[state];
        packed->failure = stored_failure(trie, header, state);
        if (count > TRAWL_PACKED_LABELS) {
            packed->count = TRAWL_PACKED_WIDE;
            memcpy(packed->labels, &wide_used, sizeof wide_used);
            set_bits(trie, state, wide + (size_t)wide_used++ * header->words);
        } else {
            packed->count = (uint8_t)count;
            memcpy(packed->labels, trie->label + packed->first_child, count);
        }
    }
}

static void fill_array(const trawl_trie *trie, const trawl_classes *classes,
                       const trawl_nfa_header *header, uint32_t *next, uint32_t *failure) {
    memset(next, 0, (size_t)trie->states * 256 * sizeof *next);
    for (uint32_t state = 0; state < trie->states; state++) {
        failure[state] = stored_failure(trie, header, state);
        if (children(trie, state) == 0) {
            continue;
        }
        for (unsigned byte = 0; byte < 256; byte++) {
            next[(size_t)state * 256 + byte] =
                trawl_trie_goto(trie, state, classes->class_of[byte]);
        }
    }
}

static void fill_bitmaps(const trawl_trie *trie, const trawl_nfa_header *header, uint8_t *records,
                         uint64_t *wide) {
    uint32_t wide_used = 0;
    memset(records, 0, (size_t)trie->states * header->record_bytes);
    uint32_t wide_words = trawl_nfa_wide_words(header);
    memset(wide, 0, (size_t)header->wide * wide_words * sizeof *wide);
    for (uint32_t state = 0; state < trie->states; state++) {
        trawl_bitmap_state *record =
            (trawl_bitmap_state *)(records + (size_t)state * header->record_bytes);
        record->first_child = trie->child_first[state];
        record->failure = stored_failure(trie, header, state);
        if (state < header->top) {
            continue;
        }
        if (header->short_words != 0 && beyond_word(trie, state)) {
            uint64_t *row = wide + (size_t)wide_used++ * wide_words;
            row[0] = state;
            set_bits(trie, state, row + 1);
            record->bits[0] = row[1];
            continue;
        }
        set_bits(trie, state, record->bits);
        if (header->representation == TRAWL_NFA_BITMAP_COUNTS) {
            uint8_t *counts = (uint8_t *)(record->bits + header->words);
            unsigned before = 0;
            for (uint32_t word = 0; word < header->words; word++) {
                counts[word] = (uint8_t)before;
                before += (unsigned)__builtin_popcountll(record->bits[word]);
            }
        }
        if (header->representation == TRAWL_NFA_OFFSETS) {
            uint8_t *counts = (uint8_t *)(record->bits + header->words);
            unsigned before = 0;
            for (uint32_t i = 0; i < TRAWL_NFA_OFFSET_COUNTS; i++) {
                counts[i] = (uint8_t)before;
                before += (unsigned)__builtin_popcountll(record->bits[i / 8] >> (i % 8 * 8) & 0xff);
            }
        }
    }
}

static void fill_outputs(const trawl_trie *trie, const trawl_nfa_arrays *arrays) {
    uint32_t words = (trie->states + 63) / 64;
    uint32_t used = 0;
    memset(arrays->matching, 0, words * sizeof *arrays->matching);
    for (uint32_t word = 0; word < words; word++) {
        arrays->rank[word] = used;
        for (uint32_t state = word * 64; state < trie->states && state / 64 == word; state++) {
            if (trie->output[state] != TRAWL_NO_KEY) {
                arrays->matching[word] |= UINT64_C(1) << (state % 64);
                arrays->output[used++] = trie->output[state];
            }
        }
    }
}

void trawl_nfa_fill(const trawl_trie *trie, const trawl_classes *classes,
                    const trawl_nfa_header *header, const trawl_nfa_arrays *arrays) {
    fill_top(trie, header, arrays->top);
    switch ((trawl_nfa_representation)header->representation) {
    case TRAWL_NFA_COMPACT: /* never in a header */
    case TRAWL_NFA_PACKED:
        fill_packed(trie, header, arrays->states, arrays->wide);
        break;
    case TRAWL_NFA_ARRAY:
        fill_array(trie, classes, header, arrays->states, arrays->failure);
        break;
    case TRAWL_NFA_BITMAP:
    case TRAWL_NFA_BITMAP_COUNTS:
    case TRAWL_NFA_OFFSETS:
        fill_bitmaps(trie, header, arrays->states, arrays->wide);
        break;
    }
    fill_outputs(trie, arrays);
}
