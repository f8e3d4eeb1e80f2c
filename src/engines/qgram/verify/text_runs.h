/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Runs of one byte in the text, and which ends in and behind them may be those of a key
 * (engines/qgram/verify/runs.h). */
#ifndef TRAWL_ENGINES_QGRAM_VERIFY_TEXT_RUNS_H
#define TRAWL_ENGINES_QGRAM_VERIFY_TEXT_RUNS_H

#include "engines/qgram/bloom/scan.h"
#include "engines/qgram/verify/runs.h"

/* The run of one byte that was found last, text[begin .. past). Samples and ends are in ascending
 * order, so the next one is mostly in the same run. */
struct trawl_qgram_run {
    size_t text_length; /* of the window */
    size_t begin, past;
    uint8_t byte;
};

/* text[begin .. end) is a run of `byte`: finds the whole run that it is part of. */
void trawl_qgram_find_run(trawl_qgram_run *run, const uint8_t *text, size_t begin, size_t end,
                          uint8_t byte);

/* text[begin .. end) is a run of `byte`. Returns a bit for each of the ends end, end + 1, ... end +
 * 63: whether a key may end there, by the run lengths of keys. Ends behind the run are allowed. */
static inline uint64_t trawl_qgram_ends_after_run(const trawl_qgram_filter *filter,
                                                  trawl_qgram_run *run, const uint8_t *text,
                                                  size_t begin, size_t end, uint8_t byte) {
    if (run->byte != byte || end <= run->begin || end > run->past) {
        trawl_qgram_find_run(run, text, begin, end, byte);
    }
    size_t further = run->past - end;
    uint64_t beyond = further < 63 ? ~UINT64_C(0) << (further + 1) : 0;
    return trawl_qgram_runs_fit(filter->runs, byte, end - run->begin) | beyond;
}

/* The same for a run that may be short; the eight bytes before `end` can be read. If less than
 * eight bytes before and behind `end` are equal, the run is measured by comparing words: short runs
 * change too often for loops over their bytes. */
static inline uint64_t trawl_qgram_ends_after_short_run(const trawl_qgram_filter *filter,
                                                        trawl_qgram_run *run, const uint8_t *text,
                                                        size_t begin, size_t end, uint8_t byte) {
    uint64_t before, behind = 0, same = byte * UINT64_C(0x0101010101010101);
    memcpy(&before, text + end - 8, sizeof before);
    before ^= same;
    if (end + 8 <= run->text_length) {
        memcpy(&behind, text + end, sizeof behind);
        behind ^= same;
    }
    if (before == 0 || behind == 0) {
        return trawl_qgram_ends_after_run(filter, run, text, begin, end, byte);
    }
    uint32_t length = (uint32_t)__builtin_ctzll(__builtin_bswap64(before)) / 8;
    uint32_t further = (uint32_t)__builtin_ctzll(behind) / 8;
    return filter->runs[byte] >> length | ~UINT64_C(1) << further;
}

/* All samples of a group of TRAWL_QGRAM_GROUP are candidates; the first of them is at `sample`.
 * Returns whether they lie in one long run of one byte in which no key can end. */
bool trawl_qgram_run_excludes_group(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                    const trawl_qgram_grid *grid, size_t sample);

/* All of 32 samples are candidates; the first of them is at `sample`. Returns a mask of those that
 * are left when groups in such runs are dropped; the first sample is the highest bit. */
uint32_t trawl_qgram_drop_groups_in_runs(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                         const trawl_qgram_grid *grid, size_t sample);

/* Whether a key may end at `end` by the bytes before the run, which the suffix filter has. The run
 * is the one that was found last, and has at least TRAWL_QGRAM_SHORT_RUN bytes before `end`. */
bool trawl_qgram_run_start_fits(const trawl_qgram_filter *filter, const trawl_qgram_run *run,
                                const uint8_t *text, size_t end);

#endif
