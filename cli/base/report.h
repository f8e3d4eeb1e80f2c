/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the command line tells a person: messages on standard error, and exit statuses.
 */
#ifndef CLI_BASE_REPORT_H
#define CLI_BASE_REPORT_H

#include "trawl/trawl.h"

enum { EXIT_MATCHED = 0, EXIT_NOTHING = 1, EXIT_ERROR = 2 };

/* Prints "trawl: MESSAGE" as one line; control characters in it appear as ?. Clears a progress line
 * first. Safe to call from several threads. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* report() with an error's sentence; returns EXIT_ERROR. */
int report_error(const trawl_error *error);

/* Flushes standard output. Returns `status`, or EXIT_ERROR after reporting that it failed. */
int finish_output(int status);

#endif
