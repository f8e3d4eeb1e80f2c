/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner.h"

#include <stdlib.h>
#include <string.h>

static const runner listed[] = {
    {.call = RUNNER_COLLECT},
    {.call = RUNNER_SCAN, .threads = 2},
    {.call = RUNNER_STOP},
    {.call = RUNNER_COUNT},
    {.call = RUNNER_COUNT_PATTERNS},
    {.call = RUNNER_COLLECT, .origin = RUNNER_MEMORY},
    {.call = RUNNER_STREAM, .piece_bytes = 17},
    {.call = RUNNER_STREAM, .piece_bytes = 7, .flush = true},
    {.call = RUNNER_STREAM_COUNT, .piece_bytes = RUNNER_PIECE_RANDOM},
    {.call = RUNNER_STREAM_COUNT_TOTAL},
    {.call = RUNNER_COLLECT, .segment_bytes = 32},
    {.call = RUNNER_COLLECT, .segment_bytes = 1, .segments_in_flight = 1},
    {.call = RUNNER_SCAN, .segment_bytes = 64, .segments_in_flight = 3, .threads = 3},
    {.call = RUNNER_STOP, .segment_bytes = 32, .segments_in_flight = 2},
    {.call = RUNNER_COUNT_PATTERNS, .segment_bytes = 96},
    {.call = RUNNER_COLLECT, .transfer = "a"},
    {.call = RUNNER_COLLECT, .transfer = "a", .segment_bytes = 32},
    {.call = RUNNER_STOP, .transfer = "a", .segment_bytes = 64},
    {.call = RUNNER_COUNT_PATTERNS, .transfer = "a", .segment_bytes = 32},
    {.call = RUNNER_COLLECT, .transfer = "b"},
    {.call = RUNNER_SCAN, .transfer = "b", .segment_bytes = 32, .threads = 2},
    {.call = RUNNER_STOP, .transfer = "b", .segment_bytes = 32},
    {.call = RUNNER_COUNT, .transfer = "b", .segment_bytes = 64},
    {.call = RUNNER_STREAM, .transfer = "b", .segment_bytes = 32, .piece_bytes = 50},
    {.call = RUNNER_COLLECT, .transfer = "zero-copy"},
    {.call = RUNNER_COLLECT, .transfer = "zero-copy", .segment_bytes = 32},
    {.call = RUNNER_STOP, .transfer = "zero-copy", .segment_bytes = 32, .segments_in_flight = 5},
    {.call = RUNNER_COUNT_PATTERNS, .transfer = "zero-copy", .segment_bytes = 64},
    {.call = RUNNER_BATCHES, .source = true, .segment_bytes = 32, .threads = 3},
    {.call = RUNNER_COUNT, .source = true, .segment_bytes = 64, .piece_bytes = 7},
    {.call = RUNNER_COUNT_PATTERNS, .source = true},
    {.call = RUNNER_BATCHES_STOP, .source = true, .segment_bytes = 32, .segments_in_flight = 2},
    {.call = RUNNER_BATCHES, .source = true, .transfer = "a", .segment_bytes = 64},
    {.call = RUNNER_BATCHES, .source = true, .transfer = "b", .segment_bytes = 32, .threads = 2},
    {.call = RUNNER_COLLECT, .kernel = 1, .segment_bytes = 64},
    {.call = RUNNER_COUNT_PATTERNS, .kernel = 2},
    {.call = RUNNER_COLLECT, .kernel = 3, .table_path = TRAWL_TABLES_TEXTURE},
    {.call = RUNNER_SCAN, .kernel = 4, .table_path = TRAWL_TABLES_READ_ONLY},
};

size_t runner_device_count(void) {
    return sizeof(listed) / sizeof(listed[0]);
}

runner runner_device_at(size_t index, const char *device) {
    runner how = listed[index];
    how.device = device;
    return how;
}

/* Any call but those that work on the CPU alone. */
static runner_call random_call(random_source *random) {
    runner_call call;
    do {
        call = (runner_call)random_below(random, RUNNER_CALLS);
    } while (call == RUNNER_SCANNER || call == RUNNER_RECORDS || call == RUNNER_FLOW ||
             call == RUNNER_REPLACE);
    return call;
}

runner runner_device_random(random_source *random, size_t length, const char *device) {
    static const char *const transfers[] = {NULL, "ring", "a", "b", "zero-copy"};
    runner how = {.call = random_call(random), .device = device};
    if (random_chance(random, 1, 8))
        how.origin = RUNNER_MEMORY;
    if (random_chance(random, 1, 4))
        how.threads = (uint32_t)random_between(random, 2, 4);
    how.flush = random_chance(random, 1, 3);
    /* Each piece that is flushed is a scan of its own. */
    how.piece_bytes =
        random_chance(random, 1, 2) ? 0 : random_between(random, length / 8 + 1, length / 8 + 200);
    how.kernel = (uint32_t)random_below(random, 8);
    how.transfer = transfers[random_below(random, sizeof(transfers) / sizeof(transfers[0]))];
    /* Zero-copy refuses sources. */
    how.source = random_chance(random, 1, 2) &&
                 !(how.transfer != NULL && strcmp(how.transfer, "zero-copy") == 0);
    how.table_path = (trawl_table_path)random_below(random, 3);
    if (random_chance(random, 2, 3))
        how.segment_bytes = random_between(random, length / 20 + 1, length / 2 + 70);
    if (random_chance(random, 1, 2))
        how.segments_in_flight = (uint32_t)random_between(random, 1, 6);
    return how;
}

const char *runner_device_wanted(void) {
    const char *device = getenv("TRAWL_TEST_DEVICE");
    return device && *device ? device : NULL;
}
