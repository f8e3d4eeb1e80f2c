/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Counting the matches of sets of which some patterns match in any case and others in one case only
 * (database/case_counts.h), without comparing each pattern of a key with the text.
 *
 * A walker compares patterns one by one at first. When that has taken about as long as making the
 * counts by case would, it makes them: texts with few matches do not pay for them.
 */
#ifndef TRAWL_SCAN_CASE_COUNTER_H
#define TRAWL_SCAN_CASE_COUNTER_H

#include "database/case_counts.h"
#include "database/outputs.h"

/* Keys with fewer patterns, links included, are compared one by one: counting all keys by case made
 * sets with few patterns at each end slower (docs/notebook/2026-11-regret.md). The number was not
 * measured against others. */
#define TRAWL_CASE_COUNTER_LEAST 8u

/* The counts are made after one comparison for so many bytes of the patterns, all of which making
 * them reads. Chosen, not measured. */
#define TRAWL_CASE_COUNTER_BYTES 4u

/* Belongs to a walker; all zeros at first. */
typedef struct trawl_case_counter {
    uint32_t *words; /* of trawl_case_write; NULL: not made */
    trawl_case_counts counts;
    uint64_t compared; /* patterns so far, one by one */
    bool refused;      /* never made: no memory, a set of more than 4 GiB (`bases` of its view), or
                          trawl_case_counter_reserve has decided so */
} trawl_case_counter;

/* Makes the counts. Returns whether there are counts: false if they cannot be made. */
bool trawl_case_counter_make(trawl_case_counter *counter, const trawl_outputs *outputs,
                             const trawl_pattern_view *patterns);

/* Makes the counts of a small set now, those of another one never: the other functions then
 * allocate nothing. */
void trawl_case_counter_reserve(trawl_case_counter *counter, const trawl_outputs *outputs,
                                const trawl_pattern_view *patterns);

void trawl_case_counter_release(trawl_case_counter *counter);

static inline bool trawl_case_counter_is_ready(trawl_case_counter *counter,
                                               const trawl_outputs *outputs,
                                               const trawl_pattern_view *patterns) {
    return counter->words != NULL ||
           (!counter->refused &&
            counter->compared > patterns->offsets[patterns->count] / TRAWL_CASE_COUNTER_BYTES &&
            trawl_case_counter_make(counter, outputs, patterns));
}

/* How many matches of `key` and of its links end with text[end - 1]. There are counts. */
uint64_t trawl_case_counter_matches(const trawl_case_counter *counter, const trawl_outputs *outputs,
                                    const trawl_pattern_view *patterns, const uint8_t *text,
                                    size_t end, uint32_t key);

#endif
