#include "engine/costs.h"

#include <string.h>

/* Guesses for a Zen 3 core. */
const trawl_costs trawl_costs_built_in = {
    .size = sizeof(trawl_costs),
    .sample = {0.64, 0.65, 0.67, 0.74, 1.14, 1.20, 2.00, 6.20},
    .sample_again = 1.1,
    .end = 2.5,
    .look_up = {3, 3, 3, 4, 8, 21, 34, 54},
    .direct = 1.05,
    .match = 15,
    .dfa_step = {0.75, 0.82, 0.86, 0.97, 1.92, 2.40, 5.00, 11.2},
    .dfa_match = 9.3,
    .nfa_step = {2.6, 2.7, 3.0, 3.7, 5.4, 7.2, 11.5, 18.3},
    .shift = {1.34, 1.45, 1.65, 2.45, 4.25, 4.90, 7.80, 12.5},
    .shift_zero = 12,
    .sample_wide = 0.36,
    .shuffle = 0.0098,
    .shuffle_pass = 7,
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
