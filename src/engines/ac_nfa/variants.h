/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* ac-nfa's variants: a representation of the automaton and a way to follow failure links. */
#ifndef TRAWL_ENGINES_AC_NFA_VARIANTS_H
#define TRAWL_ENGINES_AC_NFA_VARIANTS_H

#include "automaton/nfa.h"
#include "database/outputs.h"

typedef struct trawl_nfa_variant {
    trawl_nfa_representation representation;
    bool divergence_free; /* Charan 2015, Algorithm 5, instead of a loop over failure links */
    bool complete_top;    /* states near the root have complete rows */
    bool of_bytes; /* a bit for each of the 256 bytes, as in the thesis; else for each class */
} trawl_nfa_variant;

/* The variant with this index in the engine's list. */
const trawl_nfa_variant *trawl_nfa_variant_at(unsigned index);

#endif
