/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/clock.h"

#include <time.h>

double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
