/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Scanning with the register Bloom filter (engines/qgram/registers/format.h), for each instruction
 * set. */
#ifndef TRAWL_ENGINES_QGRAM_REGISTERS_SCAN_H
#define TRAWL_ENGINES_QGRAM_REGISTERS_SCAN_H

#include "base/cpu.h"
#include "engines/qgram/registers/format.h"

/* The filter of a tier, and what the tier knows about it. */
typedef struct trawl_register_bloom_view {
    const trawl_register_bloom *filter;
    uint32_t gram;
    uint64_t matrix[TRAWL_REGISTER_BLOOM_HASHES][TRAWL_REGISTER_BLOOM_BYTES];
} trawl_register_bloom_view;

trawl_register_bloom_view trawl_register_bloom_view_of(const trawl_register_bloom *filter,
                                                       uint32_t gram, bool folded);

/* Lists the candidates among the positions first .. first + count - 1 in ascending order: positions
 * that may hold the last byte of a pattern. Returns their number. `list` has room for `count` and
 * one more. Reads text[first - gram + 1] to text[first + count - 1]. The result is the same for all
 * instruction sets. */
typedef size_t (*trawl_register_bloom_search)(const trawl_register_bloom_view *view,
                                              const uint8_t *text, size_t first, size_t count,
                                              uint32_t *list);

/* The function for an instruction set. */
trawl_register_bloom_search trawl_register_bloom_for(trawl_cpu_set set);

#endif
