/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Finding the longest key that ends at a position (database/endings.h), and what follows from it.
 */
#ifndef TRAWL_SCAN_CANDIDATES_H
#define TRAWL_SCAN_CANDIDATES_H

#include "database/endings_search.h"
#include "scan/emission.h"

/* What becomes of matches: they go into `sink`, or, when that is NULL, are counted. */
typedef struct trawl_consumer {
    trawl_sink *sink;
    trawl_counts *counts;
} trawl_consumer;

/* One match of one pattern: text[start .. end) of the window. */
static inline trawl_status trawl_consume(const trawl_consumer *consumer, const trawl_window *window,
                                         size_t start, size_t end, uint32_t id) {
    if (consumer->sink != NULL) {
        return trawl_sink_put(consumer->sink, window->base + start, window->base + end, id);
    }
    consumer->counts->total++;
    if (consumer->counts->per_pattern != NULL) {
        consumer->counts->per_pattern[id]++;
    }
    return TRAWL_OK;
}

/* One part's keys. Belongs to a walker, that is to one thread. */
typedef struct trawl_endings_search {
    trawl_endings_view view;
    uint64_t *hits; /* one for each key once patterns are counted */
} trawl_endings_search;

void trawl_endings_open(const trawl_db *db, uint32_t part, trawl_endings_search *search);
void trawl_endings_close(trawl_endings_search *search);

/* To be called before a walk over a window. */
trawl_status trawl_endings_begin(trawl_endings_search *search, const trawl_consumer *consumer,
                                 trawl_error *error);

/* Adds what walks that counted patterns have put off. */
void trawl_endings_settle(trawl_endings_search *search, trawl_counts *counts);

/* trawl_endings_find_in, compiled once. */
uint32_t trawl_endings_find(const trawl_endings_view *view, uint32_t first, uint32_t last,
                            size_t known, const uint8_t *text, size_t end, uint64_t ending);

/* Reports that key and all keys that are suffixes of it. */
static inline trawl_status trawl_endings_report(trawl_endings_search *search,
                                                const trawl_window *window, size_t end,
                                                uint32_t key, const trawl_consumer *consumer) {
    if (consumer->sink != NULL) {
        return trawl_emit_matches(&search->view.outputs, &search->view.patterns, window, end, key,
                                  consumer->sink);
    }
    trawl_emit_counts(&search->view.outputs, &search->view.patterns, window, end, key,
                      consumer->counts,
                      consumer->counts->per_pattern == NULL ? NULL : search->hits);
    return TRAWL_OK;
}

#endif
