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

#define LOOPS VERSION(bitmap_plain_loops)
#define NAME(base) VERSION(bitmap_plain_##base)
#define STEP(state, byte) loop_bitmap(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(offsets_plain_loops)
#define NAME(base) VERSION(offsets_plain_##base)
#define STEP(state, byte) loop_offsets(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(offsets_fixed_loops)
#define NAME(base) VERSION(offsets_fixed_##base)
#define STEP(state, byte) fixed_offsets(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

#define LOOPS VERSION(counts_fixed_loops)
#define NAME(base) VERSION(counts_fixed_##base)
#define STEP(state, byte) fixed_counts(a, state, a->class_of[byte])
#define MATCHING(state) matching_record(a, state)
#include "engines/ac_nfa/template.h"

/* By representation and way to follow failure links (enum nfa_way); NULL: no variant has these
 * two. */
static const trawl_lane_loops *const VERSION(loops_of)[][NFA_WAYS] = {
    [TRAWL_NFA_PACKED] = {[NFA_ROWS] = &VERSION(packed_loops)},
    [TRAWL_NFA_ARRAY] =
        {[NFA_LOOP] = &VERSION(array_loops), [NFA_FIXED] = &VERSION(array_fixed_loops)},
    [TRAWL_NFA_BITMAP] = {[NFA_ROWS] = &VERSION(bitmap_loops),
                          [NFA_LOOP] = &VERSION(bitmap_plain_loops),
                          [NFA_FIXED] = &VERSION(bitmap_fixed_loops)},
    [TRAWL_NFA_BITMAP_COUNTS] =
        {[NFA_ROWS] = &VERSION(counts_loops), [NFA_FIXED] = &VERSION(counts_fixed_loops)},
    [TRAWL_NFA_OFFSETS] =
        {[NFA_LOOP] = &VERSION(offsets_plain_loops), [NFA_FIXED] = &VERSION(offsets_fixed_loops)},
};

#undef VERSION
#undef TARGET
