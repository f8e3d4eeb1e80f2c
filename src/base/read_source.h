/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Complete reads from a source whose function may return fewer bytes than it was asked for. */
#ifndef TRAWL_BASE_READ_SOURCE_H
#define TRAWL_BASE_READ_SOURCE_H

#include "trawl/trawl.h"

/* Reads bytes [offset, offset + length) of the source into `to`. *filled is the number of bytes
 * that were read: all of them, or fewer after a failure, which is the source's own, or
 * TRAWL_ERROR_IO if the text ends before. `error` is not NULL. */
trawl_status trawl_read_source(const trawl_source *source, uint64_t offset, void *to, size_t length,
                               size_t *filled, trawl_error *error);

#endif
