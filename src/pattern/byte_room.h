/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Room for bytes that lie one behind the other: of patterns, their names and their values. */
#ifndef TRAWL_PATTERN_BYTE_ROOM_H
#define TRAWL_PATTERN_BYTE_ROOM_H

#include "base/allocate.h"

/* Returns memory with room for `needed` bytes: `memory`, which has room for *capacity, or a copy
 * that is larger by half, so that many additions need few copies. *given, the bytes to be added,
 * may be among the first `used` ones, as callers get such pointers from the same set: it is then
 * moved to the copy. NULL: no memory, and nothing has changed. */
static inline void *trawl_byte_room(void *memory, size_t *capacity, size_t used, size_t needed,
                                    const void **given) {
    if (memory != NULL && needed <= *capacity) {
        return memory;
    }
    size_t offset = memory == NULL ? SIZE_MAX : (uintptr_t)*given - (uintptr_t)memory;
    size_t larger = *capacity + *capacity / 2 + 64;
    larger = larger < needed ? needed : larger;
    uint8_t *moved = trawl_reallocate(memory, larger, 1);
    if (moved != NULL) {
        *capacity = larger;
        *given = offset < used ? moved + offset : *given;
    }
    return moved;
}

#endif
