/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner's tables of costs: trawl_costs for CPUs, trawl_device_costs for GPUs. */
#ifndef TRAWL_COSTS_COSTS_H
#define TRAWL_COSTS_COSTS_H

#include "trawl/trawl.h"

/* The built-in values. */
extern const trawl_costs trawl_costs_built_in;

/* Copies the caller's values, whose structure may be shorter or longer than ours (NULL: none), and
 * takes the built-in ones for what is 0 or no cost at all. */
void trawl_costs_complete(const trawl_costs *given, trawl_costs *costs);

/* The same for GPUs: an H200's values, and a caller's that are completed with them. */
extern const trawl_device_costs trawl_device_costs_built_in;
void trawl_device_costs_complete(const trawl_device_costs *given, trawl_device_costs *costs);

#endif
