#include "engine/costs.h"

#include <string.h>

/* Of two runs of `trawl tune --device cpu` on an AMD EPYC (Zen 3, 512 KB of second-level cache, 32
 * MB of third shared with other guests), 2026-11-21. */
const trawl_costs trawl_costs_built_in = {
    .size = sizeof(trawl_costs),
    .sample = {0.65, 0.66, 0.73, 0.78, 1.45, 1.65, 5.00, 8.10},
    .sample_again = 1.05,
    .sample_wide = 0.75,
    .memory = 0.05,
    .end = 2.8,
    .look_up = {6, 6, 6, 6, 12, 24, 38, 60},
    .direct = 1.12,
    .match = 17,
    .shuffle = 0.0136,
    .shuffle_pass = 7,
    .dfa_step = {0.80, 0.90, 1.00, 1.08, 2.15, 2.75, 6.00, 17.0},
    .dfa_match = 8.5,
    .nfa_step = {2.7, 2.9, 3.3, 3.9, 6.0, 7.5, 12.0, 19.1},
    .shift = {1.45, 1.60, 1.85, 2.90, 5.10, 6.00, 9.50, 15.3},
    .shift_zero = 36,
};

void trawl_costs_complete(const trawl_costs *given, trawl_costs *costs) {
    *costs = trawl_costs_built_in;
    if (given == NULL || given->size < sizeof given->size) {
        return;
    }
    trawl_costs values = {.size = sizeof values};
    size_t size = given->size < sizeof values ? given->size : sizeof values;
    memcpy(&values, given, size);
    const size_t first = offsetof(trawl_costs, sample);
    const size_t count = (sizeof values - first) / sizeof(double);
    for (size_t i = 0; i < count; i++) {
        double value;
        memcpy(&value, (const char *)&values + first + i * sizeof value, sizeof value);
        if (value > 0 && value < 1e9) {
            memcpy((char *)costs + first + i * sizeof value, &value, sizeof value);
        }
    }
}
