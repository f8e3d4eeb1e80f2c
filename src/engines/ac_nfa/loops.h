/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * All loops of ac-nfa for one instruction set. Before including it, define
 *   VERSION(name)  a distinct name for this instruction set
 *   TARGET         the functions' target attribute, or nothing
 */

#define LOOPS VERSION(packed_loops)
#define NAME(base) VERSION(packed_##base)
#define STEP(state, byte) walk_packed(a, state, a->class_of[byte])
#define MATCHING(state) matching_small(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(array_loops)
#define NAME(base) VERSION(array_##base)
#define STEP(state, byte) walk_array(a, state, byte)
#define MATCHING(state) matching_array(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(bitmap_loops)
#define NAME(base) VERSION(bitmap_##base)
#define STEP(state, byte) walk_bitmap(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(short_loops)
#define NAME(base) VERSION(short_##base)
#define STEP(state, byte) walk_short(a, state, a->class_of[byte])
#define MATCHING(state) matching_small(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(counts_loops)
#define NAME(base) VERSION(counts_##base)
#define STEP(state, byte) walk_counts(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(array_fixed_loops)
#define NAME(base) VERSION(array_fixed_##base)
#define STEP(state, byte) fixed_array(a, state, byte)
#define MATCHING(state) matching_array(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(bitmap_fixed_loops)
#define NAME(base) VERSION(bitmap_fixed_##base)
#define STEP(state, byte) fixed_bitmap(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(short_fixed_loops)
#define NAME(base) VERSION(short_fixed_##base)
#define STEP(state, byte) fixed_short(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(counts_fixed_loops)
#define NAME(base) VERSION(counts_fixed_##base)
#define STEP(state, byte) fixed_counts(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

/* By representation; [1] is the divergence-free step. Packed automata have none. */
static const trawl_lane_loops *const VERSION(loops_of)[][2] = {
    [TRAWL_NFA_PACKED] = {&VERSION(packed_loops), NULL},
    [TRAWL_NFA_ARRAY] = {&VERSION(array_loops), &VERSION(array_fixed_loops)},
    [TRAWL_NFA_BITMAP] = {&VERSION(bitmap_loops), &VERSION(bitmap_fixed_loops)},
    [TRAWL_NFA_BITMAP_COUNTS] = {&VERSION(counts_loops), &VERSION(counts_fixed_loops)},
};

/* Bitmaps with records of one word. */
static const trawl_lane_loops *const VERSION(loops_of_short)[2] = {&VERSION(short_loops),
                                                                   &VERSION(short_fixed_loops)};

#undef VERSION
#undef TARGET
