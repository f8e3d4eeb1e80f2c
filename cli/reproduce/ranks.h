/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Runs of trawl-mpi, which this command starts through mpirun, as it has no MPI itself. All ranks
 * run on this machine. Text and patterns are files in memory, so that no file system needs room for
 * them.
 */
#ifndef CLI_REPRODUCE_RANKS_H
#define CLI_REPRODUCE_RANKS_H

#include "cli/reproduce/run.h"

typedef struct ranks_job {
    workload data;
    const char *engine, *variant;
    const char *kernel; /* NULL: on the CPU, one thread for each rank */
    int ranks;
} ranks_job;

/* Seconds of the slowest rank. */
typedef enum ranks_time {
    RANKS_DISTRIBUTE = 0, /* rank 0 sends the database and the list of texts */
    RANKS_LOAD,           /* each rank reads its part of the text */
    RANKS_SEARCH,         /* by the clock */
    RANKS_DEVICE,         /* of this, kernels by the clock of the GPU; 0 on a CPU */
    RANKS_WAIT,           /* for the slowest rank */
    RANKS_REDUCE,
    RANKS_TIMES
} ranks_time;

/* The times of --split static, each the median of up to as many runs as a cell has, of fewer where
 * they take long; measured once. NULL after writing why there are none. The number of matches is
 * checked. */
const double *measure_ranks(reproduction *run, const ranks_job *job, char *why);

#endif
