/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Random costs for the planner, so that it makes plans that no machine's costs lead to. */
#ifndef TRAWL_TESTS_RANDOM_COSTS_H
#define TRAWL_TESTS_RANDOM_COSTS_H

#include "random.h"
#include "trawl/trawl_study.h"

/* 10 to the power of a random number from `low` to `high`. */
double random_power(random_source *random, double low, double high);

/* Each cost is such a power. For half of the draws comparing gets dearer with every step of the
 * tables' size, so that many small filters are cheapest. */
void random_costs(random_source *random, double low, double high, trawl_costs *costs);

#endif
