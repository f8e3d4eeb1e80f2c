/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Cutting texts into segments, and segments into ranges. */
#include "random.h"
#include "run/gpu/transfer/segments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Each byte is owned by exactly one segment; segments have their overlap. */
static void check_cut(uint64_t length, uint64_t owned, uint64_t overlap, uint64_t bytes) {
    trawl_segments segments = trawl_segments_cut(length, owned, overlap, bytes);
    uint64_t at = owned;
    for (uint64_t i = 0; i < segments.count; i++) {
        trawl_segment segment = trawl_segments_at(&segments, i);
        assert_int_equal(segment.owned, at);
        assert_true(segment.end > segment.owned && segment.end <= length);
        assert_int_equal(segment.owned - segment.begin, at < overlap ? at : overlap);
        assert_true(segment.end - segment.begin <= trawl_segments_longest(&segments));
        assert_true(segment.end == length || segment.end - segment.owned == segments.bytes);
        assert_int_equal((segment.owned - owned) % TRAWL_SEGMENT_UNIT, 0);
        at = segment.end;
    }
    assert_int_equal(at, length);
    if (bytes != 0 && length - owned > bytes)
        assert_in_range(segments.bytes, bytes, bytes + TRAWL_SEGMENT_UNIT - 1);
}

static void segments_own_every_byte_once(void **state) {
    (void)state;
    for (uint64_t length = 0; length < 200; length++)
        for (uint64_t owned = 0; owned <= length; owned += 1 + length / 7)
            for (uint64_t overlap = 0; overlap < 70; overlap += 23)
                for (uint64_t bytes = 0; bytes < 100; bytes += 9)
                    check_cut(length, owned, overlap, bytes);
    random_source random = random_for_case(random_seed(), 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t length = random_below(&random, UINT64_C(1) << 33);
        check_cut(length, random_below(&random, length + 1), random_below(&random, 65536),
                  random_chance(&random, 1, 2) ? 0 : random_between(&random, 1 << 20, 1 << 28));
    }
    check_cut(UINT64_C(1) << 40, 0, 65535, UINT64_C(1) << 35);
    check_cut(100, 0, 0, UINT64_MAX);
}

static void chosen_segments_are_worth_a_launch(void **state) {
    (void)state;
    trawl_segments small = trawl_segments_cut(1000, 0, 10, 0);
    assert_int_equal(small.count, 1);
    trawl_segments large = trawl_segments_cut(UINT64_C(1) << 30, 0, 10, 0);
    assert_in_range(large.count, 16, 256);
    trawl_segments middle = trawl_segments_cut(UINT64_C(64) << 20, 0, 10, 0);
    assert_in_range(middle.count, 8, 64);
    trawl_segments far = trawl_segments_cut(UINT64_C(1) << 30, 0, UINT64_C(4) << 20, 0);
    assert_true(far.bytes >= UINT64_C(32) << 20);
}

/* Scans a segment in which byte i ends matches[i] matches, as a walker does. */
static void check_ranges(const uint64_t *matches, uint64_t length, uint64_t capacity) {
    trawl_segment segment = {.begin = 0, .owned = 0, .end = length};
    uint64_t width = length, scans = 0;
    for (uint64_t at = 0; at < length;) {
        trawl_range range = trawl_range_at(&segment, at, width);
        assert_true(range.begin == at && range.end > at && range.end <= length);
        uint64_t total = 0;
        for (uint64_t i = range.begin; i < range.end; i++)
            total += matches[i];
        width = trawl_range_width(range.end - range.begin, total, capacity);
        if (total <= capacity) {
            assert_true(width != 0);
            at = range.end;
        } else if (width == 0) {
            assert_int_equal(range.end - range.begin, 1);
            capacity = total; /* a larger buffer */
            width = 1;
        }
        scans++;
    }
    assert_true(scans <= 64 + 8 * length);
}

static void ranges_cover_a_segment(void **state) {
    (void)state;
    random_source random = random_for_case(random_seed(), 1);
    for (int i = 0; i < 300; i++) {
        uint64_t matches[257] = {0};
        uint64_t length = random_between(&random, 1, 257);
        uint64_t most = random_chance(&random, 1, 2) ? 3 : 1000;
        for (uint64_t at = 0; at < length; at++)
            matches[at] = random_chance(&random, 1, 3) ? random_below(&random, most) : 0;
        check_ranges(matches, length, random_between(&random, 1, 500));
    }
    assert_int_equal(trawl_range_width(UINT64_MAX - 1, 0, 100), UINT64_MAX - 1);
    assert_int_equal(trawl_range_width(1, 101, 100), 0);
    assert_int_equal(trawl_range_width(7, 100, 100), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_own_every_byte_once),
        cmocka_unit_test(chosen_segments_are_worth_a_launch),
        cmocka_unit_test(ranges_cover_a_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
