/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "automaton/dfa.h"

#include <string.h>

#include "base/allocate.h"
#include "base/status.h"

static void measure_rows(const trawl_classes *classes, trawl_dfa_columns_kind kind,
                         trawl_dfa_header *header) {
    if (kind == TRAWL_DFA_BY_CLASS && header->states > TRAWL_DFA_NARROW_STATES) {
        header->layout = TRAWL_DFA_WIDE;
        header->columns = classes->count;
        return;
    }
    header->layout = kind == TRAWL_DFA_BY_CLASS ? TRAWL_DFA_NARROW : TRAWL_DFA_STT16;
    const uint32_t least = kind == TRAWL_DFA_BY_CLASS ? classes->count : 256;
    while (UINT32_C(1) << header->shift < least) {
        header->shift++;
    }
    header->columns = UINT32_C(1) << header->shift;
}

trawl_status trawl_dfa_measure(const trawl_trie *trie, const trawl_classes *classes,
                               trawl_dfa_columns_kind kind, trawl_dfa_header *header,
                               trawl_error *error) {
    memset(header, 0, sizeof *header);
    header->states = trie->states;
    header->classes = classes->count;
    header->first_match = trie->states;
    if (kind == TRAWL_DFA_BY_BYTE_STT16 && trie->states > TRAWL_DFA_NARROW_STATES) {
        return trawl_fail(error, TRAWL_ERROR_LIMIT,
                          "a table of 2-byte states has at most %d of them, this set needs %u; "
                          "engine ac-nfa takes this set, and so do the other variants of ac-dfa",
                          (int)TRAWL_DFA_NARROW_STATES, trie->states);
    }
    if (kind == TRAWL_DFA_BY_BYTE_STT) {
        header->layout = TRAWL_DFA_STT;
        header->columns = TRAWL_STT_COLUMNS;
    } else {
        for (uint32_t state = 0; state < trie->states; state++) {
            header->first_match -= trie->output[state] != TRAWL_NO_KEY;
        }
        measure_rows(classes, kind, header);
    }
    if ((uint64_t)header->states * header->columns > UINT32_MAX) {
        return trawl_fail(
            error, TRAWL_ERROR_LIMIT,
            "a DFA: %u states of %u columns do not fit into 4294967295 table entries; "
            "engine ac-nfa takes this set",
            header->states, header->columns);
    }
    return TRAWL_OK;
}

/*
 * A row is a copy of the failure state's row with the state's own children written over it. The
 * failure has a smaller number in the trie, so its row is finished. `number` maps states of the
 * trie to states of the DFA.
 */
static void fill_narrow(const trawl_trie *trie, const trawl_dfa_header *header,
                        const uint32_t *number, const uint8_t *column, uint16_t *table) {
    memset(table, 0, (size_t)header->states * header->columns * sizeof *table);
    for (uint32_t state = 0; state < trie->states; state++) {
        uint16_t *row = table + ((size_t)number[state] << header->shift);
        if (state != 0) {
            memcpy(row, table + ((size_t)number[trie->failure[state]] << header->shift),
                   header->classes * sizeof *row);
        }
        for (uint32_t s = trie->child_first[state]; s < trie->child_first[state + 1]; s++) {
            row[column[trie->label[s]]] = (uint16_t)number[s];
        }
    }
}

static void fill_wide(const trawl_trie *trie, const trawl_dfa_header *header,
                      const uint32_t *number, const uint8_t *column, uint32_t *table) {
    size_t columns = header->columns;
    memset(table, 0, columns * sizeof *table);
    for (uint32_t state = 0; state < trie->states; state++) {
        uint32_t *row = table + number[state] * columns;
        if (state != 0) {
            memcpy(row, table + number[trie->failure[state]] * columns, columns * sizeof *row);
        }
        for (uint32_t s = trie->child_first[state]; s < trie->child_first[state + 1]; s++) {
            row[column[trie->label[s]]] = number[s] * (uint32_t)columns;
        }
    }
}

static void fill_stt(const trawl_trie *trie, const trawl_classes *classes, uint32_t *table) {
    memset(table, 0, TRAWL_STT_COLUMNS * sizeof *table);
    for (uint32_t state = 0; state < trie->states; state++) {
        uint32_t *row = table + (size_t)state * TRAWL_STT_COLUMNS;
        if (state != 0) {
            memcpy(row, table + (size_t)trie->failure[state] * TRAWL_STT_COLUMNS,
                   TRAWL_STT_COLUMNS * sizeof *row);
        }
        if (trie->child_first[state] != trie->child_first[state + 1]) {
            for (unsigned byte = 0; byte < 256; byte++) {
                uint32_t child = trawl_trie_goto(trie, state, classes->class_of[byte]);
                if (child != 0) {
                    row[byte] = child;
                }
            }
        }
        row[256] = trie->output[state] == TRAWL_NO_KEY ? 0 : trie->output[state] + 1;
    }
}

static void fill_stt16(const trawl_trie *trie, const trawl_classes *classes, const uint32_t *number,
                       uint16_t *table) {
    memset(table, 0, 256 * sizeof *table);
    for (uint32_t state = 0; state < trie->states; state++) {
        uint16_t *row = table + (size_t)number[state] * 256;
        if (state != 0) {
            memcpy(row, table + (size_t)number[trie->failure[state]] * 256, 256 * sizeof *row);
        }
        for (unsigned byte = 0; byte < 256; byte++) {
            uint32_t child = trawl_trie_goto(trie, state, classes->class_of[byte]);
            if (child != 0) {
                row[byte] = (uint16_t)number[child];
            }
        }
    }
}

void trawl_dfa_columns(const trawl_keys *keys, const trawl_classes *classes, uint8_t *column) {
    uint64_t count[256] = {0};
    uint64_t total = trawl_keys_bytes(keys);
    for (uint64_t i = 0; i < total; i++) {
        count[classes->class_of[keys->bytes[i]]]++;
    }
    uint8_t order[256];
    /* The class of bytes that are in no key, if there is one, comes first. */
    count[0] = count[0] == 0 ? UINT64_MAX : count[0];
    for (uint32_t byte_class = 0; byte_class < classes->count; byte_class++) {
        uint32_t place = byte_class;
        for (; place > 0 && count[order[place - 1]] < count[byte_class]; place--) {
            order[place] = order[place - 1];
        }
        order[place] = (uint8_t)byte_class;
    }
    for (uint32_t place = 0; place < classes->count; place++) {
        column[order[place]] = (uint8_t)place;
    }
}

trawl_status trawl_dfa_fill(const trawl_trie *trie, const trawl_classes *classes,
                            const uint8_t *column, const trawl_dfa_header *header, void *table,
                            uint32_t *outputs, trawl_error *error) {
    if (header->layout == TRAWL_DFA_STT) {
        fill_stt(trie, classes, table);
        return TRAWL_OK;
    }
    uint32_t *number = trawl_allocate(trie->states, sizeof *number);
    if (number == NULL) {
        return trawl_fail_memory(error, "the DFA's state numbers", (uint64_t)trie->states * 4);
    }
    /* Matching and other states each stay in level order, so that the rows near the root, where
     * walks mostly are, are neighbours. The root matches nothing and so keeps the number 0. */
    uint32_t plain = 0;
    uint32_t matching = header->first_match;
    for (uint32_t state = 0; state < trie->states; state++) {
        if (trie->output[state] == TRAWL_NO_KEY) {
            number[state] = plain++;
        } else {
            outputs[matching - header->first_match] = trie->output[state];
            number[state] = matching++;
        }
    }
    if (header->layout == TRAWL_DFA_NARROW) {
        fill_narrow(trie, header, number, column, table);
    } else if (header->layout == TRAWL_DFA_STT16) {
        fill_stt16(trie, classes, number, table);
    } else {
        fill_wide(trie, header, number, column, table);
    }
    trawl_release(number);
    return TRAWL_OK;
}
