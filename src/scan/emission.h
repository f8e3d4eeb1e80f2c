/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* From a position and the longest key that ends there to matches, counts of patterns, or a total.
 */
#ifndef TRAWL_SCAN_EMISSION_H
#define TRAWL_SCAN_EMISSION_H

#include "database/outputs.h"
#include "scan/case_counter.h"
#include "scan/contract.h"

/* Whether pattern `id`, found at `text` by its lower-cased key, is there with its own letter case.
 */
static inline bool trawl_verified(const trawl_pattern_view *patterns, uint32_t id,
                                  const uint8_t *text) {
    return (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0 ||
           trawl_pattern_matches(patterns, id, text);
}

/* The classes that the byte behind text[end - 1] is not in: all of them where the text ends or may
 * end, or where that byte is not known. */
static inline uint16_t trawl_classes_behind(const trawl_outputs *outputs,
                                            const trawl_window *window, size_t end) {
    return !window->one_text      ? UINT16_MAX
           : end < window->length ? outputs->outside[window->text[end]]
           : window->goes_on      ? outputs->outside[window->next]
                                  : UINT16_MAX;
}

/* Whether no match of the key's chain that ends there fulfils its condition. */
static inline bool trawl_gate_closed(const trawl_outputs *outputs, const trawl_window *window,
                                     size_t end, uint32_t key) {
    return outputs->gates != NULL &&
           (outputs->gates[key] & trawl_classes_behind(outputs, window, end)) == 0;
}

/* Whether no match of any key that ends there fulfils its condition. */
static inline bool trawl_gates_closed(const trawl_outputs *outputs, const trawl_window *window,
                                      size_t end) {
    return trawl_gate_closed(outputs, window, end, outputs->keys);
}

/* Puts all matches that end with byte text[end - 1] of the window into the sink. `key` is the
 * longest key that ends there. */
static inline trawl_status trawl_emit_matches(const trawl_outputs *outputs,
                                              const trawl_pattern_view *patterns,
                                              const trawl_window *window, size_t end, uint32_t key,
                                              trawl_sink *sink) {
    do {
        const trawl_key_record *record = &outputs->records[key];
        uint32_t length = record->length;
        if (__builtin_expect(length > end, 0)) {
            break; /* only a forged automaton (database/validate.h) reports such a key */
        }
        size_t start = end - length;
        const uint32_t *ids = record->patterns == 1 ? &record->ids : outputs->ids + record->ids;
        uint32_t count = record->patterns & ~TRAWL_RECORD_VERIFY;
        bool verify = count != record->patterns;
        if (verify) {
            ids = outputs->ids + outputs->first[key];
        }
        for (uint32_t i = 0; i < count; i++) {
            if (verify && !trawl_verified(patterns, ids[i], window->text + start)) {
                continue;
            }
            trawl_status status =
                trawl_sink_put(sink, window->base + start, window->base + end, ids[i]);
            if (status != TRAWL_OK) {
                return status;
            }
        }
        key = record->link;
    } while (key != TRAWL_NO_KEY);
    return TRAWL_OK;
}

/* An event: a position of a window where keys end. */
struct trawl_ending_event {
    uint32_t position; /* one past the last byte of the keys; relative to the array's `begin` */
    uint32_t key;      /* the longest one */
};

/* Writes the matches of a key and its links, none of which needs verification. There is room for
 * all of them at `to`. Returns the end of what it has written. */
static inline trawl_match *trawl_emit_chain(const trawl_outputs *outputs, uint32_t key,
                                            uint64_t end, trawl_match *to) {
    do {
        const trawl_key_record *record = &outputs->records[key];
        uint32_t count = record->patterns;
        const uint32_t *ids = count == 1 ? &record->ids : outputs->ids + record->ids;
        for (uint32_t i = 0; i < count; i++) {
            *to++ = (trawl_match){.start = end - record->length, .end = end, .pattern = ids[i]};
        }
        key = record->link;
    } while (key != TRAWL_NO_KEY);
    return to;
}

/* The last open start (scan/gates.c) among the starts that have been examined, [from, end): `open`,
 * or TRAWL_NO_START if none of them is open. Kept from end to end of one window; ends mostly
 * ascend, so that few starts are examined twice. */
typedef struct trawl_last_start {
    size_t from, end, open;
} trawl_last_start;
#define TRAWL_NO_START SIZE_MAX
#define TRAWL_LAST_START                                                                           \
    { .open = TRAWL_NO_START }

/* Whether no match of the key's chain that ends there can fulfil its condition, by its right and
 * left boundaries. The outputs have gates. */
bool trawl_gates_pass_over(const trawl_outputs *outputs, const trawl_window *window,
                           trawl_last_start *last, size_t end, uint32_t key);

/* Removes events at which no match can fulfil its condition, and returns how many are left. The
 * outputs have gates. */
size_t trawl_gates_keep(const trawl_outputs *outputs, const trawl_window *window, size_t begin,
                        trawl_ending_event *events, size_t count);

/* trawl_emit_matches for many ends, begin + events[i].position. Room in the sink is checked once
 * for many events; a key with one pattern and no link takes one load of a record and the writing of
 * one match. */
static inline trawl_status trawl_emit_events(const trawl_outputs *outputs,
                                             const trawl_pattern_view *patterns,
                                             const trawl_window *window, size_t begin,
                                             const trawl_ending_event *events, size_t count,
                                             trawl_sink *sink) {
    const trawl_key_record *records = outputs->records;
    uint64_t base = window->base;
    for (size_t i = 0; i < count; i++) {
        trawl_status room = trawl_sink_make_room(sink);
        if (room != TRAWL_OK) {
            return room;
        }
        trawl_match *to = sink->matches + sink->count;
        const trawl_match *limit = sink->matches + sink->capacity;
        for (; i < count && to != limit; i++) {
            uint32_t key = events[i].key;
            const trawl_key_record *record = &records[key];
            size_t end = begin + events[i].position;
            if (__builtin_expect(record->length > end, 0)) {
                break;
            }
            if (trawl_record_is_plain(record)) {
                *to++ = (trawl_match){.start = base + end - record->length,
                                      .end = base + end,
                                      .pattern = record->ids};
            } else if (outputs->total[key] <= (size_t)(limit - to) &&
                       (outputs->verify[key] & TRAWL_VERIFY_CHAIN) == 0) {
                to = trawl_emit_chain(outputs, key, base + end, to);
            } else {
                break;
            }
        }
        sink->count = (size_t)(to - sink->matches);
        if (i < count) {
            /* Too little room, a key that needs verification, or a forged key. */
            trawl_status status = trawl_emit_matches(
                outputs, patterns, window, begin + events[i].position, events[i].key, sink);
            if (status != TRAWL_OK) {
                return status;
            }
        }
    }
    return TRAWL_OK;
}

/* Counts the matches of a key and of its links, of which some have to be verified, one by one. */
static inline void trawl_count_verified(const trawl_outputs *outputs,
                                        const trawl_pattern_view *patterns,
                                        const trawl_window *window, size_t end, uint32_t key,
                                        trawl_counts *counts, trawl_case_counter *cases) {
    do {
        uint32_t length = outputs->length[key];
        if (length > end) {
            break;
        }
        bool verify = (outputs->verify[key] & TRAWL_VERIFY_OWN) != 0;
        cases->compared += outputs->first[key + 1] - outputs->first[key];
        for (uint32_t i = outputs->first[key]; i < outputs->first[key + 1]; i++) {
            uint32_t id = outputs->ids[i];
            if (!verify || trawl_verified(patterns, id, window->text + end - length)) {
                counts->total++;
                if (counts->per_pattern != NULL) {
                    counts->per_pattern[id]++;
                }
            }
        }
        key = outputs->link[key];
    } while (key != TRAWL_NO_KEY);
}

/* Counts the matches that trawl_emit_matches would put. If patterns are counted one by one and
 * `hits` is not NULL, it has a counter for each key: an event adds 1 to that of its longest key,
 * and trawl_emit_hits adds it to the patterns of that key and of its links later. */
static inline void trawl_emit_counts(const trawl_outputs *outputs,
                                     const trawl_pattern_view *patterns, const trawl_window *window,
                                     size_t end, uint32_t key, trawl_counts *counts, uint64_t *hits,
                                     trawl_case_counter *cases) {
    if ((outputs->verify[key] & TRAWL_VERIFY_CHAIN) == 0) {
        counts->total += outputs->total[key];
        if (counts->per_pattern != NULL && hits != NULL) {
            hits[key]++;
        }
    } else if (counts->per_pattern == NULL && outputs->total[key] >= TRAWL_CASE_COUNTER_LEAST &&
               trawl_case_counter_is_ready(cases, outputs, patterns)) {
        counts->total +=
            trawl_case_counter_matches(cases, outputs, patterns, window->text, end, key);
    } else {
        trawl_count_verified(outputs, patterns, window, end, key, counts, cases);
    }
}

/* Adds the counters of keys to counts->per_pattern and sets them to 0. Links lead to smaller
 * numbers, so a key's counter is complete when its turn comes. */
static inline void trawl_emit_hits(const trawl_outputs *outputs, trawl_counts *counts,
                                   uint64_t *hits) {
    for (uint32_t key = outputs->keys; key-- > 0;) {
        uint64_t count = hits[key];
        if (count == 0) {
            continue;
        }
        hits[key] = 0;
        for (uint32_t i = outputs->first[key]; i < outputs->first[key + 1]; i++) {
            counts->per_pattern[outputs->ids[i]] += count;
        }
        if (outputs->link[key] != TRAWL_NO_KEY) {
            hits[outputs->link[key]] += count;
        }
    }
}

#endif
