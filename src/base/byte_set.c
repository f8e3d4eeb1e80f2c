/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/byte_set.h"

#include <string.h>

#if TRAWL_HAVE_X86
#include <immintrin.h>
#endif
#if TRAWL_HAVE_NEON
#include <arm_neon.h>
#endif

unsigned trawl_byte_set_count(const trawl_byte_set *set) {
    unsigned count = 0;
    for (size_t i = 0; i < 16; i++) {
        count += (unsigned)__builtin_popcount(set->rows[0][i]) +
                 (unsigned)__builtin_popcount(set->rows[1][i]);
    }
    return count;
}

uint8_t trawl_byte_set_smallest(const trawl_byte_set *set) {
    uint8_t byte = 0;
    while (byte != UINT8_MAX && !trawl_byte_set_has(set, byte)) {
        byte++;
    }
    return byte;
}

/* ------------------------------------------------------------------ one byte, and plain C */

static const uint8_t *first_of_one(const trawl_byte_finder *finder, const uint8_t *text,
                                   size_t length) {
    return length == 0 ? NULL : memchr(text, finder->byte, length);
}

static const uint8_t *last_of_one(const trawl_byte_finder *finder, const uint8_t *text,
                                  size_t length) {
    return length == 0 ? NULL : memrchr(text, finder->byte, length);
}

static const uint8_t *first_scalar(const trawl_byte_finder *finder, const uint8_t *text,
                                   size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (trawl_byte_set_has(&finder->set, text[i])) {
            return text + i;
        }
    }
    return NULL;
}

static const uint8_t *last_scalar(const trawl_byte_finder *finder, const uint8_t *text,
                                  size_t length) {
    for (size_t i = length; i-- > 0;) {
        if (trawl_byte_set_has(&finder->set, text[i])) {
            return text + i;
        }
    }
    return NULL;
}

/* ------------------------------------------------------------------ vectors */

#if TRAWL_HAVE_X86
#define AVX2_LINE TRAWL_TARGET_AVX2 static inline __attribute__((always_inline))

typedef struct rows_avx2 {
    __m256i low, high, bits;
} rows_avx2;

AVX2_LINE rows_avx2 load_avx2(const trawl_byte_set *set) {
    const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)set->rows[0]);
    const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)set->rows[1]);
    return (rows_avx2){.low = _mm256_broadcastsi128_si256(low),
                       .high = _mm256_broadcastsi128_si256(high),
                       .bits = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201))};
}

/* Bytes that are not 0 where a byte is in the set. A shuffle gives 0 for an index with its top bit,
 * so of the two halves of the set the wrong one gives 0. */
AVX2_LINE __m256i look_up_avx2(const rows_avx2 *rows, const uint8_t *text) {
    const __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)text);
    const __m256i flipped = _mm256_xor_si256(bytes, _mm256_set1_epi8((char)0x80));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(7));
    const __m256i row = _mm256_or_si256(_mm256_shuffle_epi8(rows->low, bytes),
                                        _mm256_shuffle_epi8(rows->high, flipped));
    return _mm256_and_si256(row, _mm256_shuffle_epi8(rows->bits, high));
}

AVX2_LINE uint64_t find_avx2(const rows_avx2 *rows, const uint8_t *text) {
    const __m256i none = _mm256_cmpeq_epi8(look_up_avx2(rows, text), _mm256_setzero_si256());
    return (uint32_t)~_mm256_movemask_epi8(none);
}

AVX2_LINE bool is_in_two_avx2(const rows_avx2 *rows, const uint8_t *text) {
    const __m256i both =
        _mm256_or_si256(look_up_avx2(rows, text), look_up_avx2(rows, text + sizeof(__m256i)));
    return _mm256_testz_si256(both, both) == 0;
}

/* 64 rows, one for each value of a byte's lowest six bits, with a bit for each value of the others:
 * a permutation of AVX-512 takes the lowest six bits of its index. */
typedef struct rows_vbmi {
    __m512i rows, bits;
} rows_vbmi;

#define VBMI_LINE TRAWL_TARGET_AVX512_VBMI static inline __attribute__((always_inline))

VBMI_LINE rows_vbmi load_vbmi(const trawl_byte_set *set) {
    uint8_t rows[64] = {0}, bits[64];
    for (unsigned byte = 0; byte < 256; byte++) {
        rows[byte % 64] |= (uint8_t)((unsigned)trawl_byte_set_has(set, (uint8_t)byte) << byte / 64);
        bits[byte % 64] = (uint8_t)(1u << byte % 4);
    }
    return (rows_vbmi){.rows = _mm512_loadu_si512(rows), .bits = _mm512_loadu_si512(bits)};
}

/* Bits that are not 0 where a byte is in the set. The shift brings bits of a neighbour into a byte,
 * but not into its lowest two, by which `bits` is looked up. */
VBMI_LINE __m512i row_vbmi(const rows_vbmi *rows, __m512i bytes) {
    return _mm512_permutexvar_epi8(bytes, rows->rows);
}
VBMI_LINE __m512i bit_vbmi(const rows_vbmi *rows, __m512i bytes) {
    return _mm512_permutexvar_epi8(_mm512_srli_epi16(bytes, 6), rows->bits);
}

VBMI_LINE uint64_t find_vbmi(const rows_vbmi *rows, const uint8_t *text) {
    const __m512i bytes = _mm512_loadu_si512(text);
    return _mm512_test_epi8_mask(row_vbmi(rows, bytes), bit_vbmi(rows, bytes));
}

VBMI_LINE bool is_in_two_vbmi(const rows_vbmi *rows, const uint8_t *text) {
    return (find_vbmi(rows, text) | find_vbmi(rows, text + sizeof(__m512i))) != 0;
}

#define NAME(base) base##_vbmi
#define TARGET TRAWL_TARGET_AVX512_VBMI
#define VECTOR sizeof(__m512i)
#define SHIFT 0
#include "base/byte_set_template.h"

#define NAME(base) base##_avx2
#define TARGET TRAWL_TARGET_AVX2
#define VECTOR sizeof(__m256i)
#define SHIFT 0
#include "base/byte_set_template.h"
#endif

#if TRAWL_HAVE_NEON
typedef struct rows_neon {
    uint8x16_t low, high, bits;
} rows_neon;

static inline rows_neon load_neon(const trawl_byte_set *set) {
    return (rows_neon){.low = vld1q_u8(set->rows[0]),
                       .high = vld1q_u8(set->rows[1]),
                       .bits = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)))};
}

/* As look_up_avx2: a table look-up gives 0 for an index above 15. */
static inline uint8x16_t look_up_neon(const rows_neon *rows, const uint8_t *text) {
    const uint8x16_t bytes = vld1q_u8(text), kept = vdupq_n_u8(0x8f);
    const uint8x16_t flipped = veorq_u8(bytes, vdupq_n_u8(0x80));
    const uint8x16_t high = vandq_u8(vshrq_n_u8(bytes, 4), vdupq_n_u8(7));
    const uint8x16_t row = vorrq_u8(vqtbl1q_u8(rows->low, vandq_u8(bytes, kept)),
                                    vqtbl1q_u8(rows->high, vandq_u8(flipped, kept)));
    return vtstq_u8(row, vqtbl1q_u8(rows->bits, high));
}

/* Four bits for each byte: of each pair of bytes a shift keeps the middle eight bits. */
static inline uint64_t find_neon(const rows_neon *rows, const uint8_t *text) {
    const uint8x8_t found = vshrn_n_u16(vreinterpretq_u16_u8(look_up_neon(rows, text)), 4);
    return vget_lane_u64(vreinterpret_u64_u8(found), 0);
}

static inline bool is_in_two_neon(const rows_neon *rows, const uint8_t *text) {
    return vmaxvq_u8(vorrq_u8(look_up_neon(rows, text),
                              look_up_neon(rows, text + sizeof(uint8x16_t)))) != 0;
}

#define NAME(base) base##_neon
#define TARGET
#define VECTOR sizeof(uint8x16_t)
#define SHIFT 2
#include "base/byte_set_template.h"
#endif

/* ------------------------------------------------------------------ choice */

trawl_byte_finder trawl_byte_finder_for(const trawl_byte_set *set, trawl_cpu_set cpu) {
    trawl_byte_finder finder = {.first = first_scalar, .last = last_scalar, .set = *set};
    if (trawl_byte_set_count(set) == 1) {
        finder.byte = trawl_byte_set_smallest(set);
        finder.first = first_of_one;
        finder.last = last_of_one;
        return finder;
    }
#if TRAWL_HAVE_X86
    if (trawl_cpu_includes(cpu, TRAWL_CPU_AVX2)) {
        finder.first = first_avx2;
        finder.last = last_avx2;
    }
    if (trawl_cpu_includes(cpu, TRAWL_CPU_AVX512_VBMI)) {
        finder.first = first_vbmi;
        finder.last = last_vbmi;
    }
#endif
#if TRAWL_HAVE_NEON
    if (trawl_cpu_includes(cpu, TRAWL_CPU_NEON)) {
        finder.first = first_neon;
        finder.last = last_neon;
    }
#endif
    (void)cpu;
    return finder;
}
