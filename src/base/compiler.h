/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What the language has no word for. */
#ifndef TRAWL_BASE_COMPILER_H
#define TRAWL_BASE_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

/* Small functions that both the CPU's walkers and CUDA's kernels call: one arithmetic for one
 * table.
 */
#ifdef __CUDACC__
#define TRAWL_BOTH static inline __host__ __device__
#else
#define TRAWL_BOTH static inline
#endif

/* Zero bits above the highest one of a number that is not 0. */
TRAWL_BOTH uint32_t trawl_leading_zeros(uint64_t number) {
#ifdef __CUDA_ARCH__
    return (uint32_t)__clzll((long long)number);
#else
    return (uint32_t)__builtin_clzll(number);
#endif
}

/* All ones if `condition`, else 0, in a form that compilers do not turn back into a branch. For
 * choices that no branch predictor can foresee: a wrong guess costs more than both sides. */
static inline uint32_t trawl_mask(bool condition) {
    uint32_t mask = 0 - (uint32_t)condition;
    __asm__("" : "+r"(mask));
    return mask;
}

#endif
