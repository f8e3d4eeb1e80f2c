/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/wu_manber/format.h"

#include "base/allocate.h"
#include "base/fold.h"
#include "base/status.h"
#include "constants/fallback.h"
#include "engines/engines.h"
#include "scan/guard.h"
#include "scan/reorder.h"

/* The next position of a search window depends on the shift that was loaded at the last one. So a
 * single window waits for the latency of each load; LANES windows, each in its own part of the text
 * (a lane), are moved in turn, and their loads overlap. A lane has at most LANE_BYTES bytes, which
 * bounds the list of its candidates. Both chosen; no measurement of them alone is on record. */
#define LANES 6u
#define LANE_BYTES ((size_t)8192)

typedef struct wu_manber_walker {
    trawl_walker base;
    const trawl_wu_manber_header *header;
    const uint32_t *heads;
    /* tuned */
    const uint8_t *shift;
    const trawl_ending_range *ranges;
    trawl_endings_search search;
    size_t lane_bytes;    /* capacity of a lane: LANE_BYTES, or less for short texts */
    uint32_t *candidates; /* LANES * lane_bytes: last bytes of windows whose shift is 0 */
    trawl_guard guard;
    /* paper */
    const uint32_t *paper_shift;
    const uint16_t *prefix;
    const uint32_t *ids;
    uint8_t fold[256];
    trawl_reorder_memory order;
} wu_manber_walker;

/* ------------------------------------------------------------------ tuned */

/* One window's part of the text: its last byte goes from text[position] up to text[end - 1].
 * `candidates` lists the positions of it at which the shift is 0; they are looked up afterwards. */
typedef struct lane {
    size_t position, end;
    uint32_t *candidates;
    size_t count;
} lane;

/* What the windows of all lanes have in common. */
typedef struct sweep_view {
    const uint8_t *text, *shift;
    uint64_t case_bits;
    uint32_t block, shift_bits;
} sweep_view;

/* Moves a window by its shift, without a branch: writes the position of its last byte to *next, and
 * advances `next` only if the shift is 0, so that others are overwritten. Returns the new
 * position. */
static inline __attribute__((always_inline)) size_t move_window(const sweep_view *view,
                                                                size_t position, uint32_t **next) {
    uint64_t value = trawl_wu_manber_block(view->text + position, view->block, view->case_bits);
    size_t by = view->shift[trawl_wu_manber_slot(value, view->shift_bits)];
    **next = (uint32_t)position;
    *next += by == 0;
    return position + by + (by == 0);
}

/* Moves the windows of all lanes to the ends of their lanes. */
static inline __attribute__((always_inline)) void
sweep_blocks(const wu_manber_walker *walker, const uint8_t *text, lane *lanes, uint32_t block) {
    const sweep_view view = {text, walker->shift,
                             trawl_wu_manber_case_bits(walker->search.view.folded), block,
                             walker->header->shift_bits};
    size_t position[LANES], end[LANES];
    uint32_t *next[LANES];
    bool all = true; /* all lanes have windows left */
    for (size_t l = 0; l < LANES; l++) {
        position[l] = lanes[l].position;
        end[l] = lanes[l].end;
        next[l] = lanes[l].candidates;
        all = all && position[l] < end[l];
    }
    while (all) {
#pragma GCC unroll 6
        for (size_t l = 0; l < LANES; l++) {
            position[l] = move_window(&view, position[l], &next[l]);
            all = all & (position[l] < end[l]);
        }
    }
    for (size_t l = 0; l < LANES; l++) {
        while (position[l] < end[l]) {
            position[l] = move_window(&view, position[l], &next[l]);
        }
        lanes[l].count = (size_t)(next[l] - lanes[l].candidates);
    }
}

/* One loop is compiled for each block length, so that loads have constant lengths. */
static void sweep(const wu_manber_walker *walker, const uint8_t *text, lane *lanes) {
    switch (walker->header->block) {
    case 1:
        sweep_blocks(walker, text, lanes, 1);
        break;
    case 2:
        sweep_blocks(walker, text, lanes, 2);
        break;
    case 3:
        sweep_blocks(walker, text, lanes, 3);
        break;
    case 4:
        sweep_blocks(walker, text, lanes, 4);
        break;
    case 5:
        sweep_blocks(walker, text, lanes, 5);
        break;
    case 6:
        sweep_blocks(walker, text, lanes, 6);
        break;
    case 7:
        sweep_blocks(walker, text, lanes, 7);
        break;
    case 8:
        sweep_blocks(walker, text, lanes, 8);
        break;
    case 9:
        sweep_blocks(walker, text, lanes, 9);
        break;
    case 10:
        sweep_blocks(walker, text, lanes, 10);
        break;
    case 11:
        sweep_blocks(walker, text, lanes, 11);
        break;
    case 12:
        sweep_blocks(walker, text, lanes, 12);
        break;
    case 13:
        sweep_blocks(walker, text, lanes, 13);
        break;
    case 14:
        sweep_blocks(walker, text, lanes, 14);
        break;
    case 15:
        sweep_blocks(walker, text, lanes, 15);
        break;
    case 16:
        sweep_blocks(walker, text, lanes, 16);
        break;
    }
}

static trawl_status look_up(wu_manber_walker *walker, const trawl_window *window, size_t end,
                            const trawl_consumer *consumer) {
    uint32_t tail = walker->header->tail;
    uint64_t ending = trawl_ending_load(window->text, end, walker->search.view.folded);
    uint64_t word = ending & ~UINT64_C(0) << (64 - 8 * tail);
    size_t slot = trawl_ending_slot(word, walker->header->hash_bits);
    const uint32_t first = walker->heads[slot], past = walker->heads[slot + 1];
    trawl_endings_read(&walker->search, past - first);
    for (uint32_t i = first; i < past; i++) {
        const trawl_ending_range *range = &walker->ranges[i];
        if (range->word == word) {
            uint32_t key = trawl_endings_find(&walker->search, range->first, range->last, tail,
                                              window->text, end, ending);
            return key == TRAWL_NO_KEY
                       ? TRAWL_OK
                       : trawl_endings_report(&walker->search, window, end, key, consumer);
        }
    }
    return TRAWL_OK;
}

/* Allocates room for the candidates of a text with `owned` owned bytes. */
static trawl_status prepare(wu_manber_walker *walker, size_t owned, trawl_error *error) {
    size_t needed = (owned + LANES - 1) / LANES;
    needed = needed < LANE_BYTES ? needed : LANE_BYTES;
    if (needed <= walker->lane_bytes) {
        return TRAWL_OK;
    }
    trawl_release(walker->candidates);
    walker->candidates = trawl_allocate(LANES * needed, sizeof *walker->candidates);
    walker->lane_bytes = walker->candidates == NULL ? 0 : needed;
    return walker->candidates != NULL
               ? TRAWL_OK
               : trawl_fail_memory(error, "scanning", LANES * needed * sizeof *walker->candidates);
}

/* Ends early, where `most` bytes of keys have been compared. *reached: the matches that end in the
 * first so many bytes of the window are found. */
static trawl_status walk_tuned(wu_manber_walker *walker, const trawl_window *window,
                               const trawl_consumer *consumer, uint64_t most, size_t *reached,
                               trawl_error *error) {
    const uint64_t limit = walker->search.compared + most;
    trawl_status prepared = prepare(walker, window->length - window->owned, error);
    if (prepared != TRAWL_OK) {
        return prepared;
    }
    size_t shortest = walker->header->window;
    size_t position = window->owned < shortest - 1 ? shortest - 1 : window->owned;
    while (position < window->length) {
        size_t part = (window->length - position + LANES - 1) / LANES;
        part = part < LANE_BYTES ? part : LANE_BYTES;
        lane lanes[LANES];
        for (size_t l = 0; l < LANES; l++) {
            size_t end = position + part;
            end = end < window->length ? end : window->length;
            lanes[l] = (lane){.position = position,
                              .end = end,
                              .candidates = walker->candidates + l * walker->lane_bytes};
            position = end;
        }
        sweep(walker, window->text, lanes);
        for (size_t l = 0; l < LANES; l++) {
            for (size_t i = 0; i < lanes[l].count; i++) {
                *reached = (size_t)lanes[l].candidates[i] + 1;
                trawl_status status = look_up(walker, window, *reached, consumer);
                if (status != TRAWL_OK || walker->search.compared > limit) {
                    return status;
                }
            }
        }
    }
    *reached = window->length;
    return TRAWL_OK;
}

/* The trawl_guard_stretch of `tuned`. Every stretch is timed: where nested patterns are long, few
 * look-ups take much time. */
static trawl_status scan_stretch(trawl_walker *base, const trawl_window *window,
                                 const trawl_consumer *consumer, bool careful, size_t *begin,
                                 uint64_t *look_ups, trawl_error *error) {
    wu_manber_walker *walker = (wu_manber_walker *)base;
    size_t most = careful ? TRAWL_FALLBACK_CAREFUL_BYTES : TRAWL_FALLBACK_STRETCH;
    size_t left = window->length - *begin, bytes = left < most ? left : most;
    const trawl_window part =
        trawl_window_cut(window, trawl_db_overlap(base->db), *begin, *begin + bytes);
    trawl_status status = trawl_endings_begin(&walker->search, consumer, error);
    size_t reached = part.owned;
    if (status == TRAWL_OK) {
        status = walk_tuned(walker, &part, consumer, TRAWL_FALLBACK_LOOK_UP_BYTES * bytes, &reached,
                            error);
    }
    *look_ups = bytes;
    *begin += reached - part.owned;
    return status;
}

/* ------------------------------------------------------------------ paper */

/* Verifies the patterns of one entry of HASH against the window that begins at `start`. */
static trawl_status verify_paper(const wu_manber_walker *walker, const trawl_window *window,
                                 size_t start, uint32_t hash, const trawl_consumer *consumer) {
    const trawl_pattern_view *patterns = &walker->base.db->patterns;
    uint32_t prefix = 0;
    for (uint32_t i = 0; i < walker->header->prefix; i++) {
        prefix = trawl_wu_manber_add(prefix, walker->fold[window->text[start + i]]);
    }
    for (uint32_t i = walker->heads[hash]; i < walker->heads[hash + 1]; i++) {
        uint32_t id = walker->ids[i];
        if (walker->prefix[id] != prefix) {
            continue;
        }
        size_t end = start + (patterns->offsets[id + 1] - patterns->offsets[id]);
        if (end > window->length || end <= window->owned ||
            !trawl_pattern_matches(patterns, id, window->text + start)) {
            continue;
        }
        trawl_status status = trawl_consume(consumer, window, start, end, id);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    return TRAWL_OK;
}

/* Algorithm 5 of the paper. The first search window begins where a pattern that ends in the owned
 * bytes may begin. */
static trawl_status walk_paper(const wu_manber_walker *walker, const trawl_window *window,
                               const trawl_consumer *consumer) {
    const uint8_t *text = window->text;
    const uint8_t *fold = walker->fold;
    const uint32_t *shift = walker->paper_shift;
    size_t overlap = walker->base.db->header->max_length - 1;
    size_t last = walker->header->window - 1;
    size_t block = walker->header->block;
    size_t i = (window->owned < overlap ? 0 : window->owned - overlap) + last;
    while (i < window->length) {
        uint32_t hash = 0;
        for (size_t j = i + 1 - block; j <= i; j++) {
            hash = trawl_wu_manber_add(hash, fold[text[j]]);
        }
        if (shift[hash] > 0) {
            i += shift[hash];
            continue;
        }
        trawl_status status = verify_paper(walker, window, i - last, hash, consumer);
        if (status != TRAWL_OK) {
            return status;
        }
        i++;
    }
    return TRAWL_OK;
}

static trawl_status find_paper(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                               trawl_error *error) {
    (void)error;
    trawl_consumer consumer = {.sink = sink};
    return walk_paper((wu_manber_walker *)walker, window, &consumer);
}

/* ------------------------------------------------------------------ the walker */

static trawl_status open(const trawl_db *db, const trawl_scan_settings *options,
                         trawl_walker **walker, trawl_error *error) {
    (void)options;
    wu_manber_walker *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", sizeof *made);
    }
    made->base = (trawl_walker){.type = &trawl_walker_wu_manber, .db = db};
    made->header = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_HEADER, 0, NULL);
    made->heads = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_HASH, 0, NULL);
    const void *shift = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_SHIFT, 0, NULL);
    const void *prefix = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_PREFIX, 0, NULL);
    if (made->header->variant == TRAWL_WU_MANBER_PAPER) {
        made->paper_shift = shift;
        made->prefix = prefix;
        made->ids = trawl_db_section(db, TRAWL_SECTION_WU_MANBER_IDS, 0, NULL);
        for (unsigned byte = 0; byte < 256; byte++) {
            made->fold[byte] = db->header->folded != 0 ? trawl_fold((uint8_t)byte) : (uint8_t)byte;
        }
    } else {
        made->shift = shift;
        made->ranges = prefix;
        trawl_endings_open(db, 0, &made->search);
        trawl_guard_begin(&made->guard, db);
    }
    *walker = &made->base;
    return TRAWL_OK;
}

static void close(trawl_walker *walker) {
    wu_manber_walker *opened = (wu_manber_walker *)walker;
    trawl_guard_close(&opened->guard);
    trawl_endings_close(&opened->search);
    trawl_reorder_release(&opened->order);
    trawl_release(opened->candidates);
    trawl_release(opened);
}

static trawl_status scan(trawl_walker *walker, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    wu_manber_walker *opened = (wu_manber_walker *)walker;
    if (opened->header->variant == TRAWL_WU_MANBER_PAPER) {
        return trawl_reorder(walker, window, sink, find_paper, &opened->order, error);
    }
    trawl_consumer consumer = {.sink = sink};
    return trawl_guard_scan(&opened->guard, walker, window, &consumer, scan_stretch, error);
}

static trawl_status count(trawl_walker *walker, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    wu_manber_walker *opened = (wu_manber_walker *)walker;
    trawl_consumer consumer = {.counts = counts};
    if (opened->header->variant == TRAWL_WU_MANBER_PAPER) {
        return walk_paper(opened, window, &consumer);
    }
    return trawl_guard_scan(&opened->guard, walker, window, &consumer, scan_stretch, error);
}

static trawl_status reserve(trawl_walker *walker, trawl_error *error) {
    wu_manber_walker *opened = (wu_manber_walker *)walker;
    if (opened->header->variant == TRAWL_WU_MANBER_PAPER) {
        return trawl_reorder_reserve(&opened->order, walker->db, error);
    }
    trawl_endings_search_reserve(&opened->search);
    trawl_status status = prepare(opened, LANES * LANE_BYTES, error);
    return status == TRAWL_OK ? trawl_guard_reserve(&opened->guard, walker, error) : status;
}

static void settle(trawl_walker *walker, trawl_counts *counts) {
    wu_manber_walker *opened = (wu_manber_walker *)walker;
    trawl_endings_settle(&opened->search, counts);
    trawl_guard_settle(&opened->guard, counts);
}

static void describe(const trawl_walker *walker, trawl_study_scan_report *report) {
    trawl_guard_describe(&((const wu_manber_walker *)walker)->guard, report);
}

const trawl_walker_type trawl_walker_wu_manber = {.open = open,
                                                  .close = close,
                                                  .scan = scan,
                                                  .count = count,
                                                  .reserve = reserve,
                                                  .settle = settle,
                                                  .describe = describe};
