/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/packed/scan.h"

#include "engines/qgram/packed/dense.h"
#include "engines/qgram/packed/vectors.h"
#include "engines/qgram/tier.h"

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
    const void *suffix_filter = trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, NULL);
    *filter = (trawl_packed_filter){
        .letters = header->letters,
        .gram = tier->gram,
        .stride = tier->stride,
        .look_up_letters = tier->look_up_bytes,
        .pairs = (const uint8_t *)(header + 1),
        .rows = (const uint32_t *)(header + 1),
        .multiplier = trawl_packed_multiplier(tier->gram, tier->row_bits),
        .row_shift = 64 - tier->row_bits,
        .suffix_filter = suffix_filter,
        .suffix_multiplier = trawl_packed_suffix_multiplier(tier->look_up_bytes),
        .suffix_filter_bits = tier->suffix_filter_bits,
        .one_match = header->one_match != 0};
    if (trawl_packed_is_exact(tier)) {
        filter->number_bits = suffix_filter;
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

/* Drops candidates with a byte outside the alphabet. Such bytes have any code: a million of N in a
 * row must not become a million look-ups. */
static size_t drop_outside_alphabet(const trawl_packed_block *block, uint32_t gram,
                                    uint32_t *samples, size_t count) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        size_t unit = samples[i] / 64, bit = samples[i] % 64;
        uint64_t is_letter = block->is_letter[unit] >> bit;
        if (bit + gram > 64 && unit + 1 < block->units) {
            is_letter |= block->is_letter[unit + 1] << (64 - bit);
        }
        uint64_t wanted = (UINT64_C(1) << gram) - 1;
        samples[left] = samples[i];
        left += (is_letter & wanted) == wanted;
    }
    return left;
}

/* Whether all bytes of the block are letters, those of its last unit not tested. */
static bool all_are_letters(const trawl_packed_block *block) {
    uint64_t is_letter = ~UINT64_C(0);
    for (uint32_t unit = 1; unit + 1 < block->units; unit++) {
        is_letter &= block->is_letter[unit];
    }
    return is_letter == ~UINT64_C(0);
}

/* find_ends for tiers that are filtered by samples. */
static size_t find_ends_of_samples(trawl_tier_walker *walker, const trawl_window *window,
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
    /* The first sample begins a byte of packed letters. So it may lead to ends before the block,
     * and the last sample to ends behind it: those are dropped. */
    size_t from = (first_end - filter->gram + TRAWL_PACKED_LETTERS_BEFORE - begin) & ~(size_t)3;
    size_t past = end - filter->gram + TRAWL_PACKED_LETTERS_BEFORE - begin + 1;
    size_t found = loops->filter_samples(filter, block, from, past, lists->samples);
    walker->passed += found;
    if (!all_are_letters(block)) {
        found = drop_outside_alphabet(block, filter->gram, lists->samples, found);
    }
    size_t ends = loops->find_ends(filter, block, lists->samples, found, lists->ends);
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

/* Lists in lists->ends the ends in (begin, end] that are to be looked up, ascending. */
static size_t find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                        size_t end, const trawl_qgram_lists *lists, trawl_packed_block *block) {
    const trawl_packed_filter *filter = &walker->packed;
    const trawl_packed_loops *loops = walker->packed_loops;
    size_t found;
    if (!trawl_packed_is_pairs(walker->tier)) {
        found = find_ends_of_samples(walker, window, begin, end, lists, block);
    } else {
        found = loops->filter_pairs(filter, window->text, begin, end, block);
        loops->list_hits(block, found, (uint32_t)begin + 1, lists->ends);
        if (filter->number_bits != NULL) {
            return found;
        }
        if (filter->look_up_letters > filter->gram) {
            found = loops->keep_ends(filter, block, lists->ends, found, lists->ends);
        }
    }
    walker->look_ups += found;
    return found;
}

/* ------------------------------------------------------------------ keys */

/* Returns the longest key that ends there, or TRAWL_NO_KEY. */
static uint32_t find_key(trawl_tier_walker *walker, const trawl_packed_block *block,
                         const trawl_window *window, size_t end) {
    const trawl_packed_filter *filter = &walker->packed;
    uint32_t letters = filter->look_up_letters;
    if (end < letters) {
        return TRAWL_NO_KEY;
    }
    uint64_t number, letter = end - block->begin + TRAWL_PACKED_LETTERS_BEFORE - letters;
    memcpy(&number, block->letters + (letter >> 2), sizeof number);
    number = number >> (2 * (letter & 3)) & trawl_packed_mask(letters);
    size_t slot = trawl_ending_slot(number, walker->tier->hash_bits);
    uint32_t past = walker->heads[slot + 1];
    for (uint32_t i = walker->heads[slot]; i < past; i++) {
        const trawl_ending_range *range = &walker->ranges[i];
        if (range->word == number) {
            uint64_t ending = trawl_ending_load(window->text, end, walker->search.view.folded);
            /* Equal numbers need not be equal bytes (outside the alphabet): 0 bytes are known to be
             * equal. */
            return trawl_endings_find(&walker->search, range->first, range->last, 0, window->text,
                                      end, ending);
        }
    }
    return TRAWL_NO_KEY;
}

/* Writes those ends of a list that have a key, with the longest key of each. */
static size_t find_events(trawl_tier_walker *walker, const trawl_packed_block *block,
                          const trawl_window *window, const uint32_t *ends, size_t count,
                          trawl_ending_event *events) {
    if (walker->packed.number_bits != NULL) {
        walker->packed_loops->find_keys(&walker->packed, block, ends, count, events);
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
    size_t count = find_ends(walker, window, begin, end, lists, &block);
    walker->event_count = find_events(walker, &block, window, lists->ends, count, walker->events);
    walker->next = 0;
}

trawl_status trawl_packed_report(trawl_tier_walker *walker, const trawl_window *window,
                                 size_t begin, size_t end, const trawl_qgram_lists *lists,
                                 trawl_sink *sink) {
    trawl_packed_block block;
    const trawl_packed_loops *loops = walker->packed_loops;
    size_t count = loops->filter_pairs(&walker->packed, window->text, begin, end, &block);
    if (trawl_packed_is_dense(walker, &block, count)) {
        return trawl_packed_report_dense(
            walker, &block, window->base + begin - TRAWL_PACKED_LETTERS_BEFORE, lists, sink);
    }
    loops->list_hits(&block, count, TRAWL_PACKED_LETTERS_BEFORE + 1 - walker->packed.gram,
                     lists->ends);
    uint64_t base =
        window->base + begin - TRAWL_PACKED_LETTERS_BEFORE; /* may wrap around, and back */
    for (size_t done = 0; done < count;) {
        trawl_status status = trawl_sink_make_room(sink);
        if (status != TRAWL_OK) {
            return status;
        }
        size_t room = sink->capacity - sink->count;
        size_t some = count - done < room ? count - done : room;
        loops->write_matches(&walker->packed, &block, lists->ends + done, some, base,
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
    if (filter->one_match && counts->per_pattern == NULL) {
        counts->total +=
            walker->packed_loops->filter_pairs(filter, window->text, begin, end, &block);
        return;
    }
    size_t count = find_ends(walker, window, begin, end, lists, &block);
    const trawl_endings_view *view = &walker->search.view;
    uint64_t *hits = counts->per_pattern == NULL ? NULL : walker->search.hits;
    trawl_ending_event events[256];
    enum { AT_ONCE = sizeof events / sizeof *events };
    for (size_t done = 0; done < count; done += AT_ONCE) {
        size_t left = count - done;
        size_t found = find_events(walker, &block, window, lists->ends + done,
                                   left < AT_ONCE ? left : AT_ONCE, events);
        if (filter->one_match) { /* each event is one match of one pattern */
            counts->total += found;
            for (size_t i = 0; i < found && hits != NULL; i++) {
                hits[events[i].key]++;
            }
            continue;
        }
        for (size_t i = 0; i < found; i++) {
            trawl_emit_counts(&view->outputs, &view->patterns, window, events[i].position,
                              events[i].key, counts, hits, &walker->search.cases);
        }
    }
}
