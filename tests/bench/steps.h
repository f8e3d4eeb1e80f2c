/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The time and the memory of the steps of a measurement. */
#ifndef TRAWL_TESTS_BENCH_STEPS_H
#define TRAWL_TESTS_BENCH_STEPS_H

#include "base/clock.h"

#include <stdio.h>
#include <sys/resource.h>

/* Prints the seconds of a step since `start`, and the most memory of the process so far. Returns
 * the present time. */
static inline double report_step(const char *step, double start) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    double end = trawl_seconds();
    printf("%-8s %8.1f s, at most %.2f GB\n", step, end - start,
           (double)usage.ru_maxrss * 1.024e-6);
    (void)fflush(stdout);
    return end;
}

#endif
