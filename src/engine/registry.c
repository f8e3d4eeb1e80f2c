/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "engine/engine.h"

/* Listed in the order in which `trawl engines` and `bench` show them. */
static const trawl_engine *const engines[] = {
    &trawl_engine_ac_dfa,    &trawl_engine_ac_nfa,     &trawl_engine_ac_split,
    &trawl_engine_wu_manber, &trawl_engine_rabin_karp, &trawl_engine_qgram,
};

#define ENGINE_COUNT (sizeof engines / sizeof *engines)

const trawl_engine *trawl_engine_find(const char *name) {
    for (size_t i = 0; i < ENGINE_COUNT; i++) {
        if (strcmp(engines[i]->description.name, name) == 0) {
            return engines[i];
        }
    }
    return NULL;
}

int trawl_engine_variant(const trawl_engine *engine, const char *name) {
    for (int i = 0; engine->description.variants[i] != NULL; i++) {
        if (strcmp(engine->description.variants[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

bool trawl_engine_describe(size_t index, trawl_engine_description *description) {
    if (index >= ENGINE_COUNT || description == NULL) {
        return false;
    }
    *description = engines[index]->description;
    return true;
}
