/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner for GPUs: the engine, its kernel, and the expected speed. */
#ifndef TRAWL_PLAN_GPU_H
#define TRAWL_PLAN_GPU_H

#include "plan/plan.h"

/* The ways of scanning on a GPU, by their indices in a record. */
typedef struct trawl_plan_way {
    const char *engine, *kernel;
} trawl_plan_way;
extern const trawl_plan_way trawl_plan_ways[TRAWL_DEVICE_WAYS];

/* trawl_plan_choose for the GPU that options->device names. `all`: the set with patterns that
 * repeat others, which `patterns` may lack. If it chooses qgram, plan->division is not set: the
 * tiers for CPUs are chosen separately (trawl_plan_divide). */
trawl_status trawl_plan_choose_for_device(const trawl_patterns *patterns, const trawl_patterns *all,
                                          const trawl_compile_settings *options, trawl_plan *plan,
                                          trawl_error *error);

/* TRAWL_ERROR_ARGUMENT unless options->device is NULL or the form of a name is right. */
trawl_status trawl_plan_check_device(const trawl_compile_settings *options, trawl_error *error);

/* Whether options->device names a GPU. "auto" does on a machine that has one. */
bool trawl_plan_is_for_device(const trawl_compile_settings *options);

/* Whether a plan that was made for a GPU stands: with "auto" the CPU is used if the GPU cannot be.
 * Ask after planning: the answer needs the context of the device, which another thread may be
 * making meanwhile (trawl_cuda_start). */
bool trawl_plan_stays_for_device(const trawl_compile_settings *options);

#endif
