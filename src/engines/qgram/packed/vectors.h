/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The steps of packed tiers that are written for each instruction set. The rest is
 * engines/qgram/packed/template.h.
 *
 * pack64 packs text[0 .. 64) into 16 bytes. If `codes` is not NULL, it writes the codes as bytes: 0
 * to 3, anything for a byte outside the alphabet. Returns a bit for each byte: it is a letter.
 *
 * select64 tests 64 positions by the rows of their 32 pairs (engines/qgram/packed/format.h). Bit 2k
 * of its result is bit before[2k] of row k; bit 2k + 1 is bit 4 + here[2k + 1] of row k.
 *
 * field returns `bits` (at most 18) bits of a word from bit `from` on.
 *
 * lowest returns the index of the lowest bit set in a word, and any number for 0.
 */
#ifndef TRAWL_ENGINES_QGRAM_PACKED_VECTORS_H
#define TRAWL_ENGINES_QGRAM_PACKED_VECTORS_H

#include "engines/qgram/packed/scan.h"

static inline __attribute__((always_inline)) uint64_t
pack64_scalar(const trawl_packed_filter *filter, const uint8_t *text, uint8_t *packed,
              uint8_t *codes) {
    uint64_t letters = 0;
    for (unsigned i = 0; i < 16; i++) {
        const uint8_t *from = text + (size_t)4 * i;
        uint32_t together = 0; /* four codes of two bits, and above them the third bit of each */
        for (unsigned k = 0; k < 4; k++) {
            uint32_t code = filter->code[from[k]];
            together |= (code & 3) << (2 * k) | (code >> 2) << (8 + k);
            if (codes != NULL) {
                codes[4 * i + k] = code & 3;
            }
        }
        packed[i] = (uint8_t)together;
        letters |= (uint64_t)(~together >> 8 & 15) << (4 * i);
    }
    return letters;
}

static inline __attribute__((always_inline)) uint64_t
select64_scalar(const uint8_t *rows, const uint8_t *before, const uint8_t *here) {
    uint64_t hits = 0;
    for (unsigned i = 0; i < 64; i += 2) {
        uint32_t row = rows[i / 2];
        uint64_t pair = (row >> before[i] & 1) | (row >> (4 + here[i + 1]) & 1) << 1;
        hits |= pair << i;
    }
    return hits;
}

static inline __attribute__((always_inline)) uint64_t field_scalar(uint64_t word, unsigned from,
                                                                   uint32_t bits) {
    return word >> from & ((UINT64_C(1) << bits) - 1);
}

static inline __attribute__((always_inline)) uint32_t lowest_scalar(uint64_t word) {
    return (uint32_t)__builtin_ctzll(word | UINT64_C(1) << 63);
}

#if TRAWL_HAVE_X86
#include <immintrin.h>

/* Four bytes as a word that, repeated, is a table for byte shuffles. */
static inline int trawl_packed_table(const uint8_t *bytes) {
    int word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The codes of 32 bytes; bit i of *letters: byte i is a letter. */
TRAWL_TARGET_AVX2 static inline __attribute__((always_inline)) __m256i
codes32_avx2(const trawl_packed_filter *filter, const uint8_t *text, uint32_t *letters) {
    const trawl_packed_letters *set = &filter->letters;
    __m256i bytes = _mm256_loadu_si256((const __m256i *)text);
    __m256i index = _mm256_and_si256(_mm256_srl_epi16(bytes, _mm_cvtsi32_si128((int)set->shift)),
                                     _mm256_set1_epi8(3));
    __m256i folds = _mm256_shuffle_epi8(_mm256_set1_epi32(trawl_packed_table(set->fold)), index);
    __m256i wanted = _mm256_shuffle_epi8(_mm256_set1_epi32(trawl_packed_table(set->letter)), index);
    __m256i equal = _mm256_cmpeq_epi8(_mm256_or_si256(bytes, folds), wanted);
    *letters = (uint32_t)_mm256_movemask_epi8(equal);
    return _mm256_shuffle_epi8(_mm256_set1_epi32(trawl_packed_table(set->code)), index);
}

/* Joins the four codes of each 32-bit word into its lowest byte: the multipliers 1, 4 and 1, 16
 * move each code by two bits. */
TRAWL_TARGET_AVX2 static inline __attribute__((always_inline)) __m256i join_avx2(__m256i codes) {
    __m256i twos = _mm256_maddubs_epi16(codes, _mm256_set1_epi16(0x0401));
    return _mm256_madd_epi16(twos, _mm256_set1_epi32(0x00100001));
}

TRAWL_TARGET_AVX2 static inline __attribute__((always_inline)) uint64_t
pack64_avx2(const trawl_packed_filter *filter, const uint8_t *text, uint8_t *packed,
            uint8_t *codes) {
    uint32_t low_letters, high_letters;
    __m256i low = codes32_avx2(filter, text, &low_letters);
    __m256i high = codes32_avx2(filter, text + 32, &high_letters);
    if (codes != NULL) {
        _mm256_storeu_si256((__m256i *)codes, low);
        _mm256_storeu_si256((__m256i *)(codes + 32), high);
    }
    /* packus works within halves of 128 bits; the permutation puts the quarters in order. */
    __m256i words = _mm256_packus_epi32(join_avx2(low), join_avx2(high));
    __m256i bytes = _mm256_packus_epi16(words, words);
    bytes = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 0, 4, 1, 5));
    _mm_storeu_si128((__m128i *)packed, _mm256_castsi256_si128(bytes));
    return low_letters | (uint64_t)high_letters << 32;
}

TRAWL_TARGET_AVX2 static inline __attribute__((always_inline)) uint32_t
select32_avx2(const uint8_t *rows, const uint8_t *before, const uint8_t *here) {
    const __m256i odd = _mm256_set1_epi16((short)0xff00);
    __m256i codes = _mm256_blendv_epi8(_mm256_loadu_si256((const __m256i *)before),
                                       _mm256_loadu_si256((const __m256i *)here), odd);
    /* Byte shuffles select the bit of the row: odd positions use the bits 4 to 7. */
    codes = _mm256_or_si256(codes, _mm256_set1_epi16(0x0400));
    __m256i bits =
        _mm256_shuffle_epi8(_mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201)), codes);
    __m256i pairs = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)rows));
    pairs = _mm256_or_si256(pairs, _mm256_slli_epi16(pairs, 8));
    __m256i missed = _mm256_cmpeq_epi8(_mm256_and_si256(pairs, bits), _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_epi8(missed);
}

TRAWL_TARGET_AVX2 static inline __attribute__((always_inline)) uint64_t
select64_avx2(const uint8_t *rows, const uint8_t *before, const uint8_t *here) {
    return select32_avx2(rows, before, here) |
           (uint64_t)select32_avx2(rows + 16, before + 32, here + 32) << 32;
}

TRAWL_TARGET_AVX2 static inline __attribute__((always_inline)) uint64_t
field_avx2(uint64_t word, unsigned from, uint32_t bits) {
    return __bextr_u64(word, from | bits << 8);
}

TRAWL_TARGET_AVX2 static inline __attribute__((always_inline)) uint32_t lowest_avx2(uint64_t word) {
    return (uint32_t)_tzcnt_u64(word);
}

TRAWL_TARGET_AVX512 static inline __attribute__((always_inline)) uint32_t
lowest_avx512(uint64_t word) {
    return (uint32_t)_tzcnt_u64(word);
}

TRAWL_TARGET_AVX512 static inline __attribute__((always_inline)) uint64_t
field_avx512(uint64_t word, unsigned from, uint32_t bits) {
    return __bextr_u64(word, from | bits << 8);
}

TRAWL_TARGET_AVX512 static inline __attribute__((always_inline)) uint64_t
pack64_avx512(const trawl_packed_filter *filter, const uint8_t *text, uint8_t *packed,
              uint8_t *codes) {
    const trawl_packed_letters *set = &filter->letters;
    __m512i bytes = _mm512_loadu_si512(text);
    __m512i index = _mm512_and_si512(_mm512_srl_epi16(bytes, _mm_cvtsi32_si128((int)set->shift)),
                                     _mm512_set1_epi8(3));
    __m512i folds = _mm512_shuffle_epi8(_mm512_set1_epi32(trawl_packed_table(set->fold)), index);
    __m512i wanted = _mm512_shuffle_epi8(_mm512_set1_epi32(trawl_packed_table(set->letter)), index);
    __m512i letters = _mm512_shuffle_epi8(_mm512_set1_epi32(trawl_packed_table(set->code)), index);
    if (codes != NULL) {
        _mm512_storeu_si512(codes, letters);
    }
    __m512i twos = _mm512_maddubs_epi16(letters, _mm512_set1_epi16(0x0401));
    __m512i fours = _mm512_madd_epi16(twos, _mm512_set1_epi32(0x00100001));
    _mm_storeu_si128((__m128i *)packed, _mm512_cvtepi32_epi8(fours));
    return _mm512_cmpeq_epi8_mask(_mm512_or_si512(bytes, folds), wanted);
}

TRAWL_TARGET_AVX512 static inline __attribute__((always_inline)) uint64_t
select64_avx512(const uint8_t *rows, const uint8_t *before, const uint8_t *here) {
    __m512i codes = _mm512_mask_blend_epi8(UINT64_C(0xaaaaaaaaaaaaaaaa), _mm512_loadu_si512(before),
                                           _mm512_loadu_si512(here));
    codes = _mm512_or_si512(codes, _mm512_set1_epi16(0x0400));
    __m512i bits =
        _mm512_shuffle_epi8(_mm512_set1_epi64((long long)UINT64_C(0x8040201008040201)), codes);
    __m512i pairs = _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)rows));
    pairs = _mm512_or_si512(pairs, _mm512_slli_epi16(pairs, 8));
    return _mm512_test_epi8_mask(pairs, bits);
}
#endif

#if TRAWL_HAVE_NEON
#include <arm_neon.h>

static inline __attribute__((always_inline)) uint8x16_t table_neon(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return vreinterpretq_u8_u32(vdupq_n_u32(word));
}

/* Nibbles of one bit for each of four positions become one word with a bit for each position. */
static inline __attribute__((always_inline)) uint64_t join_nibbles_neon(uint8x16_t nibbles) {
    uint16x8_t pairs = vreinterpretq_u16_u8(nibbles);
    uint8x8_t joined = vmovn_u16(vorrq_u16(pairs, vshrq_n_u16(pairs, 4)));
    return vget_lane_u64(vreinterpret_u64_u8(joined), 0);
}

static inline __attribute__((always_inline)) uint64_t pack64_neon(const trawl_packed_filter *filter,
                                                                  const uint8_t *text,
                                                                  uint8_t *packed, uint8_t *codes) {
    const trawl_packed_letters *set = &filter->letters;
    int8x16_t shift = vdupq_n_s8((int8_t) - (int)set->shift);
    /* Element i of vector k is letter 4i + k. */
    uint8x16x4_t bytes = vld4q_u8(text);
    uint8x16x4_t code, equal;
    for (int k = 0; k < 4; k++) {
        uint8x16_t index = vandq_u8(vshlq_u8(bytes.val[k], shift), vdupq_n_u8(3));
        uint8x16_t folded = vorrq_u8(bytes.val[k], vqtbl1q_u8(table_neon(set->fold), index));
        equal.val[k] = vceqq_u8(folded, vqtbl1q_u8(table_neon(set->letter), index));
        code.val[k] = vqtbl1q_u8(table_neon(set->code), index);
    }
    if (codes != NULL) {
        vst4q_u8(codes, code);
    }
    uint8x16_t low = vsliq_n_u8(code.val[0], code.val[1], 2);
    uint8x16_t high = vsliq_n_u8(code.val[2], code.val[3], 2);
    vst1q_u8(packed, vsliq_n_u8(low, high, 4));
    uint8x16_t one = vsliq_n_u8(vandq_u8(equal.val[0], vdupq_n_u8(1)), equal.val[1], 1);
    uint8x16_t two = vsliq_n_u8(vandq_u8(equal.val[2], vdupq_n_u8(1)), equal.val[3], 1);
    one = vandq_u8(one, vdupq_n_u8(3));
    two = vandq_u8(two, vdupq_n_u8(3));
    return join_nibbles_neon(vsliq_n_u8(one, two, 2));
}

static inline __attribute__((always_inline)) uint64_t field_neon(uint64_t word, unsigned from,
                                                                 uint32_t bits) {
    return field_scalar(word, from, bits);
}

static inline __attribute__((always_inline)) uint32_t lowest_neon(uint64_t word) {
    return lowest_scalar(word);
}

static inline __attribute__((always_inline)) uint64_t
select64_neon(const uint8_t *rows, const uint8_t *before, const uint8_t *here) {
    const uint8x16_t bits = vreinterpretq_u8_u64(vdupq_n_u64(UINT64_C(0x8040201008040201)));
    /* Element i of vector k is position 4i + k, which has row 2i or 2i + 1. */
    uint8x16x4_t first = vld4q_u8(before), last = vld4q_u8(here);
    uint8x16x2_t row = vld2q_u8(rows);
    uint8x16_t four = vdupq_n_u8(4), one = vdupq_n_u8(1);
    uint8x16_t hit0 = vtstq_u8(row.val[0], vqtbl1q_u8(bits, first.val[0]));
    uint8x16_t hit1 = vtstq_u8(row.val[0], vqtbl1q_u8(bits, vorrq_u8(last.val[1], four)));
    uint8x16_t hit2 = vtstq_u8(row.val[1], vqtbl1q_u8(bits, first.val[2]));
    uint8x16_t hit3 = vtstq_u8(row.val[1], vqtbl1q_u8(bits, vorrq_u8(last.val[3], four)));
    uint8x16_t low = vandq_u8(vsliq_n_u8(vandq_u8(hit0, one), hit1, 1), vdupq_n_u8(3));
    uint8x16_t high = vandq_u8(vsliq_n_u8(vandq_u8(hit2, one), hit3, 1), vdupq_n_u8(3));
    return join_nibbles_neon(vsliq_n_u8(low, high, 2));
}
#endif

#endif
