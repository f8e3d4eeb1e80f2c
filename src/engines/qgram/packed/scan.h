/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Packed tiers of the q-gram engine (engines/qgram/packed/format.h) at work on a block of text. */
#ifndef TRAWL_ENGINES_QGRAM_PACKED_SCAN_H
#define TRAWL_ENGINES_QGRAM_PACKED_SCAN_H

#include "base/cpu.h"
#include "engines/qgram/packed/format.h"
#include "engines/qgram/tier.h"

/* A block's letters are numbered from 64 letters in front of it, so that windows reach back. */
#define TRAWL_PACKED_LEAD 64u
#define TRAWL_PACKED_UNITS (1 + TRAWL_QGRAM_BLOCK / 64) /* of 64 letters, with the lead */
#define TRAWL_PACKED_PIECE 16u /* units that go through all steps at once */

typedef struct trawl_packed_block {
    _Alignas(64) uint8_t letters[TRAWL_PACKED_UNITS * 16 + 64]; /* and zeros, for loads and ends */
    uint64_t clean[TRAWL_PACKED_UNITS]; /* a bit for each byte that is a letter */
    uint64_t hits[TRAWL_PACKED_UNITS]; /* pairs: where the last letter of a window that passes is */
    uint32_t units;
    size_t begin; /* of the block in the window's text */
} trawl_packed_block;

/* Working on one block, compiled for each instruction set. Ends are positions of the window's text,
 * samples numbers of letters of the block. */
struct trawl_packed_loops {
    /* Packs text[begin .. end) and what stands before it; end - begin is at most a block. */
    void (*pack)(const trawl_packed_filter *filter, const uint8_t *text, size_t begin, size_t end,
                 trawl_packed_block *block);
    /* The same, and fills in hits; returns their number. */
    size_t (*pairs)(const trawl_packed_filter *filter, const uint8_t *text, size_t begin,
                    size_t end, trawl_packed_block *block);
    /* Notes the positions of all hits, `found` of them; that of the block's first byte is `base`.
     */
    void (*note)(const trawl_packed_block *block, size_t found, uint32_t base, uint32_t *noted);
    /* Notes the samples from, from + stride, ... before `past` that pass FILTER. */
    size_t (*samples)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                      size_t from, size_t past, uint32_t *noted);
    /* Notes which ends of the samples, or which ones of a list of ends, pass SECOND. The list may
     * be the one that is written. */
    size_t (*ends)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                   const uint32_t *samples, size_t count, uint32_t *noted);
    size_t (*tails)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                    const uint32_t *ends, size_t count, uint32_t *noted);
    /* The keys of exact tiers' hits. */
    void (*keys)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                 const uint32_t *ends, size_t count, trawl_ending_event *events);
    /* The matches of hits where each is one (`unit`), by the numbers of the letters that they begin
     * with; the block's letter 0 stands at `base` of the whole text. */
    void (*matches)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                    const uint32_t *firsts, size_t count, uint64_t base, trawl_match *matches);
};

/* Fills in walker->packed. */
void trawl_packed_open(const trawl_db *db, uint32_t part, trawl_cpu_set set,
                       trawl_tier_walker *walker);

/* trawl_tier_events and trawl_tier_count for packed tiers. */
void trawl_packed_events(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                         size_t end, const trawl_qgram_lists *lists);

/* Where the tier is the only one and walker->packed.unit: reports the matches without events. */
trawl_status trawl_packed_report(trawl_tier_walker *walker, const trawl_window *window,
                                 size_t begin, size_t end, const trawl_qgram_lists *lists,
                                 trawl_sink *sink);
void trawl_packed_count(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                        size_t end, const trawl_qgram_lists *lists, trawl_counts *counts);

#endif
