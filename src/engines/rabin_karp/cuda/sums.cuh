/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* What kernels prefix-sums and steps have in common: the terms, their sums, and the hash of a
 * window from two sums (Nunes et al. 2018, IV). */
#ifndef TRAWL_ENGINES_RABIN_KARP_CUDA_SUMS_CUH
#define TRAWL_ENGINES_RABIN_KARP_CUDA_SUMS_CUH

#include "engines/rabin_karp/cuda/modular.cuh"

#define TRAWL_SUMS_WARP 32u
#define TRAWL_SUMS_ALL_LANES 0xffffffffu

/* Sets the length of strips, and fails if the caller asks for another number of bytes per block.
 * `kernel` is its name, for the message. */
static inline trawl_status trawl_sums_plan_strips(const trawl_cuda_launch_request *request,
                                                  const char *kernel, trawl_cuda_launch_plan *plan,
                                                  trawl_error *error) {
    const uint32_t bytes = plan->block_threads * TRAWL_SUMS_STRIP_BYTES;
    plan->strip_bytes = TRAWL_SUMS_STRIP_BYTES;
    return request->block_bytes == 0 || request->block_bytes == bytes
               ? TRAWL_OK
               : trawl_fail(error, TRAWL_ERROR_ARGUMENT,
                            "rabin-karp: %u bytes of text per block; with %u threads, kernel %s "
                            "works on %u",
                            request->block_bytes, plan->block_threads, kernel, bytes);
}

/* Returns the most terms of a slice of at most `slice_bytes` owned bytes. */
static inline uint64_t trawl_sums_most(const trawl_cuda_rabin_karp_tables *tables,
                                       const trawl_cuda_launch_request *request,
                                       uint64_t slice_bytes) {
    const uint64_t count = slice_bytes + tables->longest - 1;
    return count > request->length ? request->length : count;
}

/* Returns the first byte of a slice that is in a window with an owned last byte. */
static inline uint32_t trawl_sums_begin(const trawl_cuda_rabin_karp_tables *tables,
                                        const trawl_cuda_slice *slice) {
    const uint32_t overlap = tables->longest - 1;
    return slice->owned < overlap ? 0 : slice->owned - overlap;
}

/* ------------------------------------------------------------------ steps 3 and 4 */

/* The term a_i. The exponent is reduced modulo q - 1, the period of the powers (Corollary 2). */
template <bool NARROW> struct term_of {
    trawl_cuda_powers powers;
    const uint8_t *text;
    uint32_t last; /* n - 1 */
    bool folded;

    __device__ __forceinline__ uint32_t operator()(uint32_t i) const {
        uint8_t byte = __ldg(&text[i]);
        uint32_t power = trawl_cuda_power<NARROW>(powers, trawl_cuda_exponent(powers, last - i));
        return trawl_cuda_multiply<NARROW>(powers, power, folded ? trawl_fold(byte) : byte);
    }
};

template <bool NARROW> struct add_modulo {
    trawl_cuda_powers powers;

    __device__ __forceinline__ uint32_t operator()(uint32_t left, uint32_t right) const {
        return trawl_cuda_add<NARROW>(powers, left, right);
    }
};

/* ------------------------------------------------------------------ step 5 */

/* The sums of text[begin .. begin + count), which is a slice's end. */
template <typename SUM> struct slice_sums {
    const SUM *sums;
    uint32_t begin;
    uint32_t count;
};

/*
 * Returns the hash of the window whose last byte has sum number `at`: (sums[at] - sums[at - m])
 * d^-(n-1-at). (The paper writes d^(m-n+j), j being the window's first byte.) The exponent is taken
 * modulo q - 1, as one of 1 .. q - 1; `turn` is one less than it.
 */
template <bool NARROW>
static __device__ __forceinline__ uint32_t window_hash(const trawl_cuda_powers &powers,
                                                       uint32_t turn, uint32_t sum,
                                                       uint32_t before) {
    return trawl_cuda_multiply<NARROW>(powers, trawl_cuda_subtract<NARROW>(powers, sum, before),
                                       trawl_cuda_power<NARROW>(powers, turn + 1));
}

template <typename SUM>
static __device__ __forceinline__ uint32_t turn_of(const trawl_cuda_powers &powers,
                                                   const slice_sums<SUM> &slice, uint32_t at) {
    return powers.period - 1 - trawl_cuda_exponent(powers, slice.count - 1 - at);
}

template <typename SUM>
static __device__ __forceinline__ uint32_t sum_before(const slice_sums<SUM> &slice, uint32_t at,
                                                      uint32_t window) {
    return at < window ? 0 : (uint32_t)__ldg(&slice.sums[at - window]);
}

#endif
