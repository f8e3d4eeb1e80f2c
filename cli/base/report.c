/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "cli/base/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/base/progress.h"

void report(const char *format, ...) {
    char line[4096 + 512];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(line, sizeof line, format, values);
    va_end(values);
    /* A file name may contain escape sequences, which a terminal would execute. */
    for (char *byte = line; *byte != '\0'; byte++) {
        if ((unsigned char)*byte < 0x20 || *byte == 0x7f)
            *byte = '?';
    }
    progress_clear();
    /* One call, so that lines from several threads do not mix. */
    (void)fprintf(stderr, "trawl: %s\n", line);
}

int report_error(const trawl_error *error) {
    report("%s", error->message);
    return EXIT_ERROR;
}

int finish_output(int status) {
    bool flushed = fflush(stdout) == 0;
    int reason = errno;
    if (flushed && !ferror(stdout))
        return status;
    /* The reason of an earlier failure is not known any more. */
    report("(standard output): %s", flushed ? "could not be written" : strerror(reason));
    return EXIT_ERROR;
}
