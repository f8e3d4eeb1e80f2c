/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/teddy/scan.h"

#include "engines/qgram/teddy/position_masks.h"

#if TRAWL_HAVE_X86
#include <immintrin.h>
#elif TRAWL_HAVE_NEON
#include <arm_neon.h>
#endif

/* Groups of four vectors whose masks are collected before positions are listed. Chosen, not
 * measured against other numbers. */
#define AT_ONCE 32

/* ------------------------------------------------------------------ scalar: vectors of one byte */

#define SCALAR static inline __attribute__((always_inline))

typedef const uint8_t *scalar_table;

SCALAR uint8_t load_scalar(const uint8_t *at) {
    return *at;
}
SCALAR uint8_t load_part_scalar(const uint8_t *at, size_t count) {
    (void)count;
    return load_scalar(at);
}
SCALAR scalar_table table_scalar(const uint8_t *table) {
    return table;
}
SCALAR uint8_t all_scalar(void) {
    return 0xff;
}
SCALAR uint8_t low_scalar(scalar_table table, uint8_t byte, bool ascii) {
    return (uint8_t)(table[byte & 15] & (ascii ? (byte >> 7) - 1 : 0xff));
}
SCALAR uint8_t high_scalar(scalar_table table, uint8_t byte) {
    return table[byte >> 4];
}
SCALAR uint8_t and_scalar(uint8_t a, uint8_t b) {
    return a & b;
}
SCALAR bool any_scalar(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
    return (a | b | c | d) != 0;
}
SCALAR uint64_t bits_scalar(uint8_t a) {
    return a != 0;
}
SCALAR position_mask *append_masks_scalar(uint8_t a, uint8_t b, uint8_t c, uint8_t d,
                                          size_t position, position_mask *next) {
    uint64_t bits = (uint64_t)(a != 0) | (uint64_t)(b != 0) << 1 | (uint64_t)(c != 0) << 2 |
                    (uint64_t)(d != 0) << 3;
    return append_mask(bits, position, next);
}
SCALAR uint8_t fill_scalar(uint8_t byte) {
    return byte;
}
SCALAR uint8_t differ_scalar(uint8_t a, uint8_t b, uint8_t c, uint8_t d) {
    return (uint8_t)((a ^ b) | (c ^ d));
}
SCALAR uint8_t least_scalar(uint8_t a, uint8_t b) {
    return a < b ? a : b;
}
SCALAR bool has_zero_scalar(uint8_t a) {
    return a == 0;
}
SCALAR uint8_t zeros_scalar(uint8_t a) {
    return a == 0;
}

#define SEARCH search_scalar
#define NAME(base) base##_scalar
#define TARGET
#define VECTOR uint8_t
#define WIDTH 1
#define TABLE scalar_table
#define MASKS 1
#define LOADS_PARTS 0
#include "engines/qgram/teddy/template.h"

#if TRAWL_HAVE_X86

/* ------------------------------------------------------------------ AVX2
 * A byte shuffle selects by the low four bits of an index byte, and gives 0 if its highest bit is
 * set. So with `ascii` the text's bytes are indices as they are. */

#define AVX2 TRAWL_TARGET_AVX2 static inline __attribute__((always_inline))

AVX2 __m256i load_avx2(const uint8_t *at) {
    return _mm256_loadu_si256((const __m256i *)(const void *)at);
}
AVX2 __m256i load_part_avx2(const uint8_t *at, size_t count) {
    (void)count;
    return load_avx2(at);
}
AVX2 __m256i table_avx2(const uint8_t *table) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
}
AVX2 __m256i all_avx2(void) {
    return _mm256_set1_epi8(-1);
}
AVX2 __m256i low_avx2(__m256i table, __m256i bytes, bool ascii) {
    return _mm256_shuffle_epi8(table,
                               ascii ? bytes : _mm256_and_si256(bytes, _mm256_set1_epi8(15)));
}
AVX2 __m256i high_avx2(__m256i table, __m256i bytes) {
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(15));
    return _mm256_shuffle_epi8(table, high);
}
AVX2 __m256i and_avx2(__m256i a, __m256i b) {
    return _mm256_and_si256(a, b);
}
AVX2 bool any_avx2(__m256i a, __m256i b, __m256i c, __m256i d) {
    __m256i any = _mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d));
    return !_mm256_testz_si256(any, any);
}
AVX2 __m256i zeros_avx2(__m256i a) {
    return _mm256_cmpeq_epi8(a, _mm256_setzero_si256());
}
AVX2 uint64_t mask_of_zeros_avx2(__m256i a) {
    return (uint32_t)_mm256_movemask_epi8(zeros_avx2(a));
}
AVX2 uint64_t bits_avx2(__m256i a) {
    return ~mask_of_zeros_avx2(a);
}
AVX2 position_mask *append_masks_avx2(__m256i a, __m256i b, __m256i c, __m256i d, size_t position,
                                      position_mask *next) {
    next = append_mask(~(mask_of_zeros_avx2(a) | mask_of_zeros_avx2(b) << 32), position, next);
    return append_mask(~(mask_of_zeros_avx2(c) | mask_of_zeros_avx2(d) << 32), position + 64, next);
}
AVX2 __m256i fill_avx2(uint8_t byte) {
    return _mm256_set1_epi8((char)byte);
}
AVX2 __m256i differ_avx2(__m256i a, __m256i b, __m256i c, __m256i d) {
    return _mm256_or_si256(_mm256_xor_si256(a, b), _mm256_xor_si256(c, d));
}
AVX2 __m256i least_avx2(__m256i a, __m256i b) {
    return _mm256_min_epu8(a, b);
}
AVX2 bool has_zero_avx2(__m256i a) {
    return mask_of_zeros_avx2(a) != 0;
}

#define SEARCH search_avx2
#define NAME(base) base##_avx2
#define TARGET TRAWL_TARGET_AVX2
#define VECTOR __m256i
#define WIDTH 32
#define TABLE __m256i
#define MASKS 2
#define LOADS_PARTS 0
#include "engines/qgram/teddy/template.h"

/* ------------------------------------------------------------------ AVX-512 */

#define AVX512 TRAWL_TARGET_AVX512 static inline __attribute__((always_inline))

AVX512 __m512i load_avx512(const uint8_t *at) {
    return _mm512_loadu_si512((const void *)at);
}
AVX512 __m512i load_part_avx512(const uint8_t *at, size_t count) {
    return _mm512_maskz_loadu_epi8(~UINT64_C(0) >> (64 - count), at);
}
AVX512 __m512i table_avx512(const uint8_t *table) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)table));
}
AVX512 __m512i all_avx512(void) {
    return _mm512_set1_epi8(-1);
}
AVX512 __m512i low_avx512(__m512i table, __m512i bytes, bool ascii) {
    return _mm512_shuffle_epi8(table,
                               ascii ? bytes : _mm512_and_si512(bytes, _mm512_set1_epi8(15)));
}
AVX512 __m512i high_avx512(__m512i table, __m512i bytes) {
    __m512i high = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), _mm512_set1_epi8(15));
    return _mm512_shuffle_epi8(table, high);
}
AVX512 __m512i and_avx512(__m512i a, __m512i b) {
    return _mm512_and_si512(a, b);
}
AVX512 bool any_avx512(__m512i a, __m512i b, __m512i c, __m512i d) {
    __m512i any = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
    return _mm512_test_epi64_mask(any, any) != 0;
}
AVX512 uint64_t bits_avx512(__m512i a) {
    return _mm512_test_epi8_mask(a, a);
}
AVX512 position_mask *append_masks_avx512(__m512i a, __m512i b, __m512i c, __m512i d,
                                          size_t position, position_mask *next) {
    next = append_mask(_mm512_test_epi8_mask(a, a), position, next);
    next = append_mask(_mm512_test_epi8_mask(b, b), position + 64, next);
    next = append_mask(_mm512_test_epi8_mask(c, c), position + 128, next);
    return append_mask(_mm512_test_epi8_mask(d, d), position + 192, next);
}
AVX512 __m512i fill_avx512(uint8_t byte) {
    return _mm512_set1_epi8((char)byte);
}
AVX512 __m512i differ_avx512(__m512i a, __m512i b, __m512i c, __m512i d) {
    enum { FIRST_OR_DIFFERENCE = 0xf6 }; /* f | (c ^ d) */
    return _mm512_ternarylogic_epi64(_mm512_xor_si512(a, b), c, d, FIRST_OR_DIFFERENCE);
}
AVX512 __m512i least_avx512(__m512i a, __m512i b) {
    return _mm512_min_epu8(a, b);
}
AVX512 bool has_zero_avx512(__m512i a) {
    return _mm512_testn_epi8_mask(a, a) != 0;
}
AVX512 __m512i zeros_avx512(__m512i a) {
    return _mm512_movm_epi8(_mm512_testn_epi8_mask(a, a));
}

#define SEARCH search_avx512
#define NAME(base) base##_avx512
#define TARGET TRAWL_TARGET_AVX512
#define VECTOR __m512i
#define WIDTH 64
#define TABLE __m512i
#define MASKS 4
#define LOADS_PARTS 1
#include "engines/qgram/teddy/template.h"

#elif TRAWL_HAVE_NEON

/* ------------------------------------------------------------------ NEON
 * A table look-up gives 0 if the index is 16 or more: with `ascii` the highest bit is kept. */

#define NEON static inline __attribute__((always_inline))

NEON uint8x16_t load_neon(const uint8_t *at) {
    return vld1q_u8(at);
}
NEON uint8x16_t load_part_neon(const uint8_t *at, size_t count) {
    (void)count;
    return load_neon(at);
}
NEON uint8x16_t table_neon(const uint8_t *table) {
    return vld1q_u8(table);
}
NEON uint8x16_t all_neon(void) {
    return vdupq_n_u8(0xff);
}
NEON uint8x16_t low_neon(uint8x16_t table, uint8x16_t bytes, bool ascii) {
    return vqtbl1q_u8(table, vandq_u8(bytes, vdupq_n_u8(ascii ? 0x8f : 0x0f)));
}
NEON uint8x16_t high_neon(uint8x16_t table, uint8x16_t bytes) {
    return vqtbl1q_u8(table, vshrq_n_u8(bytes, 4));
}
NEON uint8x16_t and_neon(uint8x16_t a, uint8x16_t b) {
    return vandq_u8(a, b);
}
NEON bool any_neon(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    uint8x16_t any = vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d));
    return vmaxvq_u32(vreinterpretq_u32_u8(any)) != 0;
}
/* One bit for each byte that is not 0: byte i has bit i % 8, so that sums of neighbours are
 * masks. */
NEON uint8x16_t set_bits_neon(uint8x16_t bytes) {
    return vandq_u8(vtstq_u8(bytes, bytes),
                    vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201))));
}
NEON uint64_t bits_neon(uint8x16_t a) {
    uint8x16_t all = vpaddq_u8(set_bits_neon(a), set_bits_neon(a));
    all = vpaddq_u8(all, all);
    all = vpaddq_u8(all, all);
    return vgetq_lane_u16(vreinterpretq_u16_u8(all), 0);
}
NEON position_mask *append_masks_neon(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d,
                                      size_t position, position_mask *next) {
    uint8x16_t ab = vpaddq_u8(set_bits_neon(a), set_bits_neon(b));
    uint8x16_t cd = vpaddq_u8(set_bits_neon(c), set_bits_neon(d));
    uint8x16_t all = vpaddq_u8(ab, cd);
    all = vpaddq_u8(all, all);
    return append_mask(vgetq_lane_u64(vreinterpretq_u64_u8(all), 0), position, next);
}
NEON uint8x16_t fill_neon(uint8_t byte) {
    return vdupq_n_u8(byte);
}
NEON uint8x16_t differ_neon(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
    return vorrq_u8(veorq_u8(a, b), veorq_u8(c, d));
}
NEON uint8x16_t least_neon(uint8x16_t a, uint8x16_t b) {
    return vminq_u8(a, b);
}
NEON bool has_zero_neon(uint8x16_t a) {
    return vminvq_u8(a) == 0;
}
NEON uint8x16_t zeros_neon(uint8x16_t a) {
    return vceqzq_u8(a);
}

#define SEARCH search_neon
#define NAME(base) base##_neon
#define TARGET
#define VECTOR uint8x16_t
#define WIDTH 16
#define TABLE uint8x16_t
#define MASKS 1
#define LOADS_PARTS 0
#include "engines/qgram/teddy/template.h"

#endif

trawl_teddy_search trawl_teddy_for(trawl_cpu_set set) {
#if TRAWL_HAVE_X86
    if (trawl_cpu_includes(set, TRAWL_CPU_AVX512)) {
        return search_avx512;
    }
    if (set == TRAWL_CPU_AVX2) {
        return search_avx2;
    }
#elif TRAWL_HAVE_NEON
    if (set == TRAWL_CPU_NEON) {
        return search_neon;
    }
#endif
    (void)set;
    return search_scalar;
}
