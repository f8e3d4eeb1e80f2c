/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The loops of packed tiers. Before including it, define
 *   LOOPS       name of the trawl_packed_loops to define
 *   NAME(base)  a distinct name for each function
 *   TARGET      the functions' target attribute, or nothing
 * and the steps that are written for each instruction set (engines/qgram/packed/vectors.h):
 *   NAME(pack64)    packs 64 bytes and says which of them are letters
 *   NAME(select64)  says at which of 64 positions a window passes
 *   NAME(field)     some bits of a word
 *   NAME(lowest)    the number of a word's lowest bit
 */

TARGET static inline __attribute__((always_inline)) uint64_t NAME(load)(const uint8_t *letters,
                                                                        size_t letter) {
    uint64_t word;
    memcpy(&word, letters + (letter >> 2), sizeof word);
    return word >> (2 * (letter & 3));
}

/* The first unit: what stands before the block. Codes are wanted of pairs alone. */
TARGET static inline __attribute__((always_inline)) void
NAME(pack_lead)(const trawl_packed_filter *filter, const uint8_t *text, size_t begin, size_t end,
                trawl_packed_block *block, uint8_t *codes) {
    uint8_t bytes[64] = {0};
    size_t before = begin < 64 ? begin : 64;
    memcpy(bytes + 64 - before, text + begin - before, before);
    uint64_t letters = NAME(pack64)(filter, bytes, block->letters, codes);
    block->clean[0] = before == 0 ? 0 : letters & ~UINT64_C(0) << (64 - before);
    block->begin = begin;
    block->units = 1 + (uint32_t)((end - begin + 63) / 64);
    memset(block->letters + (size_t)16 * block->units, 0, 64);
}

TARGET static inline __attribute__((always_inline)) void
NAME(pack_unit)(const trawl_packed_filter *filter, const uint8_t *text, size_t end, uint32_t unit,
                trawl_packed_block *block, uint8_t *codes) {
    size_t from = block->begin + (size_t)64 * (unit - 1);
    const uint8_t *bytes = text + from;
    __builtin_prefetch((const void *)((uintptr_t)bytes + AHEAD));
    uint8_t last[64];
    uint64_t inside = ~UINT64_C(0);
    if (end - from < 64) {
        memset(last, 0, sizeof last);
        memcpy(last, bytes, end - from);
        bytes = last;
        inside = ~(~UINT64_C(0) << (end - from));
    }
    block->clean[unit] =
        NAME(pack64)(filter, bytes, block->letters + (size_t)16 * unit, codes) & inside;
}

TARGET static void NAME(pack)(const trawl_packed_filter *filter, const uint8_t *text, size_t begin,
                              size_t end, trawl_packed_block *block) {
    const trawl_packed_filter own = *filter;
    NAME(pack_lead)(&own, text, begin, end, block, NULL);
    for (uint32_t unit = 1; unit < block->units; unit++) {
        NAME(pack_unit)(&own, text, end, unit, block, NULL);
    }
}

/* The rows of 32 pairs of positions. */
TARGET static inline __attribute__((always_inline)) void
NAME(load_rows)(const trawl_packed_filter *filter, const uint8_t *letters, uint32_t unit,
                uint8_t *rows) {
    uint32_t bits = 2 * (filter->gram - 1);
    /* A pair's positions are 2k and 2k + 1, its row's index the gram - 1 letters up to 2k. */
    size_t first = (size_t)64 * unit + 2 - filter->gram;
    unsigned shift = 2 * (first & 3);
    const uint8_t *from = letters + (first >> 2);
#pragma GCC unroll 1
    for (unsigned i = 0; i < 4; i++) { /* one after the other: there are not registers for more */
        uint64_t word;
        memcpy(&word, from + (size_t)4 * i, sizeof word);
        word >>= shift;
        for (unsigned k = 0; k < 8; k++) {
            rows[8 * i + k] = filter->pairs[NAME(field)(word >> (16 * (k / 4)), 4 * (k % 4), bits)];
            /* Or rows would be shifted together before they are stored, which takes longer. */
            __asm__("" ::: "memory");
        }
    }
}

/* Positions whose last `length` (at most 64) bytes are letters. */
TARGET static inline __attribute__((always_inline)) uint64_t
NAME(valid)(uint64_t before, uint64_t here, uint32_t length) {
    if ((before & here) == ~UINT64_C(0)) {
        return here;
    }
    for (uint32_t known = 1; known < length;) {
        uint32_t more = length - known < known ? length - known : known;
        here &= here << more | before >> (64 - more);
        before &= before << more;
        known += more;
    }
    return here;
}

TARGET static size_t NAME(pairs)(const trawl_packed_filter *filter, const uint8_t *text,
                                 size_t begin, size_t end, trawl_packed_block *block) {
    uint8_t codes[64 * (TRAWL_PACKED_PIECE + 1)];
    uint8_t rows[32 * TRAWL_PACKED_PIECE];
    const trawl_packed_filter own = *filter; /* what is written cannot be part of it */
    size_t found = 0;
    NAME(pack_lead)(&own, text, begin, end, block, codes);
    uint32_t units = block->units;
    for (uint32_t first = 1; first < units; first += TRAWL_PACKED_PIECE) {
        uint32_t count = units - first < TRAWL_PACKED_PIECE ? units - first : TRAWL_PACKED_PIECE;
        for (uint32_t i = 0; i < count; i++) {
            NAME(pack_unit)(&own, text, end, first + i, block, codes + (size_t)64 * (i + 1));
        }
        for (uint32_t i = 0; i < count; i++) {
            NAME(load_rows)(&own, block->letters, first + i, rows + (size_t)32 * i);
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *here = codes + (size_t)64 * (i + 1);
            uint64_t hits = NAME(select64)(rows + (size_t)32 * i, here + 1 - own.gram, here);
            hits &= NAME(valid)(block->clean[first + i - 1], block->clean[first + i], own.gram);
            block->hits[first + i] = hits;
            found += (size_t)__builtin_popcountll(hits);
        }
        memcpy(codes, codes + (size_t)64 * count, 64);
    }
    return found;
}

/* Notes the four lowest positions of a word, some of them for nothing; returns the others. */
TARGET static inline __attribute__((always_inline)) uint64_t
NAME(note_four)(uint64_t hits, uint32_t base, uint32_t *next) {
    for (uint32_t k = 0; k < 4; k++) {
        next[k] = base + NAME(lowest)(hits);
        hits &= hits - 1;
    }
    return hits;
}

TARGET static void NAME(note)(const trawl_packed_block *block, size_t found, uint32_t base,
                              uint32_t *noted) {
    uint32_t *next = noted;
    uint32_t units = block->units;
    /* As many as units have but for a few of them are noted of each: a branch on how many a unit
     * has would be mispredicted. Where hits are rare, it would not. */
    size_t mean = 5 * found / (4 * (size_t)units), most = mean + 4 < 64 ? mean + 4 : 64;
    uint32_t usual = found < units / 4 ? 0 : (uint32_t)(most & ~(size_t)3);
    for (uint32_t unit = 1; unit < units; unit++, base += 64) {
        uint64_t hits = block->hits[unit];
        uint32_t count = (uint32_t)__builtin_popcountll(hits), done = 0;
        for (; done < usual; done += 4) {
            hits = NAME(note_four)(hits, base, next + done);
        }
        for (; __builtin_expect(done < count, 0); done += 4) {
            hits = NAME(note_four)(hits, base, next + done);
        }
        next += count;
    }
}

TARGET static inline __attribute__((always_inline)) size_t
NAME(note_samples)(const trawl_packed_filter *filter, const trawl_packed_block *block, size_t from,
                   size_t past, uint32_t *noted, bool aligned) {
    uint32_t *next = noted;
    const uint32_t *rows = filter->rows;
    const uint8_t *letters = block->letters;
    uint64_t multiplier = filter->multiplier;
    unsigned shift = filter->row_shift;
    size_t stride = filter->stride;
    for (size_t sample = from; sample < past; sample += stride) {
        uint64_t number;
        if (aligned) {
            memcpy(&number, letters + (sample >> 2), sizeof number);
        } else {
            number = NAME(load)(letters, sample);
        }
        *next = (uint32_t)sample;
        next += rows[(number * multiplier) >> shift] >> (number & 31) & 1;
    }
    return (size_t)(next - noted);
}

TARGET static size_t NAME(samples)(const trawl_packed_filter *filter,
                                   const trawl_packed_block *block, size_t from, size_t past,
                                   uint32_t *noted) {
    return (from | filter->stride) % 4 == 0
               ? NAME(note_samples)(filter, block, from, past, noted, true)
               : NAME(note_samples)(filter, block, from, past, noted, false);
}

/* Whether a number that ends with the last `tail` letters passes SECOND. */
TARGET static inline __attribute__((always_inline)) uint32_t
NAME(second)(const trawl_packed_filter *filter, uint64_t number) {
    uint64_t bit =
        trawl_packed_second_bit(number, filter->second_multiplier, filter->suffix_filter_bits);
    return filter->second[bit >> 5] >> (bit & 31) & 1;
}

TARGET static size_t NAME(ends)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                                const uint32_t *samples, size_t count, uint32_t *noted) {
    const trawl_packed_filter own = *filter;
    uint32_t *next = noted;
    uint32_t base = (uint32_t)block->begin - TRAWL_PACKED_LEAD; /* may wrap around, and back */
    const uint8_t *letters = block->letters;
    for (size_t i = 0; i < count; i++) {
        uint32_t end = samples[i] + own.gram;
        uint32_t past = end + own.stride;
        for (; end != past; end++) {
            *next = base + end;
            next += NAME(second)(&own, NAME(load)(letters, end - own.tail));
        }
    }
    return (size_t)(next - noted);
}

TARGET static size_t NAME(tails)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                                 const uint32_t *ends, size_t count, uint32_t *noted) {
    const trawl_packed_filter own = *filter;
    size_t found = 0;
    size_t base = block->begin - TRAWL_PACKED_LEAD;
    for (size_t i = 0; i < count; i++) {
        uint32_t end = ends[i];
        noted[found] = end;
        found += NAME(second)(&own, NAME(load)(block->letters, end - base - own.tail));
    }
    return found;
}

TARGET static void NAME(keys)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                              const uint32_t *ends, size_t count, trawl_ending_event *events) {
    const trawl_packed_filter own = *filter;
    uint64_t mask = trawl_packed_mask(own.gram);
    size_t base = block->begin - TRAWL_PACKED_LEAD + own.gram;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = NAME(load)(block->letters, ends[i] - base) & mask;
        uint32_t key = trawl_packed_rank(own.number_bits, own.number_before, number);
        events[i] = (trawl_ending_event){.position = ends[i], .key = key};
    }
}

TARGET static void NAME(matches)(const trawl_packed_filter *filter, const trawl_packed_block *block,
                                 const uint32_t *firsts, size_t count, uint64_t base,
                                 trawl_match *matches) {
    const uint8_t *letters = block->letters;
    const uint64_t *bits = filter->number_bits;
    const uint32_t *before = filter->number_before, *ids = filter->number_ids;
    uint64_t gram = filter->gram, mask = trawl_packed_mask(filter->gram);
    for (size_t i = 0; i < count; i++) {
        uint64_t number = NAME(load)(letters, firsts[i]) & mask;
        uint64_t start = base + firsts[i];
        trawl_write_match(&matches[i], start, start + gram,
                          ids[trawl_packed_rank(bits, before, number)]);
    }
}

static const trawl_packed_loops LOOPS = {
    .pack = NAME(pack),
    .pairs = NAME(pairs),
    .note = NAME(note),
    .samples = NAME(samples),
    .ends = NAME(ends),
    .tails = NAME(tails),
    .keys = NAME(keys),
    .matches = NAME(matches),
};

#undef LOOPS
#undef NAME
#undef TARGET
