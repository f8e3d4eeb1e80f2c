/* From "some key ends here" to matches, counts of patterns, or totals. Shared by every automaton.
 */
#ifndef TRAWL_ENGINE_EMIT_H
#define TRAWL_ENGINE_EMIT_H

#include "engine/outputs.h"
#include "engine/walk.h"

/* Whether pattern `id`, found in folded text, also stands there with its own letter case. */
static inline bool trawl_verified(const trawl_pattern_view *patterns, uint32_t id,
                                  const uint8_t *text) {
    return (patterns->flags[id] & TRAWL_PATTERN_CASE_INSENSITIVE) != 0 ||
           trawl_pattern_matches(patterns, id, text);
}

/* Puts all matches that end before text[end] of the window, whose longest key is `key`. */
static inline trawl_status trawl_emit_matches(const trawl_outputs *outputs,
                                              const trawl_pattern_view *patterns,
                                              const trawl_window *window, size_t end, uint32_t key,
                                              trawl_sink *sink) {
    do {
        uint32_t length = outputs->length[key];
        if (length > end) {
            break; /* only a forged automaton claims a key that begins before the text */
        }
        size_t start = end - length;
        bool verify = (outputs->verify[key] & TRAWL_VERIFY_OWN) != 0;
        for (uint32_t i = outputs->first[key]; i < outputs->first[key + 1]; i++) {
            uint32_t id = outputs->ids[i];
            if (verify && !trawl_verified(patterns, id, window->text + start)) {
                continue;
            }
            trawl_status status =
                trawl_sink_put(sink, window->base + start, window->base + end, id);
            if (status != TRAWL_OK) {
                return status;
            }
        }
        key = outputs->link[key];
    } while (key != TRAWL_NO_KEY);
    return TRAWL_OK;
}

/* Counts the same matches. `hits` (one for each key) is NULL or collects whole chains, which
 * trawl_emit_hits distributes to the patterns later: one addition for each position. */
static inline void trawl_emit_counts(const trawl_outputs *outputs,
                                     const trawl_pattern_view *patterns, const trawl_window *window,
                                     size_t end, uint32_t key, trawl_counts *counts,
                                     uint64_t *hits) {
    if ((outputs->verify[key] & TRAWL_VERIFY_CHAIN) == 0) {
        counts->total += outputs->total[key];
        if (hits != NULL) {
            hits[key]++;
        }
        return;
    }
    do {
        uint32_t length = outputs->length[key];
        if (length > end) {
            break;
        }
        bool verify = (outputs->verify[key] & TRAWL_VERIFY_OWN) != 0;
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

/* Adds collected hits to counts->per_pattern and clears them. Keys link to smaller numbers. */
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
