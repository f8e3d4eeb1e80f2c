/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The planner for GPUs: which engine, which of its kernels, and what to expect of them. */
#ifndef TRAWL_PLAN_GPU_H
#define TRAWL_PLAN_GPU_H

#include "plan/plan.h"

/* Chooses for the GPU that options->device names. Otherwise as trawl_plan_choose, but that a choice
 * of qgram has no division yet: that is for the CPU. */
trawl_status trawl_plan_choose_for_device(const trawl_patterns *patterns,
                                          const trawl_compile_settings *options, trawl_plan *plan,
                                          trawl_error *error);

/* Whether options->device is a name that there may be: TRAWL_ERROR_ARGUMENT. */
trawl_status trawl_plan_check_device(const trawl_compile_settings *options, trawl_error *error);

/* Whether it is a GPU; "auto" is one where there is one. */
bool trawl_plan_is_for_device(const trawl_compile_settings *options);

/* Whether a plan that was made for a GPU is good: "auto" is the CPU where the GPU cannot be used.
 * To be asked afterwards, as it takes the device's context to know, which may be on its way. */
bool trawl_plan_stays_for_device(const trawl_compile_settings *options);

#endif
