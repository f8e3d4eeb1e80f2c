/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Reading from a source that gives fewer bytes than asked for. */
#ifndef TRAWL_BASE_READ_SOURCE_H
#define TRAWL_BASE_READ_SOURCE_H

#include "trawl/trawl.h"

/* Reads bytes [offset, offset + length) of the source's text to `to`; *filled says how many came.
 * Fewer than all only with a failure: the source's own, or TRAWL_ERROR_IO when the text ends there.
 * `error` is not NULL. */
trawl_status trawl_read_source(const trawl_source *source, uint64_t offset, void *to, size_t length,
                               size_t *filled, trawl_error *error);

#endif
