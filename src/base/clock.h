/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Elapsed time, for reports. */
#ifndef TRAWL_BASE_CLOCK_H
#define TRAWL_BASE_CLOCK_H

#include <time.h>

/* Seconds of a clock that never goes back. */
static inline double trawl_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
