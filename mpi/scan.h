/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* trawl scan by many processes, on one machine or many. */
#ifndef MPI_SCAN_H
#define MPI_SCAN_H

#include "mpi/share.h"

/* Runs `trawl-mpi scan` with argv[0] = "scan". All ranks call it together, each with arguments of
 * its own, of which those of rank 0 are checked first, so that an error in them is reported once.
 * Returns the exit status, which only rank 0 knows. */
int ranks_scan(const ranks *self, int argc, char **argv);

#endif
