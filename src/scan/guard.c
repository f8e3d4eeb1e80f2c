/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "scan/guard.h"

#include <math.h>

#include "base/clock.h"
#include "constants/fallback.h"

void trawl_guard_begin(trawl_guard *guard, const trawl_db *db) {
    *guard = (trawl_guard){.block = trawl_guard_block(db, TRAWL_QGRAM_BLOCK),
                           .next_bytes = TRAWL_FALLBACK_STRETCH};
}

void trawl_guard_close(trawl_guard *guard) {
    if (guard->walker != NULL) {
        guard->walker->type->close(guard->walker);
    }
}

/* Bytes of all patterns. */
static uint64_t bytes_of(const trawl_pattern_view *patterns) {
    return trawl_offset(patterns->offsets, patterns->bases, patterns->count);
}

/* The memory of the automaton, if there is one, for all texts. */
static trawl_status reserve_memory(const trawl_guard *guard, trawl_error *error) {
    const trawl_walker *walker = guard->walker;
    return walker == NULL || walker->type->reserve == NULL
               ? TRAWL_OK
               : walker->type->reserve(guard->walker, error);
}

trawl_status trawl_guard_reserve(trawl_guard *guard, trawl_walker *walker, trawl_error *error) {
    const trawl_pattern_view *patterns = &walker->db->patterns;
    trawl_status status = TRAWL_OK;
    if (bytes_of(patterns) <= TRAWL_FALLBACK_RESERVED_BYTES) {
        status = walker->open_fallback(walker->db, &guard->walker, error);
        guard->unavailable = guard->walker == NULL;
    }
    guard->reserves = true;
    guard->seconds_per_byte = TRAWL_FALLBACK_STEP_SECONDS;
    return status == TRAWL_OK ? reserve_memory(guard, error) : status;
}

void trawl_guard_settle(trawl_guard *guard, trawl_counts *counts) {
    if (guard->walker != NULL && guard->walker->type->settle != NULL) {
        guard->walker->type->settle(guard->walker, counts);
    }
}

void trawl_guard_describe(const trawl_guard *guard, trawl_study_scan_report *report) {
    report->filtered_bytes += guard->engine_bytes;
    report->fallback_bytes += guard->automaton_bytes;
}

size_t trawl_guard_block(const trawl_db *db, size_t most) {
    size_t block = TRAWL_FALLBACK_COMPARED_BYTES / (db->header->max_length + 1);
    block = block < TRAWL_FALLBACK_LEAST_BLOCK ? TRAWL_FALLBACK_LEAST_BLOCK : block;
    return block < most ? block : most;
}

/* Seconds that the automaton is expected to take for a byte. */
static double expected_step(const trawl_walker *walker) {
    return walker->fallback_step > 0 ? TRAWL_FALLBACK_PRICE_ERROR * walker->fallback_step
                                     : TRAWL_FALLBACK_STEP_SECONDS;
}

/* Seconds that building the automaton is expected to take. */
static double expected_building(const trawl_walker *walker) {
    const trawl_pattern_view *patterns = &walker->db->patterns;
    double by_patterns = TRAWL_FALLBACK_BUILD_BYTE_SECONDS * (double)bytes_of(patterns);
    return TRAWL_FALLBACK_BUILD_LEAST_SECONDS +
           (walker->fallback_build > 0 ? TRAWL_FALLBACK_PRICE_ERROR * walker->fallback_build
                                       : by_patterns);
}

/* Opens the automaton. There is none if its memory cannot be had, which is no error. */
static trawl_status open_automaton(trawl_guard *guard, const trawl_walker *walker,
                                   trawl_error *error) {
    trawl_error ignored;
    trawl_status status = walker->open_fallback(walker->db, &guard->walker, error);
    if (status == TRAWL_OK && guard->reserves && reserve_memory(guard, &ignored) != TRAWL_OK) {
        guard->walker->type->close(guard->walker);
        guard->walker = NULL;
    }
    guard->unavailable = guard->walker == NULL;
    if (guard->seconds_per_byte == 0) {
        guard->seconds_per_byte = expected_step(walker);
    }
    return status;
}

/* The clock of the next stretch, in seconds. */
static double read_clock(const trawl_guard *guard) {
    return guard->processor_time ? trawl_thread_seconds() : trawl_seconds();
}

/* Takes account of a stretch of `bytes` with many look-ups, which took `seconds` by read_clock.
 * Builds the automaton when it is time. *takes_over: whether the automaton shall scan the next
 * guard->next_bytes of the text. */
static trawl_status account(trawl_guard *guard, trawl_walker *walker, size_t bytes, double seconds,
                            bool *takes_over, trawl_error *error) {
    double no_loss = guard->walker != NULL ? TRAWL_FALLBACK_MARGIN * guard->seconds_per_byte
                                           : expected_step(walker);
    double loss = seconds - no_loss * (double)bytes;
    double lost = guard->seconds_lost + loss;
    bool is_certain = guard->processor_time;
    guard->processor_time = loss > 0;
    *takes_over = false;
    if (!is_certain) {
        return TRAWL_OK; /* the thread may have waited */
    }
    guard->seconds_lost = lost > 0 ? lost : 0;
    if (guard->walker == NULL && !guard->unavailable &&
        guard->seconds_lost > expected_building(walker)) {
        trawl_status status = open_automaton(guard, walker, error);
        if (status != TRAWL_OK) {
            return status;
        }
    }
    *takes_over = guard->walker != NULL && loss > 0;
    if (loss <= 0) {
        guard->next_bytes = TRAWL_FALLBACK_STRETCH;
    }
    /* A block whose candidates have many bytes in common with the patterns may take as long as
     * megabytes take the automaton. Trying again takes at most half of the time. */
    const double step = guard->seconds_per_byte;
    if (*takes_over && loss > step * (double)guard->next_bytes) {
        guard->next_bytes = loss < step * (double)TRAWL_FALLBACK_MAX_BYTES
                                ? (size_t)(loss / step)
                                : TRAWL_FALLBACK_MAX_BYTES;
    }
    return TRAWL_OK;
}

/* Scans (begin, end] of a window of database `db` with the automaton. */
static trawl_status scan_with_automaton(trawl_guard *guard, const trawl_db *db,
                                        const trawl_window *window, size_t begin, size_t end,
                                        const trawl_consumer *consumer, trawl_error *error) {
    trawl_walker *walker = guard->walker;
    const trawl_window part = trawl_window_cut(window, trawl_db_overlap(db), begin, end);
    guard->automaton_bytes += end - begin;
    return consumer->sink != NULL ? walker->type->scan(walker, &part, consumer->sink, error)
                                  : walker->type->count(walker, &part, consumer->counts, error);
}

static size_t twice_as_many(size_t bytes) {
    return bytes < TRAWL_FALLBACK_MAX_BYTES ? bytes * 2 : TRAWL_FALLBACK_MAX_BYTES;
}

/* The same, measures how long the automaton takes for a byte, and lets it have more the next
 * time. */
static trawl_status measure_automaton(trawl_guard *guard, const trawl_db *db,
                                      const trawl_window *window, size_t begin, size_t end,
                                      const trawl_consumer *consumer, trawl_error *error) {
    double start = trawl_thread_seconds();
    trawl_status status = scan_with_automaton(guard, db, window, begin, end, consumer, error);
    guard->seconds_per_byte = (trawl_thread_seconds() - start) / (double)(end - begin);
    guard->next_bytes = twice_as_many(guard->next_bytes);
    return status;
}

/* Times a short text, without the time for reading the clock, which may be as long. In elapsed
 * time: reading processor time takes longer than the text, and as long as that varies. */
typedef struct stopwatch {
    double start, reading;
} stopwatch;

static stopwatch start_watch(void) {
    double before = trawl_seconds(), start = trawl_seconds();
    return (stopwatch){.start = start, .reading = start - before};
}

/* At least 0. */
static double stop_watch(const stopwatch *watch) {
    double seconds = trawl_seconds() - watch->start - watch->reading;
    return seconds > 0 ? seconds : 0;
}

/* Takes account of a short text with many look-ups that took `seconds`. */
static trawl_status account_short(trawl_guard *guard, trawl_walker *walker, size_t bytes,
                                  double seconds, trawl_error *error) {
    bool takes_over;
    const size_t stands_for = TRAWL_FALLBACK_SHORT_TEXTS * bytes + (size_t)guard->sparse_bytes / 2;
    guard->dense_texts = 0;
    guard->sparse_bytes = 0;
    trawl_status status = account(guard, walker, stands_for, TRAWL_FALLBACK_SHORT_TEXTS * seconds,
                                  &takes_over, error);
    if (status == TRAWL_OK && takes_over) {
        guard->handed_over = guard->next_bytes;
        guard->seconds_per_byte = INFINITY; /* hand_over_short() measures it */
        guard->next_bytes = twice_as_many(guard->next_bytes);
    }
    return status;
}

/* Scans a window that owns at most a block with the automaton. The last ones of the texts that are
 * handed over are timed, when its tables are in the caches; the fastest counts. */
static trawl_status hand_over_short(trawl_guard *guard, const trawl_db *db,
                                    const trawl_window *window, const trawl_consumer *consumer,
                                    trawl_error *error) {
    const size_t bytes = window->length - window->owned;
    const bool is_timed = guard->handed_over <= TRAWL_FALLBACK_TIMED_TEXTS * bytes;
    const stopwatch watch = is_timed ? start_watch() : (stopwatch){0};
    trawl_status status =
        scan_with_automaton(guard, db, window, window->owned, window->length, consumer, error);
    if (is_timed) {
        guard->seconds_per_byte = fmin(guard->seconds_per_byte, stop_watch(&watch) / (double)bytes);
    }
    guard->handed_over -= bytes < guard->handed_over ? bytes : guard->handed_over;
    return status;
}

/* Scans a window that owns at most a block. */
static trawl_status scan_short(trawl_guard *guard, trawl_walker *walker, const trawl_window *window,
                               const trawl_consumer *consumer, trawl_guard_stretch *stretch,
                               trawl_error *error) {
    size_t begin = window->owned;
    const size_t bytes = window->length - begin;
    if (bytes == 0) {
        return TRAWL_OK;
    }
    if (guard->handed_over != 0) {
        return hand_over_short(guard, walker->db, window, consumer, error);
    }
    const bool is_timed = guard->dense_texts == TRAWL_FALLBACK_SHORT_TEXTS;
    const stopwatch watch = is_timed ? start_watch() : (stopwatch){0};
    trawl_status status = TRAWL_OK;
    uint64_t sum = 0;
    while (status == TRAWL_OK && begin < window->length) {
        uint64_t look_ups = 0;
        status = stretch(walker, window, consumer, guard->processor_time, &begin, &look_ups, error);
        sum += look_ups;
    }
    if (status != TRAWL_OK || !is_timed || sum * TRAWL_FALLBACK_FEW_BYTES < bytes) {
        trawl_guard_note_short(guard, bytes, status == TRAWL_OK ? sum : 0);
        return status;
    }
    guard->engine_bytes += bytes;
    return account_short(guard, walker, bytes, stop_watch(&watch), error);
}

trawl_status trawl_guard_scan(trawl_guard *guard, trawl_walker *walker, const trawl_window *window,
                              const trawl_consumer *consumer, trawl_guard_stretch *stretch,
                              trawl_error *error) {
    if (window->length - window->owned <= guard->block) {
        return scan_short(guard, walker, window, consumer, stretch, error);
    }
    if (guard->handed_over != 0) { /* short texts, of which the last were to be timed */
        guard->handed_over = 0;
        guard->seconds_per_byte = fmin(guard->seconds_per_byte, expected_step(walker));
    }
    trawl_status status = TRAWL_OK;
    size_t begin = window->owned;
    while (status == TRAWL_OK && begin < window->length) {
        size_t first = begin;
        uint64_t look_ups = 0;
        /* Reading the clock takes as long as scanning 64 bytes: only where the text is longer than
         * a block, so that the fallback automaton can still gain something. */
        const bool is_timed = window->length - begin > guard->block;
        const double start = is_timed ? read_clock(guard) : 0;
        status = stretch(walker, window, consumer, guard->processor_time, &begin, &look_ups, error);
        size_t bytes = begin - first;
        guard->engine_bytes += bytes;
        if (status != TRAWL_OK || begin == window->length || !is_timed ||
            look_ups * TRAWL_FALLBACK_FEW_BYTES < bytes) {
            continue;
        }
        bool takes_over;
        double seconds = read_clock(guard) - start;
        status = account(guard, walker, bytes, seconds, &takes_over, error);
        if (status == TRAWL_OK && takes_over) {
            size_t left = window->length - begin;
            size_t end = begin + (left < guard->next_bytes ? left : guard->next_bytes);
            status = measure_automaton(guard, walker->db, window, begin, end, consumer, error);
            begin = end;
        }
    }
    return status;
}
