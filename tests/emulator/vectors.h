/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* CUDA's vector types with their alignments, those that kernels use. */
#ifndef TRAWL_EMULATOR_VECTORS_H
#define TRAWL_EMULATOR_VECTORS_H

#include <cstddef>
#include <cstdint>

struct alignas(8) uint2 {
    unsigned x, y;
};
struct uint3 {
    unsigned x, y, z;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

static inline uint2 make_uint2(unsigned x, unsigned y) {
    return {x, y};
}
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
    return {x, y, z, w};
}

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {
    }
};

#endif
