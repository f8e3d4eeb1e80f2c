/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CLI_BASE_CLOCK_H
#define CLI_BASE_CLOCK_H

/* Seconds of a monotonic clock. */
double seconds_now(void);

#endif
