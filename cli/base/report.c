/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/names.h"
#include "cli/base/progress.h"

static void print_line(const char *format, va_list values) {
    char line[4096 + 512];
    (void)vsnprintf(line, sizeof line, format, values);
    name_hide_controls(line);
    progress_clear();
    /* One call, so that lines from several threads do not mix. */
    (void)fprintf(stderr, "trawl: %s\n", line);
}

void report(const char *format, ...) {
    va_list values;
    va_start(values, format);
    print_line(format, values);
    va_end(values);
}

void report_once(atomic_bool *told, const char *format, ...) {
    if (told != NULL && atomic_exchange(told, true))
        return;
    va_list values;
    va_start(values, format);
    print_line(format, values);
    va_end(values);
}

int report_error(const trawl_error *error) {
    report("%s", error->message);
    return EXIT_ERROR;
}

/* Why flush_output failed first; 0: it did not fail, or the reason is not known. */
static int output_reason;

bool flush_output(void) {
    if (fflush(stdout) == 0)
        return ferror(stdout) == 0;
    if (output_reason == 0)
        output_reason = errno;
    return false;
}

int finish_output(int status) {
    if (flush_output())
        return status;
    report("(standard output): %s",
           output_reason == 0 ? "could not be written" : strerror(output_reason));
    return EXIT_ERROR;
}
