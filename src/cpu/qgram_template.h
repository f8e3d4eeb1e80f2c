/*
 * The loops over samples. Before including it, define
 *   LOOPS       name of the trawl_qgram_loops to define
 *   NAME(base)  a distinct name for each function
 *   TARGET      the functions' target attribute, or nothing
 *   GROUPS      only where there is a better one: the function for `groups`
 */

/* Whether the sample passes, in the lowest bit. `gram` matters only to samples of more than eight
 * bytes (wide). */
TARGET static inline __attribute__((always_inline)) uint32_t
NAME(test)(const uint32_t *rows, uint64_t multiplier, uint32_t shift, const uint8_t *sample,
           size_t gram, uint64_t case_bits, bool wide) {
    uint64_t number, last;
    memcpy(&number, sample, sizeof number);
    number |= case_bits;
    if (wide) {
        memcpy(&last, sample + gram - 8, sizeof last);
        number = trawl_qgram_mix(number, last | case_bits);
    }
    return rows[(number * multiplier) >> shift] >> (number & 31);
}

/* What the loops read again and again stands in variables of their own: the lists that they write
 * might else be taken for parts of it. */
TARGET static inline __attribute__((always_inline)) size_t
NAME(note_groups)(const trawl_qgram_filter *filter, const trawl_qgram_grid *grid, size_t groups,
                  uint32_t *restrict noted, uint64_t case_bits, bool wide) {
    const uint32_t *restrict rows = filter->rows;
    uint64_t multiplier = filter->multiplier;
    uint32_t shift = filter->shift;
    size_t stride = grid->stride, gram = filter->gram;
    const uint8_t *sample = grid->text + grid->from;
    uint32_t position = (uint32_t)grid->from;
    uint32_t step = TRAWL_QGRAM_GROUP * (uint32_t)stride;
    uint32_t *next = noted;
    for (size_t i = 0; i < groups; i++) {
        uint32_t any = 0;
        for (size_t line = 0; line < step; line += 64) {
            __builtin_prefetch((const void *)((uintptr_t)sample + AHEAD + line));
        }
#pragma GCC unroll 8
        for (unsigned k = 0; k < TRAWL_QGRAM_GROUP; k++) {
            any |= NAME(test)(rows, multiplier, shift, sample, gram, case_bits, wide);
            sample += stride;
        }
        *next = position;
        next += any & 1;
        position += step;
    }
    return (size_t)(next - noted);
}

TARGET static inline __attribute__((always_inline)) size_t
NAME(note_samples)(const trawl_qgram_filter *filter, const trawl_qgram_grid *grid, size_t from,
                   size_t count, uint32_t *restrict noted, uint64_t case_bits, bool wide) {
    const uint32_t *restrict rows = filter->rows;
    uint64_t multiplier = filter->multiplier;
    uint32_t shift = filter->shift;
    size_t stride = grid->stride, gram = filter->gram;
    const uint8_t *sample = grid->text + from;
    uint32_t position = (uint32_t)from;
    uint32_t *next = noted;
    for (size_t i = 0; i < count; i++) {
        if (i % TRAWL_QGRAM_GROUP == 0) {
            __builtin_prefetch((const void *)((uintptr_t)sample + AHEAD));
        }
        *next = position;
        next += NAME(test)(rows, multiplier, shift, sample, gram, case_bits, wide) & 1;
        sample += stride;
        position += (uint32_t)stride;
    }
    return (size_t)(next - noted);
}

/* One loop for each way to make a sample's number. */
#define EACH_WAY(call)                                                                             \
    (filter->gram > 8 ? filter->case_bits != 0 ? call(filter->case_bits, true) : call(0, true)     \
     : filter->case_bits != 0 ? call(filter->case_bits, false)                                     \
                              : call(0, false))

#ifndef GROUPS
#define GROUPS NAME(groups)
TARGET static size_t NAME(groups)(const trawl_qgram_filter *filter, const trawl_qgram_grid *grid,
                                  size_t groups, uint32_t *noted) {
#define CALL(case_bits, wide) NAME(note_groups)(filter, grid, groups, noted, case_bits, wide)
    return EACH_WAY(CALL);
#undef CALL
}

#endif

TARGET static size_t NAME(samples)(const trawl_qgram_filter *filter, const trawl_qgram_grid *grid,
                                   size_t count, uint32_t *noted) {
#define CALL(case_bits, wide)                                                                      \
    NAME(note_samples)(filter, grid, grid->from, count, noted, case_bits, wide)
    return EACH_WAY(CALL);
#undef CALL
}

TARGET static inline __attribute__((always_inline)) size_t
NAME(note_regroup)(const trawl_qgram_filter *filter, const trawl_qgram_grid *grid,
                   const uint32_t *groups, size_t count, uint32_t *noted, uint64_t case_bits,
                   bool wide) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += NAME(note_samples)(filter, grid, groups[i], TRAWL_QGRAM_GROUP, noted + found,
                                    case_bits, wide);
    }
    return found;
}

TARGET static size_t NAME(regroup)(const trawl_qgram_filter *filter, const trawl_qgram_grid *grid,
                                   const uint32_t *groups, size_t count, uint32_t *noted) {
#define CALL(case_bits, wide)                                                                      \
    NAME(note_regroup)(filter, grid, groups, count, noted, case_bits, wide)
    return EACH_WAY(CALL);
#undef CALL
}

TARGET static size_t NAME(ends)(const trawl_qgram_filter *filter, const trawl_qgram_grid *grid,
                                const uint32_t *samples, size_t count, uint32_t *restrict noted) {
    const uint32_t *restrict second = filter->second;
    const trawl_qgram_suffixes suffixes = filter->suffixes;
    uint64_t case_bits = filter->case_bits;
    uint32_t bits = filter->second_bits, gram = filter->gram, stride = (uint32_t)grid->stride;
    const uint8_t *text = grid->text;
    uint32_t *next = noted;
    for (size_t i = 0; i < count; i++) {
        uint32_t end = samples[i] + gram;
        uint32_t past = end + stride;
        for (; end != past; end++) {
            uint64_t last;
            uint32_t pass = 0;
            memcpy(&last, text + end - 8, sizeof last);
            last |= case_bits;
            for (uint32_t k = 0; k < suffixes.count; k++) {
                uint32_t bytes = suffixes.bytes[k];
                uint64_t first = 0;
                if (bytes > 8) {
                    memcpy(&first, text + end - bytes, sizeof first);
                }
                uint64_t hash =
                    trawl_qgram_second(trawl_qgram_suffix(bytes, first | case_bits, last));
                uint32_t both = trawl_qgram_second_mask(hash);
                pass |= (second[trawl_qgram_second_word(hash, bits)] & both) == both;
            }
            *next = end;
            next += pass;
        }
    }
    return (size_t)(next - noted);
}

TARGET static size_t NAME(direct)(const uint32_t *direct, const uint8_t *text, size_t begin,
                                  size_t end, uint32_t *noted) {
    uint32_t *next = noted;
    for (size_t i = begin + 1; i <= end; i++) {
        uint32_t pair = text[i - 2] | (uint32_t)text[i - 1] << 8;
        *next = (uint32_t)i;
        next += direct[pair] != 0;
    }
    return (size_t)(next - noted);
}

static const trawl_qgram_loops LOOPS = {
    .groups = GROUPS,
    .samples = NAME(samples),
    .regroup = NAME(regroup),
    .ends = NAME(ends),
    .direct = NAME(direct),
};

#undef EACH_WAY
#undef GROUPS
#undef LOOPS
#undef NAME
#undef TARGET
