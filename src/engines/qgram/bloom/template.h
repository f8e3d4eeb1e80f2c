/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The loops over samples. Before including it, define
 *   LOOPS       name of the trawl_qgram_loops to define
 *   NAME(base)  a distinct name for each function
 *   TARGET      the functions' target attribute, or nothing
 *   EXTRACT(number, filter)  the row of a number by its fields
 *   SAMPLES     the function for `samples`, where NAME(samples) is not the best one
 */

/* Appends to the marks whether the sample passes; the filter is given in the caller's own copy. */
TARGET static inline __attribute__((always_inline)) uint32_t
NAME(test)(uint32_t marks, const trawl_qgram_filter *filter, const uint8_t *sample,
           trawl_qgram_number_kind kind) {
    uint64_t number, last;
    memcpy(&number, sample, sizeof number);
    if (kind == TRAWL_QGRAM_EXTRACTED) {
        return append_bit(marks, filter->rows[EXTRACT(number, filter)], (uint32_t)number);
    }
    number |= filter->case_bits;
    if (kind == TRAWL_QGRAM_WIDE) {
        memcpy(&last, sample + filter->gram - 8, sizeof last);
        number = trawl_qgram_mix(number, last | filter->case_bits);
    }
    return append_bit(marks, filter->rows[(number * filter->multiplier) >> filter->shift],
                      (uint32_t)number);
}

#ifndef SAMPLES
#define SAMPLES NAME(samples)

/* What the loops read again and again stands in a copy: the lists that they write might else be
 * taken for parts of it. */
TARGET static inline __attribute__((always_inline)) size_t
NAME(note_samples)(const trawl_qgram_filter *given, trawl_qgram_run *run,
                   const trawl_qgram_grid *grid, size_t count, uint64_t *restrict words,
                   uint32_t *restrict noted, bool folded, trawl_qgram_number_kind kind) {
    const trawl_qgram_filter filter = {.rows = given->rows,
                                       .multiplier = given->multiplier,
                                       .shift = given->shift,
                                       .gram = given->gram,
                                       .fields = given->fields,
                                       .row_mask = given->row_mask,
                                       .case_bits = folded ? given->case_bits : 0};
    size_t stride = grid->stride;
    const uint8_t *sample = grid->text + grid->from;
    size_t span = WORD_SAMPLES * stride, ahead = grid->ahead ? span : 0;
    uint64_t *next = words;
    /* Where a word's first sample is, and below it a bit for each of them, the first one highest.
     */
    uint64_t at = (uint64_t)grid->from << 32, step = (uint64_t)span << 32;
    for (size_t word = count / WORD_SAMPLES; word != 0; word--) {
        uint32_t marks = 0;
        for (size_t line = 0; line < ahead; line += 64) {
            __builtin_prefetch((const void *)((uintptr_t)sample + AHEAD + line));
        }
#pragma GCC unroll 1 /* eight are addressed by multiples of the stride, more by additions */
        for (unsigned group = 0; group < WORD_SAMPLES; group += TRAWL_QGRAM_GROUP) {
#pragma GCC unroll 8
            for (unsigned k = 0; k < TRAWL_QGRAM_GROUP; k++) {
                marks = NAME(test)(marks, &filter, sample, kind);
                sample += stride;
            }
        }
        *next = at | marks;
        next += marks != 0;
        at += step;
    }
    size_t found = 0;
    for (const uint64_t *word = words; word != next; word++) {
        uint32_t from = (uint32_t)(*word >> 32), marks = (uint32_t)*word;
        if (marks == UINT32_MAX) {
            marks = trawl_qgram_fertile(given, run, grid, from);
        }
        /* How many there are cannot be predicted: SPARE of them are written in any case. */
        uint32_t *one = noted + found;
        found += (uint32_t)__builtin_popcount(marks);
        for (unsigned i = 0; i < SPARE_SAMPLES; i++) {
            uint32_t first = (uint32_t)__builtin_clz(marks | 1);
            *one++ = from + first * (uint32_t)stride;
            marks &= ~(UINT32_C(0x80000000) >> first);
        }
        for (; marks != 0; one++) {
            uint32_t first = (uint32_t)__builtin_clz(marks);
            *one = from + first * (uint32_t)stride;
            marks &= ~(UINT32_C(0x80000000) >> first);
        }
    }
    for (size_t i = count - count % WORD_SAMPLES; i < count; i++) {
        noted[found] = (uint32_t)(grid->from + i * stride);
        found += NAME(test)(0, &filter, sample, kind);
        sample += stride;
    }
    return found;
}

/* One loop for each way to make a sample's number. */
TARGET static size_t NAME(samples)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                   const trawl_qgram_grid *grid, size_t count, uint64_t *words,
                                   uint32_t *noted) {
#define CALL(folded, kind) NAME(note_samples)(filter, run, grid, count, words, noted, folded, kind)
    bool folded = filter->case_bits != 0;
    if (filter->fields != 0) {
        return CALL(false, TRAWL_QGRAM_EXTRACTED);
    }
    return filter->gram > 8 ? folded ? CALL(true, TRAWL_QGRAM_WIDE) : CALL(false, TRAWL_QGRAM_WIDE)
           : folded ? CALL(true, TRAWL_QGRAM_NARROW)
                            : CALL(false, TRAWL_QGRAM_NARROW);
#undef CALL
}

#endif

TARGET static inline __attribute__((always_inline)) bool
NAME(has_suffix)(const trawl_qgram_filter *filter, const uint8_t *end, uint64_t last,
                 uint32_t bytes, uint32_t kind) {
    uint64_t first;
    memcpy(&first, end - (bytes > 8 ? bytes : 8), sizeof first);
    uint64_t mixed = trawl_qgram_mix(trawl_qgram_fold(first, filter->case_bits), last);
    uint64_t one = last & ~UINT64_C(0) << ((64 - 8 * bytes) & 63);
    uint64_t wide = 0 - (uint64_t)(bytes > 8); /* selected without a branch */
    uint64_t hash = trawl_suffix_filter((mixed & wide) | (one & ~wide), kind);
    uint32_t both = trawl_suffix_filter_mask(hash);
    return (filter->second[trawl_suffix_filter_word(hash, filter->suffix_filter_bits)] & both) ==
           both;
}

/* Candidates are ends with the suffixes to look for: the distance of the end from the first sample,
 * and above it a bit for each suffix. Those remain which have the shortest of them, and behind
 * whose run of one byte a key may end; long runs need a closer look. */
TARGET static inline __attribute__((always_inline)) size_t
NAME(sift)(const trawl_qgram_filter *given, const uint8_t *text, uint32_t *restrict candidates,
           size_t count) {
    const trawl_qgram_filter filter = *given;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t candidate = candidates[i];
        const uint8_t *end = text + (candidate & CANDIDATE_END);
        uint32_t shortest = (uint32_t)__builtin_ctz(candidate >> CANDIDATE_BITS | 1u << 7);
        uint64_t last;
        memcpy(&last, end - 8, sizeof last);
        uint8_t byte = (uint8_t)(last >> 56);
        uint64_t differs = last ^ byte * UINT64_C(0x0101010101010101);
        /* Bytes that are as the last one; of eight and more the run is looked at later. */
        uint32_t equal = (uint32_t)__builtin_ctzll(__builtin_bswap64(differs | 1)) / 8;
        uint64_t fits = filter.runs[byte] >> equal | (differs == 0);
        last = trawl_qgram_fold(last, filter.case_bits);
        candidates[found] = candidate;
        found += NAME(has_suffix)(&filter, end, last, filter.suffixes.bytes[shortest],
                                  TRAWL_SECOND_ANY) &
                 fits;
    }
    return found;
}

/* What is left of the candidates, as ends: those that have one of their suffixes as the last one.
 */
TARGET static size_t NAME(note_ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                     const uint8_t *text, size_t base, uint32_t *candidates,
                                     size_t count, uint32_t *restrict noted) {
    count = NAME(sift)(filter, text + base, candidates, count);
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t end = base + (candidates[i] & CANDIDATE_END);
        uint32_t suffixes = candidates[i] >> CANDIDATE_BITS;
        uint64_t last;
        memcpy(&last, text + end - 8, sizeof last);
        uint8_t byte = (uint8_t)(last >> 56);
        if (last == byte * UINT64_C(0x0101010101010101) &&
            ((trawl_qgram_run_ends(filter, run, text, end - 8, end, byte) & 1) == 0 ||
             !trawl_qgram_run_begins(filter, run, text, end))) {
            continue;
        }
        last = trawl_qgram_fold(last, filter->case_bits);
        bool passes = false;
        for (; suffixes != 0 && !passes; suffixes &= suffixes - 1) {
            uint32_t bytes = filter->suffixes.bytes[__builtin_ctz(suffixes)];
            passes = NAME(has_suffix)(filter, text + end, last, bytes, TRAWL_SECOND_LAST);
        }
        noted[found] = (uint32_t)end;
        found += passes;
    }
    return found;
}

/* Which ends the sample that ends at `from` may lead to, as bits. */
TARGET static inline __attribute__((always_inline)) uint64_t NAME(owned)(size_t from, size_t least,
                                                                         size_t most) {
    uint64_t ends = from < least ? ~UINT64_C(0) << (least - from) : ~UINT64_C(0);
    return most - from < 63 ? ends & ((UINT64_C(2) << (most - from)) - 1) : ends;
}

/* Marks are read for AT_ONCE samples before any is looked at, so that these loads wait together.
 * `far`: the tier has a reach. */
TARGET static inline __attribute__((always_inline)) size_t
NAME(marked_ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                  const trawl_qgram_grid *grid, const uint32_t *samples, size_t count, size_t least,
                  size_t most, uint32_t *candidates, uint32_t *noted, bool far) {
    const uint8_t *text = grid->text;
    const uint32_t *marks = filter->marks;
    uint64_t case_bits = filter->case_bits, multiplier = filter->multiplier;
    uint32_t gram = filter->gram, mark_bits = filter->mark_bits;
    uint32_t behind = far ? filter->ends : (uint32_t)grid->stride;
    uint32_t span = trawl_qgram_span(behind);
    uint32_t run_shift = gram < 8 ? 64 - 8 * gram : 0;
    size_t base = count == 0 ? 0 : samples[0] + gram, found = 0;
    uint32_t *next = candidates;
    while (count != 0) {
        size_t taken = count < AT_ONCE ? count : AT_ONCE;
        uint32_t mark[AT_ONCE];
        uint64_t runs = 0; /* samples that are a run of one byte, as bits */
        for (size_t i = 0; i < taken; i++) {
            const uint8_t *sample = text + samples[i];
            uint64_t number, last;
            memcpy(&number, sample - run_shift / 8, sizeof number); /* nothing behind it */
            number >>= run_shift;
            uint64_t same = (number & 0xff) * UINT64_C(0x0101010101010101);
            bool is_run = (number ^ same) << run_shift == 0;
            number = trawl_qgram_fold(number, case_bits);
            if (gram > 8) {
                memcpy(&last, sample + gram - 8, sizeof last);
                is_run &= last == same;
                number = trawl_qgram_mix(number, trawl_qgram_fold(last, case_bits));
            }
            mark[i] = marks[trawl_qgram_mark(number * multiplier, mark_bits)];
            runs |= (uint64_t)is_run << i;
        }
        for (size_t i = 0; i < taken; i++) {
            size_t from = samples[i] + gram;
            uint32_t distances = mark[i] & ((1u << TRAWL_QGRAM_DISTANCES) - 1);
            uint32_t suffixes = mark[i] >> TRAWL_QGRAM_DISTANCES;
            uint32_t entry = (uint32_t)(from - base) | suffixes << CANDIDATE_BITS;
            uint64_t fits = far ? NAME(owned)(from, least, most) : ~UINT64_C(0);
            if ((runs >> i & 1) != 0) {
                uint8_t byte = text[samples[i]];
                fits &= trawl_qgram_short_run_ends(filter, run, text, samples[i], from, byte);
                distances = fits == 0 ? 0 : distances;
            }
            if (span == 1) { /* seldom there are more than two: so many are written in any case */
                distances &= (uint32_t)fits;
                *next = entry + (uint32_t)__builtin_ctz(distances | 1u << 31);
                next += distances != 0;
                distances &= distances - 1;
                *next = entry + (uint32_t)__builtin_ctz(distances | 1u << 31);
                next += distances != 0;
                for (distances &= distances - 1; distances != 0; distances &= distances - 1) {
                    *next++ = entry + (uint32_t)__builtin_ctz(distances);
                }
            }
            for (; distances != 0; distances &= distances - 1) {
                uint32_t end = (uint32_t)__builtin_ctz(distances) * span;
                uint32_t past = end + span < behind ? end + span : behind;
                do {
                    *next = entry + end;
                    next += fits >> end & 1;
                } while (++end < past);
            }
        }
        samples += taken;
        count -= taken;
        if (far && (size_t)(next - candidates) > TRAWL_QGRAM_LIST - MOST_AT_ONCE) {
            size_t more = NAME(note_ends)(filter, run, text, base, candidates,
                                          (size_t)(next - candidates), noted + found);
            found = put_in_order(noted, found, found + more);
            next = candidates;
        }
    }
    size_t more = NAME(note_ends)(filter, run, text, base, candidates, (size_t)(next - candidates),
                                  noted + found);
    return far ? put_in_order(noted, found, found + more) : more;
}

TARGET static size_t NAME(ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                const trawl_qgram_grid *grid, const uint32_t *samples, size_t count,
                                uint32_t *candidates, uint32_t *noted) {
    return NAME(marked_ends)(filter, run, grid, samples, count, 0, SIZE_MAX, candidates, noted,
                             false);
}

TARGET static size_t NAME(far_ends)(const trawl_qgram_filter *filter, trawl_qgram_run *run,
                                    const trawl_qgram_grid *grid, const uint32_t *samples,
                                    size_t count, size_t least, size_t most, uint32_t *candidates,
                                    uint32_t *noted) {
    return NAME(marked_ends)(filter, run, grid, samples, count, least, most, candidates, noted,
                             true);
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
    .samples = SAMPLES,
    .ends = NAME(ends),
    .far_ends = NAME(far_ends),
    .direct = NAME(direct),
};

#undef SAMPLES
#undef EXTRACT
#undef LOOPS
#undef NAME
#undef TARGET
