/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Turning a failure into a status and one clear sentence. */
#ifndef TRAWL_BASE_STATUS_H
#define TRAWL_BASE_STATUS_H

#include <inttypes.h>

#include "trawl/trawl.h"

/* Writes the sentence into *error when there is one. The format is printf's. */
void trawl_error_write(trawl_error *error, trawl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, and returns `status`: `return trawl_fail(error, TRAWL_ERROR_..., format, ...)`. A
 * macro, so that compilers and analysers see which status comes back. */
#define trawl_fail(error, status, ...) (trawl_error_write((error), (status), __VA_ARGS__), (status))

/* The one sentence for an allocation that failed: `what` names the thing, `bytes` its size. */
static inline trawl_status trawl_fail_memory(trawl_error *error, const char *what, uint64_t bytes) {
    return trawl_fail(error, TRAWL_ERROR_MEMORY, "out of memory: %s needs %" PRIu64 " bytes", what,
                      bytes);
}

/* Marks *error as "no error"; every public call begins with it. */
void trawl_clear(trawl_error *error);

#endif
