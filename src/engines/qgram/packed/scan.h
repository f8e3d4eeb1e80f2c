/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scanning with the packed filter (engines/qgram/packed/format.h), one block of text at a time. */
#ifndef TRAWL_ENGINES_QGRAM_PACKED_SCAN_H
#define TRAWL_ENGINES_QGRAM_PACKED_SCAN_H

#include "base/cpu.h"
#include "constants/cpu.h"
#include "engines/qgram/packed/format.h"
#include "scan/candidates.h"

typedef struct trawl_tier_walker trawl_tier_walker; /* engines/qgram/tier.h */
typedef struct trawl_qgram_lists trawl_qgram_lists;

/* What the loops need to know of a tier. */
typedef struct trawl_packed_filter {
    trawl_packed_letters letters;
    uint32_t gram, stride, look_up_letters;
    const uint8_t *pairs; /* the table of a tier by pairs */
    const uint32_t *rows; /* or of a tier by samples */
    uint64_t multiplier;
    uint32_t row_shift; /* 64 - row_bits */
    uint32_t suffix_filter_bits;
    const uint32_t *suffix_filter;
    uint64_t suffix_multiplier;
    const uint64_t *number_bits; /* exact tiers: see trawl_packed_rank; else NULL */
    const uint32_t *number_before;
    const uint32_t *number_ids; /* one_match: the pattern of each key */
    bool one_match;             /* see trawl_packed_header */
    uint8_t code[256];          /* trawl_packed_code of every byte */
} trawl_packed_filter;

/* State of a walker that writes records of frequent matches (engines/qgram/packed/dense.h). */
typedef struct trawl_packed_dense {
    bool wanted;    /* the tier and the processor allow it, and there was memory */
    uint64_t found; /* matches so far, counted until the table is made */
    uint32_t *ids;  /* the pattern of each number; NULL: not made */
} trawl_packed_dense;

/* Letters of a block, in units of 64. They are numbered from 64 letters before the block on, since
 * windows may begin there:
 *
 *   unit     0               1               2        ...
 *   letters  0 ........ 63   64 ....... 127  128 ...
 *            before block    block
 */
#define TRAWL_PACKED_LETTERS_BEFORE 64u
#define TRAWL_PACKED_UNITS (1 + TRAWL_QGRAM_BLOCK / 64)
#define TRAWL_PACKED_BATCH_UNITS 16u /* packed before they are tested; chosen, not measured */

typedef struct trawl_packed_block {
    _Alignas(64) uint8_t letters[TRAWL_PACKED_UNITS * 16 + 64]; /* and zeros, for loads and ends */
    uint64_t is_letter[TRAWL_PACKED_UNITS]; /* bit i of a unit: its byte i is a letter */
    uint64_t hits[TRAWL_PACKED_UNITS];      /* by pairs, bit i of a unit: candidate */
    uint32_t units;
    size_t begin; /* of the block in the window's text */
} trawl_packed_block;

/* The loops over a block, compiled for each instruction set. Ends are positions in the window's
 * text, samples are numbers of letters of the block. */
typedef struct trawl_packed_loops {
    /* Packs text[begin .. end) and the letters before it; end - begin is at most a block. */
    void (*pack)(const trawl_packed_filter *filter, const uint8_t *text, size_t begin, size_t end,
                 trawl_packed_block *block);
    /* Does the same and filters by pairs: sets block->hits, and returns their number. */
    size_t (*filter_pairs)(const trawl_packed_filter *filter, const uint8_t *text, size_t begin,
                           size_t end, trawl_packed_block *block);
    /* Lists the positions of all hits, `found` of them; `base` is the position of the block's first
     * byte. */
    void (*list_hits)(const trawl_packed_block *block, size_t found, uint32_t base, uint32_t *list);
    /* Lists those of the samples from, from + stride, ... before `past` that are candidates. */
    size_t (*filter_samples)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                             size_t from, size_t past, uint32_t *list);
    /* Lists those ends of the samples that are in the suffix filter. */
    size_t (*find_ends)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                        const uint32_t *samples, size_t count, uint32_t *list);
    /* Lists those of the ends that are in the suffix filter; `list` may be `ends`. */
    size_t (*keep_ends)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                        const uint32_t *ends, size_t count, uint32_t *list);
    /* Finds the keys of the hits of exact tiers; `ends` are those of the hits. */
    void (*find_keys)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                      const uint32_t *ends, size_t count, trawl_ending_event *events);
    /* Writes the matches of hits, each of which is one match. `firsts` are the numbers of their
     * first letters; the block's letter 0 is at offset `base` of the whole text. */
    void (*write_matches)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                          const uint32_t *firsts, size_t count, uint64_t base,
                          trawl_match *matches);
} trawl_packed_loops;

/* Completes the walker of a packed tier. */
void trawl_packed_open(const trawl_db *db, uint32_t part, trawl_cpu_set set,
                       trawl_tier_walker *walker);

/* trawl_tier_events and trawl_tier_count for packed tiers. */
void trawl_packed_events(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                         size_t end, const trawl_qgram_lists *lists);

/* Reports matches without making events. The tier must be the only one, with
 * walker->packed.one_match. */
trawl_status trawl_packed_report(trawl_tier_walker *walker, const trawl_window *window,
                                 size_t begin, size_t end, const trawl_qgram_lists *lists,
                                 trawl_sink *sink);
void trawl_packed_count(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                        size_t end, const trawl_qgram_lists *lists, trawl_counts *counts);

#endif
