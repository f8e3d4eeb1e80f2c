/* The loops over samples for each instruction set: plain C, for which AVX2 brings shifts by a
 * variable that leave the flags and the other registers alone (BMI2), and AVX-512 tests of eight
 * samples at a time. */
#include "cpu/qgram_tier.h"

#if TRAWL_HAVE_X86
#include <immintrin.h>
#endif

/* How far ahead text is asked for: hardware stops at the end of a page, and from outside the caches
 * a filter reads faster than it would be brought. */
#define AHEAD 2048

#define LOOPS trawl_qgram_loops_scalar
#define NAME(base) base##_scalar
#define TARGET
#include "cpu/qgram_template.h"

#if TRAWL_HAVE_X86

#define LOOPS trawl_qgram_loops_avx2
#define NAME(base) base##_avx2
#define TARGET TRAWL_TARGET_AVX2
#include "cpu/qgram_template.h"

/* A group of samples, up to eight bytes each, from one load of 64 bytes: the samples' bytes brought
 * together by one permutation (VBMI), eight products, eight rows gathered. */
#define TARGET_VBMI                                                                                \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx2,bmi,bmi2,popcnt")))

TARGET_VBMI static size_t groups_vbmi(const trawl_qgram_filter *filter,
                                      const trawl_qgram_grid *grid, size_t groups,
                                      uint32_t *noted) {
    size_t stride = grid->stride, step = TRAWL_QGRAM_GROUP * stride;
    /* The last samples of a group must be in its 64 bytes, and those in the text: behind the last
     * groups it may end. */
    size_t last = 64 / step + 1;
    if (filter->gram > 8 || 7 * stride + 8 > 64 || groups <= last) {
        return trawl_qgram_loops_avx2.groups(filter, grid, groups, noted);
    }
    uint8_t order[64];
    for (unsigned i = 0; i < 64; i++) {
        order[i] = (uint8_t)(i / 8 * stride + i % 8);
    }
    const __m512i permutation = _mm512_loadu_si512(order);
    const __m512i multiplier = _mm512_set1_epi64((long long)filter->multiplier);
    const __m512i case_bits = _mm512_set1_epi64((long long)filter->case_bits);
    const __m128i shift = _mm_cvtsi32_si128((int)filter->shift);
    const __m256i lowest = _mm256_set1_epi32(1);
    const __m512i bit = _mm512_set1_epi64(31);
    const uint32_t *rows = filter->rows;
    const uint8_t *sample = grid->text + grid->from;
    uint32_t position = (uint32_t)grid->from;
    uint32_t *next = noted;
    for (size_t i = last; i < groups; i++) {
        __builtin_prefetch((const void *)((uintptr_t)sample + AHEAD));
        __m512i number = _mm512_permutexvar_epi8(permutation, _mm512_loadu_si512(sample));
        number = _mm512_or_si512(number, case_bits);
        __m512i row = _mm512_srl_epi64(_mm512_mullo_epi64(number, multiplier), shift);
        __m256i found = _mm512_i64gather_epi32(row, rows, 4);
        __m256i by = _mm512_cvtepi64_epi32(_mm512_and_si512(number, bit));
        *next = position;
        next += _mm256_testz_si256(_mm256_srlv_epi32(found, by), lowest) == 0;
        sample += step;
        position += (uint32_t)step;
    }
    trawl_qgram_grid rest = *grid;
    rest.from = position;
    size_t found = (size_t)(next - noted);
    return found + trawl_qgram_loops_avx2.groups(filter, &rest, last, next);
}

#define LOOPS trawl_qgram_loops_vbmi
#define NAME(base) base##_vbmi
#define TARGET TARGET_VBMI
#define GROUPS groups_vbmi
#include "cpu/qgram_template.h"

#endif

const trawl_qgram_loops *trawl_qgram_loops_for(trawl_cpu_set set) {
#if TRAWL_HAVE_X86
    if (set == TRAWL_CPU_AVX512 && __builtin_cpu_supports("avx512vbmi")) {
        return &trawl_qgram_loops_vbmi;
    }
    return set == TRAWL_CPU_SCALAR ? &trawl_qgram_loops_scalar : &trawl_qgram_loops_avx2;
#else
    (void)set;
    return &trawl_qgram_loops_scalar;
#endif
}
