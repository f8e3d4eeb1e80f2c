/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Compiler builtins, for what the C language has no means for. */
#ifndef TRAWL_BASE_COMPILER_H
#define TRAWL_BASE_COMPILER_H

#include <stdbool.h>
#include <stdint.h>

/* Marks small functions that walkers on CPUs and kernels both call. */
#ifdef __CUDACC__
#define TRAWL_BOTH static inline __host__ __device__
#else
#define TRAWL_BOTH static inline
#endif

/* For functions of loops that are compiled for several instruction sets: inlined always, and so
 * compiled for the loop's. Compilers decide by the number of calls, which grows with further loops:
 * steps of ac-nfa that had become functions counted bits without the instruction for it, and took
 * 1.6 to 1.9 times as long (docs/notebook/2026-11-ac-nfa-walk.md). */
#define TRAWL_INLINE static inline __attribute__((always_inline))

/* The number of zero bits above the highest 1 of a number that is not 0. */
TRAWL_BOTH uint32_t trawl_leading_zeros(uint64_t number) {
#ifdef __CUDA_ARCH__
    return (uint32_t)__clzll((long long)number);
#else
    return (uint32_t)__builtin_clzll(number);
#endif
}

/* All ones if `condition`, else 0, in a form that compilers do not turn into a branch. For
 * conditions that a branch predictor cannot predict: a misprediction costs more than computing both
 * sides. */
static inline uint32_t trawl_mask(bool condition) {
    uint32_t mask = 0 - (uint32_t)condition;
    __asm__("" : "+r"(mask));
    return mask;
}

#endif
