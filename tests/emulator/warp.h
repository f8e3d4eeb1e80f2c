/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Functions that the lanes of a warp call together: votes and shuffles. */
#ifndef TRAWL_EMULATOR_WARP_H
#define TRAWL_EMULATOR_WARP_H

#include "threads.h"

#include <cstring>
#include <type_traits>

namespace emulator {

template <class T> uint64_t to_bits(T value) {
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8),
                  "shuffles take integers and floating-point numbers of 32 and 64 bits");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}

/* The value of a lane; a poison value if the lane took no part. */
template <class T> T lane_value(const exchanged &warp, unsigned lane) {
    const uint64_t poison = 0xa5a5a5a5a5a5a5a5u;
    const uint64_t bits = (warp.group >> lane & 1) != 0 ? warp.values[lane] : poison;
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline unsigned segment_begin(unsigned lane, int width) {
    if (width <= 0 || width > warpSize || (width & (width - 1)) != 0) {
        fail("a shuffle of width %d, which is not a power of two up to 32", width);
    }
    return lane & ~((unsigned)width - 1);
}

template <class T>
static inline exchanged exchange(const char *operation, unsigned mask, T value, const char *file,
                                 int line) {
    return warp_exchange(operation, mask, to_bits(value), file, line);
}

} // namespace emulator

static inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATOR_PLACE) {
    emulator::warp_exchange("__syncwarp", mask, 0, file, line);
}

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
                            EMULATOR_PLACE) {
    const emulator::exchanged warp = emulator::exchange("__shfl_sync", mask, value, file, line);
    const unsigned begin = emulator::segment_begin(warp.lane, width);
    return emulator::lane_value<T>(warp, begin + ((unsigned)source & ((unsigned)width - 1)));
}

template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                               EMULATOR_PLACE) {
    const emulator::exchanged warp = emulator::exchange("__shfl_up_sync", mask, value, file, line);
    const unsigned begin = emulator::segment_begin(warp.lane, width);
    return warp.lane - begin < delta ? value : emulator::lane_value<T>(warp, warp.lane - delta);
}

template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                                 EMULATOR_PLACE) {
    const emulator::exchanged warp =
        emulator::exchange("__shfl_down_sync", mask, value, file, line);
    const unsigned end = emulator::segment_begin(warp.lane, width) + (unsigned)width;
    return delta >= end - warp.lane ? value : emulator::lane_value<T>(warp, warp.lane + delta);
}

template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int other, int width = warpSize,
                                EMULATOR_PLACE) {
    const emulator::exchanged warp = emulator::exchange("__shfl_xor_sync", mask, value, file, line);
    const unsigned end = emulator::segment_begin(warp.lane, width) + (unsigned)width;
    const unsigned source = warp.lane ^ (unsigned)other;
    return source >= end ? value : emulator::lane_value<T>(warp, source);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    return emulator::warp_exchange("__ballot_sync", mask, predicate != 0, file, line).some;
}

static inline int __any_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    return __ballot_sync(mask, predicate, file, line) != 0;
}

static inline int __all_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    return __ballot_sync(mask, predicate == 0, file, line) == 0;
}

template <class T> static inline unsigned __match_any_sync(unsigned mask, T value, EMULATOR_PLACE) {
    const emulator::exchanged warp =
        emulator::exchange("__match_any_sync", mask, value, file, line);
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if ((warp.group >> lane & 1) != 0 && warp.values[lane] == emulator::to_bits(value)) {
            result |= 1u << lane;
        }
    }
    return result;
}

#endif
