/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_dfa/lanes.h"

#include <string.h>

#define TARGET

/* 13 to 14 and 21 to 25 with tables of 5 KB to 24 MB: a lane mostly waits for its loads
 * (docs/notebook/2026-11-short-calls.md). */
#define FEW_COST 14
#define ALL_COST 23

#define LOOPS narrow_loops
#define NAME(base) narrow_##base
#define AUTOMATON trawl_dfa_view
#define PREPARE                                                                                    \
    const uint16_t *table = a->table;                                                              \
    const uint8_t *class_of = a->class_of;                                                         \
    const uint32_t shift = a->shift, first_match = a->first_match;                                 \
    (void)table, (void)class_of, (void)shift, (void)first_match;
#define STEP(state, byte) table[((size_t)(state) << shift) + class_of[byte]]
#define MATCHING(state) ((state) >= first_match)
#define KEY(state) (a->output[(state)-first_match])
#define TOTAL(state) (a->total[KEY(state)])
#define NUMBER(state) (state)
#define STATE(number) (number)
#include "scan/lanes_template.h"

/* States of the wide layout are table offsets: number * columns. The number is the offset divided
 * by the columns, by a shift for their even part and a multiplication with the inverse of their odd
 * part (trawl_dfa_inverse_of_odd). */
#define LOOPS wide_loops
#define NAME(base) wide_##base
#define AUTOMATON trawl_dfa_view
#define PREPARE                                                                                    \
    const uint32_t *table = a->table;                                                              \
    const uint8_t *class_of = a->class_of;                                                         \
    const uint32_t first_match = a->first_match;                                                   \
    (void)table, (void)class_of, (void)first_match;
#define STEP(state, byte) table[(size_t)(state) + class_of[byte]]
#define MATCHING(state) ((state) >= first_match)
#define KEY(state) (a->output[(uint32_t)(((state)-first_match) >> a->shift) * a->inverse])
#define TOTAL(state) (a->total[KEY(state)])
#define NUMBER(state) (((state) >> a->shift) * a->inverse)
#define STATE(number) ((number)*a->columns)
#include "scan/lanes_template.h"

#define LOOPS stt16_loops
#define NAME(base) stt16_##base
#define AUTOMATON trawl_dfa_view
#define PREPARE                                                                                    \
    const uint16_t *table = a->table;                                                              \
    const uint32_t first_match = a->first_match;                                                   \
    (void)table, (void)first_match;
#define STEP(state, byte) table[((size_t)(state) << 8) + (byte)]
#define MATCHING(state) ((state) >= first_match)
#define KEY(state) (a->output[(state)-first_match])
#define TOTAL(state) (a->total[KEY(state)])
#define NUMBER(state) (state)
#define STATE(number) (number)
#include "scan/lanes_template.h"

#define LOOPS stt_loops
#define NAME(base) stt_##base
#define AUTOMATON trawl_dfa_view
#define PREPARE const uint32_t *table = a->table;
#define STEP(state, byte) table[(size_t)(state)*TRAWL_STT_COLUMNS + (byte)]
#define MATCHING(state) (table[(size_t)(state)*TRAWL_STT_COLUMNS + 256] != 0)
#define KEY(state) (table[(size_t)(state)*TRAWL_STT_COLUMNS + 256] - 1)
#define TOTAL(state) (a->total[KEY(state)])
#define NUMBER(state) (state)
#define STATE(number) (number)
#include "scan/lanes_template.h"

void trawl_dfa_walk_open(const trawl_db *db, uint32_t part, trawl_dfa_walk *walk) {
    memset(walk, 0, sizeof *walk);
    const trawl_dfa_header *header = trawl_db_section(db, TRAWL_SECTION_DFA_HEADER, part, NULL);
    trawl_outputs_view(db, part, &walk->outputs);
    trawl_dfa_view *view = &walk->view;
    view->table = trawl_db_section(db, TRAWL_SECTION_DFA_TABLE, part, NULL);
    view->class_of = trawl_db_section(db, TRAWL_SECTION_CLASSES, part, NULL);
    view->output = trawl_db_section(db, TRAWL_SECTION_DFA_OUTPUT, part, NULL);
    view->total = walk->outputs.total;
    walk->lanes.loops = header->layout == TRAWL_DFA_NARROW  ? &narrow_loops
                        : header->layout == TRAWL_DFA_WIDE  ? &wide_loops
                        : header->layout == TRAWL_DFA_STT16 ? &stt16_loops
                                                            : &stt_loops;
    const trawl_dfa_numbering numbering = trawl_dfa_numbering_of(header);
    view->first_match = numbering.first_match;
    view->shift = numbering.shift;
    view->inverse = numbering.inverse;
    view->columns = header->columns;
    walk->lanes.automaton = view;
    walk->lanes.states = header->states;
    walk->lanes.outputs = &walk->outputs;
    walk->lanes.patterns = &db->patterns;
    walk->lanes.overlap = db->header->max_length - 1;
    walk->lanes.verify = header->verify != 0;
}

void trawl_dfa_walk_close(trawl_dfa_walk *walk) {
    trawl_lanes_release(&walk->lanes);
}
