/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Messages on standard error, and exit statuses. */
#ifndef CLI_BASE_REPORT_H
#define CLI_BASE_REPORT_H

#include <stdatomic.h>
#include <stdbool.h>

#include "trawl/trawl.h"

enum { EXIT_MATCHED = 0, EXIT_NOTHING = 1, EXIT_ERROR = 2 };

/* Prints "trawl: MESSAGE" as one line, with control characters as ?, after removing the progress
 * line. Any thread may call this function. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, unless *told is set, and sets it: for an error that several threads may meet at
 * the same time.
 * NULL: always. */
void report_once(atomic_bool *told, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports the message of an error; returns EXIT_ERROR. */
int report_error(const trawl_error *error);

/* Flushes standard output. False, with the reason kept for finish_output, if that or an earlier
 * write failed. */
bool flush_output(void);

/* Flushes standard output. Returns `status`, or EXIT_ERROR after reporting that it failed. */
int finish_output(int status);

#endif
