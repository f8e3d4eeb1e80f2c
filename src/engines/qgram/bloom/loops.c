/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* The loops over samples for each instruction set:
 * - plain C;
 * - the same C for AVX2: BMI2 has shifts by a variable that leave flags and other registers alone;
 * - AVX-512 VBMI: eight or sixteen samples at a time. */
#include "constants/cpu.h"
#include "engines/qgram/tier.h"
#include "engines/qgram/verify/text_runs.h"

#if TRAWL_HAVE_X86
#include <immintrin.h>
#endif

/* Samples that are tested before any of them is listed (one word of bits). And entries that are
 * written for each word without a branch: most words with candidates have no more. Chosen, not
 * measured against other numbers. */
#define WORD_SAMPLES 32u
#define SPARE_SAMPLES 3u

/* Candidates whose end offsets are read together: 2.7 to 3.5 GB/s for rare-10000
 * (docs/notebook/2026-11-sample-filter.md). */
#define AT_ONCE TRAWL_QGRAM_AT_ONCE

/* Bits of the distance between the end of the first candidate and a possible end: enough for
 * TRAWL_QGRAM_BLOCK and the ends behind the block. */
#define DISTANCE_BITS 15
#define DISTANCE_MASK ((1u << DISTANCE_BITS) - 1)

/* How a sample's row is found: by its fields, or by a product of up to eight bytes or of more. */
typedef enum trawl_qgram_number_kind {
    TRAWL_QGRAM_EXTRACTED,
    TRAWL_QGRAM_NARROW,
    TRAWL_QGRAM_WIDE
} trawl_qgram_number_kind;

/* Which bytes of a sample are folded, so that each loop has only the instructions for its own way
 * (trawl_qgram_sample_fold). */
typedef enum trawl_qgram_folding { FOLD_NONE, FOLD_LETTERS, FOLD_ALL } trawl_qgram_folding;

/* Appends a bit: returns 2 * bits + (bit `number` modulo 32 of `row`). Compilers do not find these
 * two instructions of x86. */
static inline uint32_t append_bit(uint32_t bits, uint32_t row, uint32_t number) {
#if TRAWL_HAVE_X86
    __asm__("btl %2, %1\n\tadcl %0, %0" : "+r"(bits) : "r"(row), "r"(number) : "cc");
    return bits;
#else
    return 2 * bits + (row >> (number & 31) & 1);
#endif
}

static inline __attribute__((always_inline)) uint64_t
extract_row_scalar(uint64_t number, const trawl_qgram_filter *filter) {
    return trawl_qgram_extract(number, filter->fields) >> TRAWL_QGRAM_ROW_BIT;
}

#define LOOPS trawl_qgram_loops_scalar
#define NAME(base) base##_scalar
#define TARGET
#include "engines/qgram/bloom/template.h"

#if TRAWL_HAVE_X86

TRAWL_TARGET_AVX2 static inline __attribute__((always_inline)) uint64_t
extract_row_avx2(uint64_t number, const trawl_qgram_filter *filter) {
    return _pext_u64(number, filter->row_mask);
}

#define LOOPS trawl_qgram_loops_avx2
#define NAME(base) base##_avx2
#define TARGET TRAWL_TARGET_AVX2
#include "engines/qgram/bloom/template.h"

/* Several samples at a time. One permutation (VBMI) collects their bytes; their rows are computed
 * and gathered together; the positions of candidates are compressed and written:
 *
 *   text    [0 ... stride ... 2 * stride ...]      64 or 128 bytes from the first sample on
 *   lanes   [sample 0 | sample 1 | sample 2 ...]   4 or 8 bytes each */
typedef struct vbmi_lanes {
    size_t samples, bytes; /* samples of a group; bytes that they take in the text */
    size_t step;           /* from one group to the next */
} vbmi_lanes;

static vbmi_lanes vbmi_lanes_of(const trawl_qgram_filter *filter, size_t stride) {
    unsigned width = filter->fields != 0 && filter->gram <= 4 ? 4 : 8;
    vbmi_lanes lanes = {.samples = 64 / width, .step = 64 / width * stride};
    lanes.bytes = (lanes.samples - 1) * stride + width;
    return lanes;
}

/* Byte i: which of the loaded bytes becomes byte i of sixteen lanes of 4 bytes. */
TRAWL_TARGET_AVX512_VBMI static inline __m512i vbmi_order_of_sixteen(size_t stride) {
    const __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_add_epi32(_mm512_mullo_epi32(number, _mm512_set1_epi32((int)stride * 0x01010101)),
                            _mm512_set1_epi32(0x03020100));
}

/* The same for eight lanes of 8 bytes. */
TRAWL_TARGET_AVX512_VBMI static inline __m512i vbmi_order_of_eight(size_t stride) {
    const __m512i number = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm512_add_epi64(
        _mm512_mullo_epi64(number, _mm512_set1_epi64((long long)stride * 0x0101010101010101)),
        _mm512_set1_epi64(0x0706050403020100));
}

/* Puts the fields of numbers side by side, as PEXT does: each byte's field is multiplied by the
 * power of two that moves it behind the field before it, and neighbours are added up, first bytes,
 * then words of 16 bits (w0: the width of field f0, and so on):
 *
 *   bytes   f0        f1        f2        f3
 *   words   f0 + f1 << w0       f2 + f3 << w2
 *   number  f0 + f1 << w0 + f2 << (w0 + w1) + f3 << (w0 + w1 + w2) */
typedef struct vbmi_fields {
    __m512i mask, bytes, words;
    __m128i half; /* 32 - the width of the first four bytes' fields */
} vbmi_fields;

TRAWL_TARGET_AVX512_VBMI static inline vbmi_fields vbmi_fields_of(uint32_t fields) {
    uint32_t width[8], bytes[2] = {0}, words[2];
    for (unsigned i = 0; i < 8; i++) {
        width[i] = trawl_qgram_field(fields, i);
    }
    for (unsigned half = 0; half < 2; half++) {
        const uint32_t *of = width + 4 * half;
        bytes[half] = 0x00010001u | 0x100u << of[0] | 0x1000000u << of[2];
        words[half] = 1u | 0x10000u << (of[0] + of[1]);
    }
    return (vbmi_fields){
        .mask = _mm512_set1_epi64((long long)trawl_qgram_fields_mask(fields)),
        .bytes = _mm512_set1_epi64((long long)(bytes[0] | (uint64_t)bytes[1] << 32)),
        .words = _mm512_set1_epi64((long long)(words[0] | (uint64_t)words[1] << 32)),
        .half = _mm_cvtsi32_si128((int)(32 - width[0] - width[1] - width[2] - width[3])),
    };
}

TRAWL_TARGET_AVX512_VBMI static inline __attribute__((always_inline)) __m512i
vbmi_extract(const vbmi_fields *fields, __m512i numbers) {
    __m512i bytes = _mm512_and_si512(numbers, fields->mask);
    return _mm512_madd_epi16(_mm512_maddubs_epi16(fields->bytes, bytes), fields->words);
}

/* Drops the groups of eight candidates that lie in a run in which no key can end. */
TRAWL_TARGET_AVX512_VBMI static inline __attribute__((always_inline)) uint32_t
vbmi_drop_groups_in_runs(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                         const trawl_qgram_grid *grid, size_t sample, uint32_t candidates,
                         size_t samples) {
    for (size_t from = 0; from < samples && filter->runs != NULL; from += TRAWL_QGRAM_GROUP) {
        if ((candidates >> from & 0xff) == 0xff &&
            trawl_qgram_run_excludes_group(filter, run, grid, sample + from * grid->stride)) {
            candidates &= ~(0xffu << from);
        }
    }
    return candidates;
}

/* Sixteen samples of up to four bytes at a time, with fields. `wide`: these samples take more than
 * 64 bytes of text. */
TRAWL_TARGET_AVX512_VBMI static inline __attribute__((always_inline)) uint32_t *
vbmi_short(const trawl_qgram_filter *filter, trawl_qgram_run *run, const trawl_qgram_grid *grid,
           const vbmi_lanes *lanes, size_t groups, uint32_t *next, bool wide) {
    const __m512i order = vbmi_order_of_sixteen(grid->stride);
    /* A number has four bytes here, so two samples share what vbmi_fields_of takes for one number
     * of eight bytes: the same fields twice. */
    const vbmi_fields fields = vbmi_fields_of(filter->fields | filter->fields << 16);
    const __m512i bit = _mm512_set1_epi32(31), lowest = _mm512_set1_epi32(1);
    const __m512i step = _mm512_set1_epi32((int)lanes->step);
    const __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i positions =
        _mm512_add_epi32(_mm512_set1_epi32((int)grid->from),
                         _mm512_mullo_epi32(number, _mm512_set1_epi32((int)grid->stride)));
    const uint32_t *rows = filter->rows;
    const uint8_t *sample = grid->text + grid->from;
    for (size_t i = 0; i < groups; i++) {
        __builtin_prefetch((const void *)((uintptr_t)sample + TRAWL_QGRAM_PREFETCH));
        __m512i numbers = wide ? _mm512_permutex2var_epi8(_mm512_loadu_si512(sample), order,
                                                          _mm512_loadu_si512(sample + 64))
                               : _mm512_permutexvar_epi8(order, _mm512_loadu_si512(sample));
        __m512i places = vbmi_extract(&fields, numbers);
        __m512i row = _mm512_srli_epi32(places, TRAWL_QGRAM_ROW_BIT);
        __m512i found = _mm512_i32gather_epi32(row, rows, 4);
        found = _mm512_srlv_epi32(found, _mm512_and_si512(places, bit));
        uint32_t candidates = _mm512_test_epi32_mask(found, lowest);
        if (candidates == 0xffff) {
            candidates = vbmi_drop_groups_in_runs(filter, run, grid, (size_t)(sample - grid->text),
                                                  candidates, 16);
        }
        _mm512_storeu_si512(next, _mm512_maskz_compress_epi32((__mmask16)candidates, positions));
        next += __builtin_popcount(candidates);
        positions = _mm512_add_epi32(positions, step);
        sample += lanes->step;
    }
    return next;
}

/* Eight samples of up to eight bytes at a time, by fields or products. */
TRAWL_TARGET_AVX512_VBMI static inline __attribute__((always_inline)) uint32_t *
vbmi_long(const trawl_qgram_filter *filter, trawl_qgram_run *run, const trawl_qgram_grid *grid,
          const vbmi_lanes *lanes, size_t groups, uint32_t *next, bool extracts) {
    const __m512i order = vbmi_order_of_eight(grid->stride);
    const vbmi_fields fields = vbmi_fields_of(filter->fields);
    const __m512i low = _mm512_set1_epi64(0xffffffff);
    const __m512i multiplier = _mm512_set1_epi64((long long)filter->multiplier);
    const __m512i all = _mm512_set1_epi64((long long)filter->fold.all);
    const __m512i letters = _mm512_set1_epi64((long long)filter->fold.letters);
    const __m128i shift = _mm_cvtsi32_si128((int)filter->shift);
    const __m256i lowest = _mm256_set1_epi32(1);
    const __m512i bit = _mm512_set1_epi64(31);
    const __m256i step = _mm256_set1_epi32((int)lanes->step);
    __m256i positions =
        _mm256_add_epi32(_mm256_set1_epi32((int)grid->from),
                         _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                            _mm256_set1_epi32((int)grid->stride)));
    const uint32_t *rows = filter->rows;
    const uint8_t *sample = grid->text + grid->from;
    for (size_t i = 0; i < groups; i++) {
        __builtin_prefetch((const void *)((uintptr_t)sample + TRAWL_QGRAM_PREFETCH));
        __m512i number = _mm512_permutexvar_epi8(order, _mm512_loadu_si512(sample)), row;
        if (extracts) {
            __m512i halves = vbmi_extract(&fields, number);
            number =
                _mm512_or_si512(_mm512_and_si512(halves, low),
                                _mm512_srl_epi64(_mm512_andnot_si512(low, halves), fields.half));
            row = _mm512_srli_epi64(number, TRAWL_QGRAM_ROW_BIT);
        } else {
            __m512i folded = _mm512_and_si512(_mm512_srli_epi64(number, 1), letters);
            number = _mm512_or_si512(_mm512_or_si512(number, all), folded);
            row = _mm512_srl_epi64(_mm512_mullo_epi64(number, multiplier), shift);
        }
        __m256i found = _mm512_i64gather_epi32(row, rows, 4);
        __m256i by = _mm512_cvtepi64_epi32(_mm512_and_si512(number, bit));
        uint32_t candidates = _mm256_test_epi32_mask(_mm256_srlv_epi32(found, by), lowest);
        if (candidates == 0xff) {
            candidates = vbmi_drop_groups_in_runs(filter, run, grid, (size_t)(sample - grid->text),
                                                  candidates, 8);
        }
        _mm256_storeu_si256((__m256i *)next,
                            _mm256_maskz_compress_epi32((__mmask8)candidates, positions));
        next += __builtin_popcount(candidates);
        positions = _mm256_add_epi32(positions, step);
        sample += lanes->step;
    }
    return next;
}

TRAWL_TARGET_AVX512_VBMI static size_t
filter_samples_vbmi(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                    const trawl_qgram_grid *grid, size_t count, uint64_t *words, uint32_t *list) {
    const vbmi_lanes lanes = vbmi_lanes_of(filter, grid->stride);
    /* The samples of a group must be among the loaded bytes, and all loaded bytes inside the text.
     * The text may end behind the last groups: the loops for AVX2 test those. */
    size_t loaded = lanes.bytes > 64 ? 128 : 64, last = loaded / lanes.step + 1;
    if (filter->gram > 8 || lanes.bytes > (lanes.samples == 16 ? 128 : 64) ||
        count / lanes.samples <= last) {
        return trawl_qgram_loops_avx2.filter_samples(filter, run, grid, count, words, list);
    }
    size_t groups = count / lanes.samples - last;
    uint32_t *next =
        lanes.samples == 16   ? loaded == 128
                                    ? vbmi_short(filter, run, grid, &lanes, groups, list, true)
                                    : vbmi_short(filter, run, grid, &lanes, groups, list, false)
          : filter->fields != 0 ? vbmi_long(filter, run, grid, &lanes, groups, list, true)
                              : vbmi_long(filter, run, grid, &lanes, groups, list, false);
    trawl_qgram_grid rest = *grid;
    rest.from += groups * lanes.step;
    return (size_t)(next - list) +
           trawl_qgram_loops_avx2.filter_samples(filter, run, &rest, count - groups * lanes.samples,
                                                 words, next);
}

#define LOOPS trawl_qgram_loops_vbmi
#define NAME(base) base##_vbmi
#define TARGET TRAWL_TARGET_AVX512_VBMI
#define SAMPLES filter_samples_vbmi
#define LAST_SAMPLES filter_last_avx2
#include "engines/qgram/bloom/template.h"

#endif

const trawl_qgram_loops *trawl_qgram_loops_for(trawl_cpu_set set, const trawl_qgram_tier *tier) {
#if TRAWL_HAVE_X86
    if (set == TRAWL_CPU_SCALAR || (tier->fields != 0 && !trawl_cpu_extracts())) {
        return &trawl_qgram_loops_scalar; /* without PEXT or with a slow one: plain C is faster */
    }
    if (set == TRAWL_CPU_AVX512_VBMI && (trawl_cpu_gathers() || trawl_cpu_is_forced())) {
        return &trawl_qgram_loops_vbmi;
    }
    return &trawl_qgram_loops_avx2;
#else
    (void)set;
    (void)tier;
    return &trawl_qgram_loops_scalar;
#endif
}
