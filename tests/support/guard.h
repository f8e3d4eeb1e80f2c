/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Copies of bytes with unreadable memory before or behind them, so that reading one byte too far is
 * found.
 */
#ifndef TRAWL_TESTS_GUARD_H
#define TRAWL_TESTS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory with unreadable neighbours: pages without access, or AddressSanitizer's red zones if that
 * is compiled in (only those find reads of a few bytes on the other side). */
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
