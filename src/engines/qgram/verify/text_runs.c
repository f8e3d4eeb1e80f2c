/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/verify/text_runs.h"

#include "engines/qgram/verify/suffix_filter.h"

void trawl_qgram_find_run(trawl_qgram_run *run, const uint8_t *text, size_t begin, size_t end,
                          uint8_t byte) {
    size_t past = end;
    while (begin != 0 && text[begin - 1] == byte) {
        begin--;
    }
    while (past != run->text_length && text[past] == byte) {
        past++;
    }
    *run = (trawl_qgram_run){
        .text_length = run->text_length, .begin = begin, .past = past, .byte = byte};
}

bool trawl_qgram_run_excludes_group(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                    const trawl_qgram_grid *grid, size_t sample) {
    size_t ends = (TRAWL_QGRAM_GROUP - 1) * grid->stride + filter->stride;
    size_t end = sample + filter->gram;
    uint8_t byte = grid->text[sample];
    for (size_t i = 1; i < filter->gram; i++) {
        if (grid->text[sample + i] != byte) {
            return false;
        }
    }
    uint64_t allowed = trawl_qgram_ends_after_run(filter, run, grid->text, sample, end, byte);
    return ends <= 64 && run->past - end >= ends && allowed << (64 - ends) == 0;
}

uint32_t trawl_qgram_drop_groups_in_runs(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                         const trawl_qgram_grid *grid, size_t sample) {
    uint32_t kept = 0;
    for (unsigned group = 0; group < 32; group += TRAWL_QGRAM_GROUP) {
        bool excluded =
            trawl_qgram_run_excludes_group(filter, run, grid, sample + group * grid->stride);
        kept = kept << TRAWL_QGRAM_GROUP | (excluded ? 0 : (UINT32_C(1) << TRAWL_QGRAM_GROUP) - 1);
    }
    return kept;
}

bool trawl_qgram_run_start_fits(const trawl_qgram_filter *filter, const trawl_qgram_run *run,
                                const uint8_t *text, size_t end) {
    uint64_t length = end - run->begin;
    if (run->begin < TRAWL_QGRAM_BYTES_BEFORE_RUN ||
        trawl_qgram_run_is_key(filter->runs, run->byte, length)) {
        return true;
    }
    uint64_t before =
        trawl_qgram_fold(trawl_ending_load(text, run->begin, false), filter->case_bits);
    uint64_t four = trawl_qgram_run_number(before, TRAWL_QGRAM_BYTES_BEFORE_RUN, length);
    uint64_t one = trawl_qgram_run_number(before, 1, length);
    return trawl_suffix_filter_has(filter, four, TRAWL_SUFFIX_RUN) ||
           trawl_suffix_filter_has(filter, one, TRAWL_SUFFIX_RUN);
}
