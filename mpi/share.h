/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What rank 0 knows and all ranks need. All ranks must call these functions together. */
#ifndef MPI_SHARE_H
#define MPI_SHARE_H

#include <mpi.h>

#include "cli/parts/journal.h"
#include "trawl/trawl.h"

typedef struct ranks {
    int rank;
    int size;
    int local; /* number of this rank among those of its machine */
} ranks;

/* This process among all, after MPI_Init. */
ranks share_ranks(void);

/* Whether all ranks say true. */
bool share_all(bool mine);

/* Whether all ranks say the same. */
bool share_equal(int mine);

/* Sums of numbers, which only rank 0 gets. */
void share_sums(const ranks *self, uint64_t *numbers, size_t count);

/* Whether all ranks run the same version of trawl. Rank 0 reports the first that does not. */
bool share_version(const ranks *self);

/* Rank 0's database, on the others loaded from its bytes. False after reporting, on some ranks. */
bool share_database(const ranks *self, trawl_db **db);

/* Rank 0's run. */
bool share_run(const ranks *self, parts_run *run);

/* What writers need of rank 0's journal, and which segments are finished. */
void share_journal(const ranks *self, parts_journal *journal);

#endif
