/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The public calls over whole texts: scan, count, collect. */
#include <string.h>

#include "base/allocate.h"
#include "base/status.h"
#include "run/idle.h"
#include "run/options.h"
#include "run/run.h"

/* What a call wants of a run: matches for a receiver, an array of matches, or counts. */
typedef struct purpose {
    trawl_receiver receiver;
    trawl_collector *collector;
    uint64_t *total;
    uint64_t *per_pattern;
} purpose;

/* One run over one text: `text` in memory, or read from `source` if that is not NULL. */
static trawl_status run_over(const trawl_db *db, const trawl_window *text,
                             const trawl_source *source, const trawl_scan_options *options,
                             const purpose *wanted, trawl_error *error) {
    trawl_run run;
    trawl_status status =
        trawl_run_open(&run, db, options, &wanted->receiver, wanted->per_pattern, error);
    if (status == TRAWL_OK && wanted->collector != NULL) {
        trawl_run_collect(&run, wanted->collector);
    }
    trawl_reading reading = {.source = source};
    if (status == TRAWL_OK) {
        status = source == NULL ? trawl_run_window(&run, text, error)
                                : trawl_run_source(&run, &reading, error);
    }
    if (status == TRAWL_OK) {
        status = trawl_run_finish(&run);
    }
    if (wanted->total != NULL) {
        *wanted->total = trawl_run_total(&run);
    }
    trawl_run_close(&run);
    return status == TRAWL_OK && reading.status != TRAWL_OK
               ? trawl_fail(error, reading.status, "%s", reading.error.message)
               : status;
}

/* Whether a text is short enough for an idle scanner of the database. With several threads: whether
 * one thread would scan the text alone. */
static bool is_short(const trawl_db *db, size_t length, const trawl_scan_options *options) {
    uint32_t threads;
    return db != NULL && length <= TRAWL_IDLE_MOST_BYTES && trawl_idle_is_for(db) &&
           trawl_options_are_plain(options, &threads) &&
           (threads <= 1 || length < 2 * TRAWL_RUN_SMALLEST_SHARE);
}

/* Scans a text with a scanner that no other call uses now. */
static trawl_status scan_text(trawl_scanner *scanner, const trawl_window *text,
                              const purpose *wanted, trawl_error *error) {
    const trawl_receiver *receiver = &wanted->receiver;
    bool is_final = scanner->delivery.kind == TRAWL_MATCH_ALL &&
                    scanner->db->conditions.records == NULL; /* what walkers find */
    if (wanted->collector != NULL && is_final && scanner->db->rare_bytes == NULL) {
        return text->length == 0 ? TRAWL_OK
                                 : scanner->walker->type->scan(scanner->walker, text,
                                                               &wanted->collector->sink, error);
    }
    bool counts =
        wanted->collector == NULL && receiver->on_match == NULL && receiver->on_matches == NULL;
    if (counts && is_final && wanted->per_pattern == NULL) {
        return trawl_scanner_count_window(scanner, text, wanted->total, error);
    }
    trawl_receiver *receives = &scanner->delivery.receiver;
    const bool appends = wanted->collector != NULL;
    receives->on_match = receiver->on_match;
    receives->on_matches = appends ? trawl_collector_append : receiver->on_matches;
    receives->context = appends ? wanted->collector : receiver->context;
    trawl_status status = trawl_scanner_text(scanner, text, wanted->per_pattern, error);
    if (wanted->total != NULL) {
        *wanted->total = scanner->delivery.delivered;
    }
    return status;
}

static trawl_status run_short(const trawl_db *db, const void *text, size_t length,
                              const purpose *wanted, trawl_error *error) {
    trawl_scanner *scanner;
    trawl_status status = trawl_idle_take(db, &scanner, error);
    if (status != TRAWL_OK) {
        return status;
    }
    const trawl_window window = {.text = text, .length = length, .one_text = true};
    status = scan_text(scanner, &window, wanted, error);
    if (status == TRAWL_OK || status == TRAWL_STOPPED) {
        trawl_idle_put(scanner);
    } else {
        trawl_idle_drop(scanner);
    }
    return status;
}

/* The counters of a counting call become 0. */
static void clear_counters(const trawl_db *db, const purpose *wanted) {
    if (wanted->total != NULL) {
        *wanted->total = 0;
    }
    if (wanted->per_pattern != NULL) {
        memset(wanted->per_pattern, 0, db->patterns.count * sizeof *wanted->per_pattern);
    }
}

/* A trawl_on_matches that stops when so many matches have been found. */
static int count_down(const trawl_match *matches, size_t count, void *context) {
    uint64_t *left = context;
    (void)matches;
    bool stops = count > *left;
    *left -= stops ? *left : count;
    return stops;
}

/* Counts by pattern with a scanner that no other call uses now. It takes time for each match, which
 * a run does not: TRAWL_STOPPED, with counters of 0, if a text of nested patterns has too many. */
static trawl_status count_short(const trawl_db *db, const void *text, size_t length,
                                const purpose *wanted, trawl_error *error) {
    uint64_t left = TRAWL_IDLE_COUNTED_MATCHES + TRAWL_IDLE_COUNTED_BY_BYTE * (uint64_t)length;
    purpose counts = *wanted;
    counts.receiver = (trawl_receiver){.on_matches = count_down, .context = &left};
    trawl_status status = run_short(db, text, length, &counts, error);
    if (status == TRAWL_STOPPED) {
        clear_counters(db, wanted);
    }
    return status;
}

static trawl_status run_text(const trawl_db *db, const void *text, size_t length,
                             const trawl_scan_options *options, const purpose *wanted,
                             trawl_error *error) {
    if (text == NULL && length != 0) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "text is NULL but its length is %zu",
                          length);
    }
    if (is_short(db, length, options)) {
        trawl_status status = wanted->per_pattern != NULL
                                  ? count_short(db, text, length, wanted, error)
                                  : run_short(db, text, length, wanted, error);
        if (wanted->per_pattern == NULL || status != TRAWL_STOPPED) {
            return status;
        }
    }
    trawl_window window = {.text = text, .length = length};
    return run_over(db, &window, NULL, options, wanted, error);
}

static trawl_status run_source(const trawl_db *db, const trawl_source *source,
                               const trawl_scan_options *options, const purpose *wanted,
                               trawl_error *error) {
    if (source == NULL || source->size < sizeof *source || source->read == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "%s",
                          source == NULL                  ? "source is NULL"
                          : source->size < sizeof *source ? "a source's size is too small: "
                                                            "initialise it with TRAWL_SOURCE"
                                                          : "a source without a function to read");
    }
    return run_over(db, NULL, source, options, wanted, error);
}

trawl_status trawl_scan(const trawl_db *db, const void *text, size_t length,
                        const trawl_scan_options *options, trawl_on_match on_match, void *context,
                        trawl_error *error) {
    trawl_clear(error);
    if (on_match == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_scan: on_match is NULL");
    }
    purpose wanted = {.receiver = {.on_match = on_match, .context = context}};
    return run_text(db, text, length, options, &wanted, error);
}

trawl_status trawl_scan_batches(const trawl_db *db, const void *text, size_t length,
                                const trawl_scan_options *options, trawl_on_matches on_matches,
                                void *context, trawl_error *error) {
    trawl_clear(error);
    if (on_matches == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_scan_batches: on_matches is NULL");
    }
    purpose wanted = {.receiver = {.on_matches = on_matches, .context = context}};
    return run_text(db, text, length, options, &wanted, error);
}

trawl_status trawl_scan_source(const trawl_db *db, const trawl_source *source,
                               const trawl_scan_options *options, trawl_on_matches on_matches,
                               void *context, trawl_error *error) {
    trawl_clear(error);
    if (on_matches == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "trawl_scan_source: on_matches is NULL");
    }
    purpose wanted = {.receiver = {.on_matches = on_matches, .context = context}};
    return run_source(db, source, options, &wanted, error);
}

/* Checks the counters of a counting call and sets them to 0. */
static trawl_status begin_count(const trawl_db *db, const purpose *wanted, const char *call,
                                trawl_error *error) {
    trawl_clear(error);
    if (wanted->total == NULL && wanted->per_pattern == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "%s: total and per_pattern are both NULL",
                          call);
    }
    if (db != NULL) {
        clear_counters(db, wanted);
    } else if (wanted->total != NULL) {
        *wanted->total = 0;
    }
    return TRAWL_OK;
}

trawl_status trawl_count(const trawl_db *db, const void *text, size_t length,
                         const trawl_scan_options *options, uint64_t *total, uint64_t *per_pattern,
                         trawl_error *error) {
    purpose wanted = {.total = total, .per_pattern = per_pattern};
    trawl_status status = begin_count(db, &wanted, "trawl_count", error);
    return status == TRAWL_OK ? run_text(db, text, length, options, &wanted, error) : status;
}

trawl_status trawl_count_source(const trawl_db *db, const trawl_source *source,
                                const trawl_scan_options *options, uint64_t *total,
                                uint64_t *per_pattern, trawl_error *error) {
    purpose wanted = {.total = total, .per_pattern = per_pattern};
    trawl_status status = begin_count(db, &wanted, "trawl_count_source", error);
    return status == TRAWL_OK ? run_source(db, source, options, &wanted, error) : status;
}

trawl_status trawl_collect_into(const trawl_db *db, const void *text, size_t length,
                                const trawl_scan_options *options, trawl_matches *matches,
                                trawl_error *error) {
    trawl_clear(error);
    if (matches == NULL) {
        return trawl_fail(error, TRAWL_ERROR_ARGUMENT, "collecting matches: matches is NULL");
    }
    trawl_collector all;
    trawl_collector_open(&all, matches->items);
    purpose wanted = {.collector = &all};
    trawl_status status = run_text(db, text, length, options, &wanted, error);
    status = trawl_collector_explain(&all, status, error);
    matches->items = all.sink.matches;
    matches->count = status == TRAWL_OK ? all.sink.count : 0;
    return status;
}

trawl_status trawl_collect(const trawl_db *db, const void *text, size_t length,
                           const trawl_scan_options *options, trawl_matches *matches,
                           trawl_error *error) {
    if (matches != NULL) {
        *matches = (trawl_matches){0};
    }
    trawl_status status = trawl_collect_into(db, text, length, options, matches, error);
    if (status != TRAWL_OK) {
        trawl_matches_free(matches);
    }
    return status;
}

void trawl_matches_free(trawl_matches *matches) {
    if (matches != NULL) {
        trawl_array_release(matches->items);
        *matches = (trawl_matches){0};
    }
}
