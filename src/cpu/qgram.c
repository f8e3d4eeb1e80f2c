/* The q-gram engine's walker: block after block, tier after tier. */
#include "common/allocate.h"
#include "common/status.h"
#include "cpu/qgram_tier.h"
#include "cpu/walkers.h"

typedef struct qgram_walker {
    trawl_walker base;
    uint32_t tiers;
    trawl_tier_walker tier[TRAWL_QGRAM_MAX_TIERS];
    trawl_qgram_lists lists;
} qgram_walker;

static void close(trawl_walker *base) {
    qgram_walker *walker = (qgram_walker *)base;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_tier_close(&walker->tier[i]);
    }
    trawl_release(walker->lists.groups);
    trawl_release(walker->lists.samples);
    trawl_release(walker->lists.ends);
    trawl_release(walker);
}

static trawl_status open(const trawl_db *db, const trawl_scan_options *options,
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
    made->base = (trawl_walker){.type = &trawl_cpu_qgram, .db = db};
    const size_t most = TRAWL_QGRAM_BLOCK + TRAWL_QGRAM_MAX_STRIDE + TRAWL_QGRAM_GROUP;
    made->lists.groups = trawl_allocate(most, sizeof(uint32_t));
    made->lists.samples = trawl_allocate(most, sizeof(uint32_t));
    made->lists.ends = trawl_allocate(most, sizeof(uint32_t));
    if (made->lists.groups == NULL || made->lists.samples == NULL || made->lists.ends == NULL) {
        close(&made->base);
        return trawl_fail_memory(error, "scanning", 3 * most * sizeof(uint32_t));
    }
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
    for (uint32_t part = 0; part < header->tiers; part++) {
        trawl_tier_open(db, part, set, &made->tier[part]);
        made->tiers++;
    }
    *walker = &made->base;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ matches */

/* Reports the events of all tiers, which are in order, in order: at one end the earlier tier's
 * match is longer, begins earlier and comes first. */
static trawl_status report_events(qgram_walker *walker, const trawl_window *window,
                                  trawl_sink *sink) {
    for (;;) {
        trawl_tier_walker *first = NULL;
        uint32_t limit = UINT32_MAX; /* where the next event of another tier stands */
        for (uint32_t i = 0; i < walker->tiers; i++) {
            trawl_tier_walker *tier = &walker->tier[i];
            if (tier->next == tier->event_count) {
                continue;
            }
            uint32_t position = tier->events[tier->next].position;
            if (first == NULL) {
                first = tier;
            } else if (position < first->events[first->next].position) {
                /* The tier that was first so far stands earlier in the list: it yields its turn
                 * only from its own position on. */
                limit = first->events[first->next].position - 1;
                first = tier;
            } else {
                limit = position < limit ? position : limit;
            }
        }
        if (first == NULL) {
            return TRAWL_OK;
        }
        size_t from = first->next, to = from + 1;
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

static trawl_status scan(trawl_walker *base, const trawl_window *window, trawl_sink *sink,
                         trawl_error *error) {
    qgram_walker *walker = (qgram_walker *)base;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_tier_walker *tier = &walker->tier[i];
        if (tier->events == NULL) {
            tier->events = trawl_allocate(TRAWL_QGRAM_BLOCK + 1, sizeof *tier->events);
        }
        if (tier->events == NULL) {
            return trawl_fail_memory(error, "scanning", TRAWL_QGRAM_BLOCK * sizeof *tier->events);
        }
    }
    trawl_status status = TRAWL_OK;
    for (size_t begin = window->owned; status == TRAWL_OK && begin < window->length;) {
        size_t left = window->length - begin;
        size_t end = begin + (left < TRAWL_QGRAM_BLOCK ? left : TRAWL_QGRAM_BLOCK);
        for (uint32_t i = 0; i < walker->tiers; i++) {
            trawl_tier_events(&walker->tier[i], window, begin, end, &walker->lists);
        }
        status = report_events(walker, window, sink);
        begin = end;
    }
    return status;
}

/* ------------------------------------------------------------------ counts */

static trawl_status count(trawl_walker *base, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    qgram_walker *walker = (qgram_walker *)base;
    trawl_consumer consumer = {.counts = counts};
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_status status = trawl_endings_begin(&walker->tier[i].search, &consumer, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    for (size_t begin = window->owned; begin < window->length;) {
        size_t left = window->length - begin;
        size_t end = begin + (left < TRAWL_QGRAM_BLOCK ? left : TRAWL_QGRAM_BLOCK);
        for (uint32_t i = 0; i < walker->tiers; i++) {
            trawl_tier_count(&walker->tier[i], window, begin, end, &walker->lists, counts);
        }
        begin = end;
    }
    return TRAWL_OK;
}

static void settle(trawl_walker *base, trawl_counts *counts) {
    qgram_walker *walker = (qgram_walker *)base;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_endings_settle(&walker->tier[i].search, counts);
    }
}

const trawl_walker_type trawl_cpu_qgram = {
    .engine = "qgram",
    .open = open,
    .close = close,
    .scan = scan,
    .count = count,
    .settle = settle,
};
