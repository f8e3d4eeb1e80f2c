/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * How a window of host memory is cut for its way to a device and back: into segments, and within a
 * segment into ranges whose matches fit into a buffer. Only arithmetic.
 */
#ifndef TRAWL_RUN_GPU_TRANSFER_SEGMENTS_H
#define TRAWL_RUN_GPU_TRANSFER_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Segments begin at multiples of this from the first owned byte. */
#define TRAWL_SEGMENT_UNIT ((uint64_t)32)

/* A window cut into segments that own `bytes` each, the last one fewer. */
typedef struct trawl_segments {
    uint64_t length;  /* of the window */
    uint64_t owned;   /* index of its first owned byte */
    uint64_t overlap; /* max_length - 1 */
    uint64_t bytes;   /* owned by a segment */
    uint64_t count;
} trawl_segments;

/* Readable bytes [begin, end) of the window; those from `owned` on are the segment's own. */
typedef struct trawl_segment {
    uint64_t begin, owned, end;
} trawl_segment;

/* Cuts a window. `bytes` is what a segment should own, rounded up to the unit. 0: chosen by the
 * window's length, so that there are enough segments for copying and scanning to overlap, each
 * large enough to be worth a launch. */
trawl_segments trawl_segments_cut(uint64_t length, uint64_t owned, uint64_t overlap,
                                  uint64_t bytes);

/* Segment `index`, which is below `count`. */
trawl_segment trawl_segments_at(const trawl_segments *segments, uint64_t index);

/* Most readable bytes of any segment. */
uint64_t trawl_segments_longest(const trawl_segments *segments);

/*
 * Ranges: parts of a segment that are scanned for matches one by one. The buffer holds `capacity`
 * matches. A range with more matches is scanned again with a smaller width, down to a single byte;
 * then the rest of the segment follows range by range. The width is kept from one segment to the
 * next, so that in a dense text few ranges are scanned in vain.
 */
typedef struct trawl_range {
    uint64_t begin, end; /* owned bytes of the range, in the window */
} trawl_range;

/* The range of at most `width` bytes that begins at `begin` of a segment. */
trawl_range trawl_range_at(const trawl_segment *segment, uint64_t begin, uint64_t width);

/* The width of the next range, after a range of `width` bytes (at least 1) had `total` matches. If
 * the matches did not fit: at most half of `width`, and 0 if `width` is 1 (only a larger buffer
 * helps). If they fill less than a quarter of the buffer: more than `width`. Never 0 otherwise. */
uint64_t trawl_range_width(uint64_t width, uint64_t total, uint64_t capacity);

#endif
