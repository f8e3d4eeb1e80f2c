/* The q-gram engine's walker: block after block, tier after tier. */
#include "common/allocate.h"
#include "common/status.h"
#include "cpu/qgram_tier.h"
#include "cpu/walkers.h"

/* A text may pass the filter everywhere, by chance or by malice: a block then takes many times as
 * long as a walk of an automaton, which no text can slow down so much. The work beyond BEARABLE
 * steps a byte is added up, that below taken off again; once it exceeds what building an automaton
 * costs, the automaton is built, and blocks that turn out to be too much work are followed by
 * FEWEST, then ever more blocks for the automaton. Whatever the text, the time is so at most a
 * small multiple of the automaton's. */
#define BEARABLE 12u
#define BUILD_STEPS_PER_BYTE 100u /* of the patterns */
#define BUILD_STEPS_LEAST ((uint64_t)1 << 20)
#define FEWEST 4u
#define MOST 256u

typedef struct qgram_walker {
    trawl_walker base;
    uint32_t tiers;
    trawl_tier_walker tier[TRAWL_QGRAM_MAX_TIERS];
    trawl_qgram_lists lists;
    uint64_t excess;         /* steps */
    uint64_t patience;       /* steps of excess until the automaton is built */
    trawl_walker *companion; /* NULL until then */
    bool alone;              /* there is no memory for an automaton */
    uint32_t skip;           /* blocks that the automaton gets the next time */
    uint64_t passed;         /* bytes that the automaton got */
} qgram_walker;

static void close(trawl_walker *base) {
    qgram_walker *walker = (qgram_walker *)base;
    if (walker->companion != NULL) {
        walker->companion->type->close(walker->companion);
    }
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
    made->patience = BUILD_STEPS_LEAST +
                     BUILD_STEPS_PER_BYTE * (uint64_t)db->patterns.offsets[db->patterns.count];
    made->skip = FEWEST;
    *walker = &made->base;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ the automaton's part */

/* After a block of `bytes`: how much text behind it the automaton shall take. */
static trawl_status hand_over(qgram_walker *walker, size_t bytes, size_t *handed,
                              trawl_error *error) {
    uint64_t work = 0;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        work += walker->tier[i].work;
    }
    uint64_t bearable = (uint64_t)BEARABLE * bytes;
    *handed = 0;
    if (work <= bearable) {
        uint64_t saved = bearable - work;
        walker->excess -= saved < walker->excess ? saved : walker->excess;
        walker->skip = FEWEST;
        return TRAWL_OK;
    }
    walker->excess += work - bearable;
    if (walker->companion == NULL && !walker->alone && walker->excess > walker->patience) {
        trawl_status status =
            walker->base.open_companion(walker->base.db, &walker->companion, error);
        if (status != TRAWL_OK) {
            return status;
        }
        walker->alone = walker->companion == NULL;
    }
    if (walker->companion != NULL) {
        *handed = walker->skip * TRAWL_QGRAM_BLOCK;
        walker->skip = walker->skip * 2 < MOST ? walker->skip * 2 : MOST;
    }
    return TRAWL_OK;
}

/* The owned part [begin, end) of a window as the companion's window. */
static trawl_window companion_window(const qgram_walker *walker, const trawl_window *window,
                                     size_t begin, size_t end) {
    size_t overlap = walker->base.db->header->max_length - 1;
    size_t from = begin < overlap ? 0 : begin - overlap;
    return (trawl_window){.text = window->text + from,
                          .length = end - from,
                          .owned = begin - from,
                          .base = window->base + from};
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
        size_t handed = 0;
        if (status == TRAWL_OK) {
            status = hand_over(walker, end - begin, &handed, error);
        }
        begin = end;
        if (status == TRAWL_OK && handed != 0 && begin < window->length) {
            left = window->length - begin;
            end = begin + (left < handed ? left : handed);
            trawl_window part = companion_window(walker, window, begin, end);
            status = walker->companion->type->scan(walker->companion, &part, sink, error);
            walker->passed += end - begin;
            begin = end;
        }
    }
    return status;
}

/* ------------------------------------------------------------------ counts */

static trawl_status count(trawl_walker *base, const trawl_window *window, trawl_counts *counts,
                          trawl_error *error) {
    qgram_walker *walker = (qgram_walker *)base;
    trawl_consumer consumer = {.counts = counts};
    trawl_status status = TRAWL_OK;
    for (uint32_t i = 0; status == TRAWL_OK && i < walker->tiers; i++) {
        status = trawl_endings_begin(&walker->tier[i].search, &consumer, error);
    }
    for (size_t begin = window->owned; status == TRAWL_OK && begin < window->length;) {
        size_t left = window->length - begin;
        size_t end = begin + (left < TRAWL_QGRAM_BLOCK ? left : TRAWL_QGRAM_BLOCK);
        for (uint32_t i = 0; i < walker->tiers; i++) {
            trawl_tier_count(&walker->tier[i], window, begin, end, &walker->lists, counts);
        }
        size_t handed;
        status = hand_over(walker, end - begin, &handed, error);
        begin = end;
        if (status == TRAWL_OK && handed != 0 && begin < window->length) {
            left = window->length - begin;
            end = begin + (left < handed ? left : handed);
            trawl_window part = companion_window(walker, window, begin, end);
            status = walker->companion->type->count(walker->companion, &part, counts, error);
            walker->passed += end - begin;
            begin = end;
        }
    }
    return status;
}

static void settle(trawl_walker *base, trawl_counts *counts) {
    qgram_walker *walker = (qgram_walker *)base;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_endings_settle(&walker->tier[i].search, counts);
    }
    if (walker->companion != NULL && walker->companion->type->settle != NULL) {
        walker->companion->type->settle(walker->companion, counts);
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
