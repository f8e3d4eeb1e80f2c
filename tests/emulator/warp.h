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

template <class T> T lane_value_as(unsigned lane) {
    uint64_t bits = lane_value(lane);
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline unsigned segment_begin(int width) {
    if (width <= 0 || width > warpSize || (width & (width - 1)) != 0) {
        fail("a shuffle of width %d, which is not a power of two up to 32", width);
    }
    return lane_number() & ~((unsigned)width - 1);
}

} // namespace emulator

static inline void __syncwarp(unsigned mask = 0xffffffffu, EMULATOR_PLACE) {
    emulator::warp_exchange("__syncwarp", mask, 0, file, line);
}

template <class T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = warpSize,
                            EMULATOR_PLACE) {
    emulator::warp_exchange("__shfl_sync", mask, emulator::to_bits(value), file, line);
    unsigned begin = emulator::segment_begin(width);
    return emulator::lane_value_as<T>(begin + ((unsigned)source & ((unsigned)width - 1)));
}

template <class T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                               EMULATOR_PLACE) {
    emulator::warp_exchange("__shfl_up_sync", mask, emulator::to_bits(value), file, line);
    unsigned begin = emulator::segment_begin(width), lane = emulator::lane_number();
    return lane - begin < delta ? value : emulator::lane_value_as<T>(lane - delta);
}

template <class T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize,
                                 EMULATOR_PLACE) {
    emulator::warp_exchange("__shfl_down_sync", mask, emulator::to_bits(value), file, line);
    unsigned end = emulator::segment_begin(width) + (unsigned)width;
    unsigned lane = emulator::lane_number();
    return delta >= end - lane ? value : emulator::lane_value_as<T>(lane + delta);
}

template <class T>
static inline T __shfl_xor_sync(unsigned mask, T value, int other, int width = warpSize,
                                EMULATOR_PLACE) {
    emulator::warp_exchange("__shfl_xor_sync", mask, emulator::to_bits(value), file, line);
    unsigned end = emulator::segment_begin(width) + (unsigned)width;
    unsigned source = emulator::lane_number() ^ (unsigned)other;
    return source >= end ? value : emulator::lane_value_as<T>(source);
}

static inline unsigned __ballot_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    unsigned lanes = emulator::warp_exchange("__ballot_sync", mask, predicate != 0, file, line);
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if ((lanes >> lane & 1) != 0 && emulator::lane_value(lane) != 0) {
            result |= 1u << lane;
        }
    }
    return result;
}

static inline int __any_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    return __ballot_sync(mask, predicate, file, line) != 0;
}

static inline int __all_sync(unsigned mask, int predicate, EMULATOR_PLACE) {
    return __ballot_sync(mask, predicate == 0, file, line) == 0;
}

template <class T> static inline unsigned __match_any_sync(unsigned mask, T value, EMULATOR_PLACE) {
    unsigned lanes =
        emulator::warp_exchange("__match_any_sync", mask, emulator::to_bits(value), file, line);
    unsigned result = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if ((lanes >> lane & 1) != 0 && emulator::lane_value(lane) == emulator::to_bits(value)) {
            result |= 1u << lane;
        }
    }
    return result;
}

#endif
