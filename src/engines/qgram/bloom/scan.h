/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Scanning with a sample filter (engines/qgram/format.h), on one block of text at a time.
 *
 * Each step writes a shorter list than the one before. It has no branch on whether a sample is a
 * candidate, as such a branch would often be mispredicted:
 *
 *   samples of the grid -> candidates -> possible ends -> ends to look up
 *          sample filter    end offsets     suffix filter, run lengths
 */
#ifndef TRAWL_ENGINES_QGRAM_BLOOM_SCAN_H
#define TRAWL_ENGINES_QGRAM_BLOOM_SCAN_H

#include "base/cpu.h"
#include "engines/qgram/format.h"
#include "scan/candidates.h"

/* Candidates whose end offsets are read before any is examined (bloom/loops.c). */
#define TRAWL_QGRAM_AT_ONCE 64

/* Where samples are taken: at text + from, + stride, ... */
typedef struct trawl_qgram_grid {
    const uint8_t *text;
    size_t from;
    size_t stride;
    bool prefetch; /* this is the first tier to read the block: prefetch the text */
} trawl_qgram_grid;

/* What the loops over samples need to know of a tier. */
typedef struct trawl_qgram_filter {
    const uint32_t *rows; /* of the sample filter; direct tiers: the table of pairs */
    uint64_t multiplier;
    uint64_t case_bits;
    trawl_qgram_sample_fold fold; /* of samples whose rows are products */
    uint32_t shift;               /* 64 - row_bits */
    uint32_t fields;              /* 0: rows by products; else see trawl_qgram_field */
    uint64_t row_mask;            /* the bits of a sample's number that are its row, with fields */
    uint32_t gram;
    const uint32_t *suffix_filter;
    const uint32_t *end_offsets; /* bloom tiers only */
    uint32_t stride;
    const uint64_t *runs;  /* engines/qgram/verify/runs.h; NULL: the tier has none */
    uint64_t look_up_mask; /* of the last look_up_bytes of a word */
    uint32_t suffix_filter_bits;
    uint32_t end_offsets_bits;
    trawl_qgram_suffixes suffixes; /* of the suffix filter */
    uint32_t bytes_before_end;     /* that tests of an end read: the longest suffix, at least 8 */
} trawl_qgram_filter;

typedef struct trawl_qgram_run trawl_qgram_run; /* engines/qgram/verify/text_runs.h */

/* The loops over samples, compiled for each instruction set. Eight bytes are read from each sample
 * on, and the last eight of a sample that is longer; all of them must be inside the text. Lists are
 * written in ascending order; functions return how many entries they wrote. */
typedef struct trawl_qgram_loops {
    /* Lists those of `count` samples that are candidates; `words` is working memory
     * (trawl_qgram_lists). */
    size_t (*filter_samples)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                             const trawl_qgram_grid *grid, size_t count, uint64_t *words,
                             uint32_t *list);
    /* The same for `count` samples of at most eight bytes at the text's end, the first at `from`,
     * from which no eight bytes can be read. `rest`: the bytes from there on, and zeros. */
    size_t (*filter_last)(const trawl_qgram_filter *filter, uint64_t rest, size_t from,
                          size_t count, uint32_t *list);
    /* Lists those of the ends sample + gram + 0 .. stride - 1 of candidates that end offsets,
     * suffix filter and run lengths do not exclude; all are at least filter->bytes_before_end. */
    size_t (*find_ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                        const trawl_qgram_grid *grid, const uint32_t *samples, size_t count,
                        uint32_t *possible_ends, uint32_t *list);
    /* Lists the ends begin + 1 .. end at which the table of pairs has a key; begin is at least
     * 1. */
    size_t (*filter_pairs)(const uint32_t *pairs, const uint8_t *text, size_t begin, size_t end,
                           uint32_t *list);
} trawl_qgram_loops;

/* The loops for a tier with an instruction set. */
const trawl_qgram_loops *trawl_qgram_loops_for(trawl_cpu_set set, const trawl_qgram_tier *tier);

typedef struct trawl_tier_walker trawl_tier_walker; /* engines/qgram/tier.h */
typedef struct trawl_qgram_lists trawl_qgram_lists;

/* Lists in lists->samples the candidates among those samples of the grid that end at `end` or
 * before; returns their number. The first sample ends there or before. */
size_t trawl_bloom_list_samples(trawl_tier_walker *walker, const trawl_window *window,
                                const trawl_qgram_grid *grid, size_t end,
                                const trawl_qgram_lists *lists);

/* Lists in lists->ends the ends in (begin, end] of a window that are to be looked up, ascending;
 * returns their number. At most a block. */
size_t trawl_bloom_find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                             size_t end, const trawl_qgram_lists *lists);

#endif
