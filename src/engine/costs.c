#include "engine/costs.h"

#include <string.h>

/* Guesses for a Zen 3 core. */
const trawl_costs trawl_costs_built_in = {
    .size = sizeof(trawl_costs),
    .sample = {0.55, 0.55, 0.65, 0.75, 1.3, 1.6, 2.2, 5.0},
    .sample_again = 2.0,
    .end = 1.2,
    .look_up = {5, 6, 7, 9, 12, 15, 20, 40},
    .direct = 0.8,
    .match = 8,
    .dfa_step = {0.8, 0.8, 0.9, 1.1, 1.5, 2.5, 5, 10},
    .dfa_match = 8,
    .nfa_step = {3, 3, 3.3, 3.6, 4.5, 6, 9, 16},
    .shift = {1.2, 1.2, 1.3, 1.5, 2, 2.5, 4, 8},
    .shift_zero = 15,
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
