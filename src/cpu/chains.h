/*
 * Matches that are ready but for where they end.
 *
 * In texts full of matches most positions end several keys, each of which links to a shorter one.
 * Following the links costs more than writing the matches, so each key's chain is written once,
 * as matches that end at 0; a position adds itself to their starts and ends. Vectors do that with
 * several matches at a time and without a branch on how many there are: what is written too much
 * is overwritten by the next position's.
 */
#ifndef TRAWL_CPU_CHAINS_H
#define TRAWL_CPU_CHAINS_H

#include "engine/emit.h"

typedef struct trawl_chain {
    uint32_t first; /* index of its first match */
    uint32_t count; /* 0: too many; and TRAWL_CHAIN_VERIFY where some are to be verified */
} trawl_chain;

#define TRAWL_CHAIN_VERIFY UINT32_C(0x80000000)

/* What the last eight bytes of a match have to be, as far as the mask goes. */
typedef struct trawl_chain_letters {
    uint64_t wanted, mask; /* 0: anything */
} trawl_chain_letters;

typedef struct trawl_chains trawl_chains;

/* Where events are and what they end. */
typedef struct trawl_chain_text {
    const trawl_pattern_view *patterns;
    const uint8_t *text; /* positions of events count from here */
    uint64_t base;       /* its place in the whole text */
} trawl_chain_text;

/* Writes the matches of events as long as they are ready and there is room; returns how many events
 * that were. */
typedef size_t trawl_chain_writer(const trawl_chains *chains, const trawl_chain_text *where,
                                  const trawl_ending_event *events, size_t count, trawl_sink *sink);

struct trawl_chains {
    trawl_chain_writer *write;    /* for the processor's instructions */
    trawl_chain *keys;            /* one for each key; NULL: not made */
    trawl_match *matches;         /* start is -length, end is 0 */
    trawl_chain_letters *letters; /* of each match */
    uint64_t events;              /* emitted before they were made */
    uint32_t longest;             /* key, at least 8 */
    bool refused;                 /* they are not worth it, or there was no memory */
};

/* trawl_emit_events, of a walker that owns `chains` (at first all zero). Makes them when the text
 * turns out to have more events than there are keys. */
trawl_status trawl_chains_emit(trawl_chains *chains, const trawl_outputs *outputs,
                               const trawl_pattern_view *patterns, const trawl_window *window,
                               size_t begin, const trawl_ending_event *events, size_t count,
                               trawl_sink *sink);
/* Adds how many matches that would be to the total. */
void trawl_chains_count(trawl_chains *chains, const trawl_outputs *outputs,
                        const trawl_pattern_view *patterns, const trawl_window *window,
                        size_t begin, const trawl_ending_event *events, size_t count,
                        trawl_counts *counts);
void trawl_chains_release(trawl_chains *chains);

#endif
