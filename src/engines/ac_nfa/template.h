/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The loops of one NFA variant; before including it, define LOOPS, NAME, STEP, MATCHING and
 * TARGET. */
#define AUTOMATON nfa_view
#define PREPARE
/* A step of a failure function is mostly work and mispredicted branches: lanes overlap less.
 * Measured with 5,000 words (docs/notebook/2026-11-short-calls.md). */
#define FEW_COST 25
#define ALL_COST 27
#define KEY(state) key_of(a, state)
#define TOTAL(state) (a->total[key_of(a, state)])
#define NUMBER(state) (state)
#define STATE(number) (number)
#include "scan/lanes_template.h"
