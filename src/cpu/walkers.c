/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cpu/walkers.h"

#include <string.h>

static const trawl_walker_type *const walkers[] = {
    &trawl_cpu_ac_dfa,    &trawl_cpu_ac_nfa,     &trawl_cpu_ac_split,
    &trawl_cpu_wu_manber, &trawl_cpu_rabin_karp, &trawl_cpu_qgram,
};

const trawl_walker_type *trawl_cpu_walker(const trawl_db *db) {
    for (size_t i = 0; i < sizeof walkers / sizeof *walkers; i++) {
        if (strcmp(walkers[i]->engine, db->header->engine) == 0) {
            return walkers[i];
        }
    }
    return NULL;
}
