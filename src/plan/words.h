/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A plan's reason, put together. */
#ifndef TRAWL_PLAN_WORDS_H
#define TRAWL_PLAN_WORDS_H

#include "plan/plan.h"

/* Appends to plan->reason, as far as there is room. */
void trawl_plan_add(trawl_plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
