/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Elapsed time and processor time. */
#ifndef TRAWL_BASE_CLOCK_H
#define TRAWL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Seconds of a clock that never goes back. */
static inline double trawl_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The time of that clock when so many nanoseconds will have passed. */
static inline struct timespec trawl_clock_after(uint64_t nanoseconds) {
    enum { SECOND = 1000000000 };
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += (time_t)(nanoseconds / SECOND);
    time.tv_nsec += (long)(nanoseconds % SECOND);
    if (time.tv_nsec >= SECOND) {
        time.tv_nsec -= SECOND;
        time.tv_sec++;
    }
    return time;
}

/* Seconds of processors that all threads of this process have had. */
static inline double trawl_process_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds of a processor that this thread has had. Unlike elapsed time it does not grow while the
 * thread waits: for a processor that others use, or for whoever takes the results. Reading it is a
 * call of the system, 10 times as long as trawl_seconds. */
static inline double trawl_thread_seconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

#endif
