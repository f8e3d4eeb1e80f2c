/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/bench/show.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void bench_show_nothing(const bench_options *options) {
    if (options->progress && isatty(STDERR_FILENO)) {
        (void)fputs("\r\033[K", stderr);
        (void)fflush(stderr);
    }
}

void bench_show(const bench_options *options, const char *format, ...) {
    if (!options->progress || !isatty(STDERR_FILENO))
        return;
    va_list values;
    va_start(values, format);
    (void)fputs("\r\033[K", stderr);
    (void)vfprintf(stderr, format, values);
    (void)fflush(stderr);
    va_end(values);
}
