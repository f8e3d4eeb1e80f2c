/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Binding a run's threads to CPUs, and releasing them again (Tran et al., 5.3: scatter affinity).
 */
#ifndef TRAWL_RUN_PLACEMENT_H
#define TRAWL_RUN_PLACEMENT_H

#include <sched.h>

#include "trawl/trawl.h"

/* The CPU for each of `threads` threads, or nothing when placement is NONE. */
typedef struct trawl_placing {
    int *cpus; /* NULL: threads are not bound */
    uint32_t threads;
} trawl_placing;

/* Chooses among the CPUs that the process may use. Neighbours are CPUs of one core, then of one
 * package, as the kernel describes them. Free with trawl_placing_close. */
trawl_status trawl_placing_open(trawl_placing *placing, trawl_placement placement, uint32_t threads,
                                trawl_error *error);
void trawl_placing_close(trawl_placing *placing);

/* Binds the calling thread as thread number `thread`, remembering in *before where it could run. A
 * refusal by the operating system is not an error: placement is only about speed. */
void trawl_placing_bind(const trawl_placing *placing, uint32_t thread, cpu_set_t *before);
void trawl_placing_unbind(const trawl_placing *placing, const cpu_set_t *before);

#endif
