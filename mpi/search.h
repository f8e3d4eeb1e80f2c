/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* How ranks divide the segments. */
#ifndef MPI_SEARCH_H
#define MPI_SEARCH_H

#include "cli/scan/worker.h"
#include "mpi/share.h"

/* Seconds that a rank has spent. */
typedef enum rank_time {
    TIME_DISTRIBUTE = 0, /* the database and the list of texts come from rank 0 */
    TIME_LOAD,           /* static: reading the rank's part of the texts */
    TIME_SEARCH,         /* dynamic: with reading */
    TIME_CLAIM,          /* dynamic: of TIME_SEARCH, waiting for the counter */
    TIME_DEVICE,         /* of TIME_SEARCH: kernels, by the clock of the GPU */
    TIME_WAIT,           /* for the slowest rank */
    TIME_REDUCE,
    RANK_TIMES
} rank_time;

/* Takes segments that are not finished from a counter in the memory of rank 0, until there are no
 * more. */
void search_dynamic(const ranks *self, segment_worker *worker, const parts_journal *journal,
                    double *times);

/* The scheme of Kouzinopoulos et al. 2015, 4.4: rank r reads range r, of floor(bytes / size) bytes
 * and for the last rank the rest, then searches it in memory. */
void search_static(const ranks *self, segment_worker *worker, const parts_journal *journal,
                   double *times);

#endif
