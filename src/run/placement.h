/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Binds the threads of a run to CPUs (thread affinity; Tran et al., 5.3). */
#ifndef TRAWL_RUN_PLACEMENT_H
#define TRAWL_RUN_PLACEMENT_H

#include <sched.h>

#include "trawl/trawl.h"

/* The CPU of each of `threads` threads. */
typedef struct trawl_placing {
    int *cpus; /* NULL: threads are not bound */
    uint32_t threads;
} trawl_placing;

/* Chooses among the CPUs that the process may use, ordered by package, core and number. CLOSE takes
 * the first ones, SPREAD distributes the threads over all. Free with trawl_placing_close. */
trawl_status trawl_placing_open(trawl_placing *placing, trawl_placement placement, uint32_t threads,
                                trawl_error *error);
void trawl_placing_close(trawl_placing *placing);

/* Binds the calling thread to the CPU of thread number `thread`; *before are the CPUs that it could
 * run on until then. A refusal by the operating system is no error: only speed depends on it. */
void trawl_placing_bind(const trawl_placing *placing, uint32_t thread, cpu_set_t *before);
/* Gives the calling thread the CPUs in *before again. */
void trawl_placing_unbind(const trawl_placing *placing, const cpu_set_t *before);

#endif
