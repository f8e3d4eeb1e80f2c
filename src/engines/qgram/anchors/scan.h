/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Scanning with free anchors (engines/qgram/anchors/format.h), one block of text at a time:
 *
 *   samples -> candidates -> with a tag -> with an equal value -> keys, sorted by their ends
 *      sample filter     tags          buckets              whole keys
 */
#ifndef TRAWL_ENGINES_QGRAM_ANCHORS_SCAN_H
#define TRAWL_ENGINES_QGRAM_ANCHORS_SCAN_H

#include "base/cpu.h"
#include "engines/qgram/anchors/format.h"
#include "engines/qgram/bloom/scan.h"

/* The tables of a tier. */
typedef struct trawl_anchors_view {
    const uint16_t *tags;
    const trawl_anchors_bucket *buckets;
    const trawl_anchors_entry *further;
    uint64_t multiplier, case_bits;
    uint32_t behind; /* trawl_anchors_behind */
    uint32_t tag_bits;
    uint32_t count; /* of buckets */
    uint32_t reach; /* trawl_anchors_header */
} trawl_anchors_view;

trawl_anchors_view trawl_anchors_view_of(const trawl_db *db, uint32_t part,
                                         const trawl_qgram_tier *tier);

/* The steps from candidates to buckets, compiled for each instruction set. Eight bytes before each
 * sample and eight from it on can be read. */
typedef struct trawl_anchors_loops {
    /* Keeps the samples that have a tag, in `samples`, and writes the bucket of each to
     * `buckets`. */
    size_t (*keep_tags)(const trawl_anchors_view *view, const uint8_t *text, uint32_t *samples,
                        size_t count, uint32_t *buckets);
    /* Keeps the samples whose bucket has an entry with an equal value, further entries with their
     * neighbours, or is crowded. */
    size_t (*keep_values)(const trawl_anchors_view *view, const uint8_t *text, uint32_t *samples,
                          size_t count, uint32_t *buckets);
} trawl_anchors_loops;

const trawl_anchors_loops *trawl_anchors_loops_for(trawl_cpu_set set);

/* Lists in lists->ends the ends in (begin, end] of a window at which a key of the tier ends, or may
 * end, ascending, and in lists->keys the longest key of each; TRAWL_NO_KEY where it is to be looked
 * up. Returns their number, and adds to *compared the samples that were compared with buckets. */
size_t trawl_anchors_find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                               size_t end, const trawl_qgram_lists *lists, uint64_t *compared);

#endif
