/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/tier.h"

#include "base/allocate.h"
#include "engines/qgram/packed/dense.h"
#include "engines/qgram/verify/compare_keys.h"
#include "engines/qgram/verify/look_up.h"
#include "engines/qgram/verify/suffix_filter.h"

static trawl_qgram_filter view_filter(const trawl_db *db, uint32_t part,
                                      const trawl_qgram_tier *tier) {
    bool by_bytes = tier->look_up_bytes != 0 && tier->look_up_bytes <= 8;
    trawl_qgram_filter filter = {
        .rows = trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, NULL),
        .multiplier = trawl_qgram_multiplier(tier->gram),
        .case_bits = trawl_qgram_case_bits(tier->folded != 0),
        .fold = trawl_qgram_sample_fold_of(tier),
        .shift = 64 - tier->row_bits,
        .fields = tier->fields,
        .row_mask = trawl_qgram_fields_mask(tier->fields) & ~UINT64_C(31),
        .gram = tier->gram,
        .suffix_filter = trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, NULL),
        .look_up_mask = by_bytes ? ~UINT64_C(0) << (64 - 8 * tier->look_up_bytes) : 0,
        .suffix_filter_bits = tier->suffix_filter_bits,
        .end_offsets = trawl_db_section(db, TRAWL_SECTION_QGRAM_END_OFFSETS, part, NULL),
        .end_offsets_bits = tier->end_offsets_bits,
        .stride = tier->stride,
        .runs = trawl_db_section(db, TRAWL_SECTION_QGRAM_RUNS, part, NULL),
        .suffixes = trawl_qgram_suffixes_of(tier),
    };
    uint32_t longest = filter.suffixes.bytes[filter.suffixes.count - 1];
    filter.bytes_before_end = longest < 8 ? 8 : longest;
    return filter;
}

void trawl_tier_open(const trawl_db *db, uint32_t part, trawl_cpu_set set,
                     trawl_tier_walker *walker) {
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
    const trawl_qgram_tier *tier = &header->tier[part];
    *walker = (trawl_tier_walker){
        .tier = tier,
        .first = part == 0,
        .loops = trawl_qgram_loops_for(set, tier),
        .filter = view_filter(db, part, tier),
        .teddy = trawl_teddy_for(set),
        .register_bloom = trawl_register_bloom_for(set),
        .compare_keys = trawl_compare_keys_for(set),
        .heads = trawl_db_section(db, TRAWL_SECTION_QGRAM_HASH, part, NULL),
        .ranges = trawl_db_section(db, TRAWL_SECTION_QGRAM_RANGES, part, NULL),
        .prefix_signatures =
            trawl_db_section(db, TRAWL_SECTION_QGRAM_PREFIX_SIGNATURES, part, NULL),
        .long_prefix_signatures =
            trawl_db_section(db, TRAWL_SECTION_QGRAM_LONG_PREFIX_SIGNATURES, part, NULL),
    };
    const uint32_t *rows = walker->filter.rows;
    const trawl_teddy *teddy =
        (const void *)(rows + (tier->kind == TRAWL_TIER_DIRECT ? TRAWL_QGRAM_PAIRS : 0));
    if (tier->kind == TRAWL_TIER_TEDDY ||
        (tier->kind == TRAWL_TIER_DIRECT && teddy->probes != 0 && set != TRAWL_CPU_SCALAR)) {
        walker->teddy_filter = teddy;
    }
    walker->reach = walker->teddy_filter == NULL ? 0 : trawl_teddy_reach(teddy);
    if (tier->kind == TRAWL_TIER_REGISTERS) {
        walker->register_bloom_view =
            trawl_register_bloom_view_of((const void *)rows, tier->gram, tier->folded != 0);
    }
    if (tier->kind == TRAWL_TIER_ANCHORS) {
        walker->anchors = trawl_anchors_view_of(db, part, tier);
        walker->anchors_loops = trawl_anchors_loops_for(set);
    }
    if (tier->kind == TRAWL_TIER_SPARSE) {
        walker->sparse = trawl_sparse_view_of(db, part, tier);
    }
    trawl_endings_open(db, part, &walker->search);
    walker->search.view.folded = tier->folded != 0;
    if (tier->kind == TRAWL_TIER_PACKED) {
        trawl_packed_open(db, part, set, walker);
    }
}

void trawl_tier_close(trawl_tier_walker *walker) {
    trawl_endings_close(&walker->search);
    trawl_packed_dense_release(&walker->dense_packed);
    trawl_release(walker->events);
}

/* ------------------------------------------------------------------ filters in vector registers */

/* Whether candidates are so frequent that branches on them are mispredicted. */
static bool is_dense(size_t candidates, size_t bytes) {
    return candidates * TRAWL_TEDDY_DENSE_BYTES > bytes;
}

static size_t find_ends_in_registers(trawl_tier_walker *walker, const trawl_window *window,
                                     size_t begin, size_t end, const trawl_qgram_lists *lists) {
    size_t window_bytes = walker->tier->window;
    size_t first_end = begin + 1 < window_bytes ? window_bytes : begin + 1;
    size_t ends = 0;
    /* Ends nearer to the text's beginning than the filter reads are tested one by one. */
    for (; first_end <= end && first_end < walker->reach; first_end++) {
        lists->ends[ends] = (uint32_t)first_end;
        lists->keys[ends] = TRAWL_NO_KEY;
        ends += trawl_suffix_filter_has_end(&walker->filter, window->text, first_end);
    }
    if (first_end > end) {
        return ends;
    }
    size_t count = end + 1 - first_end;
    size_t found = walker->tier->kind == TRAWL_TIER_REGISTERS
                       ? walker->register_bloom(&walker->register_bloom_view, window->text,
                                                first_end - 1, count, lists->samples)
                       : walker->teddy(walker->teddy_filter, window->text, first_end - 1, count,
                                       walker->dense, lists->samples);
    walker->dense = is_dense(found, end - begin);
    walker->passed += found;
    /* Candidates nearer to the text's beginning than the comparison with keys reads are tested one
     * by one. */
    size_t near = 0;
    for (; near < found && lists->samples[near] + 1 < TRAWL_COMPARE_KEYS_REACH; near++) {
        lists->ends[ends] = lists->samples[near] + 1;
        lists->keys[ends] = TRAWL_NO_KEY;
        ends += trawl_suffix_filter_has_end(&walker->filter, window->text, lists->ends[ends]);
    }
    if (near != 0) {
        found -= near;
        memmove(lists->samples, lists->samples + near, found * sizeof *lists->samples);
    }
    return ends + walker->compare_keys(walker, window->text, found, lists, ends);
}

/* ------------------------------------------------------------------ pairs of bytes */

static size_t find_ends_of_pairs(trawl_tier_walker *walker, const trawl_window *window,
                                 size_t begin, size_t end, const trawl_qgram_lists *lists) {
    const uint32_t *pairs = walker->filter.rows;
    size_t ends = 0;
    if (begin == 0 && end != 0) { /* the first end has one byte before it: see key_of_pair */
        lists->ends[ends++] = 1;
        begin = 1;
    }
    if (walker->teddy_filter == NULL) {
        return ends +
               walker->loops->filter_pairs(pairs, window->text, begin, end, lists->ends + ends);
    }
    size_t found = walker->teddy(walker->teddy_filter, window->text, begin, end - begin,
                                 walker->dense, lists->samples);
    walker->dense = is_dense(found, end - begin);
    walker->passed += found;
    for (size_t i = 0; i < found; i++) {
        const uint8_t *last = window->text + lists->samples[i];
        lists->ends[ends] = lists->samples[i] + 1;
        ends += pairs[last[-1] | (uint32_t)last[0] << 8] != 0;
    }
    return ends;
}

/* The longest key of one or two bytes that ends there. Before the text a zero is assumed, so at the
 * end 1 a key of two bytes is wrong: its link is the key of one byte, if there is one. */
static uint32_t key_of_pair(const trawl_tier_walker *walker, const trawl_window *window,
                            size_t end) {
    const trawl_outputs *outputs = &walker->search.view.outputs;
    uint32_t pair = (end == 1 ? 0 : window->text[end - 2]) | (uint32_t)window->text[end - 1] << 8;
    uint32_t entry = walker->filter.rows[pair];
    uint32_t key = entry == 0 ? TRAWL_NO_KEY : entry - 1;
    if (end == 1 && key != TRAWL_NO_KEY && outputs->length[key] == 2) {
        key = outputs->link[key];
    }
    return key;
}

/* ------------------------------------------------------------------ any kind */

/* Lists in lists->ends the ends in (begin, end] that are to be looked up, ascending. */
static size_t find_ends(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                        size_t end, const trawl_qgram_lists *lists) {
    size_t found;
    switch (walker->tier->kind) {
    case TRAWL_TIER_DIRECT:
        found = find_ends_of_pairs(walker, window, begin, end, lists);
        break;
    case TRAWL_TIER_TEDDY:
    case TRAWL_TIER_REGISTERS:
        found = find_ends_in_registers(walker, window, begin, end, lists);
        break;
    case TRAWL_TIER_ANCHORS:
        return trawl_anchors_find_ends(walker, window, begin, end, lists, &walker->look_ups);
    case TRAWL_TIER_SPARSE:
        return trawl_sparse_find_ends(walker, window, begin, end, lists, &walker->look_ups);
    default:
        found = trawl_bloom_find_ends(walker, window, begin, end, lists);
        break;
    }
    walker->look_ups += found;
    return found;
}

/* Whether lists->keys has the keys of those ends whose keys are known already. */
static bool lists_keys(const trawl_tier_walker *walker) {
    return trawl_qgram_has_prefix_signatures(walker->tier) ||
           walker->tier->kind == TRAWL_TIER_ANCHORS || walker->tier->kind == TRAWL_TIER_SPARSE;
}

/* Sets the key of each end of a tier of one- and two-byte keys. */
static void find_keys_of_pairs(const trawl_tier_walker *walker, const trawl_window *window,
                               const trawl_qgram_lists *lists, size_t count) {
    for (size_t i = 0; i < count; i++) {
        lists->keys[i] = key_of_pair(walker, window, lists->ends[i]);
    }
}

/* Sets the key of each end of the lists that has none yet: the longest key of the tier that ends
 * there, or TRAWL_NO_KEY. */
static void find_keys(trawl_tier_walker *walker, const trawl_window *window,
                      const trawl_qgram_lists *lists, size_t count) {
    if (walker->tier->kind == TRAWL_TIER_DIRECT) {
        find_keys_of_pairs(walker, window, lists, count);
    } else if (count != 0) {
        trawl_qgram_look_up_keys(walker, window, lists, count, lists_keys(walker));
    }
}

/* Drops the ends where the byte behind rules out every match, before they are looked up. */
static size_t drop_closed_ends(const trawl_tier_walker *walker, const trawl_window *window,
                               const trawl_qgram_lists *lists, size_t count) {
    const trawl_outputs *outputs = &walker->search.view.outputs;
    size_t kept = 0;
    if (outputs->gates == NULL) {
        return count;
    }
    const bool has_keys = lists_keys(walker);
    for (size_t i = 0; i < count; i++) {
        lists->ends[kept] = lists->ends[i];
        if (has_keys) {
            lists->keys[kept] = lists->keys[i];
        }
        kept += !trawl_gates_closed(outputs, window, lists->ends[i]);
    }
    return kept;
}

/* Drops the events whose keys are ruled out by the byte behind. */
static void drop_closed(trawl_tier_walker *walker, const trawl_window *window) {
    const trawl_outputs *outputs = &walker->search.view.outputs;
    if (outputs->gates != NULL) {
        walker->event_count =
            trawl_gates_keep(outputs, window, 0, walker->events, walker->event_count);
    }
}

/* Looks up the keys of `count` ends, and makes events of them. Not inlined: most short texts have
 * no end, and a call for them should not set up what this needs. */
static __attribute__((noinline)) void make_events(trawl_tier_walker *walker,
                                                  const trawl_window *window,
                                                  const trawl_qgram_lists *lists, size_t count) {
    count = drop_closed_ends(walker, window, lists, count);
    find_keys(walker, window, lists, count);
    const uint32_t *ends = lists->ends;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        walker->events[found] = (trawl_ending_event){.position = ends[i], .key = lists->keys[i]};
        found += lists->keys[i] != TRAWL_NO_KEY;
    }
    walker->event_count = found;
    drop_closed(walker, window);
}

void trawl_tier_events(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                       size_t end, const trawl_qgram_lists *lists) {
    if (walker->tier->kind == TRAWL_TIER_PACKED) {
        trawl_packed_events(walker, window, begin, end, lists);
        drop_closed(walker, window);
        return;
    }
    size_t count = find_ends(walker, window, begin, end, lists);
    walker->event_count = 0;
    walker->next = 0;
    if (count != 0) {
        make_events(walker, window, lists, count);
    }
}

void trawl_tier_count(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                      size_t end, const trawl_qgram_lists *lists, trawl_counts *counts) {
    if (walker->tier->kind == TRAWL_TIER_PACKED) {
        trawl_packed_count(walker, window, begin, end, lists, counts);
        return;
    }
    size_t count = find_ends(walker, window, begin, end, lists);
    if (count == 0) {
        return;
    }
    const uint32_t *ends = lists->ends;
    const trawl_endings_view *view = &walker->search.view;
    find_keys(walker, window, lists, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t key = lists->keys[i];
        if (key != TRAWL_NO_KEY) {
            trawl_emit_counts(&view->outputs, &view->patterns, window, ends[i], key, counts,
                              walker->search.hits, &walker->search.cases);
        }
    }
}
