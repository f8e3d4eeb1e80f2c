/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Arithmetic modulo q on the device, without divisions (Barrett reduction). NARROW: q is at most
 * 65,536, and products of two numbers below q have 32 bits. */
#ifndef TRAWL_ENGINES_RABIN_KARP_CUDA_MODULAR_CUH
#define TRAWL_ENGINES_RABIN_KARP_CUDA_MODULAR_CUH

#include "engines/rabin_karp/cuda/engine.cuh"

/* Returns number % divisor; `inverse` is floor((2^32 - 1) / divisor). The estimated quotient is at
 * most one too small, so the rest is below 2 * divisor. rest - divisor is the result unless it
 * wraps; then it is the larger one of the two. */
static __device__ __forceinline__ uint32_t trawl_cuda_remainder(uint32_t number, uint32_t divisor,
                                                                uint32_t inverse) {
    uint32_t rest = number - __umulhi(number, inverse) * divisor;
    return min(rest, rest - divisor);
}

template <bool NARROW>
static __device__ __forceinline__ uint32_t trawl_cuda_multiply(const trawl_cuda_powers &powers,
                                                               uint32_t left, uint32_t right) {
    if (NARROW) {
        return trawl_cuda_remainder(left * right, powers.modulus, powers.modulus_inverse);
    }
    uint64_t product = (uint64_t)left * right;
    uint64_t rest = product - __umul64hi(product, powers.wide_inverse) * powers.modulus;
    return (uint32_t)(rest >= powers.modulus ? rest - powers.modulus : rest);
}

/* Both numbers are below q. */
template <bool NARROW>
static __device__ __forceinline__ uint32_t trawl_cuda_add(const trawl_cuda_powers &powers,
                                                          uint32_t left, uint32_t right) {
    if (NARROW) {
        uint32_t sum = left + right;
        return min(sum, sum - powers.modulus);
    }
    uint32_t room = powers.modulus - right;
    return left >= room ? left - room : left + right;
}

template <bool NARROW>
static __device__ __forceinline__ uint32_t trawl_cuda_subtract(const trawl_cuda_powers &powers,
                                                               uint32_t left, uint32_t right) {
    uint32_t difference = left - right;
    if (NARROW) {
        return min(difference, difference + powers.modulus);
    }
    return left >= right ? difference : difference + powers.modulus;
}

/* d^exponent mod q for exponents up to q - 1. */
template <bool NARROW>
static __device__ __forceinline__ uint32_t trawl_cuda_power(const trawl_cuda_powers &powers,
                                                            uint32_t exponent) {
    if (NARROW) {
        return __ldg(&powers.narrow[exponent]);
    }
    return trawl_cuda_multiply<false>(powers, __ldg(&powers.low[exponent & 0xffff]),
                                      __ldg(&powers.high[exponent >> 16]));
}

static __device__ __forceinline__ uint32_t trawl_cuda_exponent(const trawl_cuda_powers &powers,
                                                               uint32_t exponent) {
    return trawl_cuda_remainder(exponent, powers.period, powers.period_inverse);
}

/* Computes the hash of a string with a block of TRAWL_HASHING_THREADS threads: each adds up
 * the terms of every 64th byte into sums[threadIdx.x] in shared memory, then pairs of sums are
 * added (Nunes et al. 2018, V). Only thread 0 returns the hash. */
template <bool NARROW>
static __device__ uint32_t trawl_cuda_hash_by_block(const trawl_cuda_powers &powers,
                                                    const uint8_t *bytes, uint32_t length,
                                                    bool folded, uint32_t *sums) {
    uint32_t sum = 0;
    for (uint32_t i = threadIdx.x; i < length; i += TRAWL_HASHING_THREADS) {
        uint32_t exponent = trawl_cuda_exponent(powers, length - 1 - i);
        uint32_t term =
            trawl_cuda_multiply<NARROW>(powers, trawl_cuda_power<NARROW>(powers, exponent),
                                        folded ? trawl_fold(bytes[i]) : bytes[i]);
        sum = trawl_cuda_add<NARROW>(powers, sum, term);
    }
    sums[threadIdx.x] = sum;
    for (uint32_t half = TRAWL_HASHING_THREADS / 2; half != 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            sums[threadIdx.x] =
                trawl_cuda_add<NARROW>(powers, sums[threadIdx.x], sums[threadIdx.x + half]);
        }
    }
    return sums[0];
}

#endif
