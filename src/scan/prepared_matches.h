/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Matches that are ready but for where they end.
 *
 * In texts full of matches most positions end several keys, each of which links to a shorter one.
 * Following the links costs more than writing the matches, so each key's chain is written once,
 * as matches that end at 0; a position adds itself to their starts and ends. Vectors do that with
 * several matches at a time and without a branch on how many there are: what is written too much
 * is overwritten by the next position's.
 */
#ifndef TRAWL_SCAN_PREPARED_MATCHES_H
#define TRAWL_SCAN_PREPARED_MATCHES_H

#include "scan/emission.h"

/* Matches that stand one behind the other: the index of the first, how many they are, and whether
 * that is to be asked first, as some are to be verified, or as they are too many (then 0). */
typedef uint32_t trawl_prepared_key;

#define TRAWL_CHAIN_COUNT_SHIFT 20
#define TRAWL_CHAIN_ASK UINT32_C(0x80000000)

static inline uint32_t trawl_prepared_key_first(trawl_prepared_key chain) {
    return chain & ((UINT32_C(1) << TRAWL_CHAIN_COUNT_SHIFT) - 1);
}

/* Of a chain that need not be asked. */
static inline uint32_t trawl_prepared_key_count(trawl_prepared_key chain) {
    return chain >> TRAWL_CHAIN_COUNT_SHIFT;
}

/* What the last eight bytes of a match have to be, as far as the mask goes. */
typedef struct trawl_prepared_letters {
    uint64_t wanted, mask; /* 0: anything */
} trawl_prepared_letters;

typedef struct trawl_prepared_matches trawl_prepared_matches;

/* Writes the matches of events that end behind `base`, each with its chain, as long as there is
 * room and chains need not be asked; returns how many events that were. */
typedef size_t trawl_prepared_writer(const trawl_match *matches, uint64_t base,
                                     const trawl_ending_event *events,
                                     const trawl_prepared_key *found, size_t count,
                                     trawl_sink *sink);

struct trawl_prepared_matches {
    trawl_prepared_writer *write;    /* for the processor's instructions */
    trawl_prepared_key *keys;        /* one for each key; NULL: not made */
    trawl_match *matches;            /* start is -length, end is 0; and room for a few more */
    trawl_prepared_letters *letters; /* of each match */
    uint32_t used;                   /* of matches */
    uint64_t events;                 /* emitted before they were made */
    uint32_t longest;                /* key, at least 8 */
    bool refused;                    /* they are not worth it, or there was no memory */
};

/* trawl_emit_events, of a walker that owns `chains` (at first all zero). Makes them when the text
 * turns out to have more events than there are keys. */
trawl_status trawl_prepared_emit(trawl_prepared_matches *chains, const trawl_outputs *outputs,
                                 const trawl_pattern_view *patterns, const trawl_window *window,
                                 size_t begin, const trawl_ending_event *events, size_t count,
                                 trawl_sink *sink);
/* Adds how many matches that would be to the total. */
void trawl_prepared_count(trawl_prepared_matches *chains, const trawl_outputs *outputs,
                          const trawl_pattern_view *patterns, const trawl_window *window,
                          size_t begin, const trawl_ending_event *events, size_t count,
                          trawl_counts *counts);
void trawl_prepared_release(trawl_prepared_matches *chains);

#endif
