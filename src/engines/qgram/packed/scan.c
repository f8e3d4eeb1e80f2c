/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/packed/scan.h"

#include "engines/qgram/packed/dense.h"
#include "engines/qgram/packed/vectors.h"

/* How far ahead text is asked for: hardware stops at the end of a page. */
#define AHEAD 4096

/* ------------------------------------------------------------------ loops */

#define LOOPS loops_scalar
#define NAME(base) base##_scalar
#define TARGET
#include "engines/qgram/packed/template.h"

#if TRAWL_HAVE_X86
#define LOOPS loops_avx2
#define NAME(base) base##_avx2
#define TARGET TRAWL_TARGET_AVX2
#include "engines/qgram/packed/template.h"

#define LOOPS loops_avx512
#define NAME(base) base##_avx512
#define TARGET TRAWL_TARGET_AVX512
#include "engines/qgram/packed/template.h"
#endif

#if TRAWL_HAVE_NEON
#define LOOPS loops_neon
#define NAME(base) base##_neon
#define TARGET
#include "engines/qgram/packed/template.h"
#endif

static const trawl_packed_loops *choose_loops(trawl_cpu_set set) {
    switch (set) {
#if TRAWL_HAVE_X86
    case TRAWL_CPU_AVX2:
        return &loops_avx2;
    case TRAWL_CPU_AVX512:
    case TRAWL_CPU_AVX512_VBMI:
        return &loops_avx512;
#endif
#if TRAWL_HAVE_NEON
    case TRAWL_CPU_NEON:
        return &loops_neon;
#endif
    default:
        return &loops_scalar;
    }
}

void trawl_packed_open(const trawl_db *db, uint32_t part, trawl_cpu_set set,
                       trawl_tier_walker *walker) {
    const trawl_qgram_tier *tier = walker->tier;
    trawl_packed_filter *filter = &walker->packed;
    const trawl_packed_header *header =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, NULL);
    const void *second = trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, NULL);
    *filter =
        (trawl_packed_filter){.letters = header->letters,
                              .gram = tier->gram,
                              .stride = tier->stride,
                              .tail = tier->tail,
                              .pairs = (const uint8_t *)(header + 1),
                              .rows = (const uint32_t *)(header + 1),
                              .multiplier = trawl_packed_multiplier(tier->gram, tier->row_bits),
                              .row_shift = 64 - tier->row_bits,
                              .second = second,
                              .second_multiplier = trawl_packed_second_multiplier(tier->tail),
                              .suffix_filter_bits = tier->suffix_filter_bits,
                              .unit = header->unit != 0};
    if (trawl_packed_exact(tier)) {
        filter->number_bits = second;
        filter->number_before =
            (const uint32_t *)(filter->number_bits + trawl_packed_words(tier->gram));
        filter->number_ids = walker->search.view.outputs.ids;
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        filter->code[byte] = trawl_packed_code(&header->letters, (uint8_t)byte);
    }
    walker->packed_loops = choose_loops(set);
    walker->dense_packed.wanted = trawl_packed_may_be_dense(filter, set);
}

/* ------------------------------------------------------------------ candidates */

/* Samples of which a byte is no letter pass by chance only: an N for which the text has a million
 * in a row must not be a match of the filter a million times. */
static size_t drop_unclean(const trawl_packed_block *block, uint32_t gram, uint32_t *samples,
                           size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        size_t unit = samples[i] / 64, bit = samples[i] % 64;
        uint64_t clean = block->clean[unit] >> bit;
        if (bit + gram > 64 && unit + 1 < block->units) {
            clean |= block->clean[unit + 1] << (64 - bit);
        }
        uint64_t wanted = (UINT64_C(1) << gram) - 1;
        samples[left] = samples[i];
        left += (clean & wanted) == wanted;
    }
    return left;
}

static bool is_clean(const trawl_packed_block *block) {
    uint64_t clean = ~UINT64_C(0);
    for (uint32_t unit = 1; unit + 1 < block->units; unit++) {
        clean &= block->clean[unit];
    }
    return clean == ~UINT64_C(0);
}

static size_t sample_candidates(const trawl_tier_walker *walker, const trawl_window *window,
                                size_t begin, size_t end, const trawl_qgram_lists *lists,
                                trawl_packed_block *block) {
    const trawl_packed_filter *filter = &walker->packed;
    const trawl_packed_loops *loops = walker->packed_loops;
    size_t window_bytes = walker->tier->window;
    size_t first_end = begin + 1 < window_bytes ? window_bytes : begin + 1;
    if (first_end > end) {
        return 0;
    }
    loops->pack(filter, window->text, begin, end, block);
    /* From a whole byte of letters on; the first sample may so look at ends before the block, the
     * last one at ends behind it. */
    size_t from = (first_end - filter->gram + TRAWL_PACKED_LEAD - begin) & ~(size_t)3;
    size_t past = end - filter->gram + TRAWL_PACKED_LEAD - begin + 1;
    size_t found = loops->samples(filter, block, from, past, lists->samples);
    if (!is_clean(block)) {
        found = drop_unclean(block, filter->gram, lists->samples, found);
    }
    size_t ends = loops->ends(filter, block, lists->samples, found, lists->ends);
    while (ends != 0 && lists->ends[ends - 1] > end) {
        ends--;
    }
    size_t early = 0;
    while (early < ends && lists->ends[early] < first_end) {
        early++;
    }
    memmove(lists->ends, lists->ends + early, (ends - early) * sizeof *lists->ends);
    return ends - early;
}

/* Ends in (begin, end] at which a key may end, ascending, in lists->ends. */
static size_t find_candidates(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                              size_t end, const trawl_qgram_lists *lists,
                              trawl_packed_block *block) {
    const trawl_packed_filter *filter = &walker->packed;
    const trawl_packed_loops *loops = walker->packed_loops;
    size_t found;
    if (!trawl_packed_pairs(walker->tier)) {
        found = sample_candidates(walker, window, begin, end, lists, block);
    } else {
        found = loops->pairs(filter, window->text, begin, end, block);
        loops->note(block, found, (uint32_t)begin + 1, lists->ends);
        if (filter->number_bits != NULL) {
            return found;
        }
        if (filter->tail > filter->gram) {
            found = loops->tails(filter, block, lists->ends, found, lists->ends);
        }
    }
    walker->looked_up += found;
    return found;
}

/* ------------------------------------------------------------------ keys */

/* The longest key that ends there, or TRAWL_NO_KEY. */
static uint32_t find_key(const trawl_tier_walker *walker, const trawl_packed_block *block,
                         const trawl_window *window, size_t end) {
    const trawl_packed_filter *filter = &walker->packed;
    uint32_t tail = filter->tail;
    if (end < tail) {
        return TRAWL_NO_KEY;
    }
    uint64_t number, letter = end - block->begin + TRAWL_PACKED_LEAD - tail;
    memcpy(&number, block->letters + (letter >> 2), sizeof number);
    number = number >> (2 * (letter & 3)) & trawl_packed_mask(tail);
    size_t slot = trawl_ending_slot(number, walker->tier->hash_bits);
    uint32_t past = walker->heads[slot + 1];
    for (uint32_t i = walker->heads[slot]; i < past; i++) {
        const trawl_ending_range *range = &walker->ranges[i];
        if (range->word == number) {
            uint64_t ending = trawl_ending_load(window->text, end, walker->search.view.folded);
            /* What is known of the letters is not known of the bytes. */
            return trawl_endings_find(&walker->search.view, range->first, range->last, 0,
                                      window->text, end, ending);
        }
    }
    return TRAWL_NO_KEY;
}

/* The ends of a list with their keys, those that have one. */
static size_t find_events(const trawl_tier_walker *walker, const trawl_packed_block *block,
                          const trawl_window *window, const uint32_t *ends, size_t count,
                          trawl_ending_event *events) {
    if (walker->packed.number_bits != NULL) {
        walker->packed_loops->keys(&walker->packed, block, ends, count, events);
        return count;
    }
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t key = find_key(walker, block, window, ends[i]);
        events[found] = (trawl_ending_event){.position = ends[i], .key = key};
        found += key != TRAWL_NO_KEY;
    }
    return found;
}

void trawl_packed_events(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                         size_t end, const trawl_qgram_lists *lists) {
    trawl_packed_block block;
    size_t candidates = find_candidates(walker, window, begin, end, lists, &block);
    walker->event_count =
        find_events(walker, &block, window, lists->ends, candidates, walker->events);
    walker->next = 0;
}

trawl_status trawl_packed_report(trawl_tier_walker *walker, const trawl_window *window,
                                 size_t begin, size_t end, const trawl_qgram_lists *lists,
                                 trawl_sink *sink) {
    trawl_packed_block block;
    const trawl_packed_loops *loops = walker->packed_loops;
    size_t count = loops->pairs(&walker->packed, window->text, begin, end, &block);
    if (trawl_packed_is_dense(walker, &block, count)) {
        return trawl_packed_report_dense(walker, &block, window->base + begin - TRAWL_PACKED_LEAD,
                                         lists, sink);
    }
    loops->note(&block, count, TRAWL_PACKED_LEAD + 1 - walker->packed.gram, lists->ends);
    uint64_t base = window->base + begin - TRAWL_PACKED_LEAD; /* may wrap around, and back */
    for (size_t done = 0; done < count;) {
        trawl_status status = trawl_sink_make_room(sink);
        if (status != TRAWL_OK) {
            return status;
        }
        size_t room = sink->capacity - sink->count;
        size_t some = count - done < room ? count - done : room;
        loops->matches(&walker->packed, &block, lists->ends + done, some, base,
                       sink->matches + sink->count);
        sink->count += some;
        done += some;
    }
    return TRAWL_OK;
}

void trawl_packed_count(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                        size_t end, const trawl_qgram_lists *lists, trawl_counts *counts) {
    trawl_packed_block block;
    const trawl_packed_filter *filter = &walker->packed;
    if (filter->unit && counts->per_pattern == NULL) {
        counts->total += walker->packed_loops->pairs(filter, window->text, begin, end, &block);
        return;
    }
    size_t candidates = find_candidates(walker, window, begin, end, lists, &block);
    const trawl_endings_view *view = &walker->search.view;
    uint64_t *hits = counts->per_pattern == NULL ? NULL : walker->search.hits;
    trawl_ending_event events[256];
    enum { AT_ONCE = sizeof events / sizeof *events };
    for (size_t done = 0; done < candidates; done += AT_ONCE) {
        size_t left = candidates - done;
        size_t found = find_events(walker, &block, window, lists->ends + done,
                                   left < AT_ONCE ? left : AT_ONCE, events);
        if (filter->unit) { /* each of them is one match of one pattern */
            counts->total += found;
            for (size_t i = 0; i < found && hits != NULL; i++) {
                hits[events[i].key]++;
            }
            continue;
        }
        for (size_t i = 0; i < found; i++) {
            trawl_emit_counts(&view->outputs, &view->patterns, window, events[i].position,
                              events[i].key, counts, hits);
        }
    }
}
