/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The first question: FILTER, for the samples of 16 bytes of text. All of the time of a scan is
 * spent here where matches are rare, so that the shape of samples is a constant of the code.
 *
 * A thread sees eight words: the 16 bytes before its own, then its own.
 */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_HASH_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_HASH_CUH

#include "engines/qgram/cuda/engine.cuh"

/* The kinds of samples at a stride that there are, as SHAPE(stride, words): qgram_choose.c chooses
 * among them. */
#define TRAWL_QGRAM_SHAPES                                                                         \
    SHAPE(2, 1) SHAPE(2, 2) SHAPE(4, 1) SHAPE(4, 2) SHAPE(4, 3) SHAPE(8, 2) SHAPE(8, 3) SHAPE(16, 4)
#define TRAWL_QGRAM_SHAPE(stride, words) ((stride)*8 + (words))

/* The four bytes that end 4 * BACK bytes before byte AT of the own ones. */
template <int AT, int BACK>
static __device__ __forceinline__ uint32_t trawl_qgram_word(const uint32_t (&seen)[8]) {
    constexpr int word = 4 + AT / 4 - BACK;
    if constexpr (AT % 4 == 0) {
        return seen[word - 1];
    } else {
        return __funnelshift_r(seen[word - 1], seen[word], 8 * (AT % 4));
    }
}

/* The hash of the sample that ends at byte AT (qgram.h). */
template <int AT, int WORDS>
static __device__ __forceinline__ uint64_t trawl_qgram_sample(const uint32_t (&seen)[8],
                                                              uint32_t mask) {
    constexpr uint32_t factors[4] = {TRAWL_CUDA_QGRAM_FACTOR_0, TRAWL_CUDA_QGRAM_FACTOR_1,
                                     TRAWL_CUDA_QGRAM_FACTOR_2, TRAWL_CUDA_QGRAM_FACTOR_3};
    uint32_t oldest = trawl_qgram_word<AT, WORDS - 1>(seen) & mask;
    uint64_t hash = (uint64_t)oldest * factors[WORDS - 1];
    if constexpr (WORDS > 1) {
        hash += (uint64_t)trawl_qgram_word<AT, 0>(seen) * factors[0];
    }
    if constexpr (WORDS > 2) {
        hash += (uint64_t)trawl_qgram_word<AT, 1>(seen) * factors[1];
    }
    if constexpr (WORDS > 3) {
        hash += (uint64_t)trawl_qgram_word<AT, 2>(seen) * factors[2];
    }
    return hash;
}

/* value * TIMES + more, by the unit that multiplies: the one that shifts and adds is the busiest.
 */
template <uint32_t TIMES>
static __device__ __forceinline__ uint32_t trawl_qgram_times(uint32_t value, uint32_t more) {
#ifdef __CUDA_ARCH__
    uint32_t result;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(value), "n"(TIMES), "r"(more));
    return result;
#else
    return value * TIMES + more;
#endif
}

/* Word `at` of FILTER. In shared memory its address is made here: the compiler would add where
 * FILTER begins to the index, and take two instructions more for it. */
template <bool GLOBAL>
static __device__ __forceinline__ uint32_t trawl_qgram_look(const uint32_t *filter, uint32_t at) {
#ifdef __CUDA_ARCH__
    if constexpr (!GLOBAL) {
        uint32_t word,
            address = trawl_qgram_times<4>(at, (uint32_t)__cvta_generic_to_shared(filter));
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
        return word;
    }
#endif
    return __ldg(filter + at);
}

/* One bit for each sample, the last one lowest, behind the bits that `passed` has. A bit of FILTER
 * is found by turning it into the lowest one. `size` is FILTER's, in words. */
template <int STRIDE, int WORDS, int ONES, bool GLOBAL, int AT = STRIDE>
static __device__ __forceinline__ uint32_t trawl_qgram_samples(const uint32_t (&seen)[8],
                                                               const uint32_t *filter,
                                                               uint32_t size, uint32_t mask,
                                                               uint32_t passed) {
    uint64_t hash = trawl_qgram_sample<AT, WORDS>(seen, mask);
    uint32_t word = trawl_qgram_look<GLOBAL>(filter, trawl_cuda_qgram_spot(hash, size));
    uint32_t found = __funnelshift_r(word, word, trawl_cuda_qgram_first_bit(hash));
    if constexpr (ONES == 2) {
        found &= __funnelshift_r(word, word, trawl_cuda_qgram_second_bit(hash));
    }
    passed = trawl_qgram_times<2>(passed, found & 1);
    if constexpr (AT < 16) {
        return trawl_qgram_samples<STRIDE, WORDS, ONES, GLOBAL, AT + STRIDE>(seen, filter, size,
                                                                             mask, passed);
    } else {
        return passed;
    }
}

/* One word of the 16 bytes before each thread's own: those of the thread before, and of the first
 * thread, those of the last one in the vector before, which `edge` receives for the next vector. */
static __device__ __forceinline__ uint32_t trawl_qgram_before(uint32_t own, uint32_t *edge) {
    uint32_t lane = threadIdx.x % 32;
    uint32_t turned = __shfl_sync(0xffffffffu, own, (int)((lane + 31) % 32));
    uint32_t before = lane == 0 ? *edge : turned;
    *edge = turned;
    return before;
}

/* Pairs of bytes (DIRECT): how many patterns end at byte j of a thread's 16, by the table of all
 * pairs. `words` are its own and the one before. */
static __device__ __forceinline__ uint32_t trawl_qgram_pair(const uint32_t *pairs,
                                                            const uint32_t (&words)[5],
                                                            uint32_t j) {
    uint32_t newest = j % 4 == 3 ? words[j / 4 + 1]
                                 : __funnelshift_r(words[j / 4], words[j / 4 + 1], 8 * (j % 4 + 1));
    return pairs[newest >> 19] >> (newest >> 14 & 28) & 15;
}

/* `VECTORS` vectors of a window, before which the 16 bytes `edge` are, as far as samples have them;
 * afterwards those before the next one. Bits as above, those of earlier vectors above those of
 * later ones. */
template <int STRIDE, int WORDS, int ONES, bool GLOBAL, int VECTORS>
static __device__ __forceinline__ uint32_t trawl_qgram_vectors(const uint4 *own, uint4 *edge,
                                                               const uint32_t *filter,
                                                               uint32_t size, uint32_t mask,
                                                               uint32_t case_bits) {
    constexpr int BEFORE = WORDS - STRIDE / 4; /* words of earlier bytes that samples have */
    if constexpr (BEFORE > 0) {
        *edge = make_uint4(edge->x | case_bits, edge->y | case_bits, edge->z | case_bits,
                           edge->w | case_bits);
    }
    uint32_t passed = 0;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        uint32_t seen[8] = {0, 0, 0, 0, own[i].x, own[i].y, own[i].z, own[i].w};
#pragma unroll
        for (int word = 4; word < 8; word++) {
            seen[word] |= case_bits;
        }
        if constexpr (BEFORE > 0) {
            seen[3] = trawl_qgram_before(seen[7], &edge->w);
        }
        if constexpr (BEFORE > 1) {
            seen[2] = trawl_qgram_before(seen[6], &edge->z);
        }
        if constexpr (BEFORE > 2) {
            seen[1] = trawl_qgram_before(seen[5], &edge->y);
        }
        if constexpr (BEFORE > 3) {
            seen[0] = trawl_qgram_before(seen[4], &edge->x);
        }
        passed = trawl_qgram_samples<STRIDE, WORDS, ONES, GLOBAL>(seen, filter, size, mask, passed);
    }
    return passed;
}

#endif
