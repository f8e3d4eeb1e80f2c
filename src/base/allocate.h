/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* All memory of the library comes from here: sizes are checked for overflow, failures give NULL,
 * and tests can make any single one of these calls fail. */
#ifndef TRAWL_BASE_ALLOCATE_H
#define TRAWL_BASE_ALLOCATE_H

#include <stddef.h>
#include <stdint.h>

/* `count` objects of `size` bytes, not initialised; never NULL for zero bytes unless memory is out.
 */
void *trawl_allocate(size_t count, size_t size);

/* The same, all bytes zero. */
void *trawl_allocate_zeroed(size_t count, size_t size);

/* Grows or shrinks; on failure the old memory is untouched and NULL is returned. */
void *trawl_reallocate(void *memory, size_t count, size_t size);

/* Arrays that are filled from front to back and may become very large. From some size on they have
 * huge pages, because having small ones made ready costs more than writing them, and become larger
 * without being copied. trawl_array_grow makes room for `count` objects (not fewer than before) of
 * `size` bytes, and says for how many there really is; `array` is NULL or what it returned before,
 * and is untouched on failure, when NULL is returned. */
void *trawl_array_grow(void *array, size_t count, size_t size, size_t *capacity);
size_t trawl_array_capacity(void *array, size_t size);
void trawl_array_release(void *array);

/* Tables that a scan reads at random: aligned to a cache line, and to a huge page (with the request
 * to use them) when they are larger than one, because the TLB would otherwise miss on every load.
 */
void *trawl_allocate_table(uint64_t bytes);

/* Frees what any of the functions above returned; NULL is allowed. */
void trawl_release(void *memory);

#endif
