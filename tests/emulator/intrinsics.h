/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Functions that a thread calls alone: atomics, cached loads, bits, textures. */
#ifndef TRAWL_EMULATOR_INTRINSICS_H
#define TRAWL_EMULATOR_INTRINSICS_H

#include "threads.h"

#include <type_traits>

/* ------------------------------------------------------------------ atomics */

/* Threads are switched at barriers alone, so that plain arithmetic is atomic. */
namespace emulator {

template <class T, class... Types>
using one_of = std::enable_if_t<(std::is_same<T, Types>::value || ...), T>;

/* T if CUDA has the function for that type; CUDA has none for long. */
template <class T> using atomic_integer = one_of<T, int, unsigned, unsigned long long>;
template <class T> using atomic_sum = one_of<T, int, unsigned, unsigned long long, float, double>;
template <class T> using atomic_difference = one_of<T, int, unsigned>;
template <class T> using atomic_swap = one_of<T, int, unsigned, unsigned short, unsigned long long>;

template <class T> static inline T replace(T *address, T value) {
    T old = *address;
    *address = value;
    return old;
}

/* Sums of int wrap around. */
template <class T> static inline T sum(T x, T y) {
    if constexpr (std::is_integral<T>::value) {
        return (T)((std::make_unsigned_t<T>)x + (std::make_unsigned_t<T>)y);
    } else {
        return x + y;
    }
}

} // namespace emulator

template <class T> static inline T atomicExch(T *address, emulator::atomic_integer<T> value) {
    return emulator::replace(address, value);
}
template <class T> static inline T atomicMin(T *address, emulator::atomic_integer<T> value) {
    return emulator::replace(address, *address < value ? *address : value);
}
template <class T> static inline T atomicMax(T *address, emulator::atomic_integer<T> value) {
    return emulator::replace(address, *address > value ? *address : value);
}
template <class T> static inline T atomicAnd(T *address, emulator::atomic_integer<T> value) {
    return emulator::replace(address, *address & value);
}
template <class T> static inline T atomicOr(T *address, emulator::atomic_integer<T> value) {
    return emulator::replace(address, *address | value);
}
template <class T> static inline T atomicXor(T *address, emulator::atomic_integer<T> value) {
    return emulator::replace(address, *address ^ value);
}
template <class T> static inline T atomicAdd(T *address, emulator::atomic_sum<T> value) {
    return emulator::replace(address, emulator::sum(*address, value));
}
template <class T> static inline T atomicSub(T *address, emulator::atomic_difference<T> value) {
    return emulator::replace(address, (T)((unsigned)*address - (unsigned)value));
}
template <class T>
static inline T atomicCAS(T *address, emulator::atomic_swap<T> expected,
                          emulator::atomic_swap<T> value) {
    return emulator::replace(address, *address == expected ? value : *address);
}

/* ------------------------------------------------------------------ loads and stores */

namespace emulator {

static inline void check_alignment(const void *address, size_t bytes) {
    if ((uintptr_t)address % bytes != 0) {
        fail("an access of %zu bytes at the misaligned address %p", bytes, address);
    }
}

template <class T> static inline T load(const T *address) {
    check_alignment(address, sizeof(T));
    return *address;
}

template <class T> static inline void store(T *address, T value) {
    check_alignment(address, sizeof(T));
    *address = value;
}

} // namespace emulator

template <class T> static inline T __ldg(const T *address) {
    return emulator::load(address);
}
template <class T> static inline T __ldcg(const T *address) {
    return emulator::load(address);
}
template <class T> static inline T __ldca(const T *address) {
    return emulator::load(address);
}
template <class T> static inline T __ldcs(const T *address) {
    return emulator::load(address);
}
template <class T> static inline T __ldlu(const T *address) {
    return emulator::load(address);
}
template <class T> static inline T __ldcv(const T *address) {
    return emulator::load(address);
}

template <class T> static inline void __stcs(T *address, T value) {
    emulator::store(address, value);
}
template <class T> static inline void __stcg(T *address, T value) {
    emulator::store(address, value);
}
template <class T> static inline void __stwb(T *address, T value) {
    emulator::store(address, value);
}
template <class T> static inline void __stwt(T *address, T value) {
    emulator::store(address, value);
}

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
static inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
    return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
static inline unsigned __umulhi(unsigned x, unsigned y) {
    return (unsigned)((uint64_t)x * y >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}

namespace emulator {

/* The type of min and max, for the pairs of types that CUDA's functions take: two integers of the
 * same length and rank, one of which may be unsigned, or two floating-point numbers of one type. */
template <class X, class Y, class = void> struct wider {};
template <class T> struct wider<T, T, std::enable_if_t<std::is_floating_point<T>::value>> {
    using type = T;
};
template <class X, class Y>
struct wider<X, Y,
             std::enable_if_t<std::is_integral<X>::value && std::is_integral<Y>::value &&
                              sizeof(X) >= sizeof(int)>> {
    using type =
        std::enable_if_t<std::is_same<std::make_unsigned_t<X>, std::make_unsigned_t<Y>>::value,
                         std::common_type_t<X, Y>>;
};
template <class X, class Y> using wider_of = typename wider<X, Y>::type;

} // namespace emulator

template <class X, class Y> static inline emulator::wider_of<X, Y> min(X x, Y y) {
    using type = emulator::wider_of<X, Y>;
    return (type)x < (type)y ? (type)x : (type)y;
}
template <class X, class Y> static inline emulator::wider_of<X, Y> max(X x, Y y) {
    using type = emulator::wider_of<X, Y>;
    return (type)x > (type)y ? (type)x : (type)y;
}

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
