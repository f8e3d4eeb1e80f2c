/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A run: one scan of one text, on one thread or several, window by window. The runner keeps the
 * overlap rule between windows and chunks and the order of matches between threads; walkers
 * (scan/contract.h) know neither chunks nor threads.
 *
 *     run.c              opening and closing, workers, parts of windows, counts
 *     one_thread.c       a window on the calling thread
 *     threads.c          a window on several threads
 *     stretches.c        the parts of a window that may have matches
 *     source_windows.c   a text that is read by offset
 *     stream.c           a text that is written piece by piece
 *     scan.c             the public calls over whole texts
 */
#ifndef TRAWL_RUN_RUN_H
#define TRAWL_RUN_RUN_H

#include "base/team.h"
#include "engines/engines.h"
#include "gpu/devices.h"
#include "run/collector.h"
#include "run/delivery.h"
#include "run/options.h"

/* What one thread of a run owns. */
typedef struct trawl_worker {
    trawl_walker *walker; /* NULL until the thread first works */
    trawl_db *copy;       /* its own copy of the database if options.copy_tables; else NULL */
    trawl_match *matches; /* the sink's array of a scan on one thread */
    trawl_counts counts;
} trawl_worker;

typedef struct trawl_run {
    const trawl_db *db;
    const trawl_walker_type *type;
    trawl_scan_settings options;          /* trawl_options_read: every member is set */
    trawl_wanted_report report;           /* handed to the caller when the run is closed */
    char device[TRAWL_DEVICE_NAME_BYTES]; /* what options.device points to unless that is NULL, the
                                             CPU */
    bool conditions;              /* matches are tested for the conditions of their patterns */
    bool count_only;              /* walkers count the matches; none is delivered */
    bool own_threads;             /* the walker spreads windows over threads itself */
    bool divides;                 /* walkers are shown stretches of text (run/stretches.h) */
    trawl_byte_finder rare_bytes; /* if divides */
    trawl_collector *collector;   /* NULL; or takes all matches instead of the delivery */
    trawl_delivery delivery;
    uint64_t *per_pattern; /* the caller's counters, or NULL */
    trawl_worker *workers; /* options.threads of them */
    trawl_team *team;      /* NULL until threads are first needed */
} trawl_run;

/* Owned bytes for each thread, at least: with fewer bytes a second thread costs more time than it
 * saves. */
#define TRAWL_RUN_SMALLEST_SHARE ((size_t)32768)

/* Opens a run; close it also after a failure. A receiver without functions: matches are counted.
 * `per_pattern`: NULL, or counters that are added to and complete after trawl_run_finish. */
trawl_status trawl_run_open(trawl_run *run, const trawl_db *db, const trawl_scan_options *options,
                            const trawl_receiver *receiver, uint64_t *per_pattern,
                            trawl_error *error);

/* Before the first window: matches go into the collector's array. */
void trawl_run_collect(trawl_run *run, trawl_collector *collector);

/* Makes the run's team of options.threads, once. */
trawl_status trawl_run_open_team(trawl_run *run, trawl_error *error);

/* Handles all matches whose last byte the window owns. Windows may be of any length, come in the
 * order of the text, and have their complete overlap (trawl_db_overlap). With conditions, goes_on
 * and next are set. */
trawl_status trawl_run_window(trawl_run *run, const trawl_window *window, trawl_error *error);

/* Handles all matches of a text that is read by offset: instead of trawl_run_window. If reading
 * fails, the text ends there, and the failure is in *reading. */
trawl_status trawl_run_source(trawl_run *run, trawl_reading *reading, trawl_error *error);

/* After the last window: delivers matches that were held back, and completes the counters. */
trawl_status trawl_run_finish(trawl_run *run);

/* Matches delivered or counted so far. */
uint64_t trawl_run_total(const trawl_run *run);

void trawl_run_close(trawl_run *run);

/* Opens the worker's walker unless it is open, on the thread that will use it. */
trawl_status trawl_worker_prepare(trawl_run *run, trawl_worker *worker, trawl_error *error);

/* Shows the window to the worker's walker, or the stretches of it that may have matches. `sink`:
 * not used if the run only counts. */
trawl_status trawl_worker_walk(trawl_run *run, trawl_worker *worker, const trawl_window *window,
                               trawl_sink *sink, trawl_error *error);

/* The window that owns bytes [begin, end) of `window`, with its overlap. */
trawl_window trawl_window_part(const trawl_run *run, const trawl_window *window, size_t begin,
                               size_t end);

/* A window with at least one owned byte, on several threads. */
trawl_status trawl_run_threads(trawl_run *run, const trawl_window *window, trawl_error *error);

#endif
