/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* ac-split: the set is divided into several parts, each with a small DFA of its own (Tran et al.,
 * 4.2). */
#ifndef TRAWL_ENGINES_AC_SPLIT_VARIANTS_H
#define TRAWL_ENGINES_AC_SPLIT_VARIANTS_H

#include "engines/ac_dfa/part.h"

/* Variants, by their index. */
enum {
    TRAWL_SPLIT_IN_TURN = 0,     /* a thread scans a window with one part after the other */
    TRAWL_SPLIT_IN_PARALLEL = 1, /* different threads scan the same window, a part each */
    TRAWL_SPLIT_STT = 2          /* in turn, with the papers' 257-column tables */
};

#endif
