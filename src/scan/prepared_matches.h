/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Prepared matches: all matches of a key, written once as if they ended at offset 0.
 *
 * In a text full of matches several keys end at most positions. Following the links from each key
 * to the next shorter one costs more than writing the matches. So the matches of a key and its
 * links are prepared once; an event copies them and adds its position to starts and ends:
 *
 *     key "she"   matches   start  end  pattern     at end 17:   14  17  1
 *                             -3    0      1                     15  17  0
 *                             -2    0      0                     16  17  2
 *                             -1    0      2
 *
 * Vectors copy four matches at a time, without a branch on how many there are. The superfluous ones
 * are overwritten by the matches of the next event.
 */
#ifndef TRAWL_SCAN_PREPARED_MATCHES_H
#define TRAWL_SCAN_PREPARED_MATCHES_H

#include "scan/emission.h"

/* Where the prepared matches of a key are:
 *
 *     31     30          20 19                                     0
 *     | check | how many    | index of the first one in `matches`  |
 *
 * check: they cannot be copied as they are, since some have to be verified, or since there are too
 * many of them to be prepared (how many is 0 then). */
typedef uint32_t trawl_prepared_key;

#define TRAWL_PREPARED_COUNT_SHIFT 20
#define TRAWL_PREPARED_CHECK UINT32_C(0x80000000)

static inline uint32_t trawl_prepared_key_first(trawl_prepared_key entry) {
    return entry & ((UINT32_C(1) << TRAWL_PREPARED_COUNT_SHIFT) - 1);
}

/* Only without TRAWL_PREPARED_CHECK. */
static inline uint32_t trawl_prepared_key_count(trawl_prepared_key entry) {
    return entry >> TRAWL_PREPARED_COUNT_SHIFT;
}

/* Verifies a match by its last eight bytes: (bytes ^ wanted) & mask must be 0. A mask of 0 allows
 * any bytes; one without a 0 bit says that the match may be longer and has to be compared as a
 * whole. */
typedef struct trawl_prepared_letters {
    uint64_t wanted, mask;
} trawl_prepared_letters;

typedef struct trawl_prepared_matches trawl_prepared_matches;

/* Writes the matches of events, found[i] being the prepared ones of events[i], whose position
 * counts from offset `base` of the text. Stops before an event that has TRAWL_PREPARED_CHECK, or
 * when the sink lacks room. Returns the number of events that were handled. */
typedef size_t trawl_prepared_writer(const trawl_match *matches, uint64_t base,
                                     const trawl_ending_event *events,
                                     const trawl_prepared_key *found, size_t count,
                                     trawl_sink *sink);

/* Belongs to a walker; all zeros at first, then made when they pay. */
struct trawl_prepared_matches {
    trawl_prepared_writer *write;    /* for this processor's instruction set */
    trawl_prepared_key *keys;        /* one for each key; NULL: not made */
    trawl_match *matches;            /* start is -length, end is 0; room for verified ones behind */
    trawl_prepared_letters *letters; /* one for each match */
    uint32_t used;                   /* matches of all keys together */
    uint64_t events;                 /* so far, while they are not made */
    uint32_t longest;                /* bytes of the longest key, at least 8 */
    bool refused;                    /* never made: too many keys or matches, or no memory */
};

/* As trawl_emit_events, with prepared matches. They are made when there were more events than there
 * are keys. */
trawl_status trawl_prepared_emit(trawl_prepared_matches *prepared, const trawl_outputs *outputs,
                                 const trawl_pattern_view *patterns, const trawl_window *window,
                                 size_t begin, const trawl_ending_event *events, size_t count,
                                 trawl_sink *sink);
/* Adds the number of those matches to counts->total. */
void trawl_prepared_count(trawl_prepared_matches *prepared, const trawl_outputs *outputs,
                          const trawl_pattern_view *patterns, const trawl_window *window,
                          size_t begin, const trawl_ending_event *events, size_t count,
                          trawl_counts *counts, trawl_case_counter *cases);
/* Makes them now, or never: the other functions then allocate nothing. */
void trawl_prepared_reserve(trawl_prepared_matches *prepared, const trawl_outputs *outputs,
                            const trawl_pattern_view *patterns);
void trawl_prepared_release(trawl_prepared_matches *prepared);

#endif
