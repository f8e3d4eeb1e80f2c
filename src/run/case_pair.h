/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A pair of automata for sets with many nested patterns in which the longest key that ends at a
 * position does not tell which patterns match there: sets of case-sensitive and case-insensitive
 * patterns, and sets with conditions.
 *
 * Engines find the patterns of such a set in lower-cased text, and compare each case-sensitive one
 * with the text once more. So what a position can match does not follow from the longest key that
 * ends there: of 2,000 nested keys, in any mixture of letter case, 2,000 have to be compared. With
 * two automata nothing has to be compared:
 *
 *     patterns       "ab" in any case, "aB", "B"
 *     automaton 0    "ab" in lower-cased text
 *     automaton 1    "aB" and "B" in the text as it is
 *
 * For leftmost kinds the longest key of each is all that the selection (run/leftmost.h) needs. Of
 * kind all the links of both keys give the matches, which are merged:
 *
 *     text           x a B        the longest keys here: "ab" and "aB"
 *     automaton 0    "ab" --------> TRAWL_NO_KEY
 *     automaton 1    "aB" --> "B" -> TRAWL_NO_KEY
 *     matches        "ab", "aB", "B"; of equal length the lower id first
 *
 * They take more time for a byte than the database's own engine where the text has few matches. So
 * they are for sets in which more than TRAWL_CASE_PAIR_CHAIN patterns can end at one position; of
 * kind all, so many that are compared. And of kind all, an engine with a filter goes on with it and
 * takes the pair as its fallback automaton (run/fallback.h).
 *
 * Conditions. Of 2,000 nested patterns 2,000 would have to be tested at each position, also if few
 * fulfil their conditions. With a pair each condition is tested once: where its right boundary
 * does not hold, or the position is not one that it allows, all its patterns are passed over. Left
 * boundaries of all keys but the longest one are known when the pair is made, since the byte before
 * a shorter key is one of the longest key. So each key has a link for each condition: to the next
 * shorter key that has a pattern with this condition, and before which its left boundary holds.
 *
 *     keys           "b", "ab", "cab", "dcab", all with the left boundary [a]
 *     links          "dcab" -> "cab" -> "ab" -> TRAWL_NO_KEY: before "b" is an a
 *
 * The links of all conditions are merged, and the runner tests the matches again, as it does for
 * every engine. An automaton that no pattern belongs to is missing.
 *
 * Starts. Leftmost kinds need one match for each start: the longest that fulfils its condition, or
 * the one with the lowest id. Of 300 nested patterns that all fulfil theirs, 300 would be put for
 * each position. So these kinds have a second pair, of the patterns with reversed bytes. It walks
 * the text backwards; its longest key tells what starts at a position, right boundaries are known
 * when the pair is made, and each condition gives at most one match (run/case_pair_starts.c). Where
 * a right boundary depends on the letter case of the text, it is searched (run/case_pair_steps.h).
 */
#ifndef TRAWL_RUN_CASE_PAIR_H
#define TRAWL_RUN_CASE_PAIR_H

#include "run/case_pair_steps.h"
#include "scan/contract.h"

/* Up to so many patterns that end at one position are made and compared one by one. A comparison
 * takes 2 to 5 ns, as the steps of two automata do: so such a set takes at most so many times as
 * long for a byte as with a pair. */
#define TRAWL_CASE_PAIR_CHAIN 64u

struct trawl_outputs; /* database/outputs.h */

/* In `keys`: the key is one of the second automaton. */
#define TRAWL_CASE_PAIR_SECOND UINT32_C(0x80000000)

typedef struct trawl_case_pair {
    trawl_db *automaton[2]; /* with conditions one of them may be NULL */
    uint32_t *ids[2];       /* of each pattern of an automaton, its id in the whole set */
    /* For each pattern of the whole set, the number of its key in its automaton. Kind all, and any
     * kind with conditions: the number in the outputs (database/outputs.h). Else, for leftmost
     * kinds: the number in the selection (database/selection.h), with the bit
     * TRAWL_CASE_PAIR_SECOND if the automaton is the second one. */
    uint32_t *keys;
    uint32_t conditions; /* records of conditions; 0: the set has none */
    uint32_t *links[2];  /* with conditions: record * keys of the automaton + key */

    /* With conditions, as `links`: which pattern of the key has the condition; TRAWL_NO_PATTERN:
     * none. Kind all: the index in outputs->ids of the first one. The key's other patterns with
     * this condition are linked by `same`: for each index in outputs->ids the next one, or
     * TRAWL_NO_PATTERN. In a pair of reversed patterns, which needs the best pattern alone: its id
     * in the whole set, the lowest of those with the condition. For leftmost-first that is the
     * lowest of this key and of all shorter ones that it links to. */
    uint32_t *heads[2];
    uint32_t *same[2];

    /* Leftmost kinds with conditions: the pair of reversed patterns; or NULL. */
    struct trawl_case_pair *starts;
    bool is_reversed; /* this is such a pair */
    /* Of each condition of a reversed pair, for automaton 0: its steps, or none (jump == NULL)
     * where all right boundaries are known. NULL without automaton 0. */
    trawl_pair_steps *steps;
} trawl_case_pair;

#define TRAWL_NO_PATTERN UINT32_MAX

/* A set with more different conditions gets no pair; nor does one with more than half as many
 * conditions as patterns that can end at one position. At a position a pair takes 2 to 5 ns for
 * each condition, so such sets would not be faster with one. Boundaries give few conditions. Only
 * places (start=N, end=N) give many: which of these hold changes from position to position, so that
 * their links would have to be made anew at each place, which takes more tables and code than such
 * sets are worth. Without a pair they take 2 to 10 ns for each pattern that ends at a position. */
#define TRAWL_CASE_PAIR_CONDITIONS 256u

/* Patterns that end at one position, at most, by the outputs of the database; 0: not known. Parts
 * of an engine may have patterns that never end at the same one, so this may be too many. */
uint64_t trawl_case_pair_most(const trawl_db *db);

/* Makes the links of both automata. TRAWL_ERROR_MEMORY. */
trawl_status trawl_case_pair_link(const trawl_db *db, trawl_case_pair *pair);

/* Opens the walkers of both automata, and sets their outputs; those of a missing one stay as they
 * are. of[0] and of[1] are NULL before. Close them with trawl_case_pair_close, also after a
 * failure: those of the automata's walkers, and TRAWL_ERROR_MEMORY. */
trawl_status trawl_case_pair_open(const trawl_case_pair *pair, const trawl_scan_settings *settings,
                                  trawl_walker *of[2], struct trawl_outputs *outputs,
                                  trawl_error *error);
void trawl_case_pair_close(trawl_walker *of[2]);

/* Puts all matches that end at one position of the window in canonical order, but for those that
 * cannot fulfil their conditions. `outputs`: of both automata. `keys`: the longest key of each
 * automaton there, or TRAWL_NO_KEY. */
trawl_status trawl_case_pair_emit(const trawl_case_pair *pair, const struct trawl_outputs *outputs,
                                  const trawl_db *db, const trawl_window *window, uint64_t end,
                                  const uint32_t keys[2], trawl_sink *sink);

/* Walks texts backwards with a pair of reversed patterns. */
typedef struct trawl_start_walker trawl_start_walker;

/* `piece`: owned bytes that are walked at a time. The pair outlives the walker. */
trawl_status trawl_start_walker_open(const trawl_db *db, const trawl_case_pair *pair, size_t piece,
                                     const trawl_scan_settings *settings,
                                     trawl_start_walker **opened, trawl_error *error);
void trawl_start_walker_close(trawl_start_walker *walker); /* NULL: does nothing */

/* Allocates all that is needed for windows of any length. */
trawl_status trawl_start_walker_reserve(trawl_start_walker *walker, trawl_error *error);

/* Puts the best match of each start that ends in owned bytes, in canonical order. The window is of
 * one text. */
trawl_status trawl_start_walker_scan(trawl_start_walker *walker, const trawl_window *window,
                                     trawl_sink *sink, trawl_error *error);

/* The pair of a database that needs one, compiled by the first call; it belongs to the database.
 * NULL: it needs none, the set has bases (pattern/offsets.h), or there is no memory. Any number of
 * threads may call it at once. */
const trawl_case_pair *trawl_case_pair_of(const trawl_db *db);

/* Walkers of a database that has a pair. They report the ids of the whole set. For leftmost kinds
 * they report at most two matches for a position: the longest of each automaton. */
const trawl_walker_type *trawl_case_pair_walker(const trawl_db *db);

/* The walkers that scan a database on a CPU: these, or those of its engine. */
const trawl_walker_type *trawl_case_pair_walker_of(const trawl_db *db);

#endif
