/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Copies of bytes that may not be read one byte too far on either side.
 */
#ifndef TRAWL_TESTS_GUARD_H
#define TRAWL_TESTS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory whose neighbours cannot be read: pages without access, or AddressSanitizer's red zones
 * where that is compiled in (the pages would hide small excesses at the other side from it). */
typedef struct guarded {
    uint8_t *bytes; /* the copy */
    uint8_t *region;
    size_t region_bytes;
} guarded;

/* Makes guard->bytes a copy of `length` bytes which ends at an unreadable page, or (at_start)
 * begins after one. The guard may be used again and again; begin with {0}. */
void guarded_copy(guarded *guard, const void *bytes, size_t length, bool at_start);
void guarded_free(guarded *guard);

/* Ends one use of a guard that is kept: red zones must be freed, pages are kept for the next. */
void guarded_pause(guarded *guard);

#endif
