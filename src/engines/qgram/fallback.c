/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/fallback.h"

#include "costs/cpu_constants.h"

void trawl_qgram_fallback_begin(trawl_qgram_fallback *fallback, const trawl_db *db) {
    double bytes = (double)db->patterns.offsets[db->patterns.count];
    *fallback = (trawl_qgram_fallback){
        .build_seconds =
            TRAWL_FALLBACK_BUILD_LEAST_SECONDS + TRAWL_FALLBACK_BUILD_BYTE_SECONDS * bytes,
        .next_bytes = TRAWL_FALLBACK_STRETCH,
    };
}

void trawl_qgram_fallback_close(trawl_qgram_fallback *fallback) {
    if (fallback->walker != NULL) {
        fallback->walker->type->close(fallback->walker);
    }
}

trawl_status trawl_qgram_fallback_reserve(trawl_qgram_fallback *fallback, trawl_walker *walker,
                                          trawl_error *error) {
    const trawl_pattern_view *patterns = &walker->db->patterns;
    trawl_status status = TRAWL_OK;
    if (patterns->offsets[patterns->count] <= TRAWL_FALLBACK_RESERVED_BYTES) {
        status = walker->open_fallback(walker->db, &fallback->walker, error);
    }
    fallback->unavailable = fallback->walker == NULL;
    fallback->seconds_per_byte = TRAWL_FALLBACK_STEP_SECONDS;
    return status == TRAWL_OK && fallback->walker != NULL
               ? fallback->walker->type->reserve(fallback->walker, error)
               : status;
}

trawl_status trawl_qgram_fallback_account(trawl_qgram_fallback *fallback, trawl_walker *walker,
                                          size_t bytes, double seconds, bool *takes_over,
                                          trawl_error *error) {
    double no_loss = fallback->walker != NULL ? TRAWL_FALLBACK_MARGIN * fallback->seconds_per_byte
                                              : TRAWL_FALLBACK_STEP_SECONDS;
    double loss = seconds - no_loss * (double)bytes;
    double lost = fallback->seconds_lost + loss;
    bool is_certain = fallback->processor_time;
    fallback->processor_time = loss > 0;
    *takes_over = false;
    if (!is_certain) {
        return TRAWL_OK; /* the thread may have waited */
    }
    fallback->seconds_lost = lost > 0 ? lost : 0;
    if (fallback->walker == NULL && !fallback->unavailable &&
        fallback->seconds_lost > fallback->build_seconds) {
        trawl_status status = walker->open_fallback(walker->db, &fallback->walker, error);
        if (status != TRAWL_OK) {
            return status;
        }
        fallback->unavailable = fallback->walker == NULL;
    }
    *takes_over = fallback->walker != NULL && loss > 0;
    if (loss <= 0) {
        fallback->next_bytes = TRAWL_FALLBACK_STRETCH;
    }
    /* A block whose candidates have many bytes in common with the patterns may take as long as
     * megabytes take the automaton. Trying again takes at most half of the time. */
    const double step = fallback->seconds_per_byte;
    if (*takes_over && loss > step * (double)fallback->next_bytes) {
        fallback->next_bytes = loss < step * (double)TRAWL_FALLBACK_MAX_BYTES
                                   ? (size_t)(loss / step)
                                   : TRAWL_FALLBACK_MAX_BYTES;
    }
    return TRAWL_OK;
}

trawl_status trawl_qgram_fallback_scan(trawl_qgram_fallback *fallback, const trawl_db *db,
                                       const trawl_window *window, size_t begin, size_t end,
                                       const trawl_consumer *consumer, trawl_error *error) {
    trawl_walker *walker = fallback->walker;
    size_t overlap = db->header->max_length - 1;
    size_t from = begin < overlap ? 0 : begin - overlap;
    trawl_window part = {.text = window->text + from,
                         .length = end - from,
                         .owned = begin - from,
                         .base = window->base + from};
    trawl_window_set_next(&part, window, end);
    double start = trawl_thread_seconds();
    trawl_status status = consumer->sink != NULL
                              ? walker->type->scan(walker, &part, consumer->sink, error)
                              : walker->type->count(walker, &part, consumer->counts, error);
    fallback->seconds_per_byte = (trawl_thread_seconds() - start) / (double)(end - begin);
    fallback->bytes += end - begin;
    fallback->next_bytes = fallback->next_bytes < TRAWL_FALLBACK_MAX_BYTES
                               ? fallback->next_bytes * 2
                               : TRAWL_FALLBACK_MAX_BYTES;
    return status;
}
