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

/* Samples whose marks are read together. */
#define AT_ONCE 64

/* Of a word of MARKS that was read: the sample is a run of one byte. */
#define MARK_RUN (1u << 31)

/* The end of a candidate, of a block and a stride at most. */
#define CANDIDATE_BITS 15
#define CANDIDATE_END ((1u << CANDIDATE_BITS) - 1)

/* 2 * marks + the bit of that number (modulo 32) in a row. Compilers do not find the two
 * instructions by which x86 does it. */
static inline uint32_t append_bit(uint32_t marks, uint32_t row, uint32_t number) {
#if TRAWL_HAVE_X86
    __asm__("btl %2, %1\n\tadcl %0, %0" : "+r"(marks) : "r"(row), "r"(number) : "cc");
    return marks;
#else
    return 2 * marks + (row >> (number & 31) & 1);
#endif
}

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
 * together by one permutation (VBMI), eight products, eight rows gathered; the positions of those
 * that pass are moved together and written at once. */
#define TARGET_VBMI                                                                                \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx2,bmi,bmi2,popcnt")))

TARGET_VBMI static size_t samples_vbmi(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                       const trawl_qgram_grid *grid, size_t count, uint32_t *groups,
                                       uint32_t *noted) {
    size_t stride = grid->stride, step = TRAWL_QGRAM_GROUP * stride;
    /* The last samples of a group must be in its 64 bytes, and those in the text: behind the last
     * groups it may end. */
    size_t last = 64 / step + 1;
    if (filter->gram > 8 || 7 * stride + 8 > 64 || count / TRAWL_QGRAM_GROUP <= last) {
        return trawl_qgram_loops_avx2.samples(filter, run, grid, count, groups, noted);
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
    const __m256i next_step = _mm256_set1_epi32((int)step);
    __m256i positions =
        _mm256_add_epi32(_mm256_set1_epi32((int)grid->from),
                         _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                            _mm256_set1_epi32((int)stride)));
    const uint32_t *rows = filter->rows;
    const uint8_t *sample = grid->text + grid->from;
    uint32_t *next = noted;
    size_t whole = count / TRAWL_QGRAM_GROUP - last;
    for (size_t i = 0; i < whole; i++) {
        __builtin_prefetch((const void *)((uintptr_t)sample + AHEAD));
        __m512i number = _mm512_permutexvar_epi8(permutation, _mm512_loadu_si512(sample));
        number = _mm512_or_si512(number, case_bits);
        __m512i row = _mm512_srl_epi64(_mm512_mullo_epi64(number, multiplier), shift);
        __m256i found = _mm512_i64gather_epi32(row, rows, 4);
        __m256i by = _mm512_cvtepi64_epi32(_mm512_and_si512(number, bit));
        __mmask8 pass = _mm256_test_epi32_mask(_mm256_srlv_epi32(found, by), lowest);
        if (pass == 0xff &&
            trawl_qgram_group_is_barren(filter, run, grid, (size_t)(sample - grid->text))) {
            pass = 0;
        }
        _mm256_storeu_si256((__m256i *)next, _mm256_maskz_compress_epi32(pass, positions));
        next += __builtin_popcount(pass);
        positions = _mm256_add_epi32(positions, next_step);
        sample += step;
    }
    trawl_qgram_grid rest = *grid;
    rest.from += whole * step;
    return (size_t)(next - noted) +
           trawl_qgram_loops_avx2.samples(filter, run, &rest, count - whole * TRAWL_QGRAM_GROUP,
                                          groups, next);
}

#define LOOPS trawl_qgram_loops_vbmi
#define NAME(base) base##_vbmi
#define TARGET TARGET_VBMI
#define SAMPLES samples_vbmi
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
