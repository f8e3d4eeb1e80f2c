/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/verify/text_runs.h"

#include "engines/qgram/verify/suffix_filter.h"

/* The bits in which eight bytes of the text differ from eight times `byte`; the first byte is the
 * lowest one. */
static inline uint64_t difference(const uint8_t *text, uint8_t byte) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word ^ byte * UINT64_C(0x0101010101010101);
}

/* The first of the bytes before text[end] that are all `byte`. */
static size_t begin_of_run(const uint8_t *text, size_t end, uint8_t byte) {
    for (; end >= 8; end -= 8) {
        uint64_t different = difference(text + end - 8, byte);
        if (different != 0) {
            return end - trawl_leading_zeros(different) / 8;
        }
    }
    while (end != 0 && text[end - 1] == byte) {
        end--;
    }
    return end;
}

/* Behind the bytes from text[begin] on that are all `byte`. */
static size_t past_run(const uint8_t *text, size_t begin, size_t length, uint8_t byte) {
    for (; length - begin >= 8; begin += 8) {
        uint64_t different = difference(text + begin, byte);
        if (different != 0) {
            return begin + (size_t)__builtin_ctzll(different) / 8;
        }
    }
    while (begin != length && text[begin] == byte) {
        begin++;
    }
    return begin;
}

void trawl_qgram_find_run(trawl_qgram_run *run, const uint8_t *text, size_t begin, size_t end,
                          uint8_t byte) {
    *run = (trawl_qgram_run){.text_length = run->text_length,
                             .begin = begin_of_run(text, begin, byte),
                             .past = past_run(text, end, run->text_length, byte),
                             .byte = byte};
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
