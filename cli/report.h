/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What the command line tells a person: messages on standard error, and exit statuses.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stddef.h>

#include "trawl/trawl.h"

enum { EXIT_MATCHED = 0, EXIT_NOTHING = 1, EXIT_ERROR = 2 };

/* Prints "trawl: MESSAGE" as one line; control characters in it appear as ?. Clears a progress line
 * first. Safe to call from several threads. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* report() with an error's sentence; returns EXIT_ERROR. */
int report_error(const trawl_error *error);

/* Memory that the command cannot go on without: on failure it reports and exits with status 2. */
void *allocate(size_t bytes) __attribute__((returns_nonnull));
void *reallocate(void *memory, size_t bytes) __attribute__((returns_nonnull));

/* A growing list of borrowed strings; start with zeros, end with free(list.items). */
typedef struct string_list {
    const char **items;
    size_t count;
    size_t capacity;
} string_list;
void string_list_add(string_list *list, const char *item);

/* Seconds of a clock that only goes forward. */
double seconds_now(void);

#endif
