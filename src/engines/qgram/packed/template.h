/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The loops of packed tiers (engines/qgram/packed/scan.h). Before including it, define
 *   LOOPS       name of the trawl_packed_loops to define
 *   NAME(base)  a distinct name for each function
 *   TARGET      the functions' target attribute, or nothing
 * These steps are written for each instruction set (engines/qgram/packed/vectors.h):
 *   NAME(pack64)    packs 64 bytes and says which of them are letters
 *   NAME(select64)  selects the candidates among 64 positions from their rows
 *   NAME(field)     some bits of a word
 *   NAME(lowest)    the number of a word's lowest bit
 */

/* The number of the letters from this one on: at least 29 letters. */
TARGET static inline __attribute__((always_inline)) uint64_t NAME(load)(const uint8_t *letters,
                                                                        size_t letter) {
    uint64_t word;
    memcpy(&word, letters + (letter >> 2), sizeof word);
    return word >> (2 * (letter & 3));
}

/* Packs unit 0, the letters before the block, and sets the block's size. `codes` may be NULL: only
 * filters by pairs need them. */
TARGET static inline __attribute__((always_inline)) void
NAME(pack_before)(const trawl_packed_filter *filter, const uint8_t *text, size_t begin, size_t end,
                  trawl_packed_block *block, uint8_t *codes) {
    uint8_t bytes[64] = {0};
    size_t before = begin < 64 ? begin : 64;
    memcpy(bytes + 64 - before, text + begin - before, before);
    uint64_t letters = NAME(pack64)(filter, bytes, block->letters, codes);
    block->is_letter[0] = before == 0 ? 0 : letters & ~UINT64_C(0) << (64 - before);
    block->begin = begin;
    block->units = 1 + (uint32_t)((end - begin + 63) / 64);
    memset(block->letters + (size_t)16 * block->units, 0, 64);
}

/* Packs a unit of the block; the last one may be shorter. */
TARGET static inline __attribute__((always_inline)) void
NAME(pack_unit)(const trawl_packed_filter *filter, const uint8_t *text, size_t end, uint32_t unit,
                trawl_packed_block *block, uint8_t *codes) {
    size_t from = block->begin + (size_t)64 * (unit - 1);
    const uint8_t *bytes = text + from;
    __builtin_prefetch((const void *)((uintptr_t)bytes + TRAWL_QGRAM_PREFETCH));
    uint8_t last[64];
    uint64_t inside = ~UINT64_C(0);
    if (end - from < 64) {
        memset(last, 0, sizeof last);
        memcpy(last, bytes, end - from);
        bytes = last;
        inside = ~(~UINT64_C(0) << (end - from));
    }
    block->is_letter[unit] =
        NAME(pack64)(filter, bytes, block->letters + (size_t)16 * unit, codes) & inside;
}

TARGET static void NAME(pack)(const trawl_packed_filter *filter, const uint8_t *text, size_t begin,
                              size_t end, trawl_packed_block *block) {
    const trawl_packed_filter own = *filter;
    NAME(pack_before)(&own, text, begin, end, block, NULL);
    for (uint32_t unit = 1; unit < block->units; unit++) {
        NAME(pack_unit)(&own, text, end, unit, block, NULL);
    }
}

/* Loads the rows of 32 pairs of positions, a byte each. */
TARGET static inline __attribute__((always_inline)) void
NAME(load_rows)(const trawl_packed_filter *filter, const uint8_t *letters, uint32_t unit,
                uint8_t *rows) {
    uint32_t bits = 2 * (filter->gram - 1);
    /* A pair has the positions 2k and 2k + 1. The index of its row is the gram - 1 letters up to
     * 2k, which both windows have. */
    size_t first = (size_t)64 * unit + 2 - filter->gram;
    unsigned shift = 2 * (first & 3);
    const uint8_t *from = letters + (first >> 2);
#pragma GCC unroll 1
    for (unsigned i = 0; i < 4; i++) { /* four words at once would not fit the registers */
        uint64_t word;
        memcpy(&word, from + (size_t)4 * i, sizeof word);
        word >>= shift;
        for (unsigned k = 0; k < 8; k++) {
            rows[8 * i + k] = filter->pairs[NAME(field)(word >> (16 * (k / 4)), 4 * (k % 4), bits)];
            /* Without this the compiler collects eight rows by shifts and stores them at once,
             * which is slower (docs/notebook/2026-11-packed-filter.md). */
            __asm__("" ::: "memory");
        }
    }
}

/* The positions of a unit at which the last `length` (at most 64) bytes are letters. `before` and
 * `here` say which bytes of the unit before and of this unit are letters. */
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

TARGET static size_t NAME(filter_pairs)(const trawl_packed_filter *filter, const uint8_t *text,
                                        size_t begin, size_t end, trawl_packed_block *block) {
    uint8_t codes[64 * (TRAWL_PACKED_BATCH_UNITS + 1)];
    uint8_t rows[32 * TRAWL_PACKED_BATCH_UNITS];
    const trawl_packed_filter own = *filter; /* a copy, which no store through a pointer changes */
    size_t found = 0;
    NAME(pack_before)(&own, text, begin, end, block, codes);
    uint32_t units = block->units;
    for (uint32_t first = 1; first < units; first += TRAWL_PACKED_BATCH_UNITS) {
        uint32_t count =
            units - first < TRAWL_PACKED_BATCH_UNITS ? units - first : TRAWL_PACKED_BATCH_UNITS;
        for (uint32_t i = 0; i < count; i++) {
            NAME(pack_unit)(&own, text, end, first + i, block, codes + (size_t)64 * (i + 1));
        }
        for (uint32_t i = 0; i < count; i++) {
            NAME(load_rows)(&own, block->letters, first + i, rows + (size_t)32 * i);
        }
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *here = codes + (size_t)64 * (i + 1);
            uint64_t hits = NAME(select64)(rows + (size_t)32 * i, here + 1 - own.gram, here);
            hits &=
                NAME(valid)(block->is_letter[first + i - 1], block->is_letter[first + i], own.gram);
            block->hits[first + i] = hits;
            found += (size_t)__builtin_popcountll(hits);
        }
        memcpy(codes, codes + (size_t)64 * count, 64);
    }
    return found;
}

/* Writes the four lowest positions of a word, any numbers if it has fewer bits; returns the other
 * bits. */
TARGET static inline __attribute__((always_inline)) uint64_t
NAME(list_four)(uint64_t hits, uint32_t base, uint32_t *next) {
    for (uint32_t k = 0; k < 4; k++) {
        next[k] = base + NAME(lowest)(hits);
        hits &= hits - 1;
    }
    return hits;
}

TARGET static void NAME(list_hits)(const trawl_packed_block *block, size_t found, uint32_t base,
                                   uint32_t *list) {
    uint32_t *next = list;
    uint32_t units = block->units;
    /* A branch on the number of a unit's hits would be mispredicted. So `usual` entries are always
     * written, which are enough for nearly all units: 5/4 of the mean and four more. If hits are
     * rare the branch is predicted, and nothing is written in advance. */
    size_t mean = 5 * found / (4 * (size_t)units), most = mean + 4 < 64 ? mean + 4 : 64;
    uint32_t usual = found < units / 4 ? 0 : (uint32_t)(most & ~(size_t)3);
    for (uint32_t unit = 1; unit < units; unit++, base += 64) {
        uint64_t hits = block->hits[unit];
        uint32_t count = (uint32_t)__builtin_popcountll(hits), done = 0;
        for (; done < usual; done += 4) {
            hits = NAME(list_four)(hits, base, next + done);
        }
        for (; __builtin_expect(done < count, 0); done += 4) {
            hits = NAME(list_four)(hits, base, next + done);
        }
        next += count;
    }
}

TARGET static inline __attribute__((always_inline)) size_t
NAME(list_samples)(const trawl_packed_filter *filter, const trawl_packed_block *block, size_t from,
                   size_t past, uint32_t *list, bool aligned) {
    uint32_t *next = list;
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
    return (size_t)(next - list);
}

TARGET static size_t NAME(filter_samples)(const trawl_packed_filter *filter,
                                          const trawl_packed_block *block, size_t from, size_t past,
                                          uint32_t *list) {
    return (from | filter->stride) % 4 == 0
               ? NAME(list_samples)(filter, block, from, past, list, true)
               : NAME(list_samples)(filter, block, from, past, list, false);
}

/* Whether the suffix filter has a number, of which the last look_up_letters letters count. */
TARGET static inline __attribute__((always_inline)) uint32_t
NAME(has_suffix)(const trawl_packed_filter *filter, uint64_t number) {
    uint64_t bit =
        trawl_packed_suffix_bit(number, filter->suffix_multiplier, filter->suffix_filter_bits);
    return filter->suffix_filter[bit >> 5] >> (bit & 31) & 1;
}

TARGET static size_t NAME(find_ends)(const trawl_packed_filter *filter,
                                     const trawl_packed_block *block, const uint32_t *samples,
                                     size_t count, uint32_t *list) {
    const trawl_packed_filter own = *filter;
    uint32_t *next = list;
    uint32_t base =
        (uint32_t)block->begin - TRAWL_PACKED_LETTERS_BEFORE; /* may wrap around, and back */
    const uint8_t *letters = block->letters;
    for (size_t i = 0; i < count; i++) {
        uint32_t end = samples[i] + own.gram;
        uint32_t past = end + own.stride;
        for (; end != past; end++) {
            *next = base + end;
            next += NAME(has_suffix)(&own, NAME(load)(letters, end - own.look_up_letters));
        }
    }
    return (size_t)(next - list);
}

TARGET static size_t NAME(keep_ends)(const trawl_packed_filter *filter,
                                     const trawl_packed_block *block, const uint32_t *ends,
                                     size_t count, uint32_t *list) {
    const trawl_packed_filter own = *filter;
    size_t found = 0;
    size_t base = block->begin - TRAWL_PACKED_LETTERS_BEFORE;
    for (size_t i = 0; i < count; i++) {
        uint32_t end = ends[i];
        list[found] = end;
        found +=
            NAME(has_suffix)(&own, NAME(load)(block->letters, end - base - own.look_up_letters));
    }
    return found;
}

TARGET static void NAME(find_keys)(const trawl_packed_filter *filter,
                                   const trawl_packed_block *block, const uint32_t *ends,
                                   size_t count, trawl_ending_event *events) {
    const trawl_packed_filter own = *filter;
    uint64_t mask = trawl_packed_mask(own.gram);
    size_t base = block->begin - TRAWL_PACKED_LETTERS_BEFORE + own.gram;
    for (size_t i = 0; i < count; i++) {
        uint64_t number = NAME(load)(block->letters, ends[i] - base) & mask;
        uint32_t key = trawl_packed_rank(own.number_bits, own.number_before, number);
        events[i] = (trawl_ending_event){.position = ends[i], .key = key};
    }
}

TARGET static void NAME(write_matches)(const trawl_packed_filter *filter,
                                       const trawl_packed_block *block, const uint32_t *firsts,
                                       size_t count, uint64_t base, trawl_match *matches) {
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
    .filter_pairs = NAME(filter_pairs),
    .list_hits = NAME(list_hits),
    .filter_samples = NAME(filter_samples),
    .find_ends = NAME(find_ends),
    .keep_ends = NAME(keep_ends),
    .find_keys = NAME(find_keys),
    .write_matches = NAME(write_matches),
};

#undef LOOPS
#undef NAME
#undef TARGET
