/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/bloom/scan.h"

#include "engines/qgram/tier.h"
#include "engines/qgram/verify/suffix_filter.h"
#include "engines/qgram/verify/text_runs.h"

/* ------------------------------------------------------------------ samples */

/* Filters samples so near the text's end that eight bytes cannot be read from them: on a copy that
 * has zeros behind. */
static size_t filter_last_samples(const trawl_tier_walker *walker, const trawl_window *window,
                                  size_t from, size_t count, uint32_t *list) {
    uint8_t bytes[TRAWL_QGRAM_MAX_GRAM + 8];
    const trawl_qgram_filter *filter = &walker->filter;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t position = from + i * walker->tier->stride;
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, window->text + position, filter->gram);
        trawl_qgram_grid grid = {.text = bytes, .stride = 1};
        list[found] = (uint32_t)position;
        uint64_t word;
        uint32_t ignored;
        found += walker->loops->filter_samples(filter, NULL, &grid, 1, &word, &ignored);
    }
    return found;
}

size_t trawl_bloom_list_samples(trawl_tier_walker *walker, const trawl_window *window,
                                const trawl_qgram_grid *grid, size_t end,
                                const trawl_qgram_lists *lists) {
    const trawl_qgram_filter *filter = &walker->filter;
    size_t samples = (end - filter->gram - grid->from) / grid->stride + 1;
    size_t safe = 0; /* samples from which eight bytes can be read */
    if (window->length >= grid->from + 8) {
        safe = (window->length - 8 - grid->from) / grid->stride + 1;
        safe = safe < samples ? safe : samples;
    }
    size_t found = walker->loops->filter_samples(filter, &walker->run, grid, safe, lists->words,
                                                 lists->samples);
    return found + filter_last_samples(walker, window, grid->from + safe * grid->stride,
                                       samples - safe, lists->samples + found);
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
