/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What a caller asks of a scan, read from the options of both public headers and completed
 * (run/options.c). */
#ifndef TRAWL_SCAN_SETTINGS_H
#define TRAWL_SCAN_SETTINGS_H

#include "trawl/trawl_study.h"

/* Both reports of a scan. */
typedef struct trawl_report {
    trawl_scan_report scan;
    trawl_study_scan_report study;
} trawl_report;

/* Members are those of trawl_scan_options and trawl_study_scan_options. */
typedef struct trawl_scan_settings {
    const char *device; /* NULL: the CPU; else the name of a GPU that can be used */
    uint32_t threads;   /* 1 or more */
    trawl_placement placement;
    const char *kernel;   /* NULL or static */
    const char *transfer; /* NULL or static */
    bool copy_tables;
    bool plain_walk;
    size_t chunk_bytes;
    uint64_t segment_bytes;
    uint32_t segments_in_flight;
    uint32_t block_threads;
    uint32_t block_bytes;
    trawl_table_path table_path;
    bool keep_segments;
    trawl_report *report; /* NULL: none is wanted; else it lives as long as the scan */
} trawl_scan_settings;

#endif
