/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Scans segments one after the other, and writes their results to a part. The result of a segment:
 *     matches          the records, as trawl scan writes them
 *     counts           for each of its pieces the number of matches, uint64_t
 *     most frequent    a segment_row for each pattern that occurs, in the order of ids
 * `trawl cat` joins them.
 */
#ifndef CLI_SCAN_WORKER_H
#define CLI_SCAN_WORKER_H

#include "cli/parts/journal.h"
#include "cli/parts/segments.h"
#include "cli/scan/plan.h"
#include "cli/scan/range.h"

/* A pattern and its number of matches, with what follows the number in the output: `length` bytes
 * behind the row. */
typedef struct segment_row {
    uint64_t count;
    uint32_t id;
    uint32_t length;
} segment_row;

/* A piece in memory. */
typedef struct loaded_piece {
    uint8_t *bytes;
    text_context context;
    uint64_t end; /* of a compressed text: after decompression */
} loaded_piece;

typedef struct segment_worker {
    const scan_plan *plan;
    const parts_run *run;
    const segment_list *segments;
    part_writer *part;          /* NULL: results are only added up: */
    uint64_t *text_counts;      /* for each text of the run; or NULL */
    const loaded_piece *loaded; /* NULL, or for each piece of the list */
    text_scanner scanner;
    record_writer writer;
    uint64_t *per_pattern; /* for the most frequent patterns, else NULL */
    /* Sums over the segments that were finished. */
    uint64_t bytes;
    uint64_t matches;
    scan_done report;
    bool failed; /* a segment was not finished; this has been reported */
} segment_worker;

/* `threads`: of each scan. Close the worker. */
void segment_worker_open(segment_worker *worker, const scan_plan *plan, const parts_run *run,
                         const segment_list *segments, part_writer *part, unsigned threads);

/* False if the worker cannot go on. A text that cannot be read leaves its segment unfinished, and
 * without further messages those of its segments that no worker has begun. */
bool segment_worker_scan(segment_worker *worker, size_t segment);

void segment_worker_close(segment_worker *worker);

#endif
