/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/ac_dfa/hot_walk.h"

#include <math.h>
#include <stddef.h>

/* Parts are units of what a thread reads at once, and not less than some of them. */
#define UNIT 32u
#define FEWEST_STRIP_BYTES 64u

/* Parts of each thread: no thread then waits long for the others' last ones. Fewer, longer parts
 * are walked where overlaps would take more time than that saves. */
#define ROUNDS 2u

/* Of what a block with 1,024 busy threads does: measured, 768 of them take 1.11 times as long, 512
 * 1.42, and 256 2.6 (docs/notebook/2026-11-gpu-qgram-steps.md). */
#define BUSY_THREADS 1024.0
#define SLOWER 0.4

/* A thread that asks the full table keeps its warp from going on for so many steps. */
#define WARP 32.0
#define STEPS_WAITED 3.0

/* Shared memory has so many banks of four bytes. */
#define BANKS 32u

double trawl_hot_bank_conflicts(uint32_t classes) {
    uint32_t row_bytes = 2 * classes, shared = BANKS;
    while (row_bytes % (4 * shared) != 0 && shared > 1) {
        shared /= 2;
    }
    uint32_t others = shared - 1;
    return others / (BANKS - 1.0);
}

static double slower_with(double threads) {
    double fewer = fmax(BUSY_THREADS / threads, 1);
    return sqrt(1 + SLOWER * (fewer * fewer - 1));
}

uint32_t trawl_hot_strip_bytes(uint64_t length, uint64_t overlap, uint32_t multiprocessors,
                               uint32_t threads, double *cost) {
    uint64_t all = length + 16; /* parts may begin up to 15 bytes before the text */
    uint64_t best = 0;
    double least = INFINITY;
    for (uint32_t quarters = 4 * ROUNDS; quarters != 0; quarters /= 2) {
        uint64_t parts = (uint64_t)multiprocessors * threads * quarters / 4;
        uint64_t bytes = all / parts + 1;
        bytes = bytes > FEWEST_STRIP_BYTES ? bytes : FEWEST_STRIP_BYTES;
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
    return (uint32_t)((best + UNIT - 1) / UNIT * UNIT);
}

double trawl_hot_waits(double elsewhere) {
    return 1 - pow(1 - elsewhere, WARP * STEPS_WAITED);
}
