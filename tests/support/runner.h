/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Runners: every way in which the library scans a text with a compiled set. All of them must give
 * the same matches.
 */
#ifndef TRAWL_TESTS_RUNNER_H
#define TRAWL_TESTS_RUNNER_H

#include "oracle.h"
#include "random.h"
#include "trawl/trawl_study.h"

typedef enum runner_call {
    RUNNER_COLLECT,            /* trawl_collect */
    RUNNER_SCAN,               /* trawl_scan with a callback */
    RUNNER_STOP,               /* trawl_scan with a callback that stops in the middle */
    RUNNER_COLLECT_AGAIN,      /* trawl_collect_into, into the memory of another result */
    RUNNER_BATCHES,            /* trawl_scan_batches */
    RUNNER_BATCHES_STOP,       /* trawl_scan_batches with a callback that stops in the middle */
    RUNNER_COUNT,              /* trawl_count, total only */
    RUNNER_COUNT_PATTERNS,     /* trawl_count, total and per pattern */
    RUNNER_SCANNER,            /* trawl_scanner_*, all forms (runner_scanner.c) */
    RUNNER_RECORDS,            /* trawl_records_*, all questions (runner_records.c) */
    RUNNER_FLOW,               /* trawl_flow_* (runner_flow.c) */
    RUNNER_REPLACE,            /* trawl_replace and in pieces (runner_replace.c) */
    RUNNER_STREAM,             /* trawl_stream_* with a callback */
    RUNNER_STREAM_COUNT,       /* trawl_stream_* without one, counting per pattern */
    RUNNER_STREAM_COUNT_TOTAL, /* trawl_stream_* without one */
    RUNNER_STREAM_BATCHES,     /* trawl_stream_* with a callback for batches */
    RUNNER_CALLS
} runner_call;

typedef enum runner_origin {
    RUNNER_COMPILED, /* the database as trawl_compile returned it */
    RUNNER_MEMORY,   /* its bytes loaded again, from an address that is not aligned */
    RUNNER_FILE,     /* saved to a file and loaded again */
    RUNNER_ORIGINS
} runner_origin;

/* piece_bytes: pieces of random sizes, empty ones too */
#define RUNNER_PIECE_RANDOM SIZE_MAX

typedef struct runner {
    runner_call call;
    runner_origin origin;
    uint32_t threads;
    size_t chunk_bytes;
    trawl_placement placement;
    bool copy_tables;
    bool plain_walk;
    bool source;        /* counts and batches: over a source, not memory */
    size_t piece_bytes; /* streams: 0 is the whole text in one write; sources: at most, a read */
    bool flush;         /* streams: trawl_stream_flush after each write */
    const char *device; /* NULL: the CPU; the members below are for devices */
    uint32_t kernel;    /* index of the engine's kernel, modulo their number */
    const char *transfer;
    uint64_t segment_bytes;
    uint32_t segments_in_flight;
    trawl_table_path table_path;
} runner;

/* Whether tests are to use runners with this call: with TRAWL_TEST_RUNNER=PART only if PART is a
 * part of its name, which is the first word or words of runner_describe. */
bool runner_is_wanted(runner_call call);
bool runner_is_any_wanted(void);

/* The fixed list of runners, which the case table uses. With TRAWL_TEST_DEVICE=cuda it also has
 * runners with that device, and some of the random runners use it. */
size_t runner_count(void);
runner runner_at(size_t index);

/* A random runner that is wanted, for a text of `length` bytes. Threads and files are rare, since
 * they cost more. */
runner runner_random(random_source *random, size_t length);

/* The runners with a device (runner_device.c): a fixed list, and any. */
size_t runner_device_count(void);
runner runner_device_at(size_t index, const char *device);
runner runner_device_random(random_source *random, size_t length, const char *device);

/* TRAWL_TEST_DEVICE, or NULL. */
const char *runner_device_wanted(void);

/* For messages: "stream, pieces of 3 bytes, flush, 2 threads, chunks of 7 bytes". */
void runner_describe(const runner *how, char *text, size_t size);

/* The nearest options of `trawl scan`, for reproducing a failure by hand. */
void runner_options(const runner *how, char *text, size_t size);

/* Scans `text` and compares with the expected matches. Returns false with a complaint of one or
 * more lines. `random` is used for random pieces and stopping points. A kernel or a
 * table path that is not the default one may refuse the database, which ends the check. */
bool runner_check(const runner *how, const trawl_db *db, const uint8_t *text, size_t length,
                  const match_list *expected, random_source *random, char *complaint,
                  size_t complaint_size);

#endif
