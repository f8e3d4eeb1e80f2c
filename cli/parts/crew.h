/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Threads that finish segments side by side, each with a part of its own. */
#ifndef CLI_PARTS_CREW_H
#define CLI_PARTS_CREW_H

#include "cli/parts/journal.h"
#include "cli/parts/segments.h"

typedef struct crew_task {
    const parts_journal *journal;
    const segment_list *segments;
    unsigned count;     /* of threads, at least 1: the calling one and others */
    void *workers;      /* `count` of them, one behind the other */
    size_t worker_size; /* bytes of each */
    const void *context;

    /* Called by the thread of the worker: first, for each segment that it takes, and at last. */
    void (*open)(const struct crew_task *task, void *worker, part_writer *part);
    bool (*scan)(void *worker, size_t segment); /* false: no thread takes another segment */
    void (*close)(void *worker);
} crew_task;

/* How many threads, at most `wanted`, have a segment to scan; at least 1. */
unsigned crew_size(const crew_task *task, unsigned wanted);

/* Bytes of text in the segments that are not finished. */
uint64_t crew_bytes(const crew_task *task);

/* Scans all segments that are not finished. False after reporting that a thread could not go on.
 * Workers themselves remember segments that they did not finish. */
bool crew_run(const crew_task *task);

#endif
