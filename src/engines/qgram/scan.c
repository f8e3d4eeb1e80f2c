/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The q-gram engine's walker: takes a window block by block through its tiers, and merges the
 * events of the tiers. */
#include "base/allocate.h"
#include "base/status.h"
#include "constants/fallback.h"
#include "engines/engines.h"
#include "engines/qgram/packed/dense.h"
#include "engines/qgram/tier.h"
#include "scan/guard.h"

typedef struct qgram_walker {
    trawl_walker base;
    uint32_t tiers;
    size_t longest_block; /* a power of two */
    size_t guarded_block; /* trawl_guard_block of it */
    trawl_tier_walker tier[TRAWL_QGRAM_MAX_TIERS];
    trawl_qgram_lists lists;
    size_t events_block; /* bytes of a block that all tiers have events for */
    trawl_guard guard;
} qgram_walker;

static void release_lists(trawl_qgram_lists *lists) {
    trawl_release(lists->words);
    trawl_release(lists->samples);
    trawl_release(lists->ends);
    trawl_release(lists->possible_ends);
    trawl_release(lists->keys);
    *lists = (trawl_qgram_lists){.block = 0};
}

static void close(trawl_walker *base) {
    qgram_walker *walker = (qgram_walker *)base;
    trawl_guard_close(&walker->guard);
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_tier_close(&walker->tier[i]);
    }
    release_lists(&walker->lists);
    trawl_release(walker);
}

/* Allocates the lists. After a failure some of them are allocated and have to be released. */
static bool allocate_lists(trawl_qgram_lists *lists, size_t block) {
    size_t size = block + TRAWL_QGRAM_LIST_MORE;
    lists->block = block;
    lists->size = size;
    lists->words = trawl_allocate(size / 32 + 1, sizeof *lists->words);
    lists->samples = trawl_allocate(size, sizeof *lists->samples);
    lists->ends = trawl_allocate(2 * size, sizeof *lists->ends);
    lists->possible_ends = trawl_allocate(size, sizeof *lists->possible_ends);
    lists->keys = trawl_allocate(size, sizeof *lists->keys);
    return lists->words != NULL && lists->samples != NULL && lists->ends != NULL &&
           lists->possible_ends != NULL && lists->keys != NULL;
}

/* Allocates lists for the blocks of this window, smaller ones for a short text: that is scanned in
 * a microsecond, and allocating the lists of a full block would take longer. */
static trawl_status prepare(qgram_walker *walker, const trawl_window *window, bool events,
                            trawl_error *error) {
    size_t owned = window->length - window->owned;
    size_t block = TRAWL_QGRAM_SMALLEST_BLOCK;
    if (owned <= (events ? walker->events_block : walker->lists.block)) {
        return TRAWL_OK;
    }
    while (block < owned && block < walker->longest_block) {
        block *= 2;
    }
    if (block > walker->lists.block) {
        release_lists(&walker->lists);
        walker->events_block = 0;
        for (uint32_t i = 0; i < walker->tiers; i++) {
            trawl_release(walker->tier[i].events);
            walker->tier[i].events = NULL;
        }
        if (!allocate_lists(&walker->lists, block)) {
            release_lists(&walker->lists);
            return trawl_fail_memory(error, "scanning", 6 * block * sizeof(uint32_t));
        }
    }
    for (uint32_t i = 0; events && i < walker->tiers; i++) {
        trawl_tier_walker *tier = &walker->tier[i];
        if (tier->events == NULL) {
            tier->events = trawl_allocate(walker->lists.block + 1, sizeof *tier->events);
        }
        if (tier->events == NULL) {
            return trawl_fail_memory(error, "scanning", block * sizeof *tier->events);
        }
    }
    walker->events_block = events ? walker->lists.block : walker->events_block;
    return TRAWL_OK;
}

static trawl_status open(const trawl_db *db, const trawl_scan_settings *options,
                         trawl_walker **walker, trawl_error *error) {
    (void)options;
    trawl_cpu_set set;
    trawl_status status = trawl_cpu_choose(&set, error);
    if (status != TRAWL_OK) {
        return status;
    }
    qgram_walker *made = trawl_allocate_zeroed(1, sizeof *made);
    if (made == NULL) {
        return trawl_fail_memory(error, "scanning", sizeof *made);
    }
    made->base = (trawl_walker){.type = &trawl_walker_qgram, .db = db};
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
    for (uint32_t part = 0; part < header->tiers; part++) {
        trawl_tier_open(db, part, set, &made->tier[part]);
        made->tiers++;
    }
    bool is_sparse = made->tiers == 1 && made->tier[0].tier->kind == TRAWL_TIER_SPARSE;
    made->longest_block = is_sparse ? TRAWL_SPARSE_BLOCK : TRAWL_QGRAM_BLOCK;
    made->guarded_block = trawl_guard_block(db, made->longest_block);
    trawl_guard_begin(&made->guard, db);
    *walker = &made->base;
    return TRAWL_OK;
}

static trawl_status reserve(trawl_walker *base, trawl_error *error) {
    qgram_walker *walker = (qgram_walker *)base;
    const trawl_window longest = {.length = walker->longest_block};
    trawl_status status = prepare(walker, &longest, true, error);
    for (uint32_t i = 0; status == TRAWL_OK && i < walker->tiers; i++) {
        trawl_packed_dense_reserve(&walker->tier[i]);
        trawl_endings_search_reserve(&walker->tier[i].search);
    }
    return status == TRAWL_OK ? trawl_guard_reserve(&walker->guard, base, error) : status;
}

/* ------------------------------------------------------------------ matches */

/* Merges the events of all tiers by position and reports them. At one position the earlier tier
 * comes first: its match is longer and begins earlier, so this is the canonical order. */
static trawl_status merge_events(qgram_walker *walker, const trawl_window *window,
                                 trawl_sink *sink) {
    for (;;) {
        trawl_tier_walker *first = NULL;
        uint32_t limit = UINT32_MAX; /* up to this position the events of `first` come first */
        for (uint32_t i = 0; i < walker->tiers; i++) {
            trawl_tier_walker *tier = &walker->tier[i];
            if (tier->next == tier->event_count) {
                continue;
            }
            uint32_t position = tier->events[tier->next].position;
            if (first == NULL) {
                first = tier;
            } else if (position < first->events[first->next].position) {
                /* The tier that was first so far stands before this one, so its event is the first
                 * one again at its own position. */
                limit = first->events[first->next].position - 1;
                first = tier;
            } else {
                limit = position < limit ? position : limit;
            }
        }
        if (first == NULL) {
            return TRAWL_OK;
        }
        size_t from = first->next, to = limit == UINT32_MAX ? first->event_count : from + 1;
        while (to < first->event_count && first->events[to].position <= limit) {
            to++;
        }
        first->next = to;
        trawl_status status =
            trawl_emit_events(&first->search.view.outputs, &first->search.view.patterns, window, 0,
                              first->events + from, to - from, sink);
        if (status != TRAWL_OK) {
            return status;
        }
    }
}

/* The same. In most short texts no tier has an event, or one of them. */
static trawl_status report_events(qgram_walker *walker, const trawl_window *window,
                                  trawl_sink *sink) {
    trawl_tier_walker *only = NULL;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        if (walker->tier[i].event_count == 0) {
            continue;
        }
        if (only != NULL) {
            return merge_events(walker, window, sink);
        }
        only = &walker->tier[i];
    }
    return only == NULL ? TRAWL_OK
                        : trawl_emit_events(&only->search.view.outputs, &only->search.view.patterns,
                                            window, 0, only->events, only->event_count, sink);
}

/* ------------------------------------------------------------------ the scan */

/* Scans the ends (begin, end] of a window, at most a block, with all tiers. */
static trawl_status scan_block(qgram_walker *walker, const trawl_window *window, size_t begin,
                               size_t end, const trawl_consumer *consumer) {
    if (consumer->sink != NULL && walker->tiers == 1 && walker->tier[0].packed.one_match) {
        return trawl_packed_report(&walker->tier[0], window, begin, end, &walker->lists,
                                   consumer->sink);
    }
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_tier_walker *tier = &walker->tier[i];
        if (consumer->sink == NULL) {
            trawl_tier_count(tier, window, begin, end, &walker->lists, consumer->counts);
        } else {
            trawl_tier_events(tier, window, begin, end, &walker->lists);
        }
    }
    return consumer->sink == NULL ? TRAWL_OK : report_events(walker, window, consumer->sink);
}

/* Work behind the filters so far, in look-ups: candidates, also those that no key was looked up
 * for, ends that were looked up, and bytes that were compared. */
static uint64_t count_look_ups(const qgram_walker *walker) {
    uint64_t candidates = 0, bytes = 0;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        candidates += walker->tier[i].passed + walker->tier[i].look_ups;
        bytes += walker->tier[i].search.compared;
    }
    return candidates + bytes / TRAWL_FALLBACK_LOOK_UP_BYTES;
}

/* The trawl_guard_stretch of qgram: scans with the tiers, up to where look-ups are too many. */
static trawl_status scan_stretch(trawl_walker *base, const trawl_window *window,
                                 const trawl_consumer *consumer, bool careful, size_t *begin,
                                 uint64_t *look_ups, trawl_error *error) {
    (void)careful; /* a stretch with many look-ups is short anyway */
    (void)error;
    qgram_walker *walker = (qgram_walker *)base;
    trawl_status status = TRAWL_OK;
    const size_t first = *begin, block = walker->guarded_block;
    const uint64_t before = count_look_ups(walker);
    *look_ups = 0;
    while (status == TRAWL_OK && *begin < window->length &&
           *begin - first < TRAWL_FALLBACK_STRETCH) {
        size_t left = window->length - *begin;
        size_t end = *begin + (left < block ? left : block);
        status = scan_block(walker, window, *begin, end, consumer);
        *begin = end;
        *look_ups = count_look_ups(walker) - before;
        if (*look_ups * TRAWL_FALLBACK_MANY_BYTES > end - first) {
            break;
        }
    }
    return status;
}

/* Whether a window is one block that needs neither more memory nor the guard. Many texts are no
 * longer than that: of a call for 64 bytes, dividing a window takes as long as the filter. */
static bool is_plain_block(const qgram_walker *walker, size_t owned) {
    return owned <= walker->lists.block && owned <= walker->guard.block && owned != 0 &&
           trawl_guard_is_idle(&walker->guard);
}

/* Scans such a window. */
static trawl_status scan_plain_block(qgram_walker *walker, const trawl_window *window,
                                     const trawl_consumer *consumer) {
    const uint64_t before = count_look_ups(walker);
    trawl_status status = scan_block(walker, window, window->owned, window->length, consumer);
    trawl_guard_note_short(&walker->guard, window->length - window->owned,
                           count_look_ups(walker) - before);
    return status;
}

static trawl_status scan_window(qgram_walker *walker, const trawl_window *window,
                                const trawl_consumer *consumer, trawl_error *error) {
    for (uint32_t i = 0; i < walker->tiers; i++) {
        /* The run that was found in the window before is not part of this window. */
        walker->tier[i].run = (trawl_qgram_run){.text_length = window->length};
    }
    if (is_plain_block(walker, window->length - window->owned)) {
        return scan_plain_block(walker, window, consumer);
    }
    return trawl_guard_scan(&walker->guard, &walker->base, window, consumer, scan_stretch, error);
}

static trawl_status scan(trawl_walker *base, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    qgram_walker *walker = (qgram_walker *)base;
    const trawl_consumer consumer = {.sink = sink};
    trawl_status status = prepare(walker, window, true, error);
    if (status != TRAWL_OK) {
        return status;
    }
    status = scan_window(walker, window, &consumer, error);
    trawl_packed_dense_flush(sink);
    return status;
}

/* ------------------------------------------------------------------ counts */

static trawl_status count(trawl_walker *base, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    qgram_walker *walker = (qgram_walker *)base;
    trawl_consumer consumer = {.counts = counts};
    trawl_status status = prepare(walker, window, false, error);
    for (uint32_t i = 0; status == TRAWL_OK && i < walker->tiers; i++) {
        status = trawl_endings_begin(&walker->tier[i].search, &consumer, error);
    }
    return status == TRAWL_OK ? scan_window(walker, window, &consumer, error) : status;
}

static void settle(trawl_walker *base, trawl_counts *counts) {
    qgram_walker *walker = (qgram_walker *)base;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_endings_settle(&walker->tier[i].search, counts);
    }
    trawl_guard_settle(&walker->guard, counts);
}

static void describe(const trawl_walker *base, trawl_study_scan_report *report) {
    const qgram_walker *walker = (const qgram_walker *)base;
    report->filters = walker->tiers;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        report->candidates[i] += walker->tier[i].look_ups;
    }
    trawl_guard_describe(&walker->guard, report);
}

const trawl_walker_type trawl_walker_qgram = {
    .open = open,
    .close = close,
    .scan = scan,
    .count = count,
    .reserve = reserve,
    .settle = settle,
    .describe = describe,
    .falls_back = true,
};
