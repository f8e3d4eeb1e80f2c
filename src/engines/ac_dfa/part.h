/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Plans, fills and validates one DFA of a database: that of ac-dfa, or one part of ac-split. */
#ifndef TRAWL_ENGINES_AC_DFA_PART_H
#define TRAWL_ENGINES_AC_DFA_PART_H

#include "automaton/dfa.h"
#include "database/outputs.h"

/* What planning leaves for filling the tables. */
typedef struct trawl_dfa_part {
    trawl_keys keys;
    trawl_classes classes;
    trawl_trie trie;
    trawl_dfa_header header;
} trawl_dfa_part;

/* Plans the DFA of the patterns listed in `subset` (NULL: all) as part `part` of the database,
 * reserves its sections and adds its states to build->states. */
trawl_status trawl_dfa_part_plan(trawl_build *build, uint32_t part, const uint32_t *subset,
                                 size_t subset_count, trawl_dfa_columns_kind kind,
                                 trawl_dfa_part *planned);

/* Writes the reserved sections. */
trawl_status trawl_dfa_part_fill(trawl_build *build, uint32_t part, trawl_dfa_part *planned);
void trawl_dfa_part_release(trawl_dfa_part *planned);

/* Checks the sections of a part of an untrusted database. `with_stt16`: the engine has that layout
 * too. */
trawl_status trawl_dfa_part_validate(const trawl_db *db, uint32_t part, bool with_stt16,
                                     trawl_error *error);

#endif
