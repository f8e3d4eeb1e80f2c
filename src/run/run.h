/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * A run: one scan of one text, on one thread or several, shown to it window by window. Runners know
 * the overlap rule and the order of matches; walkers know neither chunks nor threads.
 */
#ifndef TRAWL_RUN_RUN_H
#define TRAWL_RUN_RUN_H

#include "base/team.h"
#include "engines/engines.h"
#include "run/collector.h"
#include "run/delivery.h"

/* What one thread of a run owns. */
typedef struct trawl_worker {
    trawl_walker *walker; /* NULL until the thread first works */
    trawl_db *copy;       /* its own tables, when the caller asked for copies */
    trawl_match *matches; /* room for the sink of a serial scan */
    trawl_counts counts;
} trawl_worker;

typedef struct trawl_run {
    const trawl_db *db;
    const trawl_walker_type *type;
    trawl_scan_options options; /* complete; threads is the real number; device NULL is the CPU */
    char device[16];            /* the name of another one */
    bool count_only;            /* matches are counted by the walkers, not delivered */
    bool own_threads;           /* the walker divides windows among threads itself */
    trawl_collector *collector; /* all matches go into it, not through the delivery; or NULL */
    trawl_delivery delivery;
    uint64_t *per_pattern; /* the caller's counters, or NULL */
    trawl_worker *workers;
    trawl_team *team; /* NULL until threads are first needed */
} trawl_run;

/* Opens a run. Without a receiver's function it counts. `per_pattern`: NULL or counters that are
 * added to; complete after trawl_run_finish. */
trawl_status trawl_run_open(trawl_run *run, const trawl_db *db, const trawl_scan_options *options,
                            const trawl_receiver *receiver, uint64_t *per_pattern,
                            trawl_error *error);

/* Takes the matches of the run, which has not begun, into an array. */
void trawl_run_collect(trawl_run *run, trawl_collector *collector);

/* Makes the run's team of options.threads, once. */
trawl_status trawl_run_open_team(trawl_run *run, trawl_error *error);

/* Handles all matches whose last byte is in the window's owned part. The window may be of any
 * length; windows come in order. Its overlap must be complete. */
trawl_status trawl_run_window(trawl_run *run, const trawl_window *window, trawl_error *error);

/* Handles all matches of a text that is read by offset, the only one of the run (source.c). What
 * cannot be read ends the text, and is left in *reading. */
trawl_status trawl_run_source(trawl_run *run, trawl_reading *reading, trawl_error *error);

/* After the last window: delivers what was held back and completes the counters. */
trawl_status trawl_run_finish(trawl_run *run, trawl_error *error);

/* Matches delivered or counted so far. */
uint64_t trawl_run_total(const trawl_run *run);

void trawl_run_close(trawl_run *run);

/* Makes the worker ready, on the thread that will use it. */
trawl_status trawl_worker_prepare(trawl_run *run, trawl_worker *worker, trawl_error *error);

/* The part [begin, end) of a window's owned text as a window of its own, with its overlap. */
trawl_window trawl_window_part(const trawl_run *run, const trawl_window *window, size_t begin,
                               size_t end);

/* The runner for several threads; scan.c has the one for the calling thread. */
trawl_status trawl_run_threads(trawl_run *run, const trawl_window *window, trawl_error *error);

#endif
