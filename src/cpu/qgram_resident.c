#include "cpu/qgram_resident.h"

#if TRAWL_HAVE_X86
#include <immintrin.h>
#endif

/* ------------------------------------------------------------------ scalar */

static size_t positions_scalar(const trawl_resident_search *search, const uint8_t *text,
                               size_t first, size_t count, uint32_t *noted) {
    const trawl_qgram_resident *filter = search->filter;
    size_t found = 0;
    for (size_t last = first; last < first + count; last++) {
        uint32_t hashes = 0;
        for (uint32_t distance = 0; distance < search->gram; distance++) {
            hashes ^= filter->hash[distance][text[last - distance]];
        }
        noted[found] = (uint32_t)last;
        found += trawl_resident_test(filter, hashes);
    }
    return found;
}

#if TRAWL_HAVE_X86

/* ------------------------------------------------------------------ AVX-512 with VBMI and GFNI */

#define TARGET                                                                                     \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,gfni,avx2,bmi,bmi2,"      \
                          "popcnt")))
#define INLINE TARGET static inline __attribute__((always_inline))

#define WIDTH 64
#define AHEAD 4096 /* as the filter of shuffles asks for text */
#define AT_ONCE 64 /* marks before they are taken apart */

typedef struct vector_filter {
    __m512i bank[TRAWL_RESIDENT_BANKS][2];
    __m512i matrix[TRAWL_RESIDENT_HASHES][TRAWL_RESIDENT_BYTES];
    __m512i bits; /* 1 << i % 8 */
} vector_filter;

INLINE void load_filter(const trawl_resident_search *search, vector_filter *filter) {
    for (uint32_t bank = 0; bank < TRAWL_RESIDENT_BANKS; bank++) {
        filter->bank[bank][0] = _mm512_loadu_si512(search->filter->bank[bank]);
        filter->bank[bank][1] = _mm512_loadu_si512(search->filter->bank[bank] + WIDTH);
    }
    for (uint32_t hash = 0; hash < TRAWL_RESIDENT_HASHES; hash++) {
        for (uint32_t distance = 0; distance < search->gram; distance++) {
            filter->matrix[hash][distance] =
                _mm512_set1_epi64((long long)trawl_resident_matrix(hash, distance, search->folded));
        }
    }
    filter->bits = _mm512_set1_epi64((long long)UINT64_C(0x8040201008040201));
}

/* Which of 64 positions pass. */
INLINE uint64_t test(const vector_filter *filter, const uint8_t *last, uint32_t gram) {
    __m512i hash[TRAWL_RESIDENT_BANKS], bit[TRAWL_RESIDENT_HASHES];
    __m512i bytes = _mm512_loadu_si512(last);
    for (uint32_t i = 0; i < TRAWL_RESIDENT_HASHES; i++) {
        hash[i] = _mm512_gf2p8affine_epi64_epi8(bytes, filter->matrix[i][0], 0);
    }
#pragma GCC unroll 6
    for (uint32_t distance = 1; distance < gram; distance++) {
        bytes = _mm512_loadu_si512(last - distance);
        for (uint32_t i = 0; i < TRAWL_RESIDENT_HASHES; i++) {
            hash[i] = _mm512_xor_si512(
                hash[i], _mm512_gf2p8affine_epi64_epi8(bytes, filter->matrix[i][distance], 0));
        }
    }
    hash[TRAWL_RESIDENT_HASHES] = _mm512_xor_si512(_mm512_xor_si512(hash[0], hash[1]), hash[2]);
    /* Permutations look at the lowest six bits of an index, or seven: no others are cleared. */
    for (uint32_t i = 0; i < TRAWL_RESIDENT_HASHES; i++) {
        bit[i] = _mm512_permutexvar_epi8(hash[i], filter->bits);
    }
    __mmask64 pass = ~UINT64_C(0);
    for (uint32_t bank = 0; bank < TRAWL_RESIDENT_BANKS; bank++) {
        __m512i found =
            _mm512_permutex2var_epi8(filter->bank[bank][0], hash[bank], filter->bank[bank][1]);
        pass = _mm512_mask_test_epi8_mask(pass, found, bit[(bank + 1) % TRAWL_RESIDENT_HASHES]);
    }
    return pass;
}

INLINE size_t groups_of(const trawl_resident_search *search, const uint8_t *text, size_t position,
                        size_t groups, uint32_t *noted, uint32_t gram) {
    vector_filter filter;
    load_filter(search, &filter);
    position_mark marks[AT_ONCE + 1];
    position_mark *mark = marks;
    uint32_t *next = noted;
    for (; groups != 0; groups--, position += WIDTH) {
        __builtin_prefetch((const void *)((uintptr_t)text + position + AHEAD));
        mark = set_mark(test(&filter, text + position, gram), position, mark);
        if (mark - marks == AT_ONCE) {
            next = list_marks(marks, mark, next, true);
            mark = marks;
        }
    }
    return (size_t)(list_marks(marks, mark, next, true) - noted);
}

TARGET static size_t groups_vbmi(const trawl_resident_search *search, const uint8_t *text,
                                 size_t position, size_t groups, uint32_t *noted) {
    switch (search->gram) {
    case 1:
        return groups_of(search, text, position, groups, noted, 1);
    case 2:
        return groups_of(search, text, position, groups, noted, 2);
    case 3:
        return groups_of(search, text, position, groups, noted, 3);
    case 4:
        return groups_of(search, text, position, groups, noted, 4);
    case 5:
        return groups_of(search, text, position, groups, noted, 5);
    default:
        return groups_of(search, text, position, groups, noted, 6);
    }
}

static size_t positions_vbmi(const trawl_resident_search *search, const uint8_t *text, size_t first,
                             size_t count, uint32_t *noted) {
    size_t rest = count % WIDTH, from = first + count - rest;
    size_t found = groups_vbmi(search, text, first, count / WIDTH, noted);
    return found + positions_scalar(search, text, from, rest, noted + found);
}

#endif

trawl_resident_positions trawl_resident_for(trawl_cpu_set set) {
#if TRAWL_HAVE_X86
    if (set == TRAWL_CPU_AVX512 && trawl_cpu_permutes()) {
        return positions_vbmi;
    }
#endif
    (void)set;
    return positions_scalar;
}
