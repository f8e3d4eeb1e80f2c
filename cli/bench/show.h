/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* A line on the terminal that says which row is being built or measured. */
#ifndef CLI_BENCH_SHOW_H
#define CLI_BENCH_SHOW_H

#include "cli/bench/options.h"

/* Replaces the line, if standard error is a terminal and --no-progress was not given. */
void bench_show(const bench_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Removes the line. */
void bench_show_nothing(const bench_options *options);

#endif
