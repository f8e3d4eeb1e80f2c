/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The first test of a sample: the sample filter, for 16 bytes of text at a time. Where matches are
 * rare, a scan spends nearly all of its time here. So each shape of samples (stride and number of
 * words) has compiled code of its own.
 *
 * A thread has eight 32-bit words: the 16 bytes before its own, and its own 16 bytes.
 *
 *     seen[0]  seen[1]  seen[2]  seen[3] | seen[4]  seen[5]  seen[6]  seen[7]
 *     16 bytes before                    | own 16 bytes
 */
#ifndef TRAWL_ENGINES_QGRAM_CUDA_SAMPLE_FILTER_CUH
#define TRAWL_ENGINES_QGRAM_CUDA_SAMPLE_FILTER_CUH

#include "engines/qgram/cuda/engine.cuh"

extern "C" {
#include "engines/qgram/gpu/fuse_filter.h"
}

/* In place of the number of bits that a sample sets: the filter is a fuse filter. */
#define TRAWL_QGRAM_FUSE 8

/* Returns four bytes of the text as a tier's samples have them, which may be folded (gpu/format.h).
 * The assembler code is there so that words of the text are not prepared before the tier's shape is
 * known: there are not enough registers to do so for all shapes. */
template <bool FOLDED>
static __device__ __forceinline__ uint32_t trawl_qgram_fold_word(uint32_t bytes) {
#ifdef __CUDA_ARCH__
    asm volatile("" : "+r"(bytes));
#endif
    return FOLDED ? trawl_cuda_qgram_fold(bytes, TRAWL_CUDA_QGRAM_CASE_BITS) : bytes;
}

template <bool FOLDED>
static __device__ __forceinline__ uint4 trawl_qgram_fold_vector(uint4 bytes) {
    return make_uint4(
        trawl_qgram_fold_word<FOLDED>(bytes.x), trawl_qgram_fold_word<FOLDED>(bytes.y),
        trawl_qgram_fold_word<FOLDED>(bytes.z), trawl_qgram_fold_word<FOLDED>(bytes.w));
}

/* Returns the four bytes that end 4 * BACK bytes before own byte AT. */
template <int AT, int BACK>
static __device__ __forceinline__ uint32_t trawl_qgram_text_word(const uint32_t (&seen)[8]) {
    constexpr int word = 4 + AT / 4 - BACK;
    if constexpr (AT % 4 == 0) {
        return seen[word - 1];
    } else {
        return __funnelshift_r(seen[word - 1], seen[word], 8 * (AT % 4));
    }
}

/* The hash of the sample that ends at own byte AT (gpu/format.h). */
template <int AT, int WORDS>
static __device__ __forceinline__ uint64_t trawl_qgram_sample_hash(const uint32_t (&seen)[8],
                                                                   uint32_t mask) {
    constexpr uint32_t factors[4] = {TRAWL_CUDA_QGRAM_FACTOR_0, TRAWL_CUDA_QGRAM_FACTOR_1,
                                     TRAWL_CUDA_QGRAM_FACTOR_2, TRAWL_CUDA_QGRAM_FACTOR_3};
    uint32_t oldest = trawl_qgram_text_word<AT, WORDS - 1>(seen) & mask;
    uint64_t hash = (uint64_t)oldest * factors[WORDS - 1];
    if constexpr (WORDS > 1) {
        hash += (uint64_t)trawl_qgram_text_word<AT, 0>(seen) * factors[0];
    }
    if constexpr (WORDS > 2) {
        hash += (uint64_t)trawl_qgram_text_word<AT, 1>(seen) * factors[1];
    }
    if constexpr (WORDS > 3) {
        hash += (uint64_t)trawl_qgram_text_word<AT, 2>(seen) * factors[2];
    }
    return hash;
}

/* Returns value * TIMES + more by the unit for multiplications: that for shifts and additions is
 * busier. */
template <uint32_t TIMES>
static __device__ __forceinline__ uint32_t trawl_qgram_multiply_add(uint32_t value, uint32_t more) {
#ifdef __CUDA_ARCH__
    uint32_t result;
    asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(value), "n"(TIMES), "r"(more));
    return result;
#else
    return value * TIMES + more;
#endif
}

/* Returns word `at` of the filter. For shared memory the address is computed here: the compiler
 * would take two more instructions to add the filter's address to the index. */
template <bool GLOBAL>
static __device__ __forceinline__ uint32_t trawl_qgram_filter_word(const uint32_t *filter,
                                                                   uint32_t at) {
#ifdef __CUDA_ARCH__
    if constexpr (!GLOBAL) {
        uint32_t word,
            address = trawl_qgram_multiply_add<4>(at, (uint32_t)__cvta_generic_to_shared(filter));
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(address));
        return word;
    }
#endif
    return __ldg(filter + at);
}

/* Returns byte `at` of a filter in shared memory. */
static __device__ __forceinline__ uint32_t trawl_qgram_filter_byte(const uint32_t *filter,
                                                                   uint32_t at) {
#ifdef __CUDA_ARCH__
    uint32_t byte;
    asm volatile("ld.shared.u8 %0, [%1];"
                 : "=r"(byte)
                 : "r"((uint32_t)__cvta_generic_to_shared(filter) + at));
    return byte;
#else
    return ((const uint8_t *)filter)[at];
#endif
}

/* Whether a fuse filter has a sample. */
static __device__ __forceinline__ bool trawl_qgram_fuse_has(const uint32_t *filter, uint64_t hash,
                                                            uint32_t range) {
    const trawl_fuse_place place = trawl_fuse_place_of(hash, range);
    uint32_t bytes = place.fingerprint;
#pragma unroll
    for (uint32_t i = 0; i < 3; i++) {
        bytes ^= trawl_qgram_filter_byte(filter, place.at[i]);
    }
    return (bytes & 255) == 0;
}

/* Appends a bit for each sample to `candidate_bits`, the last sample lowest. The filter's word is
 * rotated, so that the tested bit becomes the lowest one. `size`: words of the filter, or the range
 * of a fuse filter. */
template <int STRIDE, int WORDS, int BITS, bool GLOBAL, int AT = STRIDE>
static __device__ __forceinline__ uint32_t trawl_qgram_test_samples(const uint32_t (&seen)[8],
                                                                    const uint32_t *filter,
                                                                    uint32_t size, uint32_t mask,
                                                                    uint32_t candidate_bits) {
    uint64_t hash = trawl_qgram_sample_hash<AT, WORDS>(seen, mask);
    uint32_t found;
    if constexpr (BITS == TRAWL_QGRAM_FUSE) {
        found = trawl_qgram_fuse_has(filter, hash, size) ? 1 : 0;
    } else {
        uint32_t word =
            trawl_qgram_filter_word<GLOBAL>(filter, trawl_cuda_qgram_word_index(hash, size));
        found = __funnelshift_r(word, word, trawl_cuda_qgram_first_bit(hash));
        if constexpr (BITS == 2) {
            found &= __funnelshift_r(word, word, trawl_cuda_qgram_second_bit(hash));
        }
    }
    candidate_bits = trawl_qgram_multiply_add<2>(candidate_bits, found & 1);
    if constexpr (AT < 16) {
        return trawl_qgram_test_samples<STRIDE, WORDS, BITS, GLOBAL, AT + STRIDE>(
            seen, filter, size, mask, candidate_bits);
    } else {
        return candidate_bits;
    }
}

/* Returns one word of the 16 bytes before each thread's own: that of the thread before it. The
 * first thread takes *edge, the last thread's word of the vector before; *edge becomes the last
 * thread's word of this vector. */
static __device__ __forceinline__ uint32_t trawl_qgram_word_before(uint32_t own, uint32_t *edge) {
    uint32_t lane = threadIdx.x % 32;
    uint32_t turned = __shfl_sync(0xffffffffu, own, (int)((lane + 31) % 32));
    uint32_t before = lane == 0 ? *edge : turned;
    *edge = turned;
    return before;
}

/* Returns the number of matches that end at byte j of a thread's 16, by the table of byte pairs
 * (DIRECT). `words`: the word before the thread's own, and its own. */
static __device__ __forceinline__ uint32_t trawl_qgram_pair_total(const uint32_t *pairs,
                                                                  const uint32_t (&words)[5],
                                                                  uint32_t j) {
    uint32_t newest = j % 4 == 3 ? words[j / 4 + 1]
                                 : __funnelshift_r(words[j / 4], words[j / 4 + 1], 8 * (j % 4 + 1));
    return pairs[newest >> 19] >> (newest >> 14 & 28) & 15;
}

/* Tests VECTORS vectors of a batch, as below. Tiers that are not folded have code of their own,
 * since folding takes as many instructions as a sample. */
template <int STRIDE, int WORDS, int BITS, bool GLOBAL, int VECTORS, bool FOLDED>
static __device__ __forceinline__ uint32_t test_vectors(const uint4 *own, uint4 *edge,
                                                        const uint32_t *filter, uint32_t size,
                                                        uint32_t mask) {
    constexpr int BEFORE = WORDS - STRIDE / 4; /* words that samples have before the thread's own */
    if constexpr (BEFORE > 0) {
        *edge = trawl_qgram_fold_vector<FOLDED>(*edge);
    }
    uint32_t candidate_bits = 0;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        const uint4 folded = trawl_qgram_fold_vector<FOLDED>(own[i]);
        uint32_t seen[8] = {0, 0, 0, 0, folded.x, folded.y, folded.z, folded.w};
        if constexpr (BEFORE > 0) {
            seen[3] = trawl_qgram_word_before(seen[7], &edge->w);
        }
        if constexpr (BEFORE > 1) {
            seen[2] = trawl_qgram_word_before(seen[6], &edge->z);
        }
        if constexpr (BEFORE > 2) {
            seen[1] = trawl_qgram_word_before(seen[5], &edge->y);
        }
        if constexpr (BEFORE > 3) {
            seen[0] = trawl_qgram_word_before(seen[4], &edge->x);
        }
        candidate_bits = trawl_qgram_test_samples<STRIDE, WORDS, BITS, GLOBAL>(
            seen, filter, size, mask, candidate_bits);
    }
    return candidate_bits;
}

/* Tests VECTORS vectors of a batch. *edge has the 16 bytes before them, of which only those are
 * used that belong to samples; it becomes their last 16 bytes, folded as the tier is. In the
 * result, the bits of earlier vectors are above those of later ones. */
template <int STRIDE, int WORDS, int BITS, bool GLOBAL, int VECTORS>
static __device__ __forceinline__ uint32_t trawl_qgram_test_vectors(const uint4 *own, uint4 *edge,
                                                                    const uint32_t *filter,
                                                                    uint32_t size, uint32_t mask,
                                                                    bool folded) {
    return folded ? test_vectors<STRIDE, WORDS, BITS, GLOBAL, VECTORS, true>(own, edge, filter,
                                                                             size, mask)
                  : test_vectors<STRIDE, WORDS, BITS, GLOBAL, VECTORS, false>(own, edge, filter,
                                                                              size, mask);
}

template <int VECTORS, bool FOLDED>
static __device__ __forceinline__ uint32_t test_cores(const uint4 *own, uint4 *edge,
                                                      const uint32_t *filter, uint32_t size) {
    edge->w = trawl_qgram_fold_word<FOLDED>(edge->w);
    uint32_t candidate_bits = 0;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        const uint4 folded = trawl_qgram_fold_vector<FOLDED>(own[i]);
        uint32_t words[5] = {0, folded.x, folded.y, folded.z, folded.w};
        words[0] = trawl_qgram_word_before(words[4], &edge->w);
#pragma unroll
        for (int k = 0; k < 8; k++) { /* the core begins at own byte 2 * k - 2 */
            const uint32_t early = words[k / 2], late = words[k / 2 + 1];
            const uint32_t core = k % 2 == 0 ? __funnelshift_r(early, late, 16) : late;
            const uint32_t word =
                trawl_qgram_filter_word<false>(filter, trawl_cuda_qgram_core_word(core, size));
            const uint32_t before = k % 2 == 0 ? early >> 8 : early >> 24;
            const uint32_t behind = k % 2 == 0 ? late >> 8 : late >> 24;
            candidate_bits =
                __funnelshift_l(__funnelshift_l(word, word, before), candidate_bits, 1);
            candidate_bits =
                __funnelshift_l(__funnelshift_l(word, word, behind), candidate_bits, 1);
        }
    }
    return candidate_bits;
}

/* Tests VECTORS vectors of a batch by cores (gpu/format.h), with results as above. Shifts by a word
 * use its lowest five bits. `edge`: as above. */
template <int VECTORS>
static __device__ __forceinline__ uint32_t trawl_qgram_test_cores(const uint4 *own, uint4 *edge,
                                                                  const uint32_t *filter,
                                                                  uint32_t size, bool folded) {
    return folded ? test_cores<VECTORS, true>(own, edge, filter, size)
                  : test_cores<VECTORS, false>(own, edge, filter, size);
}

/* The shape of a tier's samples as one number, for the switch in trawl_qgram_visit_shape. */
#define TRAWL_QGRAM_SHAPE_PAIRS 0u
#define TRAWL_QGRAM_SHAPE_EVERY(words, bits) (1u + 2 * ((words)-1) + ((bits)-1))
#define TRAWL_QGRAM_SHAPE_CORES 5u
#define TRAWL_QGRAM_SHAPE(stride, words) ((stride)*8 + (words))
#define TRAWL_QGRAM_SHAPE_GLOBAL 256u
#define TRAWL_QGRAM_SHAPE_FUSE 512u

static __device__ __forceinline__ uint32_t trawl_qgram_shape_of(const trawl_cuda_qgram_tier &tier) {
    uint32_t words = trawl_cuda_qgram_words(&tier);
    if (tier.place == TRAWL_CUDA_QGRAM_DIRECT) {
        return TRAWL_QGRAM_SHAPE_PAIRS;
    }
    if (tier.cores != 0) {
        return TRAWL_QGRAM_SHAPE_CORES;
    }
    if (tier.stride == 1) {
        return TRAWL_QGRAM_SHAPE_EVERY(words, tier.filter_bits);
    }
    return TRAWL_QGRAM_SHAPE(tier.stride, words) + (tier.place == TRAWL_CUDA_QGRAM_GLOBAL
                                                        ? TRAWL_QGRAM_SHAPE_GLOBAL
                                                    : tier.fuse_range != 0 ? TRAWL_QGRAM_SHAPE_FUSE
                                                                           : 0);
}

/* The size of a tier's filter as its tests want it. */
static __device__ __forceinline__ uint32_t
trawl_qgram_filter_size(const trawl_cuda_qgram_tier &tier) {
    return tier.fuse_range != 0 ? tier.fuse_range : tier.filter_words;
}

/* The one switch from a tier's shape to compiled code: calls the visitor's pairs(), cores(),
 * every<words, bits>() or strided<stride, words, bits, is global>(). It has all shapes from which
 * gpu/divide.c chooses. */
template <typename Result, typename Visitor>
static __device__ __forceinline__ Result trawl_qgram_visit_shape(uint32_t shape, Visitor visitor) {
    switch (shape) {
    case TRAWL_QGRAM_SHAPE(2, 1):
        return visitor.template strided<2, 1, 2, false>();
    case TRAWL_QGRAM_SHAPE(2, 2):
        return visitor.template strided<2, 2, 2, false>();
    case TRAWL_QGRAM_SHAPE(4, 1):
        return visitor.template strided<4, 1, 2, false>();
    case TRAWL_QGRAM_SHAPE(4, 2):
        return visitor.template strided<4, 2, 2, false>();
    case TRAWL_QGRAM_SHAPE(4, 3):
        return visitor.template strided<4, 3, 2, false>();
    case TRAWL_QGRAM_SHAPE(8, 2):
        return visitor.template strided<8, 2, 2, false>();
    case TRAWL_QGRAM_SHAPE(8, 3):
        return visitor.template strided<8, 3, 2, false>();
    case TRAWL_QGRAM_SHAPE(16, 4):
        return visitor.template strided<16, 4, 2, false>();
    case TRAWL_QGRAM_SHAPE_PAIRS:
        return visitor.pairs();
    case TRAWL_QGRAM_SHAPE_CORES:
        return visitor.cores();
    case TRAWL_QGRAM_SHAPE_EVERY(1, 1):
        return visitor.template every<1, 1>();
    case TRAWL_QGRAM_SHAPE_EVERY(1, 2):
        return visitor.template every<1, 2>();
    case TRAWL_QGRAM_SHAPE_EVERY(2, 1):
        return visitor.template every<2, 1>();
    case TRAWL_QGRAM_SHAPE_EVERY(2, 2):
        return visitor.template every<2, 2>();
    case TRAWL_QGRAM_SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(2, 1):
        return visitor.template strided<2, 1, 2, true>();
    case TRAWL_QGRAM_SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(2, 2):
        return visitor.template strided<2, 2, 2, true>();
    case TRAWL_QGRAM_SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(4, 1):
        return visitor.template strided<4, 1, 2, true>();
    case TRAWL_QGRAM_SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(4, 2):
        return visitor.template strided<4, 2, 2, true>();
    case TRAWL_QGRAM_SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(4, 3):
        return visitor.template strided<4, 3, 2, true>();
    case TRAWL_QGRAM_SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(8, 2):
        return visitor.template strided<8, 2, 2, true>();
    case TRAWL_QGRAM_SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(8, 3):
        return visitor.template strided<8, 3, 2, true>();
    case TRAWL_QGRAM_SHAPE_GLOBAL + TRAWL_QGRAM_SHAPE(16, 4):
        return visitor.template strided<16, 4, 2, true>();
    case TRAWL_QGRAM_SHAPE_FUSE + TRAWL_QGRAM_SHAPE(8, 2):
        return visitor.template strided<8, 2, TRAWL_QGRAM_FUSE, false>();
    case TRAWL_QGRAM_SHAPE_FUSE + TRAWL_QGRAM_SHAPE(8, 3):
        return visitor.template strided<8, 3, TRAWL_QGRAM_FUSE, false>();
    case TRAWL_QGRAM_SHAPE_FUSE + TRAWL_QGRAM_SHAPE(16, 4):
        return visitor.template strided<16, 4, TRAWL_QGRAM_FUSE, false>();
    default:
        return Result();
    }
}

#endif
