/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "random_costs.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

double random_power(random_source *random, double low, double high) {
    return pow(10, low + (high - low) * (double)random_below(random, 1 << 20) / (1 << 20));
}

void random_costs(random_source *random, double low, double high, trawl_costs *costs) {
    /* trawl_costs is a size and then doubles. */
    *costs = (trawl_costs)TRAWL_COSTS;
    for (size_t at = sizeof(size_t); at < sizeof *costs; at += sizeof(double)) {
        double value = random_power(random, low, high);
        memcpy((char *)costs + at, &value, sizeof value);
    }
    double step = random_power(random, 0, 1.3), cost = 1;
    bool steep = random_chance(random, 1, 2);
    for (size_t i = 0; steep && i < TRAWL_COST_SIZES; i++, cost *= step)
        costs->verify[i] = cost;
}
