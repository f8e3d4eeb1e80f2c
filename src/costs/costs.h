/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner's tables of costs: trawl_costs for CPUs, trawl_device_costs for GPUs. */
#ifndef TRAWL_COSTS_COSTS_H
#define TRAWL_COSTS_COSTS_H

#include "trawl/trawl_study.h"

/* The built-in values. */
extern const trawl_device_costs trawl_device_costs_built_in;

/* Sets *costs to the caller's values (NULL: none). Values that are 0 or no cost (negative, not a
 * number, 10^9 and more) are replaced by the built-in ones. TRAWL_ERROR_ARGUMENT if the structure's
 * size is 0. */
trawl_status trawl_costs_complete(const trawl_costs *given, trawl_costs *costs, trawl_error *error);
trawl_status trawl_device_costs_complete(const trawl_device_costs *given, trawl_device_costs *costs,
                                         trawl_error *error);

#endif
