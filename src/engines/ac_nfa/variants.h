/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* ac-nfa's variants: a representation of the automaton and a way to follow failures. */
#ifndef TRAWL_ENGINES_AC_NFA_VARIANTS_H
#define TRAWL_ENGINES_AC_NFA_VARIANTS_H

#include "automaton/nfa.h"
#include "database/outputs.h"

typedef struct trawl_nfa_variant {
    trawl_nfa_representation representation;
    bool divergence_free; /* Charan 2015, Algorithm 5, instead of the failure loop */
    bool complete_top;    /* complete rows near the root */
    bool of_bytes; /* a bit for each of the 256 bytes, not for each class, as in the thesis */
} trawl_nfa_variant;

/* By index into the engine's variants. */
const trawl_nfa_variant *trawl_nfa_variant_at(unsigned index);

#endif
