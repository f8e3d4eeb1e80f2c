/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Where records lie in memory: their offsets of 32 or 64 bits, the bits of valid records, and tails
 * (bytes between two records, such as a line feed). */
#ifndef TRAWL_RUN_RECORD_LAYOUT_H
#define TRAWL_RUN_RECORD_LAYOUT_H

#include <string.h>

#include "run/records.h"

static inline uint64_t trawl_record_offset_at(const uint8_t *offsets, uint32_t bytes,
                                              uint64_t index) {
    if (bytes == sizeof(uint32_t)) {
        uint32_t value;
        memcpy(&value, offsets + index * sizeof value, sizeof value);
        return value;
    }
    uint64_t value;
    memcpy(&value, offsets + index * sizeof value, sizeof value);
    return value;
}

static inline uint64_t trawl_record_offset(const trawl_record_stretch *stretch, uint64_t index) {
    return trawl_record_offset_at(stretch->offsets, stretch->offset_bytes, index);
}

static inline bool trawl_record_is_there(const uint8_t *valid, uint64_t bit) {
    return valid == NULL || (valid[bit / 8] >> (bit % 8) & 1) != 0;
}

/* The end of a record between two offsets, without the tail. */
static inline uint64_t trawl_record_without_tail(const trawl_record_stretch *stretch,
                                                 uint64_t begin, uint64_t end) {
    return end - begin < stretch->tail ? begin : end - stretch->tail;
}

static inline uint64_t trawl_record_end(const trawl_record_stretch *stretch, uint64_t index) {
    return trawl_record_without_tail(stretch, trawl_record_offset(stretch, index),
                                     trawl_record_offset(stretch, index + 1));
}

/* The index in [begin, end] of the last offset that is at most `value`; the offset at `begin`
 * is. */
static inline uint64_t trawl_record_last_below(const uint8_t *offsets, uint32_t bytes,
                                               uint64_t begin, uint64_t end, uint64_t value) {
    uint64_t step = 1;
    while (end - begin > step && trawl_record_offset_at(offsets, bytes, begin + step) <= value) {
        begin += step;
        step *= 2;
    }
    uint64_t above = end - begin > step ? begin + step : end + 1; /* the first one that is more */
    while (above - begin > 1) {
        uint64_t middle = begin + (above - begin) / 2;
        if (trawl_record_offset_at(offsets, bytes, middle) <= value) {
            begin = middle;
        } else {
            above = middle;
        }
    }
    return begin;
}

#endif
