/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "run/gpu/transfer/segments.h"

#include "run/gpu/transfer/tuning.h"

trawl_segments trawl_segments_cut(uint64_t length, uint64_t owned, uint64_t overlap,
                                  uint64_t bytes) {
    uint64_t own = length - owned;
    if (bytes == 0) {
        bytes = own / TRAWL_SEGMENT_FRACTION;
        bytes = bytes < TRAWL_SEGMENT_LEAST_BYTES  ? TRAWL_SEGMENT_LEAST_BYTES
                : bytes > TRAWL_SEGMENT_MOST_BYTES ? TRAWL_SEGMENT_MOST_BYTES
                                                   : bytes;
        bytes = bytes < TRAWL_SEGMENT_OVERLAP_FACTOR * overlap
                    ? TRAWL_SEGMENT_OVERLAP_FACTOR * overlap
                    : bytes;
    }
    bytes = bytes < own ? bytes : own;
    bytes = (bytes + TRAWL_SEGMENT_UNIT - 1) / TRAWL_SEGMENT_UNIT * TRAWL_SEGMENT_UNIT;
    trawl_segments segments = {
        .length = length, .owned = owned, .overlap = overlap, .bytes = bytes};
    segments.count = own == 0 ? 0 : (own - 1) / bytes + 1;
    return segments;
}

trawl_segment trawl_segments_at(const trawl_segments *segments, uint64_t index) {
    trawl_segment segment;
    segment.owned = segments->owned + index * segments->bytes;
    segment.begin = segment.owned < segments->overlap ? 0 : segment.owned - segments->overlap;
    uint64_t left = segments->length - segment.owned;
    segment.end = segment.owned + (left < segments->bytes ? left : segments->bytes);
    return segment;
}

uint64_t trawl_segments_longest(const trawl_segments *segments) {
    uint64_t longest = segments->bytes + segments->overlap;
    return longest < segments->length ? longest : segments->length;
}

trawl_range trawl_range_at(const trawl_segment *segment, uint64_t begin, uint64_t width) {
    uint64_t left = segment->end - begin;
    return (trawl_range){.begin = begin, .end = begin + (left < width ? left : width)};
}

uint64_t trawl_range_width(uint64_t width, uint64_t total, uint64_t capacity) {
    if (total > capacity) {
        return width / 2;
    }
    return total < capacity / 4 && width <= UINT64_MAX / 2 ? width * 2 : width;
}
