/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Counts different prefixes by HyperLogLog (Flajolet, Fusy, Gandouet and Meunier, 2007): of all
 * hashes that share their first bits, the longest row of zeros behind these bits is kept; the more
 * different hashes there are, the longer it is. */
#include "costs/count_states.h"

#include <math.h>

#include "costs/prefix_hash.h"

#define REGISTER_BITS 14u
enum { REGISTERS = 1 << REGISTER_BITS }; /* standard error: 1.04 / sqrt(REGISTERS) */

typedef struct prefix_counter {
    uint8_t longest[REGISTERS]; /* 1 + zeros; 0: there was no such hash */
} prefix_counter;

static void count_hash(prefix_counter *counter, uint64_t hash) {
    uint8_t *longest = &counter->longest[hash >> (64 - REGISTER_BITS)];
    uint64_t rest = hash << REGISTER_BITS | UINT64_C(1) << (REGISTER_BITS - 1);
    uint8_t zeros = (uint8_t)(1 + __builtin_clzll(rest));
    *longest = zeros > *longest ? zeros : *longest;
}

/* The number of different hashes. */
static double estimate(const prefix_counter *counter) {
    const double all = REGISTERS, factor = 0.7213 / (1 + 1.079 / all);
    double sum = 0, empty = 0;
    for (size_t i = 0; i < REGISTERS; i++) {
        sum += exp2(-(double)counter->longest[i]);
        empty += counter->longest[i] == 0;
    }
    double count = factor * all * all / sum;
    /* Few hashes are counted better by how many registers they leave empty. */
    return count < 2.5 * all && empty != 0 ? all * log(all / empty) : count;
}

double trawl_count_states(const trawl_patterns *patterns, const uint8_t *fold) {
    prefix_counter counter = {.longest = {0}};
    for (size_t id = 0; id < patterns->count; id++) {
        const uint8_t *bytes = trawl_pattern_bytes(patterns, id);
        const uint32_t length = trawl_pattern_length(patterns, id);
        uint64_t hash = 0;
        for (uint32_t i = 0; i < length; i++) {
            hash = trawl_prefix_extend(hash, fold[bytes[i]]);
            count_hash(&counter, trawl_prefix_spread(hash));
        }
    }
    return 1 + estimate(&counter);
}
