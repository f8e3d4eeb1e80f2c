/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Several threads that format the matches of one writer as lines. The scan hands over matches in
 * order, in blocks. Each block is formatted by a free thread, and written when all blocks before it
 * have been:
 *
 *     written | ready, is written | formatted | ready, waits | full | is filled | free
 *             ^ turn                                         ^ next ^ filling
 *
 * Memory is bounded by the number of blocks: if none is free, the scanning thread formats too.
 */
#ifndef CLI_SCAN_RECORD_CREW_H
#define CLI_SCAN_RECORD_CREW_H

#include "cli/scan/records.h"

typedef struct record_crew record_crew;

/* Opens a crew of `threads` threads besides those that scan. They start when a block is full; if
 * the system refuses threads, there are fewer. `drain` is called by one thread at a time. */
record_crew *record_crew_open(const record_labels *labels, unsigned threads, record_drain drain,
                              void *context);

/* Begins a text: no match of the one before may wait. */
void record_crew_begin(record_crew *crew, const char *file);

/* Takes the next matches. False: `drain` has asked to stop. One thread at a time may call it. */
bool record_crew_put(record_crew *crew, const trawl_match *matches, size_t count);

/* Returns when all matches have been formatted and drained. False as above. */
bool record_crew_flush(record_crew *crew);

/* Ends the threads. What has not been flushed is lost. NULL is allowed. */
void record_crew_close(record_crew *crew);

#endif
