/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Every failure is a status and one sentence. */
#ifndef TRAWL_BASE_STATUS_H
#define TRAWL_BASE_STATUS_H

#include <inttypes.h>

#include "trawl/trawl.h"

/* Writes status and sentence into *error unless `error` is NULL. The format is printf's. Control
 * characters become '?', so that the sentence is one line. */
void trawl_error_write(trawl_error *error, trawl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with the value `status`: `return trawl_fail(error, TRAWL_ERROR_..., format, ...)`. A
 * macro, so that compilers and analysers see which status is returned. */
#define trawl_fail(error, status, ...) (trawl_error_write((error), (status), __VA_ARGS__), (status))

/* The sentence for an allocation that failed: `what` is what the memory was for, `bytes` its size.
 */
static inline trawl_status trawl_fail_memory(trawl_error *error, const char *what, uint64_t bytes) {
    return trawl_fail(error, TRAWL_ERROR_MEMORY, "out of memory: %s needs %" PRIu64 " bytes", what,
                      bytes);
}

/* If `status` is a failure of a function of the caller, which wrote no sentence, writes one: `what`
 * is that function. */
void trawl_explain_failure(trawl_status status, const char *what, trawl_error *error);

/* Sets *error to TRAWL_OK and an empty sentence. Every public call begins with it. */
void trawl_clear(trawl_error *error);

#endif
