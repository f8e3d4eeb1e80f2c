/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_dfa/hot_walk.h"

#include <math.h>
#include <stddef.h>

#include "constants/gpu.h"
#include "gpu/tuning.h"

double trawl_hot_bank_conflicts(uint32_t classes) {
    uint32_t row_bytes = 2 * classes, shared = TRAWL_GPU_BANKS;
    while (row_bytes % (4 * shared) != 0 && shared > 1) {
        shared /= 2;
    }
    uint32_t others = shared - 1;
    return others / (TRAWL_GPU_BANKS - 1.0);
}

/* The time of a block with `threads` busy threads, relative to one with TRAWL_GPU_HOT_THREADS. */
static double slower_with(double threads) {
    double fewer = fmax(TRAWL_GPU_HOT_THREADS / threads, 1);
    return sqrt(1 + TRAWL_GPU_HOT_SLOWER * (fewer * fewer - 1));
}

uint32_t trawl_hot_strip_bytes(uint64_t length, uint64_t overlap, uint32_t multiprocessors,
                               uint32_t threads, double *cost) {
    uint64_t all = length + 16; /* strips may begin up to 15 bytes before the text */
    uint64_t best = 0;
    double least = INFINITY;
    for (uint32_t quarters = 4 * TRAWL_GPU_HOT_ROUNDS; quarters != 0; quarters /= 2) {
        uint64_t strips = (uint64_t)multiprocessors * threads * quarters / 4;
        uint64_t bytes = all / strips + 1;
        bytes = bytes > TRAWL_GPU_HOT_LEAST_STRIP_BYTES ? bytes : TRAWL_GPU_HOT_LEAST_STRIP_BYTES;
        double busy = fmin((double)threads, (double)all / ((double)bytes * multiprocessors));
        double takes = (1 + (double)overlap / (double)bytes) * slower_with(busy);
        if (takes < least) {
            least = takes;
            best = bytes;
        }
    }
    if (cost != NULL) {
        *cost = least;
    }
    return (uint32_t)((best + TRAWL_HOT_READ_BYTES - 1) / TRAWL_HOT_READ_BYTES *
                      TRAWL_HOT_READ_BYTES);
}

double trawl_hot_waits(double elsewhere) {
    return 1 - pow(1 - elsewhere, TRAWL_GPU_HOT_STEPS_WAITED);
}
