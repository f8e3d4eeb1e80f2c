/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "runner_job.h"

static const runner serial[] = {
    {.call = RUNNER_COLLECT},
    {.call = RUNNER_SCAN},
    {.call = RUNNER_STOP},
    {.call = RUNNER_COLLECT_AGAIN},
    {.call = RUNNER_BATCHES},
    {.call = RUNNER_BATCHES_STOP},
    {.call = RUNNER_COUNT},
    {.call = RUNNER_COUNT, .plain_walk = true},
    {.call = RUNNER_COLLECT, .plain_walk = true},
    {.call = RUNNER_COUNT_PATTERNS},
    {.call = RUNNER_SCANNER},
    {.call = RUNNER_SCANNER, .plain_walk = true},
    {.call = RUNNER_RECORDS},
    {.call = RUNNER_FLOW},
    {.call = RUNNER_FLOW, .plain_walk = true},
    {.call = RUNNER_REPLACE},
    {.call = RUNNER_REPLACE, .plain_walk = true},
    {.call = RUNNER_REPLACE, .threads = 2, .chunk_bytes = 9},
    {.call = RUNNER_RECORDS, .threads = 2, .chunk_bytes = 9},
    {.call = RUNNER_COLLECT, .chunk_bytes = 1},
    {.call = RUNNER_COLLECT, .chunk_bytes = 5},
    {.call = RUNNER_COLLECT, .origin = RUNNER_MEMORY},
    {.call = RUNNER_COUNT_PATTERNS, .origin = RUNNER_MEMORY},
    {.call = RUNNER_SCAN, .origin = RUNNER_FILE},
    {.call = RUNNER_COLLECT, .threads = 2, .chunk_bytes = 9, .copy_tables = true},
    {.call = RUNNER_COUNT, .threads = 2, .chunk_bytes = 9, .copy_tables = true},
    {.call = RUNNER_COLLECT, .threads = 2, .placement = TRAWL_PLACEMENT_SPREAD},
    {.call = RUNNER_COLLECT, .threads = 2, .placement = TRAWL_PLACEMENT_CLOSE},
    {.call = RUNNER_SCAN,
     .threads = 4,
     .chunk_bytes = 3,
     .placement = TRAWL_PLACEMENT_SPREAD,
     .copy_tables = true},
    {.call = RUNNER_COLLECT, .threads = TRAWL_THREADS_ALL, .chunk_bytes = 4},
    {.call = RUNNER_STOP, .threads = 2, .chunk_bytes = 3},
    {.call = RUNNER_SCAN, .threads = 3},
    {.call = RUNNER_BATCHES, .threads = 3, .chunk_bytes = 2},
    {.call = RUNNER_BATCHES_STOP, .threads = 2, .chunk_bytes = 3},
    {.call = RUNNER_COLLECT_AGAIN, .threads = 4, .chunk_bytes = 1},
    {.call = RUNNER_BATCHES, .source = true},
    {.call = RUNNER_BATCHES_STOP, .source = true, .threads = 2, .piece_bytes = 3},
    {.call = RUNNER_COUNT, .source = true, .threads = 2, .chunk_bytes = 3, .piece_bytes = 1},
    {.call = RUNNER_COUNT_PATTERNS, .source = true, .piece_bytes = 5},
    {.call = RUNNER_STREAM_BATCHES, .threads = 2, .chunk_bytes = 3, .piece_bytes = 11},
    {.call = RUNNER_STREAM, .threads = 2, .chunk_bytes = 3, .piece_bytes = 0},
    {.call = RUNNER_STREAM, .threads = 2, .chunk_bytes = 2, .piece_bytes = 7, .flush = true},
    {.call = RUNNER_STREAM, .threads = 4, .chunk_bytes = 1, .piece_bytes = 5},
    {.call = RUNNER_STREAM_COUNT, .threads = 2, .chunk_bytes = 2, .piece_bytes = 7, .flush = true},
    {.call = RUNNER_STREAM, .origin = RUNNER_MEMORY, .piece_bytes = 2},
};

/* Crossed with one another. */
static const runner_call threaded_calls[] = {RUNNER_COLLECT, RUNNER_COUNT_PATTERNS};
static const uint32_t thread_counts[] = {2, 3, 4};
static const size_t chunk_sizes[] = {1, 2, 3, 7, 64};
static const runner_call stream_calls[] = {RUNNER_STREAM, RUNNER_STREAM_COUNT,
                                           RUNNER_STREAM_COUNT_TOTAL, RUNNER_STREAM_BATCHES};
static const size_t piece_sizes[] = {1, 2, 3, 17, 0, RUNNER_PIECE_RANDOM};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define THREADED (COUNT_OF(threaded_calls) * COUNT_OF(thread_counts) * COUNT_OF(chunk_sizes))
#define STREAMED (COUNT_OF(stream_calls) * COUNT_OF(piece_sizes) * 2)

size_t runner_count(void) {
    return COUNT_OF(serial) + THREADED + STREAMED +
           (runner_device_wanted() ? runner_device_count() : 0);
}

runner runner_at(size_t index) {
    if (index < COUNT_OF(serial))
        return serial[index];
    index -= COUNT_OF(serial);
    if (index < THREADED) {
        runner how = {.call = threaded_calls[index % COUNT_OF(threaded_calls)]};
        index /= COUNT_OF(threaded_calls);
        how.threads = thread_counts[index % COUNT_OF(thread_counts)];
        how.chunk_bytes = chunk_sizes[index / COUNT_OF(thread_counts)];
        return how;
    }
    index -= THREADED;
    if (index >= STREAMED)
        return runner_device_at(index - STREAMED, runner_device_wanted());
    runner how = {.call = stream_calls[index % COUNT_OF(stream_calls)]};
    index /= COUNT_OF(stream_calls);
    how.piece_bytes = piece_sizes[index % COUNT_OF(piece_sizes)];
    how.flush = index / COUNT_OF(piece_sizes) != 0;
    return how;
}

size_t runner_scale(size_t length) {
    return length > 20000 ? 1000 : 1;
}

static runner any_runner(random_source *random, size_t length) {
    if (runner_device_wanted() && random_chance(random, 1, 50))
        return runner_device_random(random, length, runner_device_wanted());
    runner how = {.call = (runner_call)random_below(random, RUNNER_CALLS)};
    if (random_chance(random, 1, 4))
        how.origin = RUNNER_MEMORY;
    else if (random_chance(random, 1, 2000))
        how.origin = RUNNER_FILE;
    how.source = random_chance(random, 1, 3);
    how.plain_walk = random_chance(random, 1, 5);
    if (random_chance(random, 1, 2))
        how.chunk_bytes =
            random_between(random, 1, random_chance(random, 1, 2) ? 8 : 100) * runner_scale(length);
    if (random_chance(random, 1, 8)) {
        how.threads = (uint32_t)random_between(random, 2, 4);
        how.copy_tables = random_chance(random, 1, 4);
        if (random_chance(random, 1, 8))
            how.placement = (trawl_placement)random_between(random, 1, 2);
    }
    how.flush = random_chance(random, 1, 3);
    how.piece_bytes = random_chance(random, 1, 2) ? RUNNER_PIECE_RANDOM
                                                  : random_below(random, 20) * runner_scale(length);
    return how;
}

runner runner_random(random_source *random, size_t length) {
    runner how = any_runner(random, length);
    while (!runner_is_wanted(how.call))
        how = any_runner(random, length);
    return how;
}
