/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "database/part_sizes.h"

#include "automaton/dfa.h"
#include "automaton/nfa.h"

bool trawl_db_part_sizes(const trawl_db *db, uint32_t part, trawl_part_sizes *sizes) {
    static const trawl_section_kind tables[] = {TRAWL_SECTION_DFA_TABLE, TRAWL_SECTION_NFA_TOP,
                                                TRAWL_SECTION_NFA_STATES, TRAWL_SECTION_NFA_FAILURE,
                                                TRAWL_SECTION_NFA_WIDE};
    const trawl_dfa_header *dfa = trawl_db_section(db, TRAWL_SECTION_DFA_HEADER, part, NULL);
    const trawl_nfa_header *nfa = trawl_db_section(db, TRAWL_SECTION_NFA_HEADER, part, NULL);
    uint64_t bytes = 0;
    const uint32_t *ids = trawl_db_section(db, TRAWL_SECTION_KEY_IDS, part, &bytes);
    *sizes = (trawl_part_sizes){.states = 0};
    if (dfa == NULL && nfa == NULL) {
        return false;
    }
    sizes->states = dfa != NULL ? dfa->states : nfa->states;
    sizes->patterns = (uint32_t)(bytes / sizeof *ids);
    for (uint32_t i = 0; i < sizes->patterns; i++) {
        sizes->pattern_bytes += db->patterns.offsets[ids[i] + 1] - db->patterns.offsets[ids[i]];
    }
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        bytes = 0;
        (void)trawl_db_section(db, tables[i], part, &bytes);
        sizes->next_bytes += bytes;
    }
    return true;
}
