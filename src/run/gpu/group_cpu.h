/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A thread of the CPU that scans segments of a window which GPUs share (transfer/share.h): the
 * segments of a GPU that has failed, or all of them when no GPU is left. */
#ifndef TRAWL_RUN_GPU_GROUP_CPU_H
#define TRAWL_RUN_GPU_GROUP_CPU_H

#include "run/gpu/transfer/share.h"
#include "scan/contract.h"

/* What all threads of such a scan have in common. */
typedef struct trawl_group_scan {
    const trawl_db *db;
    const trawl_scan_settings *options;
    const trawl_window *window;
    trawl_share *share;
    trawl_sink *sink; /* NULL: matches are counted. Belongs to the segment whose turn it is */
    bool per_pattern; /* matches are counted by pattern */
} trawl_group_scan;

/* One thread; zeroed at first. */
typedef struct trawl_group_cpu {
    trawl_walker *walker; /* of the engine, for the CPU */
    uint8_t *buffer;      /* for text that is read */
    size_t buffer_bytes;
    trawl_match *matches;
    trawl_counts counts; /* what it has counted; complete after trawl_group_cpu_settle */
    uint64_t bytes;      /* of text that it has scanned */
} trawl_group_cpu;

/* Scans a segment, from index `from` of the window on. Counts its matches, or delivers them when
 * its turn comes. A failure ends all work of the share. */
void trawl_group_cpu_scan(trawl_group_cpu *self, const trawl_group_scan *scan, uint64_t segment,
                          uint64_t from);

/* Takes segments and scans them until none is left. */
void trawl_group_cpu_run(trawl_group_cpu *self, const trawl_group_scan *scan);

/* Completes `counts` after the last segment. */
void trawl_group_cpu_settle(trawl_group_cpu *self);
void trawl_group_cpu_close(trawl_group_cpu *self);

#endif
