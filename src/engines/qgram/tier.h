/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * One tier of the q-gram engine at work (engines/qgram/format.h), on one block of text at a time.
 *
 * A tier answers in steps, each of which writes a shorter list than the one before without a branch
 * on what it finds: words of samples of which one passes FILTER, samples, ends that pass SECOND,
 * ends of keys. A branch for every sample would be mispredicted too often to be worth it.
 */
#ifndef TRAWL_ENGINES_QGRAM_TIER_H
#define TRAWL_ENGINES_QGRAM_TIER_H

#include "base/cpu.h"
#include "engines/qgram/packed/format.h"
#include "engines/qgram/registers/scan.h"
#include "engines/qgram/teddy/scan.h"
#include "engines/qgram/verify/prefix_signatures.h"
#include "engines/qgram/verify/runs.h"
#include "scan/candidates.h"

#define TRAWL_QGRAM_BLOCK ((size_t)16384) /* bytes of text */
#define TRAWL_QGRAM_GROUP 8u              /* samples */

/* Where samples are taken: at text + from, + stride, ... */
typedef struct trawl_qgram_grid {
    const uint8_t *text;
    size_t from;
    size_t stride;
    bool ahead; /* text is to be asked for: no other tier has read the block */
} trawl_qgram_grid;

/* What the loops over samples need of a tier. */
typedef struct trawl_qgram_filter {
    const uint32_t *rows;
    uint64_t multiplier;
    uint64_t case_bits;
    uint32_t shift;    /* 64 - row_bits */
    uint32_t fields;   /* 0: rows by products; else see trawl_qgram_field */
    uint64_t row_mask; /* the bits of a number that say its row, with fields */
    uint32_t gram;
    const uint32_t *second;
    const uint32_t *marks; /* hashed tiers only */
    uint32_t ends;         /* that a sample may lead to: stride + the tier's anchor_slack */
    const uint64_t *runs;
    uint64_t tail_mask;
    uint32_t suffix_filter_bits;
    uint32_t mark_bits;
    trawl_qgram_suffixes suffixes; /* by which SECOND is asked */
    uint32_t anchor_slack;         /* the longest of them, at least 8: bytes read before an end */
} trawl_qgram_filter;

/* The run of one byte that was met last. Samples and ends come in ascending order: it goes on, as a
 * rule. */
typedef struct trawl_qgram_run {
    size_t length; /* of the window's text */
    size_t begin, past;
    uint8_t byte;
} trawl_qgram_run;

/* Finds out how far a run reaches to either side of text[begin .. end). */
void trawl_qgram_find_run(trawl_qgram_run *run, const uint8_t *text, size_t begin, size_t end,
                          uint8_t byte);

/* text[begin .. end) is a run of `byte`: which ends from `end` on may be one of
 * a key's, as far as the run tells, the next 64 as bits. */
static inline uint64_t trawl_qgram_run_ends(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                            const uint8_t *text, size_t begin, size_t end,
                                            uint8_t byte) {
    if (run->byte != byte || end <= run->begin || end > run->past) {
        trawl_qgram_find_run(run, text, begin, end, byte);
    }
    size_t further = run->past - end;
    uint64_t beyond = further < 63 ? ~UINT64_C(0) << (further + 1) : 0;
    return trawl_qgram_runs_fit(filter->runs, byte, end - run->begin) | beyond;
}

/* The same for a run that may be short; the eight bytes before `end` can be read. Short runs change
 * too often for loops that look for where they begin and end. */
static inline uint64_t trawl_qgram_short_run_ends(const trawl_qgram_filter *filter,
                                                  trawl_qgram_run *run, const uint8_t *text,
                                                  size_t begin, size_t end, uint8_t byte) {
    uint64_t before, behind = 0, same = byte * UINT64_C(0x0101010101010101);
    memcpy(&before, text + end - 8, sizeof before);
    before ^= same;
    if (end + 8 <= run->length) {
        memcpy(&behind, text + end, sizeof behind);
        behind ^= same;
    }
    if (before == 0 || behind == 0) {
        return trawl_qgram_run_ends(filter, run, text, begin, end, byte);
    }
    uint32_t ran = (uint32_t)__builtin_ctzll(__builtin_bswap64(before)) / 8;
    uint32_t further = (uint32_t)__builtin_ctzll(behind) / 8;
    return filter->runs[byte] >> ran | ~UINT64_C(1) << further;
}

/* All samples of a group pass, the first of which is at `sample`: whether they are in a long run at
 * whose ends there is none of a key's. */
bool trawl_qgram_group_is_barren(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                 const trawl_qgram_grid *grid, size_t sample);

/* All of 32 samples pass, the first of which is at `sample`: those of them that are not barren, the
 * first one as the highest bit. */
uint32_t trawl_qgram_fertile(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                             const trawl_qgram_grid *grid, size_t sample);

/* Whether a key may end at `end`, behind the run that was found last, which has at least
 * TRAWL_QGRAM_SHORT_RUN bytes there: SECOND knows what stands before such runs. */
bool trawl_qgram_run_begins(const trawl_qgram_filter *filter, const trawl_qgram_run *run,
                            const uint8_t *text, size_t end);

/* What the loops of packed tiers need of one (engines/qgram/packed/scan.h). */
typedef struct trawl_packed_filter {
    trawl_packed_letters letters;
    uint32_t gram, stride, tail;
    const uint8_t *pairs; /* FILTER, one way */
    const uint32_t *rows; /* or the other */
    uint64_t multiplier;
    uint32_t row_shift; /* 64 - row_bits */
    uint32_t suffix_filter_bits;
    const uint32_t *second;
    uint64_t second_multiplier;
    const uint64_t *number_bits; /* exact tiers: see trawl_packed_rank; else NULL */
    const uint32_t *number_before;
    const uint32_t *number_ids; /* unit: the pattern of each key */
    bool unit;                  /* exact, and a position that passes is one match */
    uint8_t code[256];          /* trawl_packed_code of every byte */
} trawl_packed_filter;

typedef struct trawl_packed_loops trawl_packed_loops;

/* Of a walker that reports matches of a packed tier where they are frequent
 * (engines/qgram/packed/dense.h). */
typedef struct trawl_packed_dense {
    bool wanted;    /* the tier and the machine are fit for it, and there is memory */
    uint64_t found; /* matches before the table was made */
    uint32_t *ids;  /* the pattern of each number; NULL: not made */
} trawl_packed_dense;

/* The loops over samples, compiled for each instruction set. All reads of the samples (eight bytes
 * from each, and the last eight of each that is longer) must be inside the text. */
typedef struct trawl_qgram_loops {
    /* Notes those of `count` samples that pass; `words` is scratch (trawl_qgram_lists). */
    size_t (*samples)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                      const trawl_qgram_grid *grid, size_t count, uint64_t *words, uint32_t *noted);
    /* Notes which ends sample + gram + 0 .. stride - 1 of hashed samples MARKS, SECOND and RUNS let
     * pass; all are at least filter->anchor_slack. */
    size_t (*ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                   const trawl_qgram_grid *grid, const uint32_t *samples, size_t count,
                   uint32_t *candidates, uint32_t *noted);
    /* The same for ends sample + gram + 0 .. filter->ends - 1 of tiers with a anchor_slack, those
     * from `least` to `most` only, each once and ascending. Samples end at `most` at the latest and
     * have eight bytes of the text before their ends; `least` is at least filter->anchor_slack. */
    size_t (*far_ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                       const trawl_qgram_grid *grid, const uint32_t *samples, size_t count,
                       size_t least, size_t most, uint32_t *candidates, uint32_t *noted);
    /* Notes the ends begin + 1 .. end at which `direct` has a key; begin is at least 1. */
    size_t (*direct)(const uint32_t *direct, const uint8_t *text, size_t begin, size_t end,
                     uint32_t *noted);
} trawl_qgram_loops;

/* The loops that a set of instructions gets for a tier. */
const trawl_qgram_loops *trawl_qgram_loops_for(trawl_cpu_set set, const trawl_qgram_tier *tier);

/* Lists of one walker, shared by its tiers. An end belongs to one sample only, so that there are no
 * more ends than bytes of the block; but packed tiers take samples from up to 3 bytes before it,
 * tiers with a reach from further, the last sample's ends may reach a stride behind it, and loops
 * without branches write up to 8 entries for nothing. */
#define TRAWL_QGRAM_LIST                                                                           \
    (TRAWL_QGRAM_BLOCK + TRAWL_QGRAM_MAX_STRIDE + TRAWL_QGRAM_MOST_ANCHOR_SLACK + TRAWL_QGRAM_GROUP)

typedef struct trawl_qgram_lists {
    uint64_t *words;      /* one for 32 samples, and 1 */
    uint32_t *samples;    /* TRAWL_QGRAM_LIST */
    uint32_t *ends;       /* twice as many: some are there twice until they are in order */
    uint32_t *candidates; /* TRAWL_QGRAM_LIST */
    uint32_t *keys; /* TRAWL_QGRAM_LIST: of the ends, in tiers that know them (qgram_tails.h) */
} trawl_qgram_lists;

/* Of the positions lists->samples[0 .. count - 1], which are ascending, notes the ends behind those
 * that may be the last byte of a key from lists->ends[from] on, and for each in lists->keys the
 * longest key that ends there, or TRAWL_NO_KEY where that is to be looked up. The first end is at
 * least TRAWL_TEDDY_SUFFIX. Returns how many there are (engines/qgram/verify/last_bytes.h). */
typedef struct trawl_tier_walker trawl_tier_walker;
typedef size_t (*trawl_tier_tails)(trawl_tier_walker *walker, const uint8_t *text, size_t count,
                                   const trawl_qgram_lists *lists, size_t from);

struct trawl_tier_walker {
    const trawl_qgram_tier *tier;
    bool first; /* of the database's */
    const trawl_qgram_loops *loops;
    trawl_qgram_filter filter;
    trawl_teddy_search teddy;
    const trawl_teddy *teddy_filter; /* NULL: none */
    trawl_register_bloom_positions register_bloom;
    trawl_register_bloom_search register_bloom_search;
    trawl_tier_tails tails;
    const trawl_packed_loops *packed_loops;
    trawl_packed_filter packed;
    trawl_packed_dense dense_packed;
    const uint32_t *heads;
    const trawl_ending_range *ranges;
    const trawl_prefix_signature *leads; /* teddy, register_bloom */
    const trawl_long_prefix_signature *long_prefix_signatures;
    trawl_qgram_run run;
    trawl_endings_search search;
    bool dense;                 /* shuffle: so many pass that branches on it do not pay */
    trawl_ending_event *events; /* of a block, from the window's beginning; NULL until needed */
    size_t event_count;
    size_t next;        /* the first event that has not been reported */
    uint64_t looked_up; /* ends that were looked up so far: what the filter let through */
    uint64_t work;      /* of the last block, see TRAWL_QGRAM_LOOK_UP */
};

void trawl_tier_open(const trawl_db *db, uint32_t part, trawl_cpu_set set,
                     trawl_tier_walker *walker);
void trawl_tier_close(trawl_tier_walker *walker);

/* Finds the ends in (begin, end] of a window at which a key of the tier ends, and leaves them with
 * the longest key of each in walker->events, ascending. At most a block. */
void trawl_tier_events(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                       size_t end, const trawl_qgram_lists *lists);

/* Counts the matches of the tier that end in (begin, end]. */
void trawl_tier_count(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                      size_t end, const trawl_qgram_lists *lists, trawl_counts *counts);

#endif
