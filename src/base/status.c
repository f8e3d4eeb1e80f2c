/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

void trawl_error_write(trawl_error *error, trawl_status status, const char *format, ...) {
    if (error != NULL) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        (void)vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        /* Names of files and engines come from outside, and may hold line feeds. */
        for (char *at = error->message; *at != '\0'; at++) {
            *at = (unsigned char)*at < ' ' ? '?' : *at;
        }
    }
}

void trawl_clear(trawl_error *error) {
    if (error != NULL) {
        error->status = TRAWL_OK;
        error->message[0] = '\0';
    }
}

void trawl_explain_failure(trawl_status status, const char *what, trawl_error *error) {
    if (status != TRAWL_OK && error != NULL) {
        error->status = status;
        if (error->message[0] == '\0') {
            trawl_error_write(error, status, "%s failed, without a reason: %s", what,
                              trawl_status_text(status));
        }
    }
}

const char *trawl_status_text(trawl_status status) {
    switch (status) {
    case TRAWL_OK:
        return "success";
    case TRAWL_STOPPED:
        return "stopped by the caller";
    case TRAWL_ERROR_ARGUMENT:
        return "invalid argument";
    case TRAWL_ERROR_MEMORY:
        return "out of memory";
    case TRAWL_ERROR_LIMIT:
        return "limit exceeded";
    case TRAWL_ERROR_UNAVAILABLE:
        return "not available here";
    case TRAWL_ERROR_IO:
        return "input or output failed";
    case TRAWL_ERROR_FORMAT:
        return "not a valid database";
    case TRAWL_ERROR_DEVICE:
        return "a device failed";
    }
    return "unknown status";
}

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *trawl_version(void) {
    return VERSION_TEXT(TRAWL_VERSION_MAJOR, TRAWL_VERSION_MINOR, TRAWL_VERSION_PATCH);
}
