/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The CPUs near a device: those of the memory node (NUMA node) that it is attached to. */
#ifndef TRAWL_RUN_GPU_NEAR_H
#define TRAWL_RUN_GPU_NEAR_H

#include <sched.h>
#include <stdbool.h>

/* Reads which CPUs are on the memory node of the PCI device "0000:3b:00.0" (in any case), from
 * `root`, "/sys". False if the system does not say. */
bool trawl_near_cpus(const char *root, const char *bus_id, cpu_set_t *cpus);

/* Binds the calling thread, and all threads that it starts from now on, to those of these CPUs
 * that it may run on. Sets *before to the CPUs that it could run on until then, for
 * trawl_near_unbind. If it may run on none of them, or the system refuses, nothing changes: only
 * speed depends on it. */
void trawl_near_bind(const cpu_set_t *cpus, cpu_set_t *before);
void trawl_near_unbind(const cpu_set_t *before);

#endif
