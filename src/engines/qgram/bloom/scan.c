/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/bloom/scan.h"

#include "engines/qgram/tier.h"
#include "engines/qgram/verify/suffix_filter.h"
#include "engines/qgram/verify/text_runs.h"

/* ------------------------------------------------------------------ samples */

/* The bytes from `position` on, of which fewer than eight are left, and zeros. */
static uint64_t last_bytes(const trawl_window *window, size_t position) {
    size_t left = window->length - position;
    uint64_t bytes = 0;
    if (window->length < sizeof bytes) {
        memcpy(&bytes, window->text + position, left);
        return bytes;
    }
    memcpy(&bytes, window->text + window->length - sizeof bytes, sizeof bytes);
    return bytes >> 8 * (sizeof bytes - left);
}

size_t trawl_bloom_list_samples(trawl_tier_walker *walker, const trawl_window *window,
                                const trawl_qgram_grid *grid, size_t end,
                                const trawl_qgram_lists *lists) {
    const trawl_qgram_filter *filter = &walker->filter;
    /* Not negative: the first sample ends at `end` or before it. The division is of 32 bits, as
     * windows are short enough: wider divisions take longer than short texts do. */
    size_t samples = (uint32_t)(end - filter->gram - grid->from) / (uint32_t)grid->stride + 1;
    size_t safe = samples, last = grid->from + (samples - 1) * grid->stride;
    for (; safe != 0 && last + 8 > window->length; safe--) { /* eight bytes cannot be read there */
        last -= grid->stride;
    }
    size_t found = safe == 0 ? 0
                             : walker->loops->filter_samples(filter, &walker->run, grid, safe,
                                                             lists->words, lists->samples);
    if (safe != samples) {
        size_t from = grid->from + safe * grid->stride;
        found += walker->loops->filter_last(filter, last_bytes(window, from), from, samples - safe,
                                            lists->samples + found);
    }
    walker->passed += found;
    return found;
}

/* ------------------------------------------------------------------ ends */

/* Lists the ends of one candidate, those from `least` to `most` only. */
static size_t find_ends_of_sample(const trawl_tier_walker *walker, const trawl_window *window,
                                  uint32_t sample, size_t least, size_t most, uint32_t *list) {
    size_t found = 0;
    size_t past = sample + walker->filter.gram + walker->tier->stride;
    for (size_t end = sample + walker->filter.gram; end < past; end++) {
        if (end >= least && end <= most) {
            list[found] = (uint32_t)end;
            found += trawl_suffix_filter_has_end(&walker->filter, window->text, end);
        }
    }
    return found;
}

/* Tiers whose windows are the last bytes of patterns. The first sample is the q bytes before the
 * first end:
 *
 *   ends of the block        [first_end ............ end]
 *   samples             [gram]<- stride ->[gram] ...
 */
static size_t find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t first_end,
                        size_t end, const trawl_qgram_lists *lists) {
    const trawl_qgram_filter *filter = &walker->filter;
    const trawl_qgram_loops *loops = walker->loops;
    size_t stride = walker->tier->stride, gram = filter->gram;
    if (first_end > end) {
        return 0;
    }
    trawl_qgram_grid grid = {.text = window->text,
                             .from = first_end - gram,
                             .stride = stride,
                             .prefetch = walker->first};
    size_t found = trawl_bloom_list_samples(walker, window, &grid, end, lists);
    if (found == 0) {
        return 0;
    }
    /* The loops read bytes_before_end bytes before an end and know no last end. So samples at the
     * text's beginning, and the last sample if its ends go beyond `end`, are taken one by one. */
    const uint32_t *list = lists->samples;
    size_t ends = 0;
    while (found != 0 && list[0] + gram < filter->bytes_before_end) {
        ends += find_ends_of_sample(walker, window, list[0], first_end, end, lists->ends + ends);
        list++;
        found--;
    }
    bool last = false;
    uint32_t last_sample = 0;
    if (found != 0 && list[found - 1] + gram + stride - 1 > end) {
        last = true;
        last_sample = list[--found];
    }
    ends += loops->find_ends(filter, &walker->run, &grid, list, found, lists->possible_ends,
                             lists->ends + ends);
    if (last) {
        ends +=
            find_ends_of_sample(walker, window, last_sample, first_end, end, lists->ends + ends);
    }
    return ends;
}

size_t trawl_bloom_find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                             size_t end, const trawl_qgram_lists *lists) {
    size_t window_bytes = walker->tier->window;
    size_t first_end = begin + 1 < window_bytes ? window_bytes : begin + 1;
    return find_ends(walker, window, first_end, end, lists);
}
