/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * When an engine hands a text over to the fallback automaton (scan/guard.h), and which one that is.
 * Meanings and origins are written as in constants/cpu.h.
 */
#ifndef TRAWL_CONSTANTS_FALLBACK_H
#define TRAWL_CONSTANTS_FALLBACK_H

#include "constants/cpu.h"

/* Bytes of a stretch of text, after which an engine decides whether it goes on. A stretch is timed
 * if it had at least one candidate or look-up in FEW_BYTES; qgram's ends at once with one in
 * MANY_BYTES. wu-manber and rabin-karp, which do not count look-ups, take CAREFUL_BYTES after a
 * slow one. Short stretches react sooner, long ones cost less time for clocks. Half and double of
 * qgram's: 0.995 to 1.003 times as fast. */
#define TRAWL_FALLBACK_STRETCH (8 * TRAWL_QGRAM_BLOCK)
#define TRAWL_FALLBACK_CAREFUL_BYTES (TRAWL_QGRAM_BLOCK / 2)
#define TRAWL_FALLBACK_FEW_BYTES 32u
#define TRAWL_FALLBACK_MANY_BYTES 8u

/* Of texts of at most a block with many look-ups, one in so many is timed: three readings of the
 * clock take as long as a text of 64 bytes, 0.1 microseconds. With 16, such texts took 1.07 times
 * as long. A hostile text of 64 bytes takes up to 9 microseconds: 64 of them are soon met. */
#define TRAWL_FALLBACK_SHORT_TEXTS 64u

/* Short texts for which the automaton is timed: few, and more than one, since a thread may be
 * interrupted. Chosen, not measured. */
#define TRAWL_FALLBACK_TIMED_TEXTS 4u

/* Bytes of a pattern whose comparison with the text counts as one more look-up, as it takes as
 * long: 5 to 8 ns. And the bytes that may be compared before a stretch can end, where each position
 * has the longest pattern in common with the text: a few hundredths of a second. Only patterns
 * longer than 1,024 bytes make blocks shorter by that. */
#define TRAWL_FALLBACK_LOOK_UP_BYTES 64u
#define TRAWL_FALLBACK_COMPARED_BYTES ((size_t)1 << 27)
#define TRAWL_FALLBACK_LEAST_BLOCK ((size_t)1024)

/* The time for a byte, in seconds, below which the filter goes on where the planner has no price of
 * the automaton: a step of one whose table is outside the caches. Once there is an automaton: its
 * own time for a byte, times this factor. With these, 20 MB of one byte take 0.7 to 1.6 times as
 * long as with ac-dfa alone (docs/notebook/2026-11-sample-filter.md). */
#define TRAWL_FALLBACK_STEP_SECONDS 5e-9
#define TRAWL_FALLBACK_MARGIN 1.2

/* Prices of automata are right within this factor in nine of ten sets
 * (docs/notebook/2026-11-regret.md): only what an engine takes beyond it is known to be lost, and
 * only so much more than the price of building is known to repay it. */
#define TRAWL_FALLBACK_PRICE_ERROR 2.0

/* Seconds that building the automaton is expected to take: for each byte of the patterns, and at
 * least. The filter has to lose that much time first. An estimate. Half and double: 0.99 to 1.00
 * times as fast. */
#define TRAWL_FALLBACK_BUILD_BYTE_SECONDS 100e-9
#define TRAWL_FALLBACK_BUILD_LEAST_SECONDS 200e-6

/* The most bytes that the automaton scans before the filter is tried again. It begins with one
 * stretch, and twice as much each time that the filter is too slow again. Long enough that trying
 * costs little, short enough that the filter comes back soon after a dense part. Half and
 * double: 1.00 times as fast. */
#define TRAWL_FALLBACK_MAX_BYTES ((size_t)1 << 23)

/* The largest DFA that is compiled as fallback automaton, in bytes; above, an NFA is. Up to here a
 * DFA is faster than an NFA, even if most of it is outside the caches
 * (docs/notebook/2026-11-dfa-or-nfa.md). */
#define TRAWL_FALLBACK_DFA_BYTES (UINT64_C(512) << 20)

/* Bytes of the patterns up to which a scanner (trawl_scanner.h) opens the automaton before the
 * first text. Policy: opening takes some milliseconds and up to some tens of megabytes, against a
 * bounded time for every text. Scanners of records (trawl_records.h) open it later for more. */
#define TRAWL_FALLBACK_RESERVED_BYTES 65536u

#endif
