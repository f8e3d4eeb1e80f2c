/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "progress.h"

void report(const char *format, ...) {
    char line[4096 + 512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    /* A file name may contain anything, also what a terminal would obey. */
    for (char *byte = line; *byte != '\0'; byte++) {
        if ((unsigned char)*byte < 0x20 || *byte == 0x7f)
            *byte = '?';
    }
    progress_clear();
    /* One call, so that lines of several threads do not mix. */
    (void)fprintf(stderr, "trawl: %s\n", line);
}

int report_error(const trawl_error *error) {
    report("%s", error->message);
    return EXIT_ERROR;
}

void *allocate(size_t bytes) {
    return reallocate(NULL, bytes);
}

void *reallocate(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes == 0 ? 1 : bytes);
    if (grown == NULL) {
        report("out of memory: %zu bytes are not available", bytes);
        exit(EXIT_ERROR);
    }
    return grown;
}

void string_list_add(string_list *list, const char *item) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 8 : list->capacity * 2;
        list->items = reallocate(list->items, list->capacity * sizeof *list->items);
    }
    list->items[list->count++] = item;
}

double seconds_now(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
