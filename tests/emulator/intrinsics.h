/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What one thread does alone: atomics, cached loads, bits, textures. */
#ifndef TRAWL_EMULATOR_INTRINSICS_H
#define TRAWL_EMULATOR_INTRINSICS_H

#include "threads.h"

/* ------------------------------------------------------------------ atomics */

/* Threads are switched at barriers alone, so that plain arithmetic is atomic. As in CUDA there are
 * no overloads for long. */
#define EMULATOR_ATOMIC(name, type, expression)                                                    \
    static inline type name(type *address, type value) {                                           \
        type old = *address;                                                                       \
        *address = (type)(expression);                                                             \
        return old;                                                                                \
    }                                                                                              \
    static inline type name##_block(type *address, type value) {                                   \
        return name(address, value);                                                               \
    }
#define EMULATOR_ATOMIC_INTEGERS(name, expression)                                                 \
    EMULATOR_ATOMIC(name, int, expression)                                                         \
    EMULATOR_ATOMIC(name, unsigned, expression)                                                    \
    EMULATOR_ATOMIC(name, unsigned long long, expression)

EMULATOR_ATOMIC_INTEGERS(atomicExch, value)
EMULATOR_ATOMIC_INTEGERS(atomicMin, old < value ? old : value)
EMULATOR_ATOMIC_INTEGERS(atomicMax, old > value ? old : value)
EMULATOR_ATOMIC_INTEGERS(atomicAnd, old &value)
EMULATOR_ATOMIC_INTEGERS(atomicOr, old | value)
EMULATOR_ATOMIC_INTEGERS(atomicXor, old ^ value)
EMULATOR_ATOMIC(atomicAdd, int, (unsigned)old + (unsigned)value)
EMULATOR_ATOMIC(atomicAdd, unsigned, old + value)
EMULATOR_ATOMIC(atomicAdd, unsigned long long, old + value)
EMULATOR_ATOMIC(atomicAdd, float, old + value)
EMULATOR_ATOMIC(atomicAdd, double, old + value)
EMULATOR_ATOMIC(atomicSub, int, (unsigned)old - (unsigned)value)
EMULATOR_ATOMIC(atomicSub, unsigned, old - value)

#define EMULATOR_COMPARE_AND_SWAP(type)                                                            \
    static inline type atomicCAS(type *address, type expected, type value) {                       \
        type old = *address;                                                                       \
        *address = old == expected ? value : old;                                                  \
        return old;                                                                                \
    }
EMULATOR_COMPARE_AND_SWAP(int)
EMULATOR_COMPARE_AND_SWAP(unsigned)
EMULATOR_COMPARE_AND_SWAP(unsigned short)
EMULATOR_COMPARE_AND_SWAP(unsigned long long)

/* ------------------------------------------------------------------ loads and stores */

namespace emulator {
static inline void check_alignment(const void *address, size_t bytes) {
    if ((uintptr_t)address % bytes != 0) {
        fail("an access of %zu bytes at the misaligned address %p", bytes, address);
    }
}
} // namespace emulator

#define EMULATOR_LOAD(name)                                                                        \
    template <class T> static inline T name(const T *address) {                                    \
        emulator::check_alignment(address, sizeof(T));                                             \
        return *address;                                                                           \
    }
EMULATOR_LOAD(__ldg)
EMULATOR_LOAD(__ldcg)
EMULATOR_LOAD(__ldca)
EMULATOR_LOAD(__ldcs)
EMULATOR_LOAD(__ldlu)
EMULATOR_LOAD(__ldcv)

#define EMULATOR_STORE(name)                                                                       \
    template <class T> static inline void name(T *address, T value) {                              \
        emulator::check_alignment(address, sizeof(T));                                             \
        *address = value;                                                                          \
    }
EMULATOR_STORE(__stcs)
EMULATOR_STORE(__stcg)
EMULATOR_STORE(__stwb)
EMULATOR_STORE(__stwt)

/* ------------------------------------------------------------------ bits */

static inline int __popc(unsigned x) {
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
static inline int __clz(int x) {
    return x == 0 ? 32 : __builtin_clz((unsigned)x);
}
static inline int __clzll(long long x) {
    return x == 0 ? 64 : __builtin_clzll((unsigned long long)x);
}
static inline int __ffs(int x) {
    return __builtin_ffs(x);
}
static inline int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
static inline unsigned __brev(unsigned x) {
    unsigned result = 0;
    for (int i = 0; i < 32; i++) {
        result |= (x >> i & 1) << (31 - i);
    }
    return result;
}
static inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
    uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned control = selector >> (4 * i);
        unsigned byte = (unsigned)(bytes >> (8 * (control & 7))) & 0xff;
        if ((control & 8) != 0) { /* the byte's sign instead of it */
            byte = (byte & 0x80) != 0 ? 0xff : 0;
        }
        result |= byte << (8 * i);
    }
    return result;
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) << (shift & 31) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
static inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
static inline unsigned __umulhi(unsigned x, unsigned y) {
    return (unsigned)((uint64_t)x * y >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}

/* Each byte 0xff where the condition holds, else 0. */
static inline unsigned __vcmpeq4(unsigned x, unsigned y) {
    unsigned result = 0;
    for (int i = 0; i < 32; i += 8) {
        result |= (x >> i & 0xff) == (y >> i & 0xff) ? 0xffu << i : 0;
    }
    return result;
}

#define EMULATOR_MINIMUM_MAXIMUM(x_type, y_type, type)                                             \
    static inline type min(x_type x, y_type y) {                                                   \
        return (type)x < (type)y ? (type)x : (type)y;                                              \
    }                                                                                              \
    static inline type max(x_type x, y_type y) {                                                   \
        return (type)x > (type)y ? (type)x : (type)y;                                              \
    }
#define EMULATOR_MINIMUM_MAXIMUM_MIXED(type)                                                       \
    EMULATOR_MINIMUM_MAXIMUM(type, type, type)                                                     \
    EMULATOR_MINIMUM_MAXIMUM(unsigned type, unsigned type, unsigned type)                          \
    EMULATOR_MINIMUM_MAXIMUM(type, unsigned type, unsigned type)                                   \
    EMULATOR_MINIMUM_MAXIMUM(unsigned type, type, unsigned type)
EMULATOR_MINIMUM_MAXIMUM_MIXED(int)
EMULATOR_MINIMUM_MAXIMUM_MIXED(long)
EMULATOR_MINIMUM_MAXIMUM_MIXED(long long)
EMULATOR_MINIMUM_MAXIMUM(float, float, float)
EMULATOR_MINIMUM_MAXIMUM(double, double, double)

/* ------------------------------------------------------------------ textures */

namespace emulator {
/* The address of element `index`. An index behind the end is an error here, where CUDA gives 0. */
const void *texture_element(cudaTextureObject_t texture, int index, size_t element_bytes);
} // namespace emulator

template <class T> static inline T tex1Dfetch(cudaTextureObject_t texture, int index) {
    return *(const T *)emulator::texture_element(texture, index, sizeof(T));
}
template <class T> static inline void tex1Dfetch(T *value, cudaTextureObject_t texture, int index) {
    *value = tex1Dfetch<T>(texture, index);
}

#endif
