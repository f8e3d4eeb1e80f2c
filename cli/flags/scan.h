/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Flags that say how a text is scanned, on the CPU or not. */
#ifndef CLI_FLAGS_SCAN_H
#define CLI_FLAGS_SCAN_H

#include "cli/flags/arguments.h"
#include "cli/flags/study.h"
#include "trawl/trawl.h"

enum { FLAG_DEVICE = 1200, FLAG_THREADS, FLAG_PLACEMENT, FLAG_COPY_TABLES, FLAG_CHUNK_BYTES };

extern const flag device_flags[];      /* --device, --threads */
extern const flag thread_flags[];      /* --threads alone, for commands that work on the CPU */
extern const flag scan_detail_flags[]; /* everything else */

/* Takes a flag of these tables. `options` begin as TRAWL_SCAN_OPTIONS, and point to `study` once a
 * flag sets something there. --threads 0 means all CPUs. */
int scan_options_take(trawl_scan_options *options, trawl_study_scan_options *study,
                      const arguments *arguments, int id);

/* The number of threads that options->threads means, at least 1. */
unsigned scan_options_threads(const trawl_scan_options *options);

#endif
