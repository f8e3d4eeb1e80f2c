/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* All memory of the library comes from here. Products of sizes are checked for overflow, and a
 * failure gives NULL. Tests can make any single call fail. Thread safe. */
#ifndef TRAWL_BASE_ALLOCATE_H
#define TRAWL_BASE_ALLOCATE_H

#include <stddef.h>
#include <stdint.h>

/* `count` objects of `size` bytes, not initialised. Zero bytes give memory too, not NULL. */
void *trawl_allocate(size_t count, size_t size);

/* The same, all bytes zero. */
void *trawl_allocate_zeroed(size_t count, size_t size);

/* Makes the memory larger or smaller. After a failure, which gives NULL, the old memory is as it
 * was. */
void *trawl_reallocate(void *memory, size_t count, size_t size);

/* Arrays that are filled from front to back and may become very large. From 4 MiB on they have huge
 * pages (page faults of small pages take longer than writing the matches), and grow by a change of
 * the page table instead of a copy.
 *
 * trawl_array_grow makes room for `count` objects of `size` bytes, not fewer than before; *capacity
 * is how many there is room for. `array` is NULL or what an earlier call returned. After a failure,
 * which gives NULL, the array is as it was. */
void *trawl_array_grow(void *array, size_t count, size_t size, size_t *capacity);
/* The capacity of an array; 0 for NULL. */
size_t trawl_array_capacity(void *array, size_t size);
/* Frees an array; NULL is allowed. */
void trawl_array_release(void *array);

/* Tables that a scan reads at random. They are aligned to a cache line, and from 4 MiB on to a huge
 * page, with the request for huge pages: with small ones nearly every load would miss the TLB. */
void *trawl_allocate_table(uint64_t bytes);

/* Frees memory of the functions above, except arrays; NULL is allowed. */
void trawl_release(void *memory);

#endif
