/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "engines/qgram/packed/dense.h"

#include <string.h>

#include "base/allocate.h"
#include "constants/cpu.h"
#include "engines/qgram/tier.h"

/* Letters of a window, at most: its number (16 bits) and its place are in one word of 32 bits. */
#define MAX_LETTERS 8u

#if TRAWL_HAVE_X86
#include <immintrin.h>

#define NUMBERS ((size_t)1 << (2 * MAX_LETTERS))
#define AT_ONCE 16u /* windows and records: words of 32 bits in a vector */

static bool make_table(trawl_packed_dense *dense, const trawl_packed_filter *filter) {
    dense->ids = trawl_allocate_zeroed(NUMBERS, sizeof *dense->ids);
    if (dense->ids == NULL) {
        return false;
    }
    uint32_t words = trawl_packed_words(filter->gram), key = 0;
    for (uint32_t word = 0; word < words; word++) {
        for (uint64_t bits = filter->number_bits[word]; bits != 0; bits &= bits - 1) {
            dense->ids[64 * word + (uint32_t)__builtin_ctzll(bits)] = filter->number_ids[key++];
        }
    }
    return true;
}

void trawl_packed_dense_reserve(trawl_tier_walker *walker) {
    trawl_packed_dense *dense = &walker->dense_packed;
    if (dense->wanted && dense->ids == NULL) {
        dense->wanted = make_table(dense, &walker->packed);
    }
}

bool trawl_packed_is_dense(trawl_tier_walker *walker, const trawl_packed_block *block,
                           size_t found) {
    trawl_packed_dense *dense = &walker->dense_packed;
    if (!dense->wanted || found < (size_t)TRAWL_PACKED_DENSE_MATCHES * block->units) {
        return false;
    }
    dense->found += found;
    if (dense->ids == NULL && dense->found > walker->search.view.outputs.keys) {
        dense->wanted = make_table(dense, &walker->packed);
    }
    return dense->ids != NULL;
}

/* Lists the windows that match, with 16 zeros behind them; returns their number:
 *
 *   31             16 15            0
 *   | first letter   | number        |    of the window
 */
TRAWL_TARGET_AVX512 static size_t list_hits(const trawl_packed_block *block, uint32_t gram,
                                            uint32_t *list) {
    /* The first of 16 windows begins with letter `from` of a byte, the last one with letter 3 of
     * the fifth byte at most: a load of eight bytes has all of them. */
    uint32_t from = (1 - gram) & 3;
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i letters = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)from));
    const __m512i bytes = _mm512_add_epi32(
        _mm512_mullo_epi32(_mm512_srli_epi32(letters, 2), _mm512_set1_epi32(0x01010101)),
        _mm512_set1_epi32(0x03020100));
    const __m512i shifts = _mm512_slli_epi32(_mm512_and_si512(letters, _mm512_set1_epi32(3)), 1);
    const __m512i mask = _mm512_set1_epi32((int)trawl_packed_mask(gram));
    const __m512i next_windows = _mm512_set1_epi32((int)(AT_ONCE << 16));
    uint32_t first = 64 + 1 - gram;
    __m512i places = _mm512_slli_epi32(_mm512_add_epi32(lanes, _mm512_set1_epi32((int)first)), 16);
    const uint8_t *packed = block->letters + (first >> 2);
    uint32_t *next = list;
    for (uint32_t unit = 1; unit < block->units; unit++) {
        uint64_t hits = block->hits[unit];
#pragma GCC unroll 4
        for (unsigned part = 0; part < 4; part++) {
            uint64_t word;
            memcpy(&word, packed, sizeof word);
            __m512i numbers = _mm512_srlv_epi32(
                _mm512_shuffle_epi8(_mm512_set1_epi64((long long)word), bytes), shifts);
            /* ternary logic: (numbers & mask) | places */
            numbers = _mm512_ternarylogic_epi32(numbers, mask, places, 0xea);
            _mm512_storeu_si512(next, _mm512_maskz_compress_epi32((__mmask16)hits, numbers));
            next += __builtin_popcount((uint32_t)hits & 0xffff);
            places = _mm512_add_epi32(places, next_windows);
            hits >>= AT_ONCE;
            packed += AT_ONCE / 4;
        }
    }
    _mm512_storeu_si512(next, _mm512_setzero_si512());
    return (size_t)(next - list);
}

/* What records are made from: the list of list_hits, and what all records have in common. */
typedef struct record_source {
    const uint32_t *list;
    const uint32_t *ids;
    uint64_t base;
    uint32_t gram;
} record_source;

/* How 16 records of three words are written as six vectors of eight words:
 *
 *   record   0                      1                      2
 *   words    start  end  pattern    start  end  pattern    start  end | ...
 *   vector   '----------------------- 0 ------------------------------' 1 ...
 */
typedef struct record_layout {
    __m512i words[6]; /* indices of 32-bit words: 0 to 15 the list's places, 16 to 31 patterns */
    __m512i added[3]; /* what is added to vectors 0, 1, 2, and again to 3, 4, 5 */
} record_layout;

TRAWL_TARGET_AVX512 static inline __attribute__((always_inline)) void
lay_out_records(const record_source *source, record_layout *layout) {
    for (unsigned i = 0; i < 6; i++) {
        uint64_t words[8], added[8];
        for (unsigned k = 0; k < 8; k++) {
            unsigned record = (8 * i + k) / 3, field = (8 * i + k) % 3; /* start, end, pattern */
            words[k] = record + (field == 2 ? AT_ONCE : 0);
            added[k] = field == 2 ? 0 : source->base + (field == 1 ? source->gram : 0);
        }
        layout->words[i] = _mm512_loadu_si512(words);
        if (i < 3) {
            layout->added[i] = _mm512_loadu_si512(added);
        }
    }
}

/* Writes 16 records. `far`: with stores that bypass the caches; `to` begins a cache line then. */
TRAWL_TARGET_AVX512 static inline __attribute__((always_inline)) void
write_records(const record_layout *layout, const uint32_t *list, const uint32_t *ids, bool far,
              trawl_match *to) {
    __m512i listed = _mm512_loadu_si512(list);
    __m512i numbers = _mm512_and_si512(listed, _mm512_set1_epi32(0xffff));
    __m512i patterns = _mm512_i32gather_epi32(numbers, ids, sizeof *ids);
    __m512i places = _mm512_srli_epi32(listed, 16);
#pragma GCC unroll 6
    for (unsigned i = 0; i < 6; i++) {
        /* 0x5555: the upper half of each word of 64 bits becomes 0. */
        __m512i fields =
            _mm512_maskz_permutex2var_epi32(0x5555, places, layout->words[i], patterns);
        fields = _mm512_add_epi64(fields, layout->added[i % 3]);
        if (far) {
            _mm512_stream_si512((__m512i *)to + i, fields);
        } else {
            _mm512_storeu_si512((__m512i *)to + i, fields);
        }
    }
}

/* Writes `count` records to `to`, where there is room for `room` of them, `count` or more. */
TRAWL_TARGET_AVX512 static void write_all(const record_source *source, size_t count, bool far,
                                          trawl_match *to, size_t room) {
    record_layout layout;
    trawl_match some[AT_ONCE];
    const uint32_t *list = source->list, *ids = source->ids;
    lay_out_records(source, &layout);
    size_t done = 0;
    if (far) {
        /* Records have 24 bytes, so that one of the first eight begins a cache line. The product
         * with 5 is its number: 3 * 5 = 15, which is -1 modulo 8. */
        size_t before = (uintptr_t)to / 8 % 8 * 5 % 8;
        before = before < count ? before : count;
        write_records(&layout, list, ids, false, some);
        memcpy(to, some, before * sizeof *some);
        for (done = before; count - done >= AT_ONCE; done += AT_ONCE) {
            write_records(&layout, list + done, ids, true, to + done);
        }
    }
    for (; done < count && room - done >= AT_ONCE; done += AT_ONCE) {
        write_records(&layout, list + done, ids, false, to + done);
    }
    if (done < count) {
        write_records(&layout, list + done, ids, false, some);
        memcpy(to + done, some, (count - done) * sizeof *some);
    }
}

trawl_status trawl_packed_report_dense(const trawl_tier_walker *walker,
                                       const trawl_packed_block *block, uint64_t base,
                                       const trawl_qgram_lists *lists, trawl_sink *sink) {
    uint32_t gram = walker->packed.gram;
    size_t count = list_hits(block, gram, lists->ends);
    for (size_t done = 0; done < count;) {
        trawl_status status = trawl_sink_make_room(sink);
        if (status != TRAWL_OK) {
            return status;
        }
        size_t room = sink->capacity - sink->count;
        size_t some = count - done < room ? count - done : room;
        const record_source source = {.list = lists->ends + done,
                                      .ids = walker->dense_packed.ids,
                                      .base = base,
                                      .gram = gram};
        write_all(&source, some, trawl_sink_is_far(sink), sink->matches + sink->count, room);
        sink->count += some;
        done += some;
    }
    return TRAWL_OK;
}

void trawl_packed_dense_flush(const trawl_sink *sink) {
    if (trawl_sink_is_far(sink)) {
        _mm_sfence();
    }
}

#else
/* Without x86 vectors no tier is reported by this file. */
bool trawl_packed_is_dense(trawl_tier_walker *walker, const trawl_packed_block *block,
                           size_t found) {
    (void)walker, (void)block, (void)found;
    return false;
}

trawl_status trawl_packed_report_dense(const trawl_tier_walker *walker,
                                       const trawl_packed_block *block, uint64_t base,
                                       const trawl_qgram_lists *lists, trawl_sink *sink) {
    (void)walker, (void)block, (void)base, (void)lists, (void)sink;
    return TRAWL_OK;
}

void trawl_packed_dense_flush(const trawl_sink *sink) {
    (void)sink;
}

void trawl_packed_dense_reserve(trawl_tier_walker *walker) {
    (void)walker;
}
#endif

bool trawl_packed_may_be_dense(const trawl_packed_filter *filter, trawl_cpu_set set) {
    return trawl_cpu_includes(set, TRAWL_CPU_AVX512) && filter->one_match &&
           filter->gram <= MAX_LETTERS;
}

void trawl_packed_dense_release(trawl_packed_dense *dense) {
    trawl_release(dense->ids);
}
