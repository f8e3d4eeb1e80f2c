/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The loops over samples (engines/qgram/bloom/scan.h). Before including it, define
 *   LOOPS       name of the trawl_qgram_loops to define
 *   NAME(base)  a distinct name for each function; NAME(extract_row)(number, filter), the row of a
 *               number by its fields, must be defined before, unless SAMPLES is defined
 *   TARGET      the functions' target attribute, or nothing
 *   SAMPLES     a faster function for `filter_samples` than NAME(filter_samples), if there is one;
 *               then also LAST_SAMPLES, the function `filter_last`
 */

#ifndef SAMPLES
#define SAMPLES NAME(filter_samples)
#define LAST_SAMPLES NAME(filter_last)

/* Tests a sample. Returns 2 * bits, plus 1 if it is a candidate. `filter` is the caller's own copy
 * (NAME(list_samples)). */
TARGET static inline __attribute__((always_inline)) uint32_t
NAME(test)(uint32_t bits, const trawl_qgram_filter *filter, const uint8_t *sample,
           trawl_qgram_number_kind kind) {
    uint64_t number, last;
    memcpy(&number, sample, sizeof number);
    if (kind == TRAWL_QGRAM_EXTRACTED) {
        return append_bit(bits, filter->rows[NAME(extract_row)(number, filter)], (uint32_t)number);
    }
    number = trawl_qgram_fold_sample(number, filter->fold);
    if (kind == TRAWL_QGRAM_WIDE) {
        memcpy(&last, sample + filter->gram - 8, sizeof last);
        number = trawl_qgram_join_words(number, trawl_qgram_fold_sample(last, filter->fold));
        number *= filter->multiplier;
        return append_bit(bits, filter->rows[number >> filter->shift],
                          (uint32_t)(number >> (filter->shift - TRAWL_QGRAM_ROW_BIT)));
    }
    return append_bit(bits, filter->rows[(number * filter->multiplier) >> filter->shift],
                      (uint32_t)number);
}

/* The samples at the end of a text, of which `rest` has the bytes. */
TARGET static size_t NAME(filter_last)(const trawl_qgram_filter *filter, uint64_t rest, size_t from,
                                       size_t count, uint32_t *list) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t sample[sizeof rest];
        memcpy(sample, &rest, sizeof rest);
        list[found] = (uint32_t)(from + i * filter->stride);
        found += NAME(test)(0, filter, sample,
                            filter->fields != 0 ? TRAWL_QGRAM_EXTRACTED : TRAWL_QGRAM_NARROW);
        rest >>= 8 * filter->stride & 63;
    }
    return found;
}

/* Tests samples, 32 at a time into one word. Writes those of the words that have a bit, and returns
 * where they end:
 *
 *   63               32 31            0
 *   | position        | s0 s1 ... s31 |   position of sample 0; bit set: candidate
 */
TARGET static inline __attribute__((always_inline)) uint64_t *
NAME(test_words)(const trawl_qgram_filter *filter, const trawl_qgram_grid *grid, size_t count,
                 uint64_t *restrict next, trawl_qgram_number_kind kind) {
    size_t stride = grid->stride;
    const uint8_t *sample = grid->text + grid->from;
    size_t span = WORD_SAMPLES * stride, prefetched = grid->prefetch ? span : 0;
    uint64_t at = (uint64_t)grid->from << 32, step = (uint64_t)span << 32;
    for (size_t word = count / WORD_SAMPLES; word != 0; word--) {
        uint32_t bits = 0;
        for (size_t line = 0; line < prefetched; line += 64) {
            __builtin_prefetch((const void *)((uintptr_t)sample + TRAWL_QGRAM_PREFETCH + line));
        }
#pragma GCC unroll 1 /* x86 addresses eight samples by multiples of the stride, not more */
        for (unsigned group = 0; group < WORD_SAMPLES; group += TRAWL_QGRAM_GROUP) {
#pragma GCC unroll 8
            for (unsigned k = 0; k < TRAWL_QGRAM_GROUP; k++) {
                bits = NAME(test)(bits, filter, sample, kind);
                sample += stride;
            }
        }
        *next = at | bits;
        next += bits != 0;
        at += step;
    }
    size_t rest = count % WORD_SAMPLES;
    if (rest != 0) { /* the same for a word that is not full */
        uint32_t bits = 0;
#pragma GCC unroll 1
        for (size_t group = rest / TRAWL_QGRAM_GROUP; group != 0; group--) {
#pragma GCC unroll 8
            for (unsigned k = 0; k < TRAWL_QGRAM_GROUP; k++) {
                bits = NAME(test)(bits, filter, sample, kind);
                sample += stride;
            }
        }
#pragma GCC unroll 1
        for (size_t single = rest % TRAWL_QGRAM_GROUP; single != 0; single--) {
            bits = NAME(test)(bits, filter, sample, kind);
            sample += stride;
        }
        *next = at | bits << (WORD_SAMPLES - rest);
        next += bits != 0;
    }
    return next;
}

/* Lists the candidates of such words, but for groups of samples in runs of one byte in which no key
 * can end. */
TARGET static inline __attribute__((always_inline)) size_t
NAME(list_words)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                 const trawl_qgram_grid *grid, const uint64_t *word, const uint64_t *past,
                 uint32_t *restrict list) {
    size_t found = 0, stride = grid->stride;
    for (; word != past; word++) {
        uint32_t from = (uint32_t)(*word >> 32), bits = (uint32_t)*word;
        if (bits == UINT32_MAX && filter->runs != NULL) {
            bits = trawl_qgram_drop_groups_in_runs(filter, run, grid, from);
        }
        /* How many bits are set cannot be predicted: SPARE_SAMPLES entries are always written. */
        uint32_t *one = list + found;
        found += (uint32_t)__builtin_popcount(bits);
        for (unsigned i = 0; i < SPARE_SAMPLES; i++) {
            uint32_t first = (uint32_t)__builtin_clz(bits | 1);
            *one++ = from + first * (uint32_t)stride;
            bits &= ~(UINT32_C(0x80000000) >> first);
        }
        for (; bits != 0; one++) {
            uint32_t first = (uint32_t)__builtin_clz(bits);
            *one = from + first * (uint32_t)stride;
            bits &= ~(UINT32_C(0x80000000) >> first);
        }
    }
    return found;
}

/* The filter is copied into a local variable: otherwise the compiler has to assume that writing to
 * the lists changes it, and loads it again and again. */
TARGET static inline __attribute__((always_inline)) size_t
NAME(list_samples)(const trawl_qgram_filter *given, trawl_qgram_run *run,
                   const trawl_qgram_grid *grid, size_t count, uint64_t *words, uint32_t *list,
                   trawl_qgram_folding folding, trawl_qgram_number_kind kind) {
    const trawl_qgram_filter filter = {
        .rows = given->rows,
        .multiplier = given->multiplier,
        .shift = given->shift,
        .gram = given->gram,
        .fields = given->fields,
        .row_mask = given->row_mask,
        .fold = {
            .all = folding == FOLD_ALL ? given->fold.all : 0,
            .letters = folding == FOLD_LETTERS ? given->fold.letters : 0,
        }};
    const uint64_t *past = NAME(test_words)(&filter, grid, count, words, kind);
    return NAME(list_words)(given, run, grid, words, past, list);
}

/* One loop for each way to make a sample's number. */
TARGET static size_t NAME(filter_samples)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                          const trawl_qgram_grid *grid, size_t count,
                                          uint64_t *words, uint32_t *list) {
    if (filter->fields != 0) {
        return NAME(list_samples)(filter, run, grid, count, words, list, FOLD_NONE,
                                  TRAWL_QGRAM_EXTRACTED);
    }
    if (filter->gram > 8) {
        return filter->fold.all != 0 ? NAME(list_samples)(filter, run, grid, count, words, list,
                                                          FOLD_ALL, TRAWL_QGRAM_WIDE)
                                     : NAME(list_samples)(filter, run, grid, count, words, list,
                                                          FOLD_NONE, TRAWL_QGRAM_WIDE);
    }
    if (filter->fold.letters != 0) {
        return NAME(list_samples)(filter, run, grid, count, words, list, FOLD_LETTERS,
                                  TRAWL_QGRAM_NARROW);
    }
    return filter->fold.all != 0 ? NAME(list_samples)(filter, run, grid, count, words, list,
                                                      FOLD_ALL, TRAWL_QGRAM_NARROW)
                                 : NAME(list_samples)(filter, run, grid, count, words, list,
                                                      FOLD_NONE, TRAWL_QGRAM_NARROW);
}

#endif

/* The hash with which the suffix filter is asked for the last `bytes` bytes before `end`. `last`
 * are the last eight, with their case bits. Lengths up to eight and above are selected by masks,
 * without a branch. */
TARGET static inline __attribute__((always_inline)) uint64_t
NAME(hash_suffix)(const trawl_qgram_filter *filter, const uint8_t *end, uint64_t last,
                  uint32_t bytes, uint32_t kind) {
    uint64_t first;
    memcpy(&first, end - (bytes > 8 ? bytes : 8), sizeof first);
    uint64_t mixed = trawl_qgram_join_words(trawl_qgram_fold(first, filter->case_bits), last);
    uint64_t one = last & ~UINT64_C(0) << ((64 - 8 * bytes) & 63);
    uint64_t wide = 0 - (uint64_t)(bytes > 8);
    return trawl_suffix_filter_hash((mixed & wide) | (one & ~wide), kind);
}

/* Whether the suffix filter has both bits of a hash. */
TARGET static inline __attribute__((always_inline)) bool
NAME(has_hash)(const trawl_qgram_filter *filter, uint64_t hash) {
    uint32_t both = trawl_suffix_filter_mask(hash);
    return (filter->suffix_filter[trawl_suffix_filter_word(hash, filter->suffix_filter_bits)] &
            both) == both;
}

/* Possible ends are written as
 *
 *   31        15 14         0
 *   | suffixes  | distance  |   distance of the end from that of the first sample; bit i of the
 *                               suffixes: the last suffix of a key may have the i-th length
 *
 * Keeps an end if the shortest of these suffixes is in the suffix filter and a key may end after a
 * run as long as the one before the end. Runs of eight bytes and more are kept: NAME(list_ends)
 * tests them. The filter may be larger than the caches: words are prefetched for AT_ONCE ends
 * before any is read. */
TARGET static inline __attribute__((always_inline)) size_t
NAME(keep_possible_ends)(const trawl_qgram_filter *given, const uint8_t *text,
                         uint32_t *restrict possible_ends, size_t count) {
    const trawl_qgram_filter filter = *given;
    size_t found = 0, taken;
    for (size_t from = 0; from < count; from += taken) {
        uint64_t hashes[AT_ONCE], fits = 0;
        taken = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (size_t i = 0; i < taken; i++) {
            uint32_t possible = possible_ends[from + i];
            const uint8_t *end = text + (possible & DISTANCE_MASK);
            uint32_t shortest = (uint32_t)__builtin_ctz(possible >> DISTANCE_BITS | 1u << 7);
            uint64_t last;
            memcpy(&last, end - 8, sizeof last);
            uint8_t byte = (uint8_t)(last >> 56);
            uint64_t differs = last ^ byte * UINT64_C(0x0101010101010101);
            uint32_t run_length = (uint32_t)__builtin_ctzll(__builtin_bswap64(differs | 1)) / 8;
            uint64_t fits_run = filter.runs[byte] >> run_length | (differs == 0);
            fits |= (fits_run & 1) << i;
            last = trawl_qgram_fold(last, filter.case_bits);
            hashes[i] = NAME(hash_suffix)(&filter, end, last, filter.suffixes.bytes[shortest],
                                          TRAWL_SUFFIX_ANY);
            __builtin_prefetch(&filter.suffix_filter[trawl_suffix_filter_word(
                hashes[i], filter.suffix_filter_bits)]);
        }
        for (size_t i = 0; i < taken; i++) {
            possible_ends[found] = possible_ends[from + i];
            found += NAME(has_hash)(&filter, hashes[i]) & (fits >> i & 1);
        }
    }
    return found;
}

/* Lists those of the possible ends that have one of their suffixes as a last suffix in the suffix
 * filter. */
TARGET static size_t NAME(list_ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                     const uint8_t *text, size_t base, uint32_t *possible_ends,
                                     size_t count, uint32_t *restrict list) {
    count = NAME(keep_possible_ends)(filter, text + base, possible_ends, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = base + (possible_ends[i] & DISTANCE_MASK);
        uint32_t suffixes = possible_ends[i] >> DISTANCE_BITS;
        uint64_t last;
        memcpy(&last, text + end - 8, sizeof last);
        uint8_t byte = (uint8_t)(last >> 56);
        if (last == byte * UINT64_C(0x0101010101010101) &&
            ((trawl_qgram_ends_after_run(filter, run, text, end - 8, end, byte) & 1) == 0 ||
             !trawl_qgram_run_start_fits(filter, run, text, end))) {
            continue;
        }
        last = trawl_qgram_fold(last, filter->case_bits);
        bool has_suffix = false;
        for (; suffixes != 0 && !has_suffix; suffixes &= suffixes - 1) {
            uint32_t bytes = filter->suffixes.bytes[__builtin_ctz(suffixes)];
            has_suffix = NAME(has_hash)(
                filter, NAME(hash_suffix)(filter, text + end, last, bytes, TRAWL_SUFFIX_LAST));
        }
        list[found] = (uint32_t)end;
        found += has_suffix;
    }
    return found;
}

/* Reads the words of end offsets of `count` samples, at most AT_ONCE. Returns bit i: whether sample
 * i is a run of one byte. */
TARGET static inline __attribute__((always_inline)) uint64_t
NAME(load_end_offsets)(const trawl_qgram_filter *filter, const uint8_t *text,
                       const uint32_t *samples, size_t count, uint32_t *restrict words) {
    const uint32_t *end_offsets = filter->end_offsets;
    uint64_t case_bits = filter->case_bits, multiplier = filter->multiplier;
    uint32_t gram = filter->gram, end_offsets_bits = filter->end_offsets_bits;
    uint32_t run_shift = gram < 8 ? 64 - 8 * gram : 0;
    uint64_t runs = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *sample = text + samples[i];
        uint64_t number, last;
        memcpy(&number, sample - run_shift / 8, sizeof number); /* ends with the sample */
        number >>= run_shift;
        uint64_t same = (number & 0xff) * UINT64_C(0x0101010101010101);
        bool is_run = (number ^ same) << run_shift == 0;
        number = trawl_qgram_fold(number, case_bits);
        if (gram > 8) {
            memcpy(&last, sample + gram - 8, sizeof last);
            is_run &= last == same;
            number = trawl_qgram_join_words(number, trawl_qgram_fold(last, case_bits));
        }
        words[i] = (uint32_t)trawl_end_offsets_word(number * multiplier, end_offsets_bits);
        __builtin_prefetch(&end_offsets[words[i]]);
        runs |= (uint64_t)is_run << i;
    }
    for (size_t i = 0; i < count; i++) {
        words[i] = end_offsets[words[i]];
    }
    return runs;
}

/* Writes the possible ends of a sample to `next`, and returns the place after them. Bit i of
 * `steps`: the step of ends from i * step to (i + 1) * step - 1 bytes after the sample's own end.
 * Bit i of `allowed`: the end i bytes after the sample's own end. `entry` is the possible end at
 * the sample's own end. */
TARGET static inline __attribute__((always_inline)) uint32_t *
NAME(write_possible_ends)(uint32_t *next, uint32_t entry, uint32_t steps, uint64_t allowed,
                          uint32_t step, uint32_t ends) {
    if (step == 1) { /* most samples have at most two ends: two are always written */
        steps &= (uint32_t)allowed;
        *next = entry + (uint32_t)__builtin_ctz(steps | 1u << 31);
        next += steps != 0;
        steps &= steps - 1;
        *next = entry + (uint32_t)__builtin_ctz(steps | 1u << 31);
        next += steps != 0;
        for (steps &= steps - 1; steps != 0; steps &= steps - 1) {
            *next++ = entry + (uint32_t)__builtin_ctz(steps);
        }
    }
    for (; steps != 0; steps &= steps - 1) {
        uint32_t end = (uint32_t)__builtin_ctz(steps) * step;
        uint32_t past = end + step < ends ? end + step : ends;
        do {
            *next = entry + end;
            next += allowed >> end & 1;
        } while (++end < past);
    }
    return next;
}

/* Lists the ends of candidates. The words of end offsets are prefetched for AT_ONCE samples before
 * any is read. */
TARGET static size_t NAME(find_ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                     const trawl_qgram_grid *grid, const uint32_t *samples,
                                     size_t count, uint32_t *possible_ends, uint32_t *list) {
    const uint8_t *text = grid->text;
    uint32_t gram = filter->gram, stride = (uint32_t)grid->stride;
    uint32_t step = trawl_end_offsets_step_bytes(stride);
    size_t base = count == 0 ? 0 : samples[0] + gram;
    uint32_t *next = possible_ends;
    while (count != 0) {
        size_t taken = count < AT_ONCE ? count : AT_ONCE;
        uint32_t words[AT_ONCE];
        uint64_t runs = NAME(load_end_offsets)(filter, text, samples, taken, words);
        for (size_t i = 0; i < taken; i++) {
            size_t from = samples[i] + gram;
            uint32_t steps = words[i] & ((1u << TRAWL_END_OFFSETS_STEPS) - 1);
            uint32_t suffixes = words[i] >> TRAWL_END_OFFSETS_STEPS;
            uint32_t entry = (uint32_t)(from - base) | suffixes << DISTANCE_BITS;
            uint64_t allowed = ~UINT64_C(0);
            if ((runs >> i & 1) != 0) {
                uint8_t byte = text[samples[i]];
                allowed =
                    trawl_qgram_ends_after_short_run(filter, run, text, samples[i], from, byte);
                steps = allowed == 0 ? 0 : steps;
            }
            next = NAME(write_possible_ends)(next, entry, steps, allowed, step, stride);
        }
        samples += taken;
        count -= taken;
    }
    return NAME(list_ends)(filter, run, text, base, possible_ends, (size_t)(next - possible_ends),
                           list);
}

TARGET static size_t NAME(filter_pairs)(const uint32_t *pairs, const uint8_t *text, size_t begin,
                                        size_t end, uint32_t *list) {
    uint32_t *next = list;
    for (size_t i = begin + 1; i <= end; i++) {
        uint32_t pair = text[i - 2] | (uint32_t)text[i - 1] << 8;
        *next = (uint32_t)i;
        next += pairs[pair] != 0;
    }
    return (size_t)(next - list);
}

static const trawl_qgram_loops LOOPS = {
    .filter_samples = SAMPLES,
    .filter_last = LAST_SAMPLES,
    .find_ends = NAME(find_ends),
    .filter_pairs = NAME(filter_pairs),
};

#undef SAMPLES
#undef LAST_SAMPLES
#undef LOOPS
#undef NAME
#undef TARGET
