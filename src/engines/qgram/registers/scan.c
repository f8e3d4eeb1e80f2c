/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/registers/scan.h"

#if TRAWL_HAVE_X86
#include <immintrin.h>
#endif

/* ------------------------------------------------------------------ scalar */

static size_t positions_scalar(const trawl_register_bloom_search *search, const uint8_t *text,
                               size_t first, size_t count, uint32_t *noted) {
    const trawl_register_bloom *filter = search->filter;
    size_t found = 0;
    for (size_t last = first; last < first + count; last++) {
        uint32_t hashes = 0;
        for (uint32_t distance = 0; distance < search->gram; distance++) {
            hashes ^= filter->hash[distance][text[last - distance]];
        }
        noted[found] = (uint32_t)last;
        found += trawl_register_bloom_test(filter, hashes);
    }
    return found;
}

#if TRAWL_HAVE_X86

/* ------------------------------------------------------------------ AVX-512 with VBMI and GFNI */

#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,gfni,avx2,"   \
                          "bmi,bmi2,popcnt")))
#define INLINE TARGET static inline __attribute__((always_inline))

#define WIDTH 64
#define AHEAD 4096 /* as the filter of shuffles asks for text */
#define LISTED 8u  /* positions that are written at once */

typedef struct vector_filter {
    __m512i bank[TRAWL_REGISTER_BLOOM_BANKS]
                [TRAWL_REGISTER_BLOOM_BANK / WIDTH]; /* wide: all four, else two */
    __m512i matrix[TRAWL_REGISTER_BLOOM_HASHES][TRAWL_REGISTER_BLOOM_BYTES];
    __m512i bits;    /* 1 << i % 8 */
    __m512i numbers; /* i */
} vector_filter;

INLINE void load_filter(const trawl_register_bloom_search *search, vector_filter *filter) {
    for (uint32_t bank = 0; bank < TRAWL_REGISTER_BLOOM_BANKS; bank++) {
        for (uint32_t part = 0; part < TRAWL_REGISTER_BLOOM_BANK / WIDTH; part++) {
            filter->bank[bank][part] =
                _mm512_loadu_si512(search->filter->bank[bank] + part * WIDTH);
        }
    }
    for (uint32_t hash = 0; hash < TRAWL_REGISTER_BLOOM_HASHES; hash++) {
        for (uint32_t distance = 0; distance < search->gram; distance++) {
            filter->matrix[hash][distance] = _mm512_set1_epi64(
                (long long)trawl_register_bloom_matrix(hash, distance, search->folded));
        }
    }
    filter->bits = _mm512_set1_epi64((long long)UINT64_C(0x8040201008040201));
    uint8_t numbers[WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++) {
        numbers[i] = (uint8_t)i;
    }
    filter->numbers = _mm512_loadu_si512(numbers);
}

/* Three operands at once; the compiler joins fewer. */
INLINE __m512i sum(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}
INLINE __m512i all(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x80);
}

/* Products of the bytes so far before each of 64 positions. */
INLINE void multiply(const vector_filter *filter, const uint8_t *last, uint32_t distance,
                     __m512i *products) {
    __m512i bytes = _mm512_loadu_si512(last - distance);
    for (uint32_t i = 0; i < TRAWL_REGISTER_BLOOM_HASHES; i++) {
        products[i] = _mm512_gf2p8affine_epi64_epi8(bytes, filter->matrix[i][distance], 0);
    }
}

/* Permutations look at the lowest six bits of an index, or seven: no others are cleared. */
INLINE __m512i look_up(const __m512i *bank, __m512i index, bool wide) {
    __m512i lower = _mm512_permutex2var_epi8(bank[0], index, bank[1]);
    if (!wide) {
        return lower;
    }
    __m512i upper = _mm512_permutex2var_epi8(bank[2], index, bank[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), lower, upper);
}

/* Which of 64 positions pass. */
INLINE uint64_t test(const vector_filter *filter, const uint8_t *last, uint32_t gram, bool wide) {
    __m512i hash[TRAWL_REGISTER_BLOOM_HASHES], found[TRAWL_REGISTER_BLOOM_BANKS];
    __m512i one[TRAWL_REGISTER_BLOOM_HASHES], other[TRAWL_REGISTER_BLOOM_HASHES];
    multiply(filter, last, 0, hash);
#pragma GCC unroll 6
    for (uint32_t distance = 1; distance + 1 < gram; distance += 2) {
        multiply(filter, last, distance, one);
        multiply(filter, last, distance + 1, other);
        for (uint32_t i = 0; i < TRAWL_REGISTER_BLOOM_HASHES; i++) {
            hash[i] = sum(hash[i], one[i], other[i]);
        }
    }
    if (gram % 2 == 0) {
        multiply(filter, last, gram - 1, one);
        for (uint32_t i = 0; i < TRAWL_REGISTER_BLOOM_HASHES; i++) {
            hash[i] = _mm512_xor_si512(hash[i], one[i]);
        }
    }
    __m512i bit = _mm512_permutexvar_epi8(hash[2], filter->bits);
    __m512i both = _mm512_xor_si512(hash[0], hash[1]);
    const __m512i index[TRAWL_REGISTER_BLOOM_BANKS] = {hash[0], hash[1], both,
                                                       _mm512_xor_si512(both, hash[2])};
    for (uint32_t bank = 0; bank < TRAWL_REGISTER_BLOOM_BANKS; bank++) {
        found[bank] = look_up(filter->bank[bank], index[bank], wide);
    }
    __m512i three = all(found[0], found[1], found[2]);
    return _mm512_test_epi8_mask(_mm512_and_si512(three, found[3]), bit);
}

/* Appends the positions that pass, `position` being the first of the 64. How many there are cannot
 * be predicted: so many that there are hardly ever more are written in any case. Behind the list
 * there is room for them, as none of the 64 has been written. */
INLINE uint32_t *list_positions(const vector_filter *filter, uint64_t pass, size_t position,
                                uint32_t *next) {
    uint32_t *past = next + __builtin_popcountll(pass);
    __m512i numbers = _mm512_maskz_compress_epi8(pass, filter->numbers);
    const __m256i from = _mm256_set1_epi32((int)position);
    do {
        __m256i few = _mm256_cvtepu8_epi32(_mm512_castsi512_si128(numbers));
        _mm256_storeu_si256((__m256i *)(void *)next, _mm256_add_epi32(few, from));
        numbers = _mm512_alignr_epi64(numbers, numbers, 1); /* the next eight to the front */
        next += LISTED;
    } while (next < past);
    return past;
}

INLINE size_t groups_of(const trawl_register_bloom_search *search, const uint8_t *text,
                        size_t position, size_t groups, uint32_t *noted, uint32_t gram, bool wide) {
    vector_filter filter;
    load_filter(search, &filter);
    uint32_t *next = noted;
    for (; groups != 0; groups--, position += WIDTH) {
        __builtin_prefetch((const void *)((uintptr_t)text + position + AHEAD));
        next = list_positions(&filter, test(&filter, text + position, gram, wide), position, next);
    }
    return (size_t)(next - noted);
}

TARGET static size_t groups_vbmi(const trawl_register_bloom_search *search, const uint8_t *text,
                                 size_t position, size_t groups, uint32_t *noted) {
    bool wide = search->filter->index_mask == TRAWL_REGISTER_BLOOM_BANK - 1;
#define CALL(gram)                                                                                 \
    (wide ? groups_of(search, text, position, groups, noted, gram, true)                           \
          : groups_of(search, text, position, groups, noted, gram, false))
    switch (search->gram) {
    case 1:
        return CALL(1);
    case 2:
        return CALL(2);
    case 3:
        return CALL(3);
    case 4:
        return CALL(4);
    case 5:
        return CALL(5);
    default:
        return CALL(6);
    }
#undef CALL
}

static size_t positions_vbmi(const trawl_register_bloom_search *search, const uint8_t *text,
                             size_t first, size_t count, uint32_t *noted) {
    size_t rest = count % WIDTH, from = first + count - rest;
    size_t found = groups_vbmi(search, text, first, count / WIDTH, noted);
    return found + positions_scalar(search, text, from, rest, noted + found);
}

#endif

trawl_register_bloom_positions trawl_register_bloom_for(trawl_cpu_set set) {
#if TRAWL_HAVE_X86
    if (set == TRAWL_CPU_AVX512_VBMI && trawl_cpu_permutes()) {
        return positions_vbmi;
    }
#endif
    (void)set;
    return positions_scalar;
}
