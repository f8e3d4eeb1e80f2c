/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Times of scans. Each is checked first: the matches must be as many as those that another engine
 * finds on the CPU. */
#ifndef CLI_REPRODUCE_MEASURE_H
#define CLI_REPRODUCE_MEASURE_H

#include "cli/reproduce/run.h"

/* One scan. Zeros stand for the choice of the library. */
typedef struct scan_job {
    workload data;
    const char *engine, *variant; /* engine NULL: the planner's choice */
    uint32_t parts;
    bool on_cuda;
    /* CPU */
    uint32_t threads;
    trawl_placement placement;
    bool plain_walk, copy_tables;
    size_t chunk_bytes; /* text that a thread takes at a time */
    /* GPU */
    const char *kernel;
    trawl_cuda_form form;
    uint32_t block_threads, block_bytes;
    const char *transfer; /* NULL: the text is in device memory; else it is in host memory */
    uint64_t segments;    /* of the transfer */
} scan_job;

/* Seconds of a scan, the median of several: of the kernel where the text is in device memory or is
 * read by the kernel from the host's (zero-copy), else by the clock. NAN after writing why not.
 * Measured once: the next call gives the same number. Notes how a kernel that the job names read
 * its tables. */
double measure_scan(reproduction *run, const scan_job *job, char *why);

/* The median of several measurements, which are sorted by it. */
double measure_median(double *seconds, size_t count);

enum { MEASURED_MOST_RUNS = 64 }; /* of a cell: the limit of --runs */

/* Gigabytes (10^9) of text a second, and gigabits. */
double measure_gigabytes(reproduction *run, const scan_job *job, char *why);
double measure_gigabits(reproduction *run, const scan_job *job, char *why);

/* Of a scan of text in device memory: accesses of shared memory for one read of text by a warp, as
 * in trawl_cuda_layout; 0: not known. */
uint32_t measure_bank_accesses(reproduction *run, const scan_job *job);

/* The steps of Nunes et al. 2018 in milliseconds: steps 2 to 5, then all; then the theoretical
 * occupancies of steps 2 to 5 (0: not known). NULL after writing why not. */
enum { MEASURED_STEPS = 5, MEASURED_OCCUPANCIES = 4 };
const double *measure_steps(reproduction *run, const workload *data, bool on_cuda, char *why);

#endif
