/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Offsets into the bytes of patterns that lie one behind the other, in 32 bits each, also where
 * they are more than 4 GiB. `offsets` has the low 32 bits of each offset, and `bases` all 64 bits
 * of every 65,536th one. So many patterns have at most 4 GiB, which makes the rest follow:
 *
 *     offsets   0     10    17  ...  0xfffffff0   0x00000005   ...      count + 1 of 32 bits
 *     bases     0                            0x00000000fffffff0  ...    count / 65536 + 1 of 64
 *
 * The length of a pattern is the difference of two offsets in 32 bits, whether there are bases or
 * not. Without bases (NULL) offsets are whole. All offsets count from the first one, which is 0 but
 * in tests: these let a few patterns cross 4 GiB.
 */
#ifndef TRAWL_PATTERN_OFFSETS_H
#define TRAWL_PATTERN_OFFSETS_H

#include "base/compiler.h"
#include "trawl/trawl.h"

#define TRAWL_OFFSETS_BLOCK_BITS 16u /* patterns of a base */
#define TRAWL_OFFSETS_BLOCK (UINT32_C(1) << TRAWL_OFFSETS_BLOCK_BITS)

/* The number of bases for `count` patterns and the end of the last one. */
static inline size_t trawl_offsets_bases(size_t count) {
    return (count >> TRAWL_OFFSETS_BLOCK_BITS) + 1;
}

/* Where pattern `index` begins, and pattern index - 1 ends. */
TRAWL_BOTH uint64_t trawl_offset(const uint32_t *offsets, const uint64_t *bases, size_t index) {
#ifndef __CUDA_ARCH__ /* sets with bases are not copied to GPUs (gpu/upload.cu) */
    if (bases != NULL) {
        uint64_t base = bases[index >> TRAWL_OFFSETS_BLOCK_BITS];
        return base - bases[0] + (uint32_t)(offsets[index] - (uint32_t)base);
    }
#else
    (void)bases;
#endif
    return offsets[index];
}

#endif
