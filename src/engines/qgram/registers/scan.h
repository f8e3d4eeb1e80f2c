/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The q-gram engine's filter in vector registers (engines/qgram/registers/format.h), for each
 * instruction set. */
#ifndef TRAWL_ENGINES_QGRAM_REGISTERS_SCAN_H
#define TRAWL_ENGINES_QGRAM_REGISTERS_SCAN_H

#include "base/cpu.h"
#include "engines/qgram/registers/format.h"

/* What a search needs of a tier. */
typedef struct trawl_register_bloom_search {
    const trawl_register_bloom *filter;
    uint32_t gram;
    bool folded;
} trawl_register_bloom_search;

/* Notes which of the positions first .. first + count - 1 may hold the last byte of a pattern,
 * ascending; `noted` has room for `count` and one more. Reads text[first - gram +
 * 1] to text[first + count - 1]. All sets note the same. */
typedef size_t (*trawl_register_bloom_positions)(const trawl_register_bloom_search *search,
                                                 const uint8_t *text, size_t first, size_t count,
                                                 uint32_t *noted);

trawl_register_bloom_positions trawl_register_bloom_for(trawl_cpu_set set);

#endif
