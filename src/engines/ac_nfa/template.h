/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The loops of one NFA variant; before including it, define LOOPS, NAME, STEP, MATCHING and
 * TARGET. */
#define AUTOMATON nfa_view
#define PREPARE
#define KEY(state) key_of(a, state)
#define TOTAL(state) (a->total[key_of(a, state)])
#define NUMBER(state) (state)
#define STATE(number) (number)
#include "scan/lanes_template.h"
