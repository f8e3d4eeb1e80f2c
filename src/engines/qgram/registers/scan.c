/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/registers/scan.h"

#if TRAWL_HAVE_X86
#include <immintrin.h>
#endif

trawl_register_bloom_view trawl_register_bloom_view_of(const trawl_register_bloom *filter,
                                                       uint32_t gram, bool folded) {
    trawl_register_bloom_view view = {.filter = filter, .gram = gram};
    for (uint32_t hash = 0; hash < TRAWL_REGISTER_BLOOM_HASHES; hash++) {
        for (uint32_t distance = 0; distance < gram; distance++) {
            view.matrix[hash][distance] = trawl_register_bloom_matrix(hash, distance, folded);
        }
    }
    return view;
}

/* ------------------------------------------------------------------ scalar */

static size_t search_scalar(const trawl_register_bloom_view *view, const uint8_t *text,
                            size_t first, size_t count, uint32_t *list) {
    const trawl_register_bloom *filter = view->filter;
    size_t found = 0;
    for (size_t last = first; last < first + count; last++) {
        uint32_t hashes = 0;
        for (uint32_t distance = 0; distance < view->gram; distance++) {
            hashes ^= filter->hash[distance][text[last - distance]];
        }
        list[found] = (uint32_t)last;
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
#define LISTED 8u /* positions that one store writes: eight words of 32 bits */

typedef struct vector_filter {
    __m512i bank[TRAWL_REGISTER_BLOOM_BANKS]
                [TRAWL_REGISTER_BLOOM_BANK / WIDTH]; /* the last two are used if banks are wide */
    __m512i matrix[TRAWL_REGISTER_BLOOM_HASHES][TRAWL_REGISTER_BLOOM_BYTES];
    __m512i bits;    /* byte i: 1 << i % 8 */
    __m512i numbers; /* byte i: i */
} vector_filter;

INLINE void load_filter(const trawl_register_bloom_view *view, uint32_t gram,
                        vector_filter *filter) {
    for (uint32_t bank = 0; bank < TRAWL_REGISTER_BLOOM_BANKS; bank++) {
        for (uint32_t part = 0; part < TRAWL_REGISTER_BLOOM_BANK / WIDTH; part++) {
            filter->bank[bank][part] = _mm512_loadu_si512(view->filter->bank[bank] + part * WIDTH);
        }
    }
    for (uint32_t hash = 0; hash < TRAWL_REGISTER_BLOOM_HASHES; hash++) {
        for (uint32_t distance = 0; distance < gram; distance++) {
            filter->matrix[hash][distance] =
                _mm512_set1_epi64((long long)view->matrix[hash][distance]);
        }
    }
    filter->bits = _mm512_set1_epi64((long long)UINT64_C(0x8040201008040201));
    uint8_t numbers[WIDTH];
    for (uint32_t i = 0; i < WIDTH; i++) {
        numbers[i] = (uint8_t)i;
    }
    filter->numbers = _mm512_loadu_si512(numbers);
}

/* XOR and AND of three operands by one instruction, which compilers do not always find. */
INLINE __m512i sum(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x96);
}
INLINE __m512i all(__m512i a, __m512i b, __m512i c) {
    return _mm512_ternarylogic_epi64(a, b, c, 0x80);
}

/* The lowest `count` bits, 1 to 63 of them. */
static inline uint64_t first_bits(uint32_t count) {
    return ~UINT64_C(0) >> (WIDTH - count);
}

/* The products of the bytes at this distance before each of the first `positions` of 64 positions,
 * for each hash. No bytes for other positions are read, which may be behind the text. */
INLINE void multiply(const vector_filter *filter, const uint8_t *last, uint32_t positions,
                     uint32_t distance, __m512i *products) {
    __m512i bytes = positions == WIDTH
                        ? _mm512_loadu_si512(last - distance)
                        : _mm512_maskz_loadu_epi8(first_bits(positions), last - distance);
    for (uint32_t i = 0; i < TRAWL_REGISTER_BLOOM_HASHES; i++) {
        products[i] = _mm512_gf2p8affine_epi64_epi8(bytes, filter->matrix[i][distance], 0);
    }
}

/* Selects bytes of a bank. A permutation of two registers uses the lowest seven bits of an index,
 * so the highest bit need not be cleared. In wide banks it selects between the two results. */
INLINE __m512i look_up(const __m512i *bank, __m512i index, bool wide) {
    __m512i lower = _mm512_permutex2var_epi8(bank[0], index, bank[1]);
    if (!wide) {
        return lower;
    }
    __m512i upper = _mm512_permutex2var_epi8(bank[2], index, bank[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), lower, upper);
}

/* Tests `positions` positions, 64 at most; returns a bit for each, 1 for a candidate. `last` is the
 * first position's byte. */
INLINE uint64_t test(const vector_filter *filter, const uint8_t *last, uint32_t positions,
                     uint32_t gram, bool wide) {
    __m512i hash[TRAWL_REGISTER_BLOOM_HASHES], found[TRAWL_REGISTER_BLOOM_BANKS];
    __m512i one[TRAWL_REGISTER_BLOOM_HASHES], other[TRAWL_REGISTER_BLOOM_HASHES];
    multiply(filter, last, positions, 0, hash);
#pragma GCC unroll 6
    for (uint32_t distance = 1; distance + 1 < gram; distance += 2) {
        multiply(filter, last, positions, distance, one);
        multiply(filter, last, positions, distance + 1, other);
        for (uint32_t i = 0; i < TRAWL_REGISTER_BLOOM_HASHES; i++) {
            hash[i] = sum(hash[i], one[i], other[i]);
        }
    }
    if (gram % 2 == 0) {
        multiply(filter, last, positions, gram - 1, one);
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

/* Appends the candidates among 64 positions, the first of which is `position`. Their number cannot
 * be predicted: eight entries are always written, and there are hardly ever more candidates. There
 * is room for these entries, since the list has room for all 64 positions. */
INLINE uint32_t *list_positions(const vector_filter *filter, uint64_t candidates, size_t position,
                                uint32_t *next) {
    uint32_t *past = next + __builtin_popcountll(candidates);
    __m512i numbers = _mm512_maskz_compress_epi8(candidates, filter->numbers);
    const __m256i from = _mm256_set1_epi32((int)position);
    do {
        __m256i few = _mm256_cvtepu8_epi32(_mm512_castsi512_si128(numbers));
        _mm256_storeu_si256((__m256i *)(void *)next, _mm256_add_epi32(few, from));
        numbers = _mm512_alignr_epi64(numbers, numbers, 1); /* the next eight to the front */
        next += LISTED;
    } while (next < past);
    return past;
}

/* Searches groups of 64 positions, and the rest behind them. */
INLINE size_t search_groups_of(const trawl_register_bloom_view *view, const uint8_t *text,
                               size_t position, size_t count, uint32_t *list, uint32_t gram,
                               bool wide) {
    vector_filter filter;
    load_filter(view, gram, &filter);
    uint32_t *next = list;
    for (size_t groups = count / WIDTH; groups != 0; groups--, position += WIDTH) {
        __builtin_prefetch((const void *)((uintptr_t)text + position + TRAWL_QGRAM_PREFETCH));
        uint64_t candidates = test(&filter, text + position, WIDTH, gram, wide);
        next = list_positions(&filter, candidates, position, next);
    }
    uint32_t rest = count % WIDTH;
    if (rest != 0) {
        uint64_t candidates = test(&filter, text + position, rest, gram, wide) & first_bits(rest);
        for (; candidates != 0; candidates &= candidates - 1) {
            *next++ = (uint32_t)position + (uint32_t)__builtin_ctzll(candidates);
        }
    }
    return (size_t)(next - list);
}

/* One loop for each number of hashed bytes and width of banks. */
TARGET static size_t search_vbmi(const trawl_register_bloom_view *view, const uint8_t *text,
                                 size_t first, size_t count, uint32_t *list) {
    bool wide = view->filter->index_mask == TRAWL_REGISTER_BLOOM_BANK - 1;
    switch (view->gram) {
    case 1:
        return wide ? search_groups_of(view, text, first, count, list, 1, true)
                    : search_groups_of(view, text, first, count, list, 1, false);
    case 2:
        return wide ? search_groups_of(view, text, first, count, list, 2, true)
                    : search_groups_of(view, text, first, count, list, 2, false);
    case 3:
        return wide ? search_groups_of(view, text, first, count, list, 3, true)
                    : search_groups_of(view, text, first, count, list, 3, false);
    case 4:
        return wide ? search_groups_of(view, text, first, count, list, 4, true)
                    : search_groups_of(view, text, first, count, list, 4, false);
    case 5:
        return wide ? search_groups_of(view, text, first, count, list, 5, true)
                    : search_groups_of(view, text, first, count, list, 5, false);
    default:
        return wide ? search_groups_of(view, text, first, count, list, 6, true)
                    : search_groups_of(view, text, first, count, list, 6, false);
    }
}

#endif

trawl_register_bloom_search trawl_register_bloom_for(trawl_cpu_set set) {
#if TRAWL_HAVE_X86
    if (set == TRAWL_CPU_AVX512_VBMI && trawl_cpu_permutes()) {
        return search_vbmi;
    }
#endif
    (void)set;
    return search_scalar;
}
