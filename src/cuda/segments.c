#include "cuda/segments.h"

#include <string.h>

#include "trawl/trawl_cuda.h"

/* A chosen segment: a share of the window within these bounds. Below the smallest, launching costs
 * as much as copying; beyond the largest, nothing is gained any more, but the first copy and the
 * last scan, which nothing overlaps, take longer. */
#define SHARE 16u
#define SMALLEST ((uint64_t)1 << 20)
#define LARGEST ((uint64_t)16 << 20)
#define OVERLAP_FACTOR 16u /* own bytes for each byte of overlap that is copied twice */

trawl_segments trawl_segments_cut(uint64_t length, uint64_t owned, uint64_t overlap,
                                  uint64_t bytes) {
    uint64_t own = length - owned;
    if (bytes == 0) {
        bytes = own / SHARE;
        bytes = bytes < SMALLEST ? SMALLEST : bytes > LARGEST ? LARGEST : bytes;
        bytes = bytes < OVERLAP_FACTOR * overlap ? OVERLAP_FACTOR * overlap : bytes;
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

/* ------------------------------------------------------------------ prediction */

static double larger(double left, double right) {
    return left > right ? left : right;
}

/* Fig. 6: copies in one after another; scans as soon as they can; copies out as soon as they can,
 * behind all copies in when there is one channel for both directions. */
static double predict_a(uint64_t segments, double in, double scan, double out, bool two_channels) {
    double scanned = 0;
    double copied = two_channels ? 0 : (double)segments * in;
    for (uint64_t i = 0; i < segments; i++) {
        scanned = larger(scanned, (double)(i + 1) * in) + scan;
        copied = larger(copied, scanned) + out;
    }
    return copied;
}

/* Fig. 7: step i copies segment i in, scans segment i - 1 and copies the results of i - 2 out; a
 * step ends when all three are done. */
static double predict_b(uint64_t segments, double in, double scan, double out, bool two_channels) {
    double seconds = 0;
    for (uint64_t step = 0; segments != 0 && step < segments + 2; step++) {
        double copy_in = step < segments ? in : 0;
        double scanning = step >= 1 && step <= segments ? scan : 0;
        double copy_out = step >= 2 ? out : 0;
        double copying = two_channels ? larger(copy_in, copy_out) : copy_in + copy_out;
        seconds += larger(copying, scanning);
    }
    return seconds;
}

double trawl_cuda_predict(const char *transfer, uint64_t segments, double copy_in_seconds,
                          double scan_seconds, double copy_out_seconds, uint32_t channels) {
    double (*predict)(uint64_t, double, double, double, bool) =
        transfer != NULL && strcmp(transfer, "b") == 0 ? predict_b : predict_a;
    return predict(segments, copy_in_seconds, scan_seconds, copy_out_seconds, channels > 1);
}
