#include "cuda/hot_walk.h"

#include <math.h>

/* The kernel's own numbers (cuda/ac_dfa_hot.cu). */
#define TEXT_BYTES 1073741824.0 /* that parts are thought of for */
#define LANES_FULL (1024.0 * 2)
#define LANES_BUSY 512.0
#define BYTES_PER_OVERLAP 32.0

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

double trawl_hot_bytes_walked(uint64_t longest, uint32_t multiprocessors) {
    double overlap = (double)(longest - 1);
    double full = TEXT_BYTES / (multiprocessors * LANES_FULL);
    double busy = TEXT_BYTES / (multiprocessors * LANES_BUSY);
    return 1 + overlap / fmax(fmin(overlap * BYTES_PER_OVERLAP, busy), full);
}

double trawl_hot_waits(double elsewhere) {
    return 1 - pow(1 - elsewhere, WARP * STEPS_WAITED);
}
