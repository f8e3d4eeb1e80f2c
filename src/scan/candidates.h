/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* From candidates to matches, for engines whose keys are sorted by their ends (database/endings.h):
 * the longest key that ends at a position is searched, and reported with its links. Engines without
 * such keys report or count single matches with trawl_consume. */
#ifndef TRAWL_SCAN_CANDIDATES_H
#define TRAWL_SCAN_CANDIDATES_H

#include "database/endings_search.h"
#include "scan/emission.h"

/* What becomes of matches: they go into `sink`, or are counted if that is NULL. */
typedef struct trawl_consumer {
    trawl_sink *sink;
    trawl_counts *counts;
} trawl_consumer;

/* Handles one match of one pattern, text[start .. end) of the window. */
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

/* The keys of one part of a database, and what one walker remembers of them. trawl_endings_close
 * frees it. */
typedef struct trawl_endings_search {
    trawl_endings_view view;
    uint64_t *hits;        /* counts of keys; NULL unless patterns are counted one by one */
    uint64_t compared;     /* bytes of keys and of ranges compared with the text so far */
    trawl_last_start last; /* in the window that is walked now */
    trawl_case_counter cases;
} trawl_endings_search;

void trawl_endings_open(const trawl_db *db, uint32_t part, trawl_endings_search *search);
void trawl_endings_close(trawl_endings_search *search);

/* Call it before each walk over a window: resets `last`, and allocates `hits` if the consumer
 * counts by pattern. TRAWL_ERROR_MEMORY. */
trawl_status trawl_endings_begin(trawl_endings_search *search, const trawl_consumer *consumer,
                                 trawl_error *error);

/* Makes what counting would allocate later (`reserve` in scan/contract.h), but for `hits`. */
void trawl_endings_search_reserve(trawl_endings_search *search);

/* Adds the counts of keys to those of their patterns (`settle` in scan/contract.h). */
void trawl_endings_settle(trawl_endings_search *search, trawl_counts *counts);

/* trawl_endings_find_in (database/endings_search.h), compiled once instead of inlined; adds to
 * search->compared. */
uint32_t trawl_endings_find(trawl_endings_search *search, uint32_t first, uint32_t last,
                            size_t known, const uint8_t *text, size_t end, uint64_t ending);

/* Adds the ranges of a hash table's slot that a look-up has read to search->compared. By chance it
 * is one or two; by malice a slot has those of all patterns. */
static inline void trawl_endings_read(trawl_endings_search *search, uint32_t ranges) {
    search->compared += ranges * sizeof(trawl_ending_range);
}

/* Reports the matches of `key` and of its links, which end before text[end] of the window. */
static inline trawl_status trawl_endings_report(trawl_endings_search *search,
                                                const trawl_window *window, size_t end,
                                                uint32_t key, const trawl_consumer *consumer) {
    if (consumer->sink != NULL) {
        return search->view.outputs.gates != NULL &&
                       trawl_gates_pass_over(&search->view.outputs, window, &search->last, end, key)
                   ? TRAWL_OK
                   : trawl_emit_matches(&search->view.outputs, &search->view.patterns, window, end,
                                        key, consumer->sink);
    }
    trawl_emit_counts(&search->view.outputs, &search->view.patterns, window, end, key,
                      consumer->counts, search->hits, &search->cases);
    return TRAWL_OK;
}

#endif
