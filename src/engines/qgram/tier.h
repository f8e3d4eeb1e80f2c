/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Scanning with one tier of the q-gram engine (engines/qgram/format.h), one block of text at a
 * time: filter, verify, look up keys.
 */
#ifndef TRAWL_ENGINES_QGRAM_TIER_H
#define TRAWL_ENGINES_QGRAM_TIER_H

#include "base/cpu.h"
#include "constants/cpu.h"
#include "engines/qgram/anchors/scan.h"
#include "engines/qgram/bloom/scan.h"
#include "engines/qgram/packed/scan.h"
#include "engines/qgram/registers/scan.h"
#include "engines/qgram/sparse/scan.h"
#include "engines/qgram/teddy/scan.h"
#include "engines/qgram/verify/prefix_signatures.h"
#include "engines/qgram/verify/text_runs.h"

/* Lists of one walker, shared by its tiers. A list has at most one end for each byte of the block,
 * and besides
 * - ends that belong to samples before the block: 3 bytes in packed tiers; and in tiers of anchors
 *   these samples, TRAWL_ANCHORS_REACH at most;
 * - ends behind the block, of the last sample: a stride;
 * - entries that loops without branches write and do not keep: 8. */
#define TRAWL_QGRAM_LIST_MORE (TRAWL_QGRAM_MAX_STRIDE + TRAWL_ANCHORS_REACH + TRAWL_QGRAM_GROUP)

/* Bytes of the smallest block, for short texts. Blocks are powers of two up to TRAWL_QGRAM_BLOCK.
 * Chosen, not measured. */
#define TRAWL_QGRAM_SMALLEST_BLOCK ((size_t)1024)

struct trawl_qgram_lists {
    size_t block;      /* bytes of the longest block for which there is room; 0: none */
    size_t size;       /* block + TRAWL_QGRAM_LIST_MORE: entries of most lists */
    uint64_t *words;   /* size / 32 + 1: one for 32 samples (bloom/template.h) */
    uint32_t *samples; /* candidates */
    uint32_t *ends;    /* 2 * size: before they are sorted an end may be there twice */
    uint32_t *possible_ends;
    uint32_t *keys; /* of the ends, where the comparison with keys found them */
};

/* Verifies candidates of filters in vector registers (engines/qgram/verify/compare_keys.h). */
typedef size_t (*trawl_compare_keys)(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                                     const trawl_qgram_lists *lists, size_t from);

struct trawl_tier_walker {
    const trawl_qgram_tier *tier;
    bool first; /* this is the first of the database's tiers */
    const trawl_qgram_loops *loops;
    trawl_qgram_filter filter;
    trawl_anchors_view anchors;
    const trawl_anchors_loops *anchors_loops;
    trawl_sparse_view sparse;
    trawl_teddy_search teddy;
    const trawl_teddy *teddy_filter; /* NULL: none */
    uint32_t reach;                  /* bytes before an end that Teddy reads */
    trawl_register_bloom_search register_bloom;
    trawl_register_bloom_view register_bloom_view;
    trawl_compare_keys compare_keys;
    const trawl_packed_loops *packed_loops;
    trawl_packed_filter packed;
    trawl_packed_dense dense_packed;
    const uint32_t *heads; /* of key look-up: HASH and RANGES */
    const trawl_ending_range *ranges;
    const trawl_prefix_signature *prefix_signatures; /* teddy and registers only */
    const trawl_long_prefix_signature *long_prefix_signatures;
    trawl_qgram_run run;
    trawl_endings_search search;
    bool dense; /* the last block had so many candidates that branches on them are mispredicted */
    trawl_ending_event *events; /* of a block, from the window's beginning; NULL until needed */
    size_t event_count;
    size_t next;       /* the first event that has not been reported */
    uint64_t look_ups; /* ends that were looked up so far */
    uint64_t passed;   /* samples and positions that the filter let pass so far, looked up or not;
                          filters of pairs of bytes without Teddy do not count them apart */
};

void trawl_tier_open(const trawl_db *db, uint32_t part, trawl_cpu_set set,
                     trawl_tier_walker *walker);
void trawl_tier_close(trawl_tier_walker *walker);

/* Finds the ends in (begin, end] of a window at which a key of the tier ends, and writes them with
 * the longest key of each to walker->events, ascending. The range is at most a block. */
void trawl_tier_events(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                       size_t end, const trawl_qgram_lists *lists);

/* Counts the matches of the tier that end in (begin, end]. */
void trawl_tier_count(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                      size_t end, const trawl_qgram_lists *lists, trawl_counts *counts);

#endif
