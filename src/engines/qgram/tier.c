/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/tier.h"

#include "base/allocate.h"
#include "base/fold.h"
#include "engines/qgram/packed/dense.h"
#include "engines/qgram/verify/last_bytes.h"
#include "engines/qgram/verify/runs.h"

void trawl_tier_open(const trawl_db *db, uint32_t part, trawl_cpu_set set,
                     trawl_tier_walker *walker) {
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
    const trawl_qgram_tier *tier = &header->tier[part];
    *walker = (trawl_tier_walker){.tier = tier,
                                  .first = part == 0,
                                  .loops = trawl_qgram_loops_for(set, tier),
                                  .teddy = trawl_teddy_for(set),
                                  .register_bloom = trawl_register_bloom_for(set),
                                  .tails = trawl_tier_tails_for(set)};
    walker->filter = (trawl_qgram_filter){
        .rows = trawl_db_section(db, TRAWL_SECTION_QGRAM_SAMPLE_FILTER, part, NULL),
        .multiplier = trawl_qgram_multiplier(tier->gram),
        .case_bits = trawl_qgram_case_bits(tier->folded != 0),
        .shift = 64 - tier->row_bits,
        .fields = tier->fields,
        .row_mask = trawl_qgram_fields_mask(tier->fields) & ~UINT64_C(31),
        .gram = tier->gram,
        .second = trawl_db_section(db, TRAWL_SECTION_QGRAM_SUFFIX_FILTER, part, NULL),
        .tail_mask = tier->tail == 0 || tier->tail > 8 ? 0 : ~UINT64_C(0) << (64 - 8 * tier->tail),
        .suffix_filter_bits = tier->suffix_filter_bits,
        .marks = trawl_db_section(db, TRAWL_SECTION_QGRAM_END_OFFSETS, part, NULL),
        .mark_bits = tier->mark_bits,
        .ends = tier->stride + tier->anchor_slack,
        .runs = trawl_db_section(db, TRAWL_SECTION_QGRAM_RUNS, part, NULL),
        .suffixes = trawl_qgram_suffixes_of(tier),
    };
    uint32_t longest = walker->filter.suffixes.bytes[walker->filter.suffixes.count - 1];
    walker->filter.anchor_slack = longest < 8 ? 8 : longest;
    const trawl_teddy *teddy =
        (const void *)(walker->filter.rows +
                       (tier->kind == TRAWL_TIER_DIRECT ? TRAWL_QGRAM_PAIRS : 0));
    if (tier->kind == TRAWL_TIER_TEDDY ||
        (tier->kind == TRAWL_TIER_DIRECT && teddy->probes != 0 && set != TRAWL_CPU_SCALAR)) {
        walker->teddy_filter = teddy;
    }
    walker->register_bloom_search = (trawl_register_bloom_search){
        .filter = (const void *)walker->filter.rows,
        .gram = tier->gram,
        .folded = tier->folded != 0,
    };
    walker->heads = trawl_db_section(db, TRAWL_SECTION_QGRAM_HASH, part, NULL);
    walker->ranges = trawl_db_section(db, TRAWL_SECTION_QGRAM_RANGES, part, NULL);
    walker->leads = trawl_db_section(db, TRAWL_SECTION_QGRAM_PREFIX_SIGNATURES, part, NULL);
    walker->long_prefix_signatures =
        trawl_db_section(db, TRAWL_SECTION_QGRAM_LONG_PREFIX_SIGNATURES, part, NULL);
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

/* ------------------------------------------------------------------ hashed */

/* Where few samples are left before the text's end, they are tested on a copy with room behind. */
static size_t last_samples(const trawl_tier_walker *walker, const trawl_window *window, size_t from,
                           size_t count, uint32_t *noted) {
    uint8_t bytes[TRAWL_QGRAM_MAX_GRAM + 8];
    const trawl_qgram_filter *filter = &walker->filter;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t position = from + i * walker->tier->stride;
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, window->text + position, filter->gram);
        trawl_qgram_grid grid = {.text = bytes, .stride = 1};
        noted[found] = (uint32_t)position;
        uint64_t word;
        uint32_t ignored;
        found += walker->loops->samples(filter, NULL, &grid, 1, &word, &ignored);
    }
    return found;
}

/* ------------------------------------------------------------------ runs */

void trawl_qgram_find_run(trawl_qgram_run *run, const uint8_t *text, size_t begin, size_t end,
                          uint8_t byte) {
    size_t past = end;
    while (begin != 0 && text[begin - 1] == byte) {
        begin--;
    }
    while (past != run->length && text[past] == byte) {
        past++;
    }
    *run = (trawl_qgram_run){.length = run->length, .begin = begin, .past = past, .byte = byte};
}

bool trawl_qgram_group_is_barren(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                 const trawl_qgram_grid *grid, size_t sample) {
    size_t ends = (TRAWL_QGRAM_GROUP - 1) * grid->stride + filter->ends;
    size_t end = sample + filter->gram;
    uint8_t byte = grid->text[sample];
    for (size_t i = 1; i < filter->gram; i++) {
        if (grid->text[sample + i] != byte) {
            return false;
        }
    }
    uint64_t fit = trawl_qgram_run_ends(filter, run, grid->text, sample, end, byte);
    return ends <= 64 && run->past - end >= ends && fit << (64 - ends) == 0;
}

uint32_t trawl_qgram_fertile(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                             const trawl_qgram_grid *grid, size_t sample) {
    uint32_t fertile = 0;
    for (unsigned group = 0; group < 32; group += TRAWL_QGRAM_GROUP) {
        bool barren = trawl_qgram_group_is_barren(filter, run, grid, sample + group * grid->stride);
        fertile =
            fertile << TRAWL_QGRAM_GROUP | (barren ? 0 : (UINT32_C(1) << TRAWL_QGRAM_GROUP) - 1);
    }
    return fertile;
}

static bool suffix_filter_has(const trawl_qgram_filter *filter, uint64_t number, uint32_t kind) {
    uint64_t hash = trawl_suffix_filter(number, kind);
    uint32_t both = trawl_suffix_filter_mask(hash);
    return (filter->second[trawl_suffix_filter_word(hash, filter->suffix_filter_bits)] & both) ==
           both;
}

bool trawl_qgram_run_begins(const trawl_qgram_filter *filter, const trawl_qgram_run *run,
                            const uint8_t *text, size_t end) {
    uint64_t length = end - run->begin;
    if (run->begin < TRAWL_QGRAM_RUN_LEAD ||
        trawl_qgram_run_is_key(filter->runs, run->byte, length)) {
        return true;
    }
    uint64_t lead = trawl_qgram_fold(trawl_ending_load(text, run->begin, false), filter->case_bits);
    return suffix_filter_has(filter, trawl_qgram_run_number(lead, TRAWL_QGRAM_RUN_LEAD, length),
                             TRAWL_SECOND_RUN) ||
           suffix_filter_has(filter, trawl_qgram_run_number(lead, 1, length), TRAWL_SECOND_RUN);
}

/* ------------------------------------------------------------------ ends near the window's edges
 */

/* Whether SECOND lets an end pass, wherever in the text it is. */
static bool end_passes(const trawl_qgram_filter *filter, const uint8_t *text, size_t end) {
    uint64_t last = trawl_qgram_fold(trawl_ending_load(text, end, false), filter->case_bits);
    bool pass = false;
    for (uint32_t i = 0; i < filter->suffixes.count && filter->suffixes.bytes[i] <= end; i++) {
        uint32_t bytes = filter->suffixes.bytes[i];
        uint64_t first = 0;
        if (bytes > 8) {
            memcpy(&first, text + end - bytes, sizeof first);
        }
        uint64_t number =
            trawl_qgram_suffix(bytes, trawl_qgram_fold(first, filter->case_bits), last);
        pass |= suffix_filter_has(filter, number, TRAWL_SECOND_LAST);
    }
    return pass;
}

/* The ends of one sample, those from `least` to `most` only. */
static size_t single_ends(const trawl_tier_walker *walker, const trawl_window *window,
                          uint32_t sample, size_t least, size_t most, uint32_t *noted) {
    size_t found = 0;
    size_t past = sample + walker->filter.gram + walker->tier->stride;
    for (size_t end = sample + walker->filter.gram; end < past; end++) {
        if (end >= least && end <= most) {
            noted[found] = (uint32_t)end;
            found += end_passes(&walker->filter, window->text, end);
        }
    }
    return found;
}

/* The samples that pass, of those of the grid that end at `end` at the latest; the first one does.
 */
static size_t passing_samples(trawl_tier_walker *walker, const trawl_window *window,
                              const trawl_qgram_grid *grid, size_t end,
                              const trawl_qgram_lists *lists) {
    const trawl_qgram_filter *filter = &walker->filter;
    size_t samples = (end - filter->gram - grid->from) / grid->stride + 1;
    /* Samples at which eight bytes can be read. */
    size_t safe = 0;
    if (window->length >= grid->from + 8) {
        safe = (window->length - 8 - grid->from) / grid->stride + 1;
        safe = safe < samples ? safe : samples;
    }
    size_t found =
        walker->loops->samples(filter, &walker->run, grid, safe, lists->words, lists->samples);
    return found + last_samples(walker, window, grid->from + safe * grid->stride, samples - safe,
                                lists->samples + found);
}

/* Of tiers with a reach: samples are taken from further before the block, and lead to ends that are
 * not the next ones. */
static size_t far_candidates(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                             size_t end, const trawl_qgram_lists *lists) {
    const trawl_qgram_filter *filter = &walker->filter;
    size_t first_end = begin + 1 < walker->tier->window ? walker->tier->window : begin + 1;
    /* Behind so many bytes, all that is looked at is in the text. */
    size_t edge = filter->ends + TRAWL_QGRAM_MAX_GRAM, ends = 0;
    for (; first_end <= end && first_end < edge; first_end++) {
        lists->ends[ends] = (uint32_t)first_end;
        ends += end_passes(filter, window->text, first_end);
    }
    if (first_end > end) {
        return ends;
    }
    trawl_qgram_grid grid = {.text = window->text,
                             .from = first_end - walker->tier->anchor_slack - filter->gram,
                             .stride = walker->tier->stride,
                             .ahead = walker->first};
    size_t found = passing_samples(walker, window, &grid, end, lists);
    return ends + walker->loops->far_ends(filter, &walker->run, &grid, lists->samples, found,
                                          first_end, end, lists->candidates, lists->ends + ends);
}

static size_t hashed_candidates(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                                size_t end, const trawl_qgram_lists *lists) {
    const trawl_qgram_filter *filter = &walker->filter;
    const trawl_qgram_loops *loops = walker->loops;
    size_t stride = walker->tier->stride, gram = filter->gram, window_bytes = walker->tier->window;
    size_t first_end = begin + 1 < window_bytes ? window_bytes : begin + 1;
    if (first_end > end) {
        return 0;
    }
    trawl_qgram_grid grid = {
        .text = window->text, .from = first_end - gram, .stride = stride, .ahead = walker->first};
    size_t found = passing_samples(walker, window, &grid, end, lists);
    /* Samples at either side may look at ends outside the block or too near to the beginning. */
    const uint32_t *list = lists->samples;
    size_t ends = 0;
    size_t near = filter->anchor_slack;
    while (found != 0 && list[0] + gram < near) {
        ends += single_ends(walker, window, list[0], first_end, end, lists->ends + ends);
        list++;
        found--;
    }
    size_t last = 0;
    uint32_t last_sample = 0;
    if (found != 0 && list[found - 1] + gram + stride - 1 > end) {
        last = 1;
        last_sample = list[--found];
    }
    ends += loops->ends(filter, &walker->run, &grid, list, found, lists->candidates,
                        lists->ends + ends);
    if (last != 0) {
        ends += single_ends(walker, window, last_sample, first_end, end, lists->ends + ends);
    }
    return ends;
}

/* ------------------------------------------------------------------ teddy, register_bloom */

static size_t vector_candidates(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                                size_t end, const trawl_qgram_lists *lists) {
    size_t window_bytes = walker->tier->window;
    size_t first_end = begin + 1 < window_bytes ? window_bytes : begin + 1;
    size_t ends = 0;
    /* Probes and suffixes may reach so far back. */
    for (; first_end <= end && first_end < TRAWL_TEDDY_SUFFIX; first_end++) {
        lists->ends[ends] = (uint32_t)first_end;
        lists->keys[ends] = TRAWL_NO_KEY;
        ends += end_passes(&walker->filter, window->text, first_end);
    }
    if (first_end > end) {
        return ends;
    }
    size_t found = walker->tier->kind == TRAWL_TIER_REGISTERS
                       ? walker->register_bloom(&walker->register_bloom_search, window->text,
                                                first_end - 1, end + 1 - first_end, lists->samples)
                       : walker->teddy(walker->teddy_filter, window->text, first_end - 1,
                                       end + 1 - first_end, walker->dense, lists->samples);
    walker->dense = found * 512 > end - begin;
    return ends + walker->tails(walker, window->text, found, lists, ends);
}

/* ------------------------------------------------------------------ direct */

static size_t direct_candidates(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                                size_t end, const trawl_qgram_lists *lists) {
    const uint32_t *direct = walker->filter.rows;
    size_t ends = 0;
    if (begin == 0 && end != 0) { /* no pair of bytes: trawl_tier_key looks closer */
        lists->ends[ends++] = 1;
        begin = 1;
    }
    if (walker->teddy_filter == NULL) {
        return ends + walker->loops->direct(direct, window->text, begin, end, lists->ends + ends);
    }
    size_t found = walker->teddy(walker->teddy_filter, window->text, begin, end - begin,
                                 walker->dense, lists->samples);
    walker->dense = found * 512 > end - begin;
    for (size_t i = 0; i < found; i++) {
        const uint8_t *last = window->text + lists->samples[i];
        lists->ends[ends] = lists->samples[i] + 1;
        ends += direct[last[-1] | (uint32_t)last[0] << 8] != 0;
    }
    return ends;
}

static uint32_t direct_key(const trawl_tier_walker *walker, const trawl_window *window,
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

/* Ends in (begin, end] at which a key of the tier may end, ascending, in lists->ends. */
static size_t find_candidates(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                              size_t end, const trawl_qgram_lists *lists) {
    size_t found;
    switch (walker->tier->kind) {
    case TRAWL_TIER_DIRECT:
        found = direct_candidates(walker, window, begin, end, lists);
        break;
    case TRAWL_TIER_TEDDY:
    case TRAWL_TIER_REGISTERS:
        found = vector_candidates(walker, window, begin, end, lists);
        break;
    default:
        found = walker->tier->anchor_slack != 0
                    ? far_candidates(walker, window, begin, end, lists)
                    : hashed_candidates(walker, window, begin, end, lists);
        break;
    }
    walker->looked_up += found;
    return found;
}

/* Whether the key of a candidate may be known already, in lists->keys. */
static bool knows_keys(const trawl_tier_walker *walker) {
    return trawl_qgram_has_prefix_signatures(walker->tier);
}

/* The longest key of the tier that ends there, or TRAWL_NO_KEY. */
static uint32_t find_key(trawl_tier_walker *walker, const trawl_window *window, size_t end) {
    if (walker->tier->kind == TRAWL_TIER_DIRECT) {
        return direct_key(walker, window, end);
    }
    uint32_t tail = walker->tier->tail;
    uint64_t ending = trawl_ending_load(window->text, end, walker->search.view.folded);
    uint64_t word = ending & walker->filter.tail_mask;
    size_t slot = trawl_ending_slot(word, walker->tier->hash_bits);
    uint32_t past = walker->heads[slot + 1];
    for (uint32_t i = walker->heads[slot]; i < past; i++) {
        const trawl_ending_range *range = &walker->ranges[i];
        if (range->word == word) {
            return trawl_endings_find(&walker->search.view, range->first, range->last, tail,
                                      window->text, end, ending);
        }
    }
    return TRAWL_NO_KEY;
}

void trawl_tier_events(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                       size_t end, const trawl_qgram_lists *lists) {
    if (walker->tier->kind == TRAWL_TIER_PACKED) {
        trawl_packed_events(walker, window, begin, end, lists);
        return;
    }
    size_t candidates = find_candidates(walker, window, begin, end, lists);
    const uint32_t *ends = lists->ends;
    bool known = knows_keys(walker);
    size_t found = 0;
    for (size_t i = 0; i < candidates; i++) {
        uint32_t key = known ? lists->keys[i] : TRAWL_NO_KEY;
        key = key == TRAWL_NO_KEY ? find_key(walker, window, ends[i]) : key;
        walker->events[found] = (trawl_ending_event){.position = ends[i], .key = key};
        found += key != TRAWL_NO_KEY;
    }
    walker->event_count = found;
    walker->next = 0;
}

void trawl_tier_count(trawl_tier_walker *walker, const trawl_window *window, size_t begin,
                      size_t end, const trawl_qgram_lists *lists, trawl_counts *counts) {
    if (walker->tier->kind == TRAWL_TIER_PACKED) {
        trawl_packed_count(walker, window, begin, end, lists, counts);
        return;
    }
    size_t candidates = find_candidates(walker, window, begin, end, lists);
    const uint32_t *ends = lists->ends;
    const trawl_endings_view *view = &walker->search.view;
    uint64_t *hits = counts->per_pattern == NULL ? NULL : walker->search.hits;
    bool known = knows_keys(walker);
    for (size_t i = 0; i < candidates; i++) {
        uint32_t key = known ? lists->keys[i] : TRAWL_NO_KEY;
        key = key == TRAWL_NO_KEY ? find_key(walker, window, ends[i]) : key;
        if (key != TRAWL_NO_KEY) {
            trawl_emit_counts(&view->outputs, &view->patterns, window, ends[i], key, counts, hits);
        }
    }
}
