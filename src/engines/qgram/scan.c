/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The q-gram engine's walker: block after block, tier after tier. */
#include "base/allocate.h"
#include "base/clock.h"
#include "base/status.h"
#include "engines/engines.h"
#include "engines/qgram/packed/dense.h"

/* A text may pass the filter everywhere, by chance or by malice: a byte of it then takes many times
 * as long as an automaton's step, which no text can slow down so much. Time is therefore taken for
 * every STRETCH of text in which the filter lets much through. Once the time above BEARABLE exceeds
 * what building an automaton is expected to take, it is built; from then on stretches that took
 * longer than the automaton does are followed by text for the automaton, twice as much every time.
 * Whatever the text, the whole takes at most a small multiple of the automaton's time. */
#define STRETCH (8 * TRAWL_QGRAM_BLOCK)
#define MUCH 32u           /* an end is looked up for every so many bytes */
#define DENSE 8u           /* one for so many bytes ends the stretch at once */
#define BEARABLE 5e-9      /* seconds for a byte: an automaton beside the caches */
#define BUILD_BYTE 100e-9  /* expected seconds for building, for each byte of the patterns */
#define BUILD_LEAST 200e-6 /* and at least so long */
#define LONGEST_STRETCH ((size_t)1 << 23)

typedef struct qgram_walker {
    trawl_walker base;
    uint32_t tiers;
    trawl_tier_walker tier[TRAWL_QGRAM_MAX_TIERS];
    trawl_qgram_lists lists;
    double excess;           /* seconds above what is bearable */
    double patience;         /* seconds of excess until the automaton is built */
    trawl_walker *fallback;  /* NULL until then */
    bool alone;              /* there is no memory for an automaton */
    double fallback_seconds; /* of the last stretch, for a byte */
    size_t handed;           /* text that the automaton gets the next time */
    uint64_t passed;         /* bytes that the automaton got */
    uint64_t walked;         /* bytes that the tiers got */
} qgram_walker;

static void close(trawl_walker *base) {
    qgram_walker *walker = (qgram_walker *)base;
    if (walker->fallback != NULL) {
        walker->fallback->type->close(walker->fallback);
    }
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_tier_close(&walker->tier[i]);
    }
    trawl_release(walker->lists.words);
    trawl_release(walker->lists.samples);
    trawl_release(walker->lists.ends);
    trawl_release(walker->lists.candidates);
    trawl_release(walker->lists.keys);
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
    made->base = (trawl_walker){.type = &trawl_walker_qgram, .db = db};
    const size_t most = TRAWL_QGRAM_LIST;
    made->lists.words = trawl_allocate(TRAWL_QGRAM_LIST / 32 + 1, sizeof(uint64_t));
    made->lists.samples = trawl_allocate(most, sizeof(uint32_t));
    made->lists.ends = trawl_allocate(2 * most, sizeof(uint32_t));
    made->lists.candidates = trawl_allocate(most, sizeof(uint32_t));
    made->lists.keys = trawl_allocate(most, sizeof(uint32_t));
    if (made->lists.words == NULL || made->lists.samples == NULL || made->lists.ends == NULL ||
        made->lists.candidates == NULL || made->lists.keys == NULL) {
        close(&made->base);
        return trawl_fail_memory(error, "scanning", 6 * most * sizeof(uint32_t));
    }
    const trawl_qgram_header *header = trawl_db_section(db, TRAWL_SECTION_QGRAM_HEADER, 0, NULL);
    for (uint32_t part = 0; part < header->tiers; part++) {
        trawl_tier_open(db, part, set, &made->tier[part]);
        made->tiers++;
    }
    made->patience = BUILD_LEAST + BUILD_BYTE * (double)db->patterns.offsets[db->patterns.count];
    made->handed = STRETCH;
    *walker = &made->base;
    return TRAWL_OK;
}

/* ------------------------------------------------------------------ the automaton's part */

/* Ends that were looked up so far. */
static uint64_t looked_up(const qgram_walker *walker) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        sum += walker->tier[i].looked_up;
    }
    return sum;
}

/* Whether the automaton shall take the text behind a stretch of `bytes` that took so long. */
static trawl_status consider(qgram_walker *walker, size_t bytes, double seconds, bool *hand_over,
                             trawl_error *error) {
    double bearable = walker->fallback != NULL ? 1.2 * walker->fallback_seconds : BEARABLE;
    double excess = seconds - bearable * (double)bytes;
    *hand_over = false;
    walker->excess = walker->excess + excess > 0 ? walker->excess + excess : 0;
    if (walker->fallback == NULL && !walker->alone && walker->excess > walker->patience) {
        trawl_status status = walker->base.open_fallback(walker->base.db, &walker->fallback, error);
        if (status != TRAWL_OK) {
            return status;
        }
        walker->alone = walker->fallback == NULL;
    }
    *hand_over = walker->fallback != NULL && excess > 0;
    if (excess <= 0) {
        walker->handed = STRETCH;
    }
    return TRAWL_OK;
}

/* The owned part [begin, end) of a window as the companion's window. */
static trawl_window fallback_window(const qgram_walker *walker, const trawl_window *window,
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

/* ------------------------------------------------------------------ the walk */

/* The owned part [begin, end), at most a block. */
static trawl_status walk_block(qgram_walker *walker, const trawl_window *window, size_t begin,
                               size_t end, const trawl_consumer *consumer) {
    if (consumer->sink != NULL && walker->tiers == 1 && walker->tier[0].packed.unit) {
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

/* The same part by the automaton. */
static trawl_status walk_fallback(qgram_walker *walker, const trawl_window *window, size_t begin,
                                  size_t end, const trawl_consumer *consumer, trawl_error *error) {
    trawl_walker *fallback = walker->fallback;
    trawl_window part = fallback_window(walker, window, begin, end);
    double start = trawl_seconds();
    trawl_status status = consumer->sink != NULL
                              ? fallback->type->scan(fallback, &part, consumer->sink, error)
                              : fallback->type->count(fallback, &part, consumer->counts, error);
    walker->fallback_seconds = (trawl_seconds() - start) / (double)(end - begin);
    walker->passed += end - begin;
    return status;
}

static trawl_status walk(qgram_walker *walker, const trawl_window *window,
                         const trawl_consumer *consumer, trawl_error *error) {
    trawl_status status = TRAWL_OK;
    size_t begin = window->owned;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        /* No run of another window goes on here. */
        walker->tier[i].run = (trawl_qgram_run){.length = window->length};
    }
    while (status == TRAWL_OK && begin < window->length) {
        size_t stretch_begin = begin;
        uint64_t candidates = looked_up(walker);
        double start = trawl_seconds();
        while (status == TRAWL_OK && begin < window->length && begin - stretch_begin < STRETCH) {
            size_t left = window->length - begin;
            size_t end = begin + (left < TRAWL_QGRAM_BLOCK ? left : TRAWL_QGRAM_BLOCK);
            status = walk_block(walker, window, begin, end, consumer);
            begin = end;
            if ((looked_up(walker) - candidates) * DENSE > begin - stretch_begin) {
                break;
            }
        }
        size_t bytes = begin - stretch_begin;
        walker->walked += bytes;
        candidates = looked_up(walker) - candidates;
        if (status != TRAWL_OK || begin == window->length || candidates * MUCH < bytes) {
            continue;
        }
        bool hand_over;
        status = consider(walker, bytes, trawl_seconds() - start, &hand_over, error);
        if (status == TRAWL_OK && hand_over) {
            size_t left = window->length - begin;
            size_t end = begin + (left < walker->handed ? left : walker->handed);
            status = walk_fallback(walker, window, begin, end, consumer, error);
            walker->handed =
                walker->handed < LONGEST_STRETCH ? walker->handed * 2 : LONGEST_STRETCH;
            begin = end;
        }
    }
    return status;
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
    const trawl_consumer consumer = {.sink = sink};
    trawl_status status = walk(walker, window, &consumer, error);
    trawl_packed_dense_settle(sink);
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
    return status == TRAWL_OK ? walk(walker, window, &consumer, error) : status;
}

static void settle(trawl_walker *base, trawl_counts *counts) {
    qgram_walker *walker = (qgram_walker *)base;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        trawl_endings_settle(&walker->tier[i].search, counts);
    }
    if (walker->fallback != NULL && walker->fallback->type->settle != NULL) {
        walker->fallback->type->settle(walker->fallback, counts);
    }
}

static void describe(const trawl_walker *base, trawl_scan_report *report) {
    const qgram_walker *walker = (const qgram_walker *)base;
    report->filters = walker->tiers;
    for (uint32_t i = 0; i < walker->tiers; i++) {
        report->look_ups[i] += walker->tier[i].looked_up;
    }
    report->filtered_bytes += walker->walked;
    report->automaton_bytes += walker->passed;
}

const trawl_walker_type trawl_walker_qgram = {
    .open = open,
    .close = close,
    .scan = scan,
    .count = count,
    .settle = settle,
    .describe = describe,
};
