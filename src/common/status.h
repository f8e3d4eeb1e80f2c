/* Turning a failure into a status and one clear sentence. */
#ifndef TRAWL_COMMON_STATUS_H
#define TRAWL_COMMON_STATUS_H

#include "trawl/trawl.h"

/* Writes the sentence into *error when there is one, and returns `status`, so that a caller can
 * write `return trawl_fail(error, ...)`. The format is printf's. */
trawl_status trawl_fail(trawl_error *error, trawl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The one sentence for an allocation that failed: `what` names the thing, `bytes` its size. */
trawl_status trawl_fail_memory(trawl_error *error, const char *what, uint64_t bytes);

/* Marks *error as "no error"; every public call begins with it. */
void trawl_clear(trawl_error *error);

#endif
