/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* CUDA's vector types with their alignments. */
#ifndef TRAWL_EMULATOR_VECTORS_H
#define TRAWL_EMULATOR_VECTORS_H

#include <cstddef>
#include <cstdint>

#define EMULATOR_VECTOR1(name, type)                                                               \
    struct name##1 {                                                                               \
        type x;                                                                                    \
    };                                                                                             \
    static inline name##1 make_##name##1(type x) {                                                 \
        return {x};                                                                                \
    }
#define EMULATOR_VECTOR2(name, type)                                                               \
    struct alignas(2 * sizeof(type)) name##2 {                                                     \
        type x, y;                                                                                 \
    };                                                                                             \
    static inline name##2 make_##name##2(type x, type y) {                                         \
        return {x, y};                                                                             \
    }
#define EMULATOR_VECTOR3(name, type)                                                               \
    struct name##3 {                                                                               \
        type x, y, z;                                                                              \
    };                                                                                             \
    static inline name##3 make_##name##3(type x, type y, type z) {                                 \
        return {x, y, z};                                                                          \
    }
#define EMULATOR_VECTOR4(name, type)                                                               \
    struct alignas(sizeof(type) == 8 ? 16 : 4 * sizeof(type)) name##4 {                            \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    static inline name##4 make_##name##4(type x, type y, type z, type w) {                         \
        return {x, y, z, w};                                                                       \
    }
#define EMULATOR_VECTORS(name, type)                                                               \
    EMULATOR_VECTOR1(name, type)                                                                   \
    EMULATOR_VECTOR2(name, type) EMULATOR_VECTOR3(name, type) EMULATOR_VECTOR4(name, type)

EMULATOR_VECTORS(char, signed char)
EMULATOR_VECTORS(uchar, unsigned char)
EMULATOR_VECTORS(short, short)
EMULATOR_VECTORS(ushort, unsigned short)
EMULATOR_VECTORS(int, int)
EMULATOR_VECTORS(uint, unsigned)
EMULATOR_VECTORS(longlong, long long)
EMULATOR_VECTORS(ulonglong, unsigned long long)
EMULATOR_VECTORS(float, float)
EMULATOR_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {
    }
};

#endif
